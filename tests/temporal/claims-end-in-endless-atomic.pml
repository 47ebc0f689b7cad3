// The claim reaches its end while P goes round in an atomic sequence for ever: the last state that others see is read again
// and again.
// none: never violated never-claim
byte y; byte x;
active proctype P() { y = 1; atomic { do :: x = 1 :: break od } }
never { do :: (y == 1) -> break :: true od; skip; skip }
