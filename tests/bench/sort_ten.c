/* sort_ten.c - the example of that name, as a module of the bench: fresh inputs for short
 * functions. */
#include "docs/examples/sort_ten.c"
