/* judge_book.c - see judge_book.h. */
#include "core/cli/judge_book.h"

#include "core/base/memory.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/config/sides.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void judge_book_free(struct judge_book *book)
{
    for (size_t i = 0; i < book->n; i++)
        free(book->entries[i].key);
    free(book->entries);
    *book = (struct judge_book){0};
}

size_t judge_book_entry(struct judge_book *book, const char *key)
{
    size_t i = 0;
    while (i < book->n && !text_equal(book->entries[i].key, key))
        i++;
    if (i == book->n)
        MEMORY_APPEND(book->entries, book->n, ((struct book_entry){.key = memory_copy_text(key)}));
    return i;
}

bool book_entry_use(struct book_entry *entry, double now_ns)
{
    entry->n_uses++;
    entry->has_forgotten = false;
    for (size_t i = 0; i < entry->n; i++)
        entry->rounds[i].is_earlier = true;
    return entry->n < BOOK_LEAST || entry->n_uses >= BOOK_USES ||
           now_ns > entry->measured_ns + BOOK_AGE_NS;
}

/* Is it what those before let a further one be? Fewer do not say. */
static bool is_allowed(const struct book_entry *entry, const struct book_round *round)
{
    double logs[BOOK_MOST];
    const double n = (double)entry->n;
    if (entry->n < BOOK_LEAST)
        return true;
    for (size_t i = 0; i < entry->n; i++)
        logs[i] = log(entry->rounds[i].ns);
    const double allowed = student_t_quantile(BOOK_CONFIDENCE, n - 1) * stdev_of(logs, entry->n) *
                           sqrt(1 + 1 / n);
    return fabs(log(round->ns) - mean_of(logs, entry->n)) <= fmax(allowed, COMPARE_MARGIN);
}

void book_entry_add(struct book_entry *entry, const struct book_round *round, double now_ns)
{
    if (!is_allowed(entry, round)) {
        entry->n = 0;
        entry->has_forgotten = true;
    }
    if (entry->n == BOOK_MOST)
        memmove(entry->rounds, entry->rounds + 1, --entry->n * sizeof *entry->rounds);
    entry->rounds[entry->n++] = *round;
    entry->n_uses = 0;
    entry->measured_ns = now_ns;
}

void book_entry_outcomes(const struct book_entry *entry, const struct outcome *like,
                         uint64_t position, struct arena *arena, struct outcome **outcomes,
                         size_t *n)
{
    struct outcome_parameter *parameters = ARENA_ARRAY(arena, struct outcome_parameter,
                                                       like->n_parameters + 1);
    for (size_t i = 0; i < like->n_parameters; i++) {
        parameters[i] = like->parameters[i];
        if (text_equal(parameters[i].name, SIDE_AXIS))
            parameters[i].value = side_words[SIDE_BASE];
    }
    for (size_t i = 0; i < entry->n; i++) {
        const struct book_round *round = &entry->rounds[i];
        struct outcome outcome = *like;
        outcome.position = position;
        outcome.round = (round->is_earlier ? EARLIER_ROUND : 0) + (uint32_t)i;
        outcome.status = CASE_OK;
        outcome.status_text = "";
        outcome.value = round->ns;
        outcome.low_ns = round->ns - round->half_ns;
        outcome.high_ns = round->ns + round->half_ns;
        outcome.parameters = parameters;
        ARENA_APPEND(arena, *outcomes, *n, outcome);
    }
}
