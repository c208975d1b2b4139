/* call_targets.c - functions for tests of the benchmarks `call` and `kernel`: one for each way to
 * pass something, references, and some that go wrong. No module of gbrun. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Exported, and known by no header. */
#pragma GCC visibility push(default)
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* A function with these parameters and this value. */
#define RETURNS(type, name, parameters, ...)                                                       \
    type name parameters                                                                           \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }

/* One that executes the statement for i from 0 to its n - 1. */
#define EACH(name, parameters, statement)                                                          \
    void name parameters                                                                           \
    {                                                                                              \
        for (size_t i = 0; i < (size_t)n; i++)                                                     \
            statement;                                                                             \
    }

/* Of two the second executes one instruction more. */
void two_nops(void)
{
    __asm__ volatile("nop; nop");
}
void three_nops(void)
{
    __asm__ volatile("nop; nop; nop");
}

/* For each type its own function: a - 2 b, which tells the order and the sign. */
#define DIFFERENCE(name, type)                                                                     \
    type difference_##name(type a, type b)                                                         \
    {                                                                                              \
        return (type)(a - 2 * b);                                                                  \
    }
DIFFERENCE(int8, int8_t)
DIFFERENCE(uint8, uint8_t)
DIFFERENCE(int16, int16_t)
DIFFERENCE(uint16, uint16_t)
DIFFERENCE(int32, int32_t)
DIFFERENCE(uint32, uint32_t)
DIFFERENCE(int64, int64_t)
DIFFERENCE(uint64, uint64_t)
DIFFERENCE(char, char)
DIFFERENCE(long, long)
DIFFERENCE(size, size_t)
DIFFERENCE(float, float)
DIFFERENCE(double, double)

RETURNS(_Bool, negated, (_Bool value), !value)
RETURNS(uint16_t, bits, (uint16_t half), half)

/* More integers than registers hold; each counts by its place. */
RETURNS(int64_t, weigh_integers,
        (int8_t a, int64_t b, uint8_t c, int16_t d, int e, int64_t f, int8_t g, int64_t h, int i),
        a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i)

/* More of both kinds than registers hold, mixed. */
RETURNS(double, weigh_all,
        (int a, double b, int c, float d, int e, double f, int g, float h, int i, double j, int k,
         double l, int m, double n, int o, double p, float q, double r, int8_t s, float t),
        a + 2 * b + 3 * c + 4 * (double)d + 5 * e + 6 * f + 7 * g + 8 * (double)h + 9 * i + 10 * j +
            11 * k + 12 * l + 13 * m + 14 * n + 15 * o + 16 * p + 17 * (double)q + 18 * r + 19 * s +
            20 * (double)t)

/* As many parameters as there may be; the first, those around 16 words on the stack and the last
 * count. */
#define EIGHT(a)                                                                                   \
    int64_t a##0, int64_t a##1, int64_t a##2, int64_t a##3, int64_t a##4, int64_t a##5,            \
        int64_t a##6, int64_t a##7
int64_t weigh_many(EIGHT(a), EIGHT(b), EIGHT(c), EIGHT(d))
{
    const int64_t others = a1 | a2 | a3 | a4 | a5 | a6 | a7 | b0 | b1 | b2 | b3 | b4 | b5 | b6 |
                           b7 | c0 | c1 | c2 | c3 | c4 | d0 | d1 | d2 | d3 | d4 | d5 | d6;
    return a0 + 10 * c5 + 100 * c6 + 1000 * c7 + 10000 * d7 + (others == 0 ? 0 : 5);
}
double weigh_doubles(double sum, EIGHT(a), EIGHT(b), EIGHT(c), double last)
{
    const int64_t others = a0 | a1 | a2 | a3 | a4 | a5 | a6 | a7 | b0 | b1 | b2 | b3 | b4 | b5 |
                           b6 | b7 | c0 | c1 | c2 | c3 | c4;
    return sum + 10 * last + (double)(100 * c5 + 1000 * c6 + 10000 * c7 + others);
}

struct pair {
    double x, y;
};
struct mixed {
    int8_t a;
    int64_t b;
    float c;
};
struct large {
    double values[5];
};

RETURNS(double, pair_difference, (struct pair pair), pair.x - 2 * pair.y)
RETURNS(struct pair, pair_swapped, (struct pair pair), (struct pair){pair.y, pair.x})
RETURNS(double, mixed_sum, (struct mixed mixed, int factor),
        (mixed.a + (double)mixed.b + (double)mixed.c) * factor)
RETURNS(struct large, large_of, (double first), (struct large){{first, first, first, first, first}})

struct halves {
    float a, b;
    int64_t c;
};
struct ends {
    int8_t a;
    double b;
};
struct triple {
    int16_t a, b, c;
};

RETURNS(struct halves, halves_of, (struct triple triple, struct ends ends, struct halves halves),
        (struct halves){(float)triple.c + halves.a, (float)ends.b - halves.b, halves.c - triple.a})
RETURNS(struct ends, ends_of,
        (int a, int b, int c, int d, int e, struct ends ends, struct triple triple),
        (struct ends){(int8_t)(ends.a + triple.b), ends.b + a + b + c + d + e})
