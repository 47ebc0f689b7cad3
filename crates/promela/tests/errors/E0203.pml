// expect: E0203 at 2
#include "there-is-no-such-file.h"
init { skip }
