// expect: E0624 at 3
chan c = [1] of { byte };
notrace {
    do
    :: c!1
    :: break
    od
}
init { c!1 }
