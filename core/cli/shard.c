/* shard.c - see shard.h. */
#include "core/cli/shard.h"

#include "core/base/members.h"
#include "core/base/sha256.h"
#include "core/cli/plan.h"
#include "core/run/device_groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "2/4"; false: it is no shard. */
static bool shard_read(const char *text, struct shard *ret)
{
    uint32_t number, n;
    int end = 0;
    if (sscanf(text, "%" SCNu32 "/%" SCNu32 "%n", &number, &n, &end) != 2 || text[end] ||
        strspn(text, "0123456789/") != strlen(text) || number == 0 || number > n ||
        n > SWEEP_CASES_MAX)
        return false;
    *ret = (struct shard){number, n};
    return true;
}

/* ---- the environment ---- */

/* Tasks that a launcher numbers from `first` on; count NULL: it does not say how many there are. */
static const struct launcher {
    const char *number, *count;
    uint32_t first;
} launchers[] = {
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", 0},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", 0},
    {"PMI_RANK", "PMI_SIZE", 0},
    {"FLUX_TASK_RANK", "FLUX_JOB_SIZE", 0},
    {"JOB_COMPLETION_INDEX", NULL, 0},
    {"PARALLEL_SEQ", NULL, 1},
};

/* A task of an array of jobs, which are numbered from a first one in steps. */
static bool task_of_array(struct shard *ret)
{
    uint32_t id, first, step = 1, n;
    if (!task_number("SLURM_ARRAY_TASK_ID", &id) || !task_number("SLURM_ARRAY_TASK_MIN", &first) ||
        !task_number("SLURM_ARRAY_TASK_COUNT", &n) || id < first)
        return false;
    task_number("SLURM_ARRAY_TASK_STEP", &step);
    *ret = (struct shard){(id - first) / (step ? step : 1) + 1, n};
    return ret->number <= n;
}

static const struct launcher *find_launcher(struct shard *ret)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const struct launcher *launcher = &launchers[i];
        uint32_t number, n = 0;
        if (!task_number(launcher->number, &number) || number < launcher->first ||
            (launcher->count && (!task_number(launcher->count, &n) || number >= n)))
            continue;
        *ret = (struct shard){number - launcher->first + 1, n};
        return launcher;
    }
    return NULL;
}

/* n is 0: it does not say how many there are. */
static bool find_task(struct shard *ret, const char **ret_variable)
{
    struct shard array, task;
    const bool has_array = task_of_array(&array);
    const struct launcher *launcher = find_launcher(&task);
    *ret_variable = launcher ? launcher->number : "SLURM_ARRAY_TASK_ID";
    if (!has_array && !launcher)
        return false;
    *ret = has_array ? array : task;
    if (has_array && launcher && task.n > 1) /* the tasks of each job of an array */
        *ret = (struct shard){(array.number - 1) * task.n + task.number, array.n * task.n};
    return true;
}

bool shard_of_environment(struct shard *ret, const char **ret_variable)
{
    return find_task(ret, ret_variable) && ret->n > 1;
}

int32_t shard_option(const char *given, struct arena *arena, const char **ret,
                     struct gb_error *error)
{
    struct shard shard;
    uint32_t n = 0;
    const char *variable;
    int end = 0;
    *ret = text_equal(given, "each") ? "" : given;
    if (text_equal(given, "each") || shard_read(given, &shard))
        return GB_OK;
    if (!text_equal(given, "auto") && (sscanf(given, "auto/%" SCNu32 "%n", &n, &end) != 1 ||
                                       given[end] || n == 0 || n > SWEEP_CASES_MAX))
        return error_set(error, GB_INVALID,
                         "'%s': \1expected I/N with I from 1 to N, such as 2/4, or auto, auto/N or "
                         "each; N up to %d",
                         given, SWEEP_CASES_MAX);
    if (!find_task(&shard, &variable))
        return error_set(error, GB_INVALID,
                         "%s: no variable of a scheduler says which task this is: \1expected "
                         "SLURM_ARRAY_TASK_ID, SLURM_PROCID (of srun), OMPI_COMM_WORLD_RANK, "
                         "PMI_RANK, FLUX_TASK_RANK, JOB_COMPLETION_INDEX or PARALLEL_SEQ, or I/N",
                         given);
    if (n == 0 && shard.n == 0)
        return error_set(error, GB_INVALID,
                         "auto: %s does not say how many tasks there are: \1expected auto/N",
                         variable);
    if (n > 0 && shard.n > 0 && n != shard.n)
        return error_set(error, GB_INVALID,
                         "%s: the environment says that there are %" PRIu32 " tasks", given,
                         shard.n);
    n = n > 0 ? n : shard.n;
    if (shard.number > n)
        return error_set(error, GB_INVALID, "%s: %s says that this is task %" PRIu32, given,
                         variable, shard.number);
    *ret = arena_printf(arena, "%" PRIu32 "/%" PRIu32, shard.number, n);
    return GB_OK;
}

