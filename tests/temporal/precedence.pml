// Inline: && binds more strongly than ||, -> groups to the left, U too.
// none: or_and holds
// none: implications violated acceptance-cycle
// none: untils violated acceptance-cycle
bit a = 1, b, c;
active proctype A() { do :: a == 1 -> a = 1 od }
ltl or_and { a || b && c }
ltl implications { b -> a -> c }
ltl untils { [] (b U (a U c)) || c }
