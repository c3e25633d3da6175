int c_function(int *restrict x) { return *x; }
