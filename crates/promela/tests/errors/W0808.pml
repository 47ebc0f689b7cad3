// expect: W0808 at 4
chan c = [1] of { byte, byte };
init {
    c!1
}
