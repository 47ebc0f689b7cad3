// expect: E0613 at 5
chan c = [1] of { byte };
byte i;
trace {
    for (i : 1 .. 2) { c!1 }
}
init { c!1 }
