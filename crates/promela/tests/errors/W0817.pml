// expect: W0817 at 4
chan c = [1] of { byte };
init {
    c!1; c?_pid
}
