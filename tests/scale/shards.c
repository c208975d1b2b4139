/*
 * shards.c - the results files of a sweep that was dealt to many tasks, as runs with --shard leave
 * them; nothing is measured. usage: shards FOLDER SHARDS CASES [PLAN]
 *
 * FOLDER/shard-00001.gbr and so on hold CASES cases each, of the sweep's SHARDS * CASES every
 * SHARDSth, with what a case of a benchmark on a CPU has: parameters, 20 samples on one clock, an
 * interval. Of the same arguments come the same records.
 */
#include "tests/store/store_fixture.h"

#include <inttypes.h>

/* In place of the C library's: nothing here has to survive a power cut. */
__attribute__((visibility("default"))) int fsync(int file)
{
    (void)file;
    return 0;
}

__attribute__((visibility("default"))) int fdatasync(int file)
{
    (void)file;
    return 0;
}

struct sweep_of_shards {
    const char *folder, *plan;
    uint64_t n_shards, n_cases; /* of each */
};

/* Runs and records of one plan have names of their own. */
enum { RUN, RECORD };
static void name_uuid(const struct sweep_of_shards *sweep, unsigned what, uint64_t number,
                      char ret_uuid[UUID_TEXT])
{
    fixture_uuid((unsigned)(2 * strtoull(sweep->plan, NULL, 16) + what), (unsigned)number,
                 ret_uuid);
}

static int32_t begin_run(struct store *store, const struct sweep_of_shards *sweep, uint64_t shard,
                         int64_t *ret_run, int64_t *ret_device, struct gb_error *error)
{
    char part[64], cases[32], host[32], started[32];
    struct fact facts[] = {{"host", host},
                           {SHARD_FACT_PLAN, sweep->plan},
                           {SHARD_FACT_CASES, cases},
                           {SHARD_FACT_SHARD, part}};
    const struct device_record device = fixture_device_record();
    struct run_record run = fixture_run(0);
    run.started = started;
    run.n_cases = sweep->n_cases;
    run.facts = facts;
    run.n_facts = sizeof facts / sizeof *facts;
    snprintf(part, sizeof part, "%" PRIu64 "/%" PRIu64, shard + 1, sweep->n_shards);
    snprintf(cases, sizeof cases, "%" PRIu64, sweep->n_shards * sweep->n_cases);
    snprintf(host, sizeof host, "node%04u", (unsigned)(shard % 1000));
    snprintf(started, sizeof started, "2026-01-01T%02u:%02u:%02u.000Z", (unsigned)(shard / 3600),
             (unsigned)(shard / 60 % 60), (unsigned)(shard % 60));
    name_uuid(sweep, RUN, shard, run.uuid);
    int32_t status = store_run_begin(store, &run, ret_run, error);
    return status == GB_OK ? store_device(store, *ret_run, &device, ret_device, error) : status;
}

static int32_t add_case(struct store *store, const struct sweep_of_shards *sweep, int64_t run,
                        int64_t device, uint64_t position, uint64_t sequence,
                        struct gb_error *error)
{
    struct fixture_case c;
    fixture_case(&c, (unsigned)position, 1, 100 + (double)(position % 1009));
    c.bench_case.bench = "sweep";
    c.bench_case.n_parameters = 0;
    fixture_add(&c, fixture_integer(&c, "size", (int64_t)position / 1000, true));
    fixture_add(&c, fixture_integer(&c, "kind", (int64_t)position % 1000, true));
    fixture_add(&c, fixture_words("order", "forward", false));
    fixture_add(&c, fixture_integer(&c, "repeat", 1, false));
    c.record.n_checks = 0;
    c.record.n_summaries = 0;
    c.record.estimate.note[0] = '\0';
    c.record.sequence = sequence;
    c.record.device_id = device;
    name_uuid(sweep, RECORD, position, c.record.uuid);
    snprintf(c.record.uid, sizeof c.record.uid, "%032" PRIx64, position);
    return store_case(store, run, &c.record, error);
}

static int32_t make_file(const struct sweep_of_shards *sweep, uint64_t shard,
                         struct gb_error *error)
{
    char path[4096];
    struct store *store = NULL;
    int64_t run = 0, device = 0;
    snprintf(path, sizeof path, "%s/shard-%05" PRIu64 ".gbr", sweep->folder, shard + 1);
    int32_t status = store_open(path, STORE_WRITE, &store, error);
    if (status == GB_OK)
        status = begin_run(store, sweep, shard, &run, &device, error);
    for (uint64_t i = 0; i < sweep->n_cases && status == GB_OK; i++)
        status = add_case(store, sweep, run, device, shard + i * sweep->n_shards, i, error);
    if (status == GB_OK)
        status = store_run_end(store, run, "2026-01-01T05:00:00.000Z", 0, error);
    const int32_t closed = store_close(store, status == GB_OK ? error : NULL);
    return status == GB_OK ? closed : status;
}

int main(int n, char **arguments)
{
    struct gb_error error = {0};
    if (n < 4 || n > 5) {
        fprintf(stderr, "usage: %s FOLDER SHARDS CASES [PLAN]\n", arguments[0]);
        return EXIT_FAILURE;
    }
    const struct sweep_of_shards sweep = {.folder = arguments[1],
                                          .plan = n > 4 ? arguments[4] : "5ca1ab1e5ca1ab1e",
                                          .n_shards = strtoull(arguments[2], NULL, 10),
                                          .n_cases = strtoull(arguments[3], NULL, 10)};
    for (uint64_t shard = 0; shard < sweep.n_shards; shard++)
        if (make_file(&sweep, shard, &error) != GB_OK) {
            fprintf(stderr, "%s\n", error.text);
            return EXIT_FAILURE;
        }
    return EXIT_SUCCESS;
}
