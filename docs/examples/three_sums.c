/* three_sums.c - an array is added in three ways. */
#include <gbrun/gbrun.h>

static double forward(const double *values, int64_t n)
{
    double total = 0;
    for (int64_t i = 0; i < n; i++)
        total += values[i];
    return total;
}

static double halves(const double *values, int64_t n)
{
    return forward(values, n / 2) + forward(values + n / 2, n - n / 2);
}

static double pairs(const double *x, int64_t n)
{
    return n > 1 ? pairs(x, n / 2) + pairs(x + n / 2, n - n / 2) : x[0];
}

static double (*const ways[])(const double *, int64_t) = {forward, halves, pairs};
static const char *const words[] = {"forward", "halves", "pairs"};

struct sums {
    const struct gb_host *host;
    int64_t n;
    int32_t way;
    double *values, total;
};
static const struct gb_option options[] = {
    GB_INT(struct sums, n, "64Ki", "1:2^28", "elements", "numbers to add"),
    GB_CHOICE(struct sums, way, "forward", words, "order of the additions")};

GB_UNTIMED(prepare, struct sums, s)
{
    s->values = gb_random(s->host, NULL, GB_F64, s->n, 0, 1, 0);
    return s->values ? GB_OK : GB_NO_MEMORY;
}

GB_TIMED(run, struct sums, s)
{
    s->total = ways[s->way](s->values, s->n);
}

GB_UNTIMED(verify, struct sums, s) /* by another of the ways */
{
    return gb_check_number(s->host, "total", s->total, ways[!s->way](s->values, s->n), 1e-9);
}

GB_WORK(work, struct sums, s, .bytes_read = 8 * (double)s->n)

GB_BENCH(three_sums, struct sums, options, "adds an array in three ways", .prepare = prepare,
         .run = run, .verify = verify, .work = work)
GB_MODULE(&three_sums)
