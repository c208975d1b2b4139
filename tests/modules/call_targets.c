/* call_targets.c - functions for tests of the benchmark `call`: one for each way to pass something,
 * and some that go wrong. No module of gbrun. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define TARGET __attribute__((visibility("default")))

/* For each type its own function: a - 2 b, which tells the order and the sign. */
#define DIFFERENCE(name, type)                                                                     \
    TARGET type difference_##name(type a, type b);                                                 \
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

TARGET _Bool negated(_Bool value);
_Bool negated(_Bool value)
{
    return !value;
}

TARGET uint16_t bits(uint16_t half);
uint16_t bits(uint16_t half)
{
    return half;
}

/* More integers than registers hold; each counts by its place. */
TARGET int64_t weigh_integers(int8_t a, int64_t b, uint8_t c, int16_t d, int e, int64_t f, int8_t g,
                              int64_t h, int i);
int64_t weigh_integers(int8_t a, int64_t b, uint8_t c, int16_t d, int e, int64_t f, int8_t g,
                       int64_t h, int i)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}

/* More of both kinds than registers hold, mixed. */
TARGET double weigh_all(int a, double b, int c, float d, int e, double f, int g, float h, int i,
                        double j, int k, double l, int m, double n, int o, double p, float q,
                        double r, int8_t s, float t);
double weigh_all(int a, double b, int c, float d, int e, double f, int g, float h, int i, double j,
                 int k, double l, int m, double n, int o, double p, float q, double r, int8_t s,
                 float t)
{
    return a + 2 * b + 3 * c + 4 * (double)d + 5 * e + 6 * f + 7 * g + 8 * (double)h + 9 * i +
           10 * j + 11 * k + 12 * l + 13 * m + 14 * n + 15 * o + 16 * p + 17 * (double)q + 18 * r +
           19 * s + 20 * (double)t;
}

/* As many parameters as there may be; the first, those around 16 words on the stack and the last
 * count. */
#define EIGHT(a)                                                                                   \
    int64_t a##0, int64_t a##1, int64_t a##2, int64_t a##3, int64_t a##4, int64_t a##5,            \
        int64_t a##6, int64_t a##7
TARGET int64_t weigh_many(EIGHT(a), EIGHT(b), EIGHT(c), EIGHT(d));
int64_t weigh_many(EIGHT(a), EIGHT(b), EIGHT(c), EIGHT(d))
{
    const int64_t others = a1 | a2 | a3 | a4 | a5 | a6 | a7 | b0 | b1 | b2 | b3 | b4 | b5 | b6 |
                           b7 | c0 | c1 | c2 | c3 | c4 | d0 | d1 | d2 | d3 | d4 | d5 | d6;
    return a0 + 10 * c5 + 100 * c6 + 1000 * c7 + 10000 * d7 + (others == 0 ? 0 : 5);
}
TARGET double weigh_doubles(double sum, EIGHT(a), EIGHT(b), EIGHT(c), double last);
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

TARGET double pair_difference(struct pair pair);
double pair_difference(struct pair pair)
{
    return pair.x - 2 * pair.y;
}

TARGET struct pair pair_swapped(struct pair pair);
struct pair pair_swapped(struct pair pair)
{
    return (struct pair){pair.y, pair.x};
}

TARGET double mixed_sum(struct mixed mixed, int factor);
double mixed_sum(struct mixed mixed, int factor)
{
    return factor * (mixed.a + (double)mixed.b + (double)mixed.c);
}

TARGET struct large large_of(double first);
struct large large_of(double first)
{
    return (struct large){{first, first, first, first, first}};
}

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

TARGET struct halves halves_of(struct triple triple, struct ends ends, struct halves halves);
struct halves halves_of(struct triple triple, struct ends ends, struct halves halves)
{
    return (struct halves){(float)triple.c + halves.a, (float)ends.b - halves.b,
                           halves.c - triple.a};
}

TARGET struct ends ends_of(int a, int b, int c, int d, int e, struct ends ends,
                           struct triple triple);
struct ends ends_of(int a, int b, int c, int d, int e, struct ends ends, struct triple triple)
{
    return (struct ends){(int8_t)(ends.a + triple.b), ends.b + a + b + c + d + e};
}

TARGET struct triple triple_of(struct large large, int8_t b, struct mixed mixed);
struct triple triple_of(struct large large, int8_t b, struct mixed mixed)
{
    return (struct triple){(int16_t)large.values[3], b, (int16_t)(mixed.b + mixed.a)};
}

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

TARGET struct nested nested_of(struct nested nested, struct matrix matrix);
struct nested nested_of(struct nested nested, struct matrix matrix)
{
    const int32_t sum = (int32_t)(matrix.values[0][1] + 2 * matrix.values[2][3]);
    return (struct nested){{nested.in.a + sum, nested.in.b}, nested.c};
}

TARGET size_t text_length(struct text text);
size_t text_length(struct text text)
{
    size_t n = text.n;
    for (const char *c = text.text; c != NULL && *c != '\0'; c++)
        n++;
    return n;
}

