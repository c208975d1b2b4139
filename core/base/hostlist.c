/* hostlist.c - see hostlist.h. */
#include "core/base/hostlist.h"

#include "core/base/members.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS_MOST = 18 }; /* that a number may have */

struct host {
    const char *name;
    size_t n_prefix; /* bytes before the number at the end; all: there is none */
    uint64_t number;
};

static struct host host_of(const char *name)
{
    size_t n = strlen(name), at = n;
    while (at > 0 && n - at < DIGITS_MOST && name[at - 1] >= '0' && name[at - 1] <= '9')
        at--;
    return (struct host){name, at, at < n ? strtoull(name + at, NULL, 10) : 0};
}

static const char *digits_of(const struct host *host)
{
    return host->name + host->n_prefix;
}

static bool same_prefix(const struct host *a, const struct host *b)
{
    return a->n_prefix == b->n_prefix && strncmp(a->name, b->name, a->n_prefix) == 0;
}

/* By prefix, number and digits: 9, 09, 10. */
ORDER_BY(compare_hosts, struct host,
         strncmp(x->name, y->name, x->n_prefix < y->n_prefix ? x->n_prefix : y->n_prefix),
         ORDER_OF(x->n_prefix, y->n_prefix), ORDER_OF(x->number, y->number),
         ORDER_OF(strlen(digits_of(x)), strlen(digits_of(y))))

/* Is b the next one of a range that began with as many digits? */
static bool goes_on(const struct host *first, const struct host *a, const struct host *b)
{
    size_t n = strlen(digits_of(first)), m = strlen(digits_of(b));
    bool has_zeros = *digits_of(b) == '0';
    return b->number == a->number + 1 && (m == n || (m > n && !has_zeros));
}

static void add_numbers(struct text *out, const struct host *hosts, size_t n)
{
    for (size_t i = 0, last; i < n; i = last + 1) {
        for (last = i; last + 1 < n && goes_on(&hosts[i], &hosts[last], &hosts[last + 1]);)
            last++;
        text_printf(out, "%s%s", i ? "," : "", digits_of(&hosts[i]));
        if (last > i)
            text_printf(out, "-%s", digits_of(&hosts[last]));
    }
}

static size_t keep_different(struct host *hosts, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || strcmp(hosts[i].name, hosts[kept - 1].name) != 0)
            hosts[kept++] = hosts[i];
    return kept;
}

void hostlist_add(struct text *out, const char *const *names, size_t n)
{
    CLEANUP(free_pointer) struct host *hosts = memory_allocate((n + 1) * sizeof *hosts);
    for (size_t i = 0; i < n; i++)
        hosts[i] = host_of(names[i]);
    qsort(hosts, n, sizeof *hosts, compare_hosts);
    n = keep_different(hosts, n);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1;
             next < n && *digits_of(&hosts[i]) && same_prefix(&hosts[i], &hosts[next]);)
            next++;
        text_add(out, i ? "," : "");
        text_add_n(out, hosts[i].name, hosts[i].n_prefix);
        text_add(out, next > i + 1 ? "[" : "");
        add_numbers(out, &hosts[i], next - i);
        text_add(out, next > i + 1 ? "]" : "");
    }
}
