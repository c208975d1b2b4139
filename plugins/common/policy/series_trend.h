/*
 * series_trend.h - whether a series goes one way, up or down, beyond chance. Plugin side.
 */
#pragma once

#include <stddef.h>

/*
 * Student's t of the slope of a straight line through n values at equal distances, with n - 2
 * degrees of freedom: above 0 where they ascend, 0 for less than 3 values or equal ones.
 * Residuals whose correlation r with the next is above 0.2 are worth (1 - r) / (1 + r) of their
 * number, but no less than a third: a trend that is not straight leaves residuals that look
 * correlated too, and would be excused by them.
 */
double series_trend(const double *values, size_t n);
