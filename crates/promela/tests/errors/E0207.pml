// expect: E0207 at 2
#if 1 +
#endif
init { skip }
