// expect: E0206 at 3
init { skip }
#endif
