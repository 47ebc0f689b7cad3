// expect: E0623 at 4
byte a[65];
active proctype P() { a[0] = 1 }
never { do :: a[11] == 1; atomic { skip;
    if :: a[0] == 1 :: a[0] == 2 fi;
    if :: a[1] == 1 :: a[1] == 2 fi;
    if :: a[2] == 1 :: a[2] == 2 fi;
    if :: a[3] == 1 :: a[3] == 2 fi;
    if :: a[4] == 1 :: a[4] == 2 fi;
    if :: a[5] == 1 :: a[5] == 2 fi;
    if :: a[6] == 1 :: a[6] == 2 fi;
    if :: a[7] == 1 :: a[7] == 2 fi;
    if :: a[8] == 1 :: a[8] == 2 fi;
    if :: a[9] == 1 :: a[9] == 2 fi;
    skip } od }
