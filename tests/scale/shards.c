/*
 * shards.c - the results files of a sweep that was dealt to many tasks, as runs with --shard leave
 * them; nothing is measured. usage: shards FOLDER SHARDS CASES [PLAN]
 *
 * FOLDER/shard-00001.gbr and so on hold CASES cases each, of the sweep's SHARDS * CASES every
 * SHARDSth, with what a case of a benchmark on a CPU has: parameters, 20 samples on one clock, an
 * interval. Of the same arguments come the same records.
 */
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/sha256.h"
#include "core/store/store.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

enum { SAMPLES = 20, PARAMETERS = 4, NAME_BYTES = 4096 };

struct sweep_of_shards {
    const char *folder, *plan;
    uint64_t n_shards, n_cases; /* of each */
};

static void name_uuid(const struct sweep_of_shards *sweep, const char *what, uint64_t number,
                      char ret_uuid[UUID_TEXT])
{
    char text[NAME_BYTES];
    struct sha256 hash;
    uint8_t digest[SHA256_BYTES];
    snprintf(text, sizeof text, "%s %s %" PRIu64, sweep->plan, what, number);
    sha256_begin(&hash);
    sha256_add_text(&hash, text);
    sha256_end(&hash, digest);
    uuid_of_bytes(digest, ret_uuid);
}

static int32_t begin_run(struct store *store, const struct sweep_of_shards *sweep, uint64_t shard,
                         int64_t *ret_run, int64_t *ret_device, struct gb_error *error)
{
    char part[64], cases[32], host[32], started[32];
    struct fact facts[] = {
        {"cpu", "AMD EPYC 9454 48-Core Processor"},
        {"governor", "performance"},
        {"host", host},
        {"kernel", "Linux 6.1.0"},
        {SHARD_FACT_PLAN, sweep->plan},
        {SHARD_FACT_CASES, cases},
        {SHARD_FACT_SHARD, part},
        {"slurm.job", "4711"},
    };
    struct run_record run = {
        .started = started,
        .version = "0.1.0",
        .command_line = "gbrun -q -c sweep.ini --shard auto",
        .config_path = "sweep.ini",
        .config_folder = "/home/user",
        .config = "[bench sweep]\nplugin = nop\nsweep.size = 1:1000\nsweep.kind = 1:1000\n",
        .seed = 1,
        .n_cases = sweep->n_cases,
        .facts = facts,
        .n_facts = sizeof facts / sizeof *facts,
    };
    struct fact about[] = {{"units", "96"}, {"memory", "384 GiB"}, {"l3", "256 MiB"}};
    struct clock_record clock = {"wall", 1, 21};
    const struct device_record device = {.plugin = "cpu",
                                         .name = "cpu",
                                         .model = facts[0].value,
                                         .uuid = "",
                                         .facts = about,
                                         .n_facts = sizeof about / sizeof *about,
                                         .clocks = &clock,
                                         .n_clocks = 1};
    snprintf(part, sizeof part, "%" PRIu64 "/%" PRIu64, shard + 1, sweep->n_shards);
    snprintf(cases, sizeof cases, "%" PRIu64, sweep->n_shards * sweep->n_cases);
    snprintf(host, sizeof host, "node%04u", (unsigned)(shard % 1000));
    snprintf(started, sizeof started, "2026-01-01T%02u:%02u:%02u.000Z", (unsigned)(shard / 3600),
             (unsigned)(shard / 60 % 60), (unsigned)(shard % 60));
    name_uuid(sweep, "run", shard, run.uuid);
    memset(run.config_sha256, 'c', sizeof run.config_sha256 - 1);
    int32_t status = store_run_begin(store, &run, ret_run, error);
    return status == GB_OK ? store_device(store, *ret_run, &device, ret_device, error) : status;
}

static struct parameter number_parameter(const char *name, uint64_t value, char *text, size_t size)
{
    snprintf(text, size, "%" PRIu64, value);
    return (struct parameter){.name = name,
                              .value = {.type = GB_TYPE_INT,
                                        .integer = (int64_t)value,
                                        .number = (double)value,
                                        .text = text},
                              .is_axis = true,
                              .is_identity = true};
}

static int32_t add_case(struct store *store, const struct sweep_of_shards *sweep, int64_t run,
                        int64_t device, uint64_t position, uint64_t sequence,
                        struct gb_error *error)
{
    static struct plugin_info bench = {.plugin = {.id = "nop", .version = "1.0"}};
    static struct plugin_info policy = {.plugin = {.id = "median_ci", .version = "1.0"}};
    static struct plugin_info cpu = {.plugin = {.id = "cpu", .version = "1.0"}};
    static const struct plugin_settings policies = {.name = "median_ci", .info = &policy};
    static const struct plugin_settings devices = {.name = "cpu", .info = &cpu};
    char texts[PARAMETERS][24];
    double wall[SAMPLES], elapsed[SAMPLES];
    struct parameter parameters[PARAMETERS] = {
        number_parameter("size", position / 1000, texts[0], sizeof texts[0]),
        number_parameter("kind", position % 1000, texts[1], sizeof texts[1]),
        {.name = "order", .value = {.type = GB_TYPE_STRING, .number = NAN, .text = "forward"}},
        {.name = "repeat", .value = {.type = GB_TYPE_INT, .integer = 1, .number = 1, .text = "1"}},
    };
    const struct bench_case bench_case = {
        .position = position,
        .bench = "sweep",
        .info = &bench,
        .parameters = parameters,
        .n_parameters = PARAMETERS,
        .policy = &policies,
        .device = {.settings = &devices, .index = DEVICE_INDEX_ANY},
        .seed = 1};
    const struct sample_column columns[] = {{"wall", wall}, {"elapsed", elapsed}};
    const struct metric_record metric = {"depth", 4, ""};
    const double centre = 100 + (double)(position % 1009);
    struct case_record record = {.bench_case = &bench_case,
                                 .sequence = sequence,
                                 .device_id = device,
                                 .status = CASE_OK,
                                 .status_text = "",
                                 .stop_reason = "interval within 1 %",
                                 .clock = "wall",
                                 .iterations = 1000,
                                 .tick_ns = 1,
                                 .overhead_ns = 21,
                                 .started = "2026-01-01T00:00:01.000Z",
                                 .wall_ns = 1e6 * centre,
                                 .has_estimate = true,
                                 .estimate = {.size = sizeof record.estimate,
                                              .verdict = GB_VERDICT_CERTIFIED,
                                              .value_ns = centre,
                                              .low_ns = 0.99 * centre,
                                              .high_ns = 1.01 * centre,
                                              .confidence = 0.95,
                                              .statistic = "median",
                                              .n = SAMPLES,
                                              .n_effective = SAMPLES},
                                 .work = {.size = sizeof record.work, .bytes_read = 4096},
                                 .metrics = &metric,
                                 .n_metrics = 1,
                                 .n_samples = SAMPLES,
                                 .columns = columns,
                                 .n_columns = sizeof columns / sizeof *columns};
    for (int i = 0; i < SAMPLES; i++) {
        wall[i] = centre + 0.01 * (i * 7 % SAMPLES - SAMPLES / 2);
        elapsed[i] = (i + 1) * centre * 1000;
    }
    name_uuid(sweep, "record", position, record.uuid);
    snprintf(record.uid, sizeof record.uid, "%032" PRIx64, position);
    return store_case(store, run, &record, error);
}

static int32_t make_file(const struct sweep_of_shards *sweep, uint64_t shard,
                         struct gb_error *error)
{
    char path[NAME_BYTES];
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