/* ---- dealing ---- */

struct cost {
    double ns;
    uint64_t position;
};

ORDER_BY(compare_costs, struct cost, ORDER_OF(y->ns, x->ns), ORDER_OF(x->position, y->position))

static int32_t find_costs(struct configuration *configuration, const char *path, struct cost *costs,
                          struct gb_error *error)
{
    CLEANUP(plan_free) struct plan plan = {0};
    const uint64_t n = sweep_positions(configuration->sweep);
    int32_t status = plan_read(&plan, path, error);
    for (uint64_t i = 0; i < n && status == GB_OK; i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        struct bench_case bench_case;
        status = sweep_case_at(configuration->sweep, i, &arena, &bench_case, error);
        if (status == GB_OK)
            costs[i] = (struct cost){plan_expected_ns(&plan, &bench_case), i};
    }
    return status;
}

/* The shard with the least is on top. */
struct load {
    double ns;
    uint32_t shard;
};

static bool is_less(const struct load *a, const struct load *b)
{
    return a->ns < b->ns || (a->ns == b->ns && a->shard < b->shard);
}

static void sink(struct load *heap, size_t n)
{
    size_t i = 0;
    for (size_t child = 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && is_less(&heap[child + 1], &heap[child]))
            child++;
        if (is_less(&heap[i], &heap[child]))
            return;
        const struct load moved = heap[i];
        heap[i] = heap[child];
        heap[child] = moved;
        i = child;
    }
}

static void deal_by_costs(struct cost *costs, uint64_t n, uint32_t n_shards, uint32_t *ret_shards)
{
    struct load *heap = memory_allocate(n_shards * sizeof *heap);
    for (uint32_t i = 0; i < n_shards; i++)
        heap[i] = (struct load){0, i};
    qsort(costs, n, sizeof *costs, compare_costs);
    for (uint64_t i = 0; i < n; i++) {
        ret_shards[costs[i].position] = heap[0].shard;
        heap[0].ns += costs[i].ns;
        sink(heap, n_shards);
    }
    free(heap);
}

static void find_plan(struct configuration *configuration, const struct shard *shard,
                      const uint32_t *dealt)
{
    CLEANUP(text_free) struct text text = {0};
    struct sha256 hash;
    uint8_t digest[SHA256_BYTES];
    char words[SHA256_TEXT];
    enum { PLAN_DIGITS = 16 };
    settings_encode_plan(configuration->settings, &text);
    sha256_begin(&hash);
    sha256_add(&hash, text_get(&text), text.length);
    sha256_add(&hash, &shard->n, sizeof shard->n);
    if (dealt)
        sha256_add(&hash, dealt, sweep_positions(configuration->sweep) * sizeof *dealt);
    sha256_end(&hash, digest);
    sha256_text(digest, words);
    configuration->plan = arena_printf(&configuration->arena, "%.*s", PLAN_DIGITS, words);
}

int32_t shard_deal(struct configuration *configuration, struct gb_error *error)
{
    const struct run_params *params = settings_run(configuration->settings);
    const uint64_t n = sweep_positions(configuration->sweep);
    struct shard shard = {0, 0};
    uint32_t *dealt = NULL;
    struct cost *costs = NULL;
    int32_t status = GB_OK;
    if (*params->shard && configuration->source.ab)
        return error_set(error, GB_INVALID, "shard = %s: is not for gbrun ab", params->shard);
    if (*params->shard && !shard_read(params->shard, &shard))
        return error_set(
            error, GB_INVALID,
            "shard = %s: \1expected I/N with I from 1 to N, such as 2/4, and N up to %d",
            params->shard, SWEEP_CASES_MAX);
    if (*params->costs && shard.n == 0)
        return error_set(error, GB_INVALID, "costs = %s: is for shard = I/N, which it balances",
                         params->costs);
    if (*params->costs) {
        dealt = memory_allocate((n + 1) * sizeof *dealt);
        costs = memory_allocate((n + 1) * sizeof *costs);
        status = find_costs(configuration, params->costs, costs, error);
        if (status == GB_OK)
            deal_by_costs(costs, n, shard.n, dealt);
    }
    if (status == GB_OK && shard.n > 0) {
        bool *is_kept = memory_allocate((n + 1) * sizeof *is_kept);
        for (uint64_t i = 0; i < n; i++)
            is_kept[i] = (dealt ? dealt[i] : i % shard.n) == shard.number - 1;
        sweep_keep(configuration->sweep, is_kept);
        free(is_kept);
    }
    if (status == GB_OK)
        find_plan(configuration, &shard, dealt);
    free(costs);
    free(dealt);
    return status;
}
