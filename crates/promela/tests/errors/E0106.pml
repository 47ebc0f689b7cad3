// expect: E0106 at 2
#include "not-utf8.h"
init { skip }
