// expect: W0803 at 4
init {
    if
    :: byte x; x = 1
    :: skip
    fi
}