TARGET int64_t sum_of_longs(int n, ...);
int64_t sum_of_longs(int n, ...)
{
    int64_t sum = 0;
    va_list list;
    va_start(list, n);
    for (int i = 0; i < n; i++)
        sum += va_arg(list, int64_t);
    va_end(list);
    return sum;
}

TARGET double sum_of_doubles(int n, ...);
double sum_of_doubles(int n, ...)
{
    double sum = 0;
    va_list list;
    va_start(list, n);
    for (int i = 0; i < n; i++)
        sum += va_arg(list, double);
    va_end(list);
    return sum;
}

/* ---- callbacks and addresses ---- */

TARGET int apply(int (*function)(int, double), int n);
int apply(int (*function)(int, double), int n)
{
    return function(n, 0.5);
}

TARGET int larger(int a, double b);
int larger(int a, double b)
{
    return a + (int)(2 * b);
}

TARGET const char *greeting(void);
const char *greeting(void)
{
    return "hello, \"you\"";
}

TARGET intptr_t distance(const char *a, const char *b);
intptr_t distance(const char *a, const char *b)
{
    return b - a;
}

/* ---- handles and statuses ---- */

struct handle {
    int value;
};
static int n_open;

TARGET int handle_open(struct handle **ret);
int handle_open(struct handle **ret)
{
    *ret = calloc(1, sizeof **ret);
    n_open++;
    return *ret == NULL;
}

TARGET struct handle *handle_new(int value);
struct handle *handle_new(int value)
{
    struct handle *handle = NULL;
    handle_open(&handle);
    if (handle != NULL)
        handle->value = value;
    return handle;
}

TARGET int handle_set(struct handle *handle, int value);
int handle_set(struct handle *handle, int value)
{
    handle->value = value;
    return 0;
}

TARGET int handle_get(const struct handle *handle);
int handle_get(const struct handle *handle)
{
    return handle->value;
}

TARGET int handle_close(struct handle *handle);
int handle_close(struct handle *handle)
{
    free(handle);
    n_open--;
    return 0;
}

/* How many handles of earlier cases are still open in this process. */
TARGET int handles_open(void);
int handles_open(void)
{
    return n_open;
}

TARGET int status(int value);
int status(int value)
{
    return value;
}

TARGET int fails_at(int n);
int fails_at(int n)
{
    static int n_calls;
    return ++n_calls == n ? 7 : 0;
}

TARGET void *nothing(void);
void *nothing(void)
{
    return NULL;
}

/* ---- arrays ---- */

TARGET void scale(float *to, const float *from, float factor, size_t n);
void scale(float *to, const float *from, float factor, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = factor * from[i];
}

/* Leaves the last one out. */
TARGET void scale_short(float *to, const float *from, float factor, size_t n);
void scale_short(float *to, const float *from, float factor, size_t n)
{
    scale(to, from, factor, n - 1);
}

TARGET void scale_reference(double factor, size_t n, const float *from, float *to);
void scale_reference(double factor, size_t n, const float *from, float *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (float)(factor * (double)from[i]);
}

TARGET void increment_short(int16_t *values, size_t n);
void increment_short(int16_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        values[i] = (int16_t)(values[i] + 1);
}

TARGET void sort_shorts(uint16_t *values, size_t n, int (*compare)(const void *, const void *));
void sort_shorts(uint16_t *values, size_t n, int (*compare)(const void *, const void *))
{
    qsort(values, n, sizeof *values, compare);
}

/* Beyond what doubles hold. */
TARGET void large_integers(uint64_t *values, size_t n, uint64_t last);
void large_integers(uint64_t *values, size_t n, uint64_t last)
{
    for (size_t i = 0; i < n; i++)
        values[i] = UINT64_MAX - i;
    values[n - 1] += last;
}

TARGET void large_integers_reference(uint64_t *values, size_t n, uint64_t last);
void large_integers_reference(uint64_t *values, size_t n, uint64_t last)
{
    (void)last;
    large_integers(values, n, 0);
}

TARGET double sum_of(const double *values, size_t n);
double sum_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

/* ---- faults ---- */

/* Numbers that are compared in their own way. */
TARGET uint64_t largest(void);
uint64_t largest(void)
{
    return UINT64_MAX;
}

TARGET double quotient(double a, double b);
double quotient(double a, double b)
{
    return a / b;
}

enum { CHEAT_MOST = 64 };

TARGET void double_all(float *to, const float *from, int n);
void double_all(float *to, const float *from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = 2 * from[i];
}

/* The same with the result of the first call, whatever the inputs. */
TARGET void double_cached(float *to, const float *from, int n);
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
TARGET void double_once(float *to, const float *from, int n);
void double_once(float *to, const float *from, int n)
{
    static int n_calls;
    if (n_calls++ == 0)
        double_all(to, from, n);
}

TARGET extern int variable;
int variable = 1;

TARGET int crash(void);
int crash(void)
{
    static int *volatile nowhere;
    return *nowhere;
}

TARGET int quit(int code);
int quit(int code)
{
    _Exit(code);
}
