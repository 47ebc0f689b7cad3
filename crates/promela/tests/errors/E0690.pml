// expect: E0690 at 6
int a[60000];
int b[60000];
int c[60000];
int d[60000];
int e[60000];
init { a[0] = b[0] + c[0] + d[0] + e[0] }
