/* doubles.h - the order of doubles, for qsort. Plugin side. */
#ifndef GBRUN_PLUGINS_COMMON_DOUBLES_H
#define GBRUN_PLUGINS_COMMON_DOUBLES_H

static inline int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

#endif
