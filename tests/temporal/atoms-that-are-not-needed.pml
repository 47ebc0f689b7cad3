// An index is out of range only where its value matters.
// none: until holds
// none: eventually holds
// none: next holds
// none: needed violated runtime-error
byte a[3]; byte i; bool q;
active proctype P() { q = 1; i = 3; i = 4 }
ltl until { [] (i < 3 -> (a[i] == 0 U (q || i > 3))) }
ltl eventually { [] (i < 3 -> <> (i < 3 && a[i] == 0)) }
ltl next { [] (i >= 3 || X (a[0] == 0) || a[i] == 0) }
ltl needed { [] (q -> (a[i] == 0)) }
