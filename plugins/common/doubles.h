/* doubles.h - the order of doubles, for qsort. Plugin side. */
#pragma once

static inline int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}
