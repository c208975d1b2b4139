/* device_groups.c - see device_groups.h. */
#include "core/run/device_groups.h"
#include "core/base/members.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- this task ---- */

bool task_number(const char *variable, uint32_t *ret)
{
    const char *text = variable ? getenv(variable) : NULL;
    char *end;
    if (!text || *text < '0' || *text > '9')
        return false;
    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    *ret = (uint32_t)value;
    return !*end && errno == 0 && value < UINT32_MAX;
}

/* Slurm's "4(x2),3": 4 tasks on each of the first two nodes, 3 on the third. 0: it is not that. */
static uint32_t tasks_on(const char *text, uint32_t node)
{
    while (text && *text >= '0' && *text <= '9') {
        char *end;
        const unsigned long n = strtoul(text, &end, 10);
        const unsigned long times = strncmp(end, "(x", 2) == 0 ? strtoul(end + 2, &end, 10) : 1;
        if (node < times)
            return n < UINT32_MAX ? (uint32_t)n : 0;
        node -= (uint32_t)times;
        text = strchr(end, ',');
        text = text ? text + 1 : NULL;
    }
    return 0;
}

static bool is_of_slurm(struct node_task *ret)
{
    uint32_t node;
    if (!task_number("SLURM_LOCALID", &ret->number) || !task_number("SLURM_NODEID", &node))
        return false;
    ret->n = tasks_on(getenv("SLURM_STEP_TASKS_PER_NODE"), node);
    return ret->number < ret->n;
}

struct node_task node_task_of_environment(void)
{
    static const struct {
        const char *number, *n;
    } launchers[] = {
        {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
        {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
        {"PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE"},
    };
    struct node_task task;
    uint32_t nodes;
    if (is_of_slurm(&task))
        return task;
    if (task_number("FLUX_TASK_LOCAL_ID", &task.number) && task_number("FLUX_JOB_SIZE", &task.n) &&
        task_number("FLUX_JOB_NNODES", &nodes) && nodes > 0) {
        task.n = (task.n + nodes - 1) / nodes; /* Flux deals tasks evenly */
        if (task.number < task.n)
            return task;
    }
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (task_number(launchers[i].number, &task.number) &&
            task_number(launchers[i].n, &task.n) && task.number < task.n)
            return task;
    return (struct node_task){0, 1};
}

/* ---- groups ---- */

ORDER_BY(compare_places, struct known_device, strcmp(FACT(x, "pci"), FACT(y, "pci")),
         strcmp(x->info.uuid, y->info.uuid))

static void make_group(const struct known_device *devices, uint32_t n, struct arena *arena,
                       struct known_device *ret)
{
    CLEANUP(text_free) struct text words = {0};
    const char **uuids = ARENA_ARRAY(arena, const char *, n);
    struct fact *facts = ARENA_ARRAY(arena, struct fact, devices->n_facts + 1);
    for (uint32_t i = 0; i < n; i++) {
        uuids[i] = arena_text(arena, devices[i].info.uuid);
        text_printf(&words, "%s%s", i ? "," : "", uuids[i]);
    }
    *ret = *devices;
    memcpy(facts, devices->facts, devices->n_facts * sizeof *facts);
    ret->group = (struct case_devices){
        .variable = {FACT(devices, DEVICE_FACT_VISIBLE_BY), arena_text(arena, text_get(&words))},
        .uuids = uuids,
        .n = n};
    facts[ret->n_facts++] = (struct fact){DEVICE_FACT_GROUP, ret->group.variable.value};
    ret->facts = facts;
}

/* Of the n devices of one plugin; returns how many are left, at ret. */
static uint32_t keep_own(const struct known_device *devices, uint32_t n, uint32_t n_each,
                         const struct node_task *task, struct arena *arena, struct text *notes,
                         struct known_device *ret)
{
    const uint32_t n_groups = n / n_each, step = n_groups < task->n ? n_groups : task->n;
    uint32_t kept = 0;
    for (uint32_t i = task->number % step; i < n_groups; i += step)
        make_group(&devices[(size_t)i * n_each], n_each, arena, &ret[kept++]);
    if (n_groups < task->n)
        text_printf(notes,
                    "gbrun: %" PRIu32 " tasks on this node, and each case takes %" PRIu32
                    " of %" PRIu32 " devices that this one sees: if the others see the same, they "
                    "take turns\n",
                    task->n, n_each, n);
    return kept;
}

void device_groups_make(struct device_list *devices, uint32_t n_each, const struct node_task *task,
                        struct arena *arena, struct text *notes)
{
    struct known_device *kept = ARENA_ARRAY(arena, struct known_device, devices->n);
    size_t n_kept = 0;
    for (size_t i = 0, end; i < devices->n; i = end) {
        struct known_device *first = &devices->items[i];
        for (end = i + 1; end < devices->n && devices->items[end].settings == first->settings;)
            end++;
        const uint32_t n = (uint32_t)(end - i);
        const bool can_be_chosen = *FACT(first, DEVICE_FACT_VISIBLE_BY) && *first->info.uuid;
        if (!can_be_chosen) {
            memcpy(&kept[n_kept], first, n * sizeof *kept);
            n_kept += n;
        } else if (n < n_each) {
            devices->absent[devices->n_absent++] = (struct absent_device){
                first->settings, first->is_auto, true,
                arena_printf(arena, "gpus_per_case = %" PRIu32 ": %" PRIu32 " can be used here",
                             n_each, n)};
        } else {
            qsort(first, n, sizeof *first, compare_places);
            n_kept += keep_own(first, n, n_each, task, arena, notes, &kept[n_kept]);
        }
    }
    devices->items = kept;
    devices->n = n_kept;
}
