// expect: E0602 at 5
init {
    if
    :: else -> skip
    :: else -> skip
    fi
}
