// expect: E0514 at 6
mtype:fruit = { apple };
mtype:colour = { red };
mtype:fruit x;
init {
    x = red
}
