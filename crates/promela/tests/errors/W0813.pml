// expect: W0813 at 4
byte x;
init {
    if :: x == 0; else :: x == 1 fi
}
