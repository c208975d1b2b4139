/* test_device_groups.c - which GPUs of a node belong together, and which of them are a task's. */
#include "tests/text_case.h"

#include "core/run/device_groups.h"

enum { DEVICES_MAX = 16 };
static struct plugin_settings gpus = {.name = "gpu"}, cpus = {.name = "cpu"};
static struct known_device known[DEVICES_MAX];
static struct fact facts[DEVICES_MAX][2];
static struct absent_device absent[2];
static struct device_list list;
static struct arena arena;
static struct text notes;

static void clear(void)
{
    arena_free(&arena);
    text_free(&notes);
    list = (struct device_list){.items = known, .absent = absent};
}

static void add(const struct plugin_settings *settings, const char *uuid, const char *pci)
{
    struct known_device *device = &known[list.n];
    *device = (struct known_device){.settings = settings, .facts = facts[list.n], .n_facts = 2};
    facts[list.n][0] = (struct fact){"pci", pci};
    facts[list.n][1] = (struct fact){DEVICE_FACT_VISIBLE_BY, settings == &gpus ? "SEES" : ""};
    device->info.index = (uint32_t)list.n++;
    snprintf(device->info.uuid, sizeof device->info.uuid, "%s", uuid);
}

/* A word of GPUs "abcd", each a letter that is its PCI address and its UUID, after a CPU. */
static void make_node(const char *gpus_in_order)
{
    clear();
    add(&cpus, "", "");
    for (const char *at = gpus_in_order; *at; at++)
        add(&gpus, (char[]){*at, 0}, (char[]){*at, 0});
}

/* "0:ab 2:cd": indices of the devices that are left, with their groups. */
static const char *deal(uint32_t n_each, uint32_t number, uint32_t n)
{
    static char words[256];
    size_t used = 0;
    words[0] = 0;
    device_groups_make(&list, n_each, &(struct node_task){number, n}, &arena, &notes);
    for (size_t i = 0; i < list.n; i++) {
        const struct known_device *device = &list.items[i];
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", i ? " " : "",
                                 device->group.n ? device->group.variable.value
                                                 : device->settings->name);
        ck_assert_str_eq(fact_of(device->facts, device->n_facts, DEVICE_FACT_GROUP),
                         device->group.n ? device->group.variable.value : "");
        if (device->group.n) {
            ck_assert_str_eq(device->group.variable.name, "SEES");
            ck_assert_str_eq(device->group.uuids[0], device->info.uuid);
        }
    }
    return words;
}

TEST_FIXTURE(clear, clear)

/* "GPUS EACH TASK/TASKS" */
static void add_deal(char *text, uint32_t with, struct text *out)
{
    char gpus_in_order[DEVICES_MAX];
    uint32_t n_each, number, n;
    ck_assert_int_eq(sscanf(text, "%15s %u %u/%u", gpus_in_order, &n_each, &number, &n), 4);
    make_node(gpus_in_order);
    text_add(out, deal(n_each, number, n));
    ck_assert_uint_eq(notes.length, 0);
}

/* A task alone has all groups; tasks share them, whatever the order in which a task sees them. */
static const struct text_cases deals[] = {
    {{add_deal, 0},
     {"abcdefgh 2 0/1 -> cpu a,b c,d e,f g,h", "abcdefgh 4 0/1 -> cpu a,b,c,d e,f,g,h",
      "abcdefgh 1 0/1 -> cpu a b c d e f g h", "abcdefgh 3 0/1 -> cpu a,b,c d,e,f",
      "abcdefg 7 0/1 -> cpu a,b,c,d,e,f,g", "a 1 0/1 -> cpu a"}},
    {{add_deal, 0},
     {"abcdefgh 2 0/4 -> cpu a,b", "abcdefgh 2 3/4 -> cpu g,h", "abcdefgh 2 0/2 -> cpu a,b e,f",
      "abcdefgh 2 1/2 -> cpu c,d g,h", "abcdefgh 2 0/3 -> cpu a,b g,h", "abcdefgh 2 1/3 -> cpu c,d",
      "abcdefgh 2 2/3 -> cpu e,f", "abcdefgh 3 0/2 -> cpu a,b,c", "abcdefgh 3 1/2 -> cpu d,e,f",
      "abcde 1 2/3 -> cpu c"}},
    {{add_deal, 0}, {"hgfedcba 2 1/4 -> cpu c,d", "badcfehg 2 0/4 -> cpu a,b"}},
};

TEST_TEXT_CASES(groups_are_dealt, deals)

TEST(of_too_few_tasks_may_have_their_own)
{
    make_node("cd");
    ck_assert_str_eq(deal(2, 3, 4), "cpu c,d");
    ck_assert_str_eq(text_get(&notes),
                     "gbrun: 4 tasks on this node, and each case takes 2 of 2 devices that this "
                     "one sees: if the others see the same, they take turns\n");
    make_node("abcd");
    ck_assert_str_eq(deal(2, 2, 3), "cpu a,b");
    ck_assert_uint_gt(notes.length, 0);
}

TEST(too_few_for_one_group_are_absent)
{
    make_node("abc");
    ck_assert_str_eq(deal(4, 0, 1), "cpu");
    ck_assert_uint_eq(list.n_absent, 1);
    ck_assert_ptr_eq(absent[0].settings, &gpus);
    ck_assert_str_eq(absent[0].reason, "gpus_per_case = 4: 3 can be used here");
}

TEST(without_an_address_the_uuid_counts)
{
    add(&gpus, "z", "");
    add(&gpus, "y", "");
    ck_assert_str_eq(deal(2, 0, 1), "y,z");
}

static const struct {
    const char *environment; /* with no other variable of launchers */
    uint32_t number, n;
} tasks[] = {
    {"", 0, 1},
    {"SLURM_LOCALID=3 SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=4(x2)", 3, 4},
    {"SLURM_LOCALID=1 SLURM_NODEID=1 SLURM_STEP_TASKS_PER_NODE=4(x2),2", 1, 4},
    {"SLURM_LOCALID=1 SLURM_NODEID=2 SLURM_STEP_TASKS_PER_NODE=4(x2),2", 1, 2},
    {"SLURM_LOCALID=0 SLURM_NODEID=3 SLURM_STEP_TASKS_PER_NODE=4(x2),2", 0, 1},
    {"SLURM_LOCALID=4 SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=4", 0, 1},
    {"SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=x", 0, 1},
    {"OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2", 1, 2},
    {"OMPI_COMM_WORLD_LOCAL_RANK=2 OMPI_COMM_WORLD_LOCAL_SIZE=2", 0, 1},
    {"FLUX_TASK_LOCAL_ID=3 FLUX_JOB_SIZE=7 FLUX_JOB_NNODES=2", 3, 4},
    {"MPI_LOCALRANKID=1 MPI_LOCALNRANKS=8", 1, 8},
    {"PALS_LOCAL_RANKID=5 PALS_LOCAL_SIZE=8", 5, 8},
};

TEST_EACH(what_launchers_say, tasks)
{
    char words[256], *variables[4] = {NULL}, **const before = environ;
    snprintf(words, sizeof words, "%s", tasks[_i].environment);
    char *word = strtok(words, " ");
    for (size_t i = 0; word; word = strtok(NULL, " "))
        variables[i++] = word;
    environ = variables;
    const struct node_task task = node_task_of_environment();
    environ = before;
    ck_assert_uint_eq(task.number, tasks[_i].number);
    ck_assert_uint_eq(task.n, tasks[_i].n);
}
