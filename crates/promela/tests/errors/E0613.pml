// expect: E0613 at 4
chan c = [1] of { byte };
trace {
    c!1; skip
}
init { c!1 }
