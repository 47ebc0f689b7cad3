// expect: E0619 at 3
init {
    L: goto L
}
