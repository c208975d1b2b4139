/*
 * window.h - a convolution as matrix products, one for each group: where the elements of the two
 * factors and of the result lie. For C and for kernels of CUDA; includes nothing. Plugin side.
 *
 * x has n images of c channels, h x w each; f has k filters of c / groups channels, r x s each; y
 * has n images of k channels, p x q each. Element (p, q) of y sees, through (r, s) of a filter, the
 * element (p stride - pad + r dilation, q stride - pad + s dilation) of x; outside of it x is 0.
 *
 *   direction   rows         columns            summed over
 *   forward     k / groups   n p q              c / groups, r, s     y from f and x
 *   data        c / groups   n h w              k / groups, r, s     x from f and y
 *   weights     k / groups   c / groups, r, s   n, p, q              f from y and x
 *
 * All counts and offsets are in elements and below 2e9.
 */
#pragma once

#ifdef __cplusplus
#define WINDOW_FUNCTION static __device__ inline
#else
#define WINDOW_FUNCTION static inline
#endif

enum { DIRECTION_FORWARD, DIRECTION_DATA, DIRECTION_WEIGHTS, DIRECTIONS };

/* From an element to the next one; of f: filters, their channels, rows and columns. */
struct distances {
    int image, channel, row, column;
};

struct window_shape {
    int n, c, h, w, k, r, s, p, q;
    int stride, pad, dilation, groups;
    struct distances x, f, y;
};

/* An index of columns or of the sum in its three parts, or how many there are of each. */
struct triple {
    int a, b, c;
};

struct product_view {
    int rows;
    struct triple columns, depth;
};

WINDOW_FUNCTION struct product_view window_view(const struct window_shape *shape, int direction)
{
    const struct triple seen = {shape->n, shape->p, shape->q};
    const struct triple image = {shape->n, shape->h, shape->w};
    const int c = shape->c / shape->groups;
    const int k = shape->k / shape->groups;
    const struct triple of_filter = {c, shape->r, shape->s};
    const struct triple of_filters = {k, shape->r, shape->s};
    const struct product_view forward = {k, seen, of_filter};
    const struct product_view data = {c, image, of_filters};
    const struct product_view weights = {k, of_filter, seen};
    return direction == DIRECTION_FORWARD ? forward : direction == DIRECTION_DATA ? data : weights;
}

WINDOW_FUNCTION int window_count(const struct triple *counts)
{
    return counts->a * counts->b * counts->c;
}

WINDOW_FUNCTION struct triple window_split(const struct triple *counts, int index)
{
    const int rest = index / counts->c;
    const struct triple split = {rest / counts->b, rest % counts->b, index % counts->c};
    return split;
}

WINDOW_FUNCTION int window_at(const struct distances *distances, int image, int channel, int row,
                              int column)
{
    return image * distances->image + channel * distances->channel + row * distances->row +
           column * distances->column;
}

/* Of the left factor. */
WINDOW_FUNCTION int window_left(const struct window_shape *shape, int direction, int group, int row,
                                const struct triple *depth)
{
    const int first_k = group * (shape->k / shape->groups);
    if (direction == DIRECTION_FORWARD)
        return window_at(&shape->f, first_k + row, depth->a, depth->b, depth->c);
    if (direction == DIRECTION_DATA)
        return window_at(&shape->f, first_k + depth->a, row, depth->b, depth->c);
    return window_at(&shape->y, depth->a, first_k + row, depth->b, depth->c);
}

/* What element (p, q) of an image of y sees of a channel of x through (r, s). -1: nothing. */
WINDOW_FUNCTION int window_seen(const struct window_shape *shape, int image, int channel,
                                const struct triple *seen, const struct triple *through)
{
    const int row = seen->b * shape->stride - shape->pad + through->b * shape->dilation;
    const int column = seen->c * shape->stride - shape->pad + through->c * shape->dilation;
    if (row < 0 || row >= shape->h || column < 0 || column >= shape->w)
        return -1;
    return window_at(&shape->x, image, channel, row, column);
}

/* Which element of a channel of y sees (h, w) of an image of x through (r, s). -1: none. */
WINDOW_FUNCTION int window_seer(const struct window_shape *shape, int channel,
                                const struct triple *image, const struct triple *through)
{
    const int row = image->b + shape->pad - through->b * shape->dilation;
    const int column = image->c + shape->pad - through->c * shape->dilation;
    const int p = row / shape->stride;
    const int q = column / shape->stride;
    if (row < 0 || column < 0 || row % shape->stride != 0 || column % shape->stride != 0 ||
        p >= shape->p || q >= shape->q)
        return -1;
    return window_at(&shape->y, image->a, channel, p, q);
}

/* Of the right factor. -1: a 0 that is not stored. */
WINDOW_FUNCTION int window_right(const struct window_shape *shape, int direction, int group,
                                 const struct triple *column, const struct triple *depth)
{
    const int first_c = group * (shape->c / shape->groups);
    const int first_k = group * (shape->k / shape->groups);
    if (direction == DIRECTION_FORWARD)
        return window_seen(shape, column->a, first_c + depth->a, column, depth);
    if (direction == DIRECTION_DATA)
        return window_seer(shape, first_k + depth->a, column, depth);
    return window_seen(shape, depth->a, first_c + column->a, depth, column);
}

WINDOW_FUNCTION int window_output(const struct window_shape *shape, int direction, int group,
                                  int row, const struct triple *column)
{
    const int first_c = group * (shape->c / shape->groups);
    const int first_k = group * (shape->k / shape->groups);
    if (direction == DIRECTION_FORWARD)
        return window_at(&shape->y, column->a, first_k + row, column->b, column->c);
    if (direction == DIRECTION_DATA)
        return window_at(&shape->x, column->a, first_c + row, column->b, column->c);
    return window_at(&shape->f, first_k + row, column->a, column->b, column->c);
}
