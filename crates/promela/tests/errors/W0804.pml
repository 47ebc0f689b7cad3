// expect: W0804 at 6
chan c = [0] of { byte };
active proctype P() {
    if
    :: c!1
    :: else
    fi
}
active proctype Q() { c?_ }