RETURNS(struct triple, triple_of, (struct large large, int8_t b, struct mixed mixed),
        (struct triple){(int16_t)large.values[3], b, (int16_t)(mixed.b + mixed.a)})

/* Structs and arrays in structs, with what lies between their parts. */
struct nested {
    struct {
        int32_t a;
        int8_t b;
    } in;
    int8_t c;
};
struct matrix {
    double values[3][4];
};
struct text {
    const char *text;
    size_t n;
};

struct nested nested_of(struct nested nested, struct matrix matrix)
{
    const int32_t sum = (int32_t)(matrix.values[0][1] + 2 * matrix.values[2][3]);
    return (struct nested){{nested.in.a + sum, nested.in.b}, nested.c};
}

size_t text_length(struct text text)
{
    size_t n = text.n;
    for (const char *c = text.text; c != NULL && *c != '\0'; c++)
        n++;
    return n;
}

#define SUM_OF(name, type)                                                                         \
    type sum_of_##name(int n, ...)                                                                 \
    {                                                                                              \
        type sum = 0;                                                                              \
        va_list list;                                                                              \
        va_start(list, n);                                                                         \
        for (int i = 0; i < n; i++)                                                                \
            sum += va_arg(list, type);                                                             \
        va_end(list);                                                                              \
        return sum;                                                                                \
    }
SUM_OF(longs, int64_t)
SUM_OF(doubles, double)

/* ---- callbacks and addresses ---- */

RETURNS(int, apply, (int (*function)(int, double), int n), function(n, 0.5))
RETURNS(int, larger, (int a, double b), a + (int)(2 * b))
RETURNS(const char *, greeting, (void), "hello, \"you\"")
RETURNS(intptr_t, distance, (const char *a, const char *b), b - a)

/* ---- handles and statuses ---- */

struct handle {
    int value;
};
static int n_open;

int handle_open(struct handle **ret)
{
    *ret = calloc(1, sizeof **ret);
    n_open++;
    return *ret == NULL;
}

struct handle *handle_new(int value)
{
    struct handle *handle = NULL;
    handle_open(&handle);
    if (handle != NULL)
        handle->value = value;
    return handle;
}

int handle_set(struct handle *handle, int value)
{
    handle->value = value;
    return 0;
}

RETURNS(int, handle_get, (const struct handle *handle), handle->value)

int handle_close(struct handle *handle)
{
    free(handle);
    n_open--;
    return 0;
}

/* How many handles of earlier cases are still open in this process. */
RETURNS(int, handles_open, (void), n_open)
RETURNS(int, status, (int value), value)

int fails_at(int n)
{
    static int n_calls;
    return ++n_calls == n ? 7 : 0;
}

RETURNS(void *, nothing, (void), NULL)

/* ---- arrays ---- */

EACH(scale, (float *to, const float *from, float factor, size_t n), to[i] = factor * from[i])

/* Leaves the last one out. */
void scale_short(float *to, const float *from, float factor, size_t n)
{
    scale(to, from, factor, n - 1);
}

EACH(scale_reference, (double factor, size_t n, const float *from, float *to),
     to[i] = (float)(factor * (double)from[i]))
EACH(increment_short, (int16_t * values, size_t n), values[i] = (int16_t)(values[i] + 1))

void sort_shorts(uint16_t *values, size_t n, int (*compare)(const void *, const void *))
{
    qsort(values, n, sizeof *values, compare);
}

/* Beyond what doubles hold. */
void large_integers(uint64_t *values, size_t n, uint64_t last)
{
    for (size_t i = 0; i < n; i++)
        values[i] = UINT64_MAX - i;
    values[n - 1] += last;
}

void large_integers_reference(uint64_t *values, size_t n, uint64_t last)
{
    (void)last;
    large_integers(values, n, 0);
}

double sum_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

EACH(scale_on_host, (int *to, const int *from, int factor, int n), to[i] = factor * from[i])

/* ---- faults ---- */

/* Numbers that are compared in their own way. */
RETURNS(uint64_t, largest, (void), UINT64_MAX)
RETURNS(double, quotient, (double a, double b), a / b)

enum { CHEAT_MOST = 64 };

EACH(double_all, (float *to, const float *from, int n), to[i] = 2 * from[i])

/* The same with the result of the first call, whatever the inputs. */
void double_cached(float *to, const float *from, int n)
{
    static float kept[CHEAT_MOST];
    static int n_kept;
    if (n_kept == 0)
        double_all(kept, from, n < CHEAT_MOST ? n : CHEAT_MOST);
    n_kept = n < CHEAT_MOST ? n : CHEAT_MOST;
    for (int i = 0; i < n_kept; i++)
        to[i] = kept[i];
}

/* The same, but that it does nothing once its output is there. */
void double_once(float *to, const float *from, int n)
{
    static int n_calls;
    if (n_calls++ == 0)
        double_all(to, from, n);
}

int variable = 1;

int crash(void)
{
    static int *volatile nowhere;
    return *nowhere;
}

int quit(int code)
{
    _Exit(code);
}
