/* push.c - the example of that name, as a module of the bench: times of its own. */
#include "docs/examples/push.c"
