// expect: E0204 at 2
#include "E0204.pml"
init { skip }
