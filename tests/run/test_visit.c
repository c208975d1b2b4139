/* test_visit.c - which devices a case has, and in which visits that ends. */
#include "tests/text_case.h"

#include "tests/config/settings_fixture.h"

#include "core/run/run_state.h"
#include "core/run/visit.h"

#include <math.h>

static struct loaded loaded;
static struct known_device known[8];
static struct device_list devices;

static void set_up(void)
{
    memset(&loaded, 0, sizeof loaded);
    memset(known, 0, sizeof known);
    devices = (struct device_list){.items = known};
}

static void tear_down(void)
{
    unload(&loaded);
}

static void add_device(const struct plugin_settings *settings, bool is_auto, uint32_t index,
                       const char *model, const char *uuid)
{
    struct known_device *device = &known[devices.n++];
    *device = (struct known_device){.settings = settings, .is_auto = is_auto};
    device->label = arena_printf(&loaded.arena, "%s:%u", settings->name, index);
    device->info.index = index;
    snprintf(device->info.model, sizeof device->info.model, "%s", model);
    snprintf(device->info.uuid, sizeof device->info.uuid, "%s", uuid);
}

/* Three equal GPUs and one that is not, and the CPU; in the order of preference, as they are found.
 */
static void load_machine(const char *text)
{
    static const char *const uuids[] = {"GPU-aaaa1111", "GPU-aaaa2222", "GPU-a", "GPU-bbbb3333"};
    const struct plugin_settings *settings;
    size_t n_auto;
    load(&loaded, text);
    ck_assert_str_eq(text_get(&loaded.words), "");
    size_t n = settings_devices(loaded.settings, &settings, &n_auto);
    for (size_t i = 0; i < n; i++) {
        if (text_equal(settings[i].name, "cpu")) {
            add_device(&settings[i], i < n_auto, 0, "CPU", "");
            continue;
        }
        for (uint32_t j = 0; j < 4; j++)
            add_device(&settings[i], i < n_auto, j, j == 2 ? "Small" : "Big", uuids[j]);
    }
}

#define THERE                                                                                      \
    "cuda:0 (Big, GPU-aaaa1111), cuda:1 (Big, GPU-aaaa2222), cuda:2 (Small, GPU-a), cuda:3 (Big, " \
    "GPU-bbbb3333)"

static void add_choice(int32_t distribute, struct text *out)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct bench_case bench_case;
    struct device_set set;
    struct gb_error error;
    ck_assert_int_eq(sweep_case(loaded.sweep, 0, &arena, &bench_case, &error), GB_OK);
    if (devices_choose(&devices, &bench_case, distribute, &arena, &set, &error) != GB_OK)
        text_add(out, error.text);
    else
        for (size_t i = 0; i < set.n; i++)
            text_printf(out, "%s:%u ", set.items[i]->settings->name, set.items[i]->info.index);
}

TEST_FIXTURE(set_up, tear_down)

/* Where cases are spread over devices; then where each runs on all, if that is another choice. */
static void add_choices(char *config, uint32_t with, struct text *out)
{
    CLEANUP(text_free) struct text each = {0};
    load_machine(config);
    add_choice(DISTRIBUTE_SPREAD, out);
    add_choice(DISTRIBUTE_EACH, &each);
    if (!text_equal(text_get(&each), text_get(out)))
        text_printf(out, "or %s", text_get(&each));
    tear_down();
    set_up();
}

#define DEVICE "[bench nop]\ndevice = "
static const struct text_cases choices[] = {
    {{add_choices, 0},
     {DEVICE "cuda -> cuda:0 ", DEVICE "cuda:3 -> cuda:3 ",
      DEVICE "cuda:all -> cuda:0 cuda:1 cuda:3 or cuda:0 cuda:1 cuda:2 cuda:3 ",
      DEVICE "cpu:all -> cpu:0 ", "[bench nop]\n -> cuda:0 ",
      "[gbrun]\ndevices = all\n[bench nop]\n -> cuda:0 cuda:1 cuda:3 or cuda:0 cuda:1 cuda:2 "
      "cuda:3 ",
      "[gbrun]\ndevices = all\n" DEVICE "cuda -> cuda:0 ",
      "[gbrun]\ndevices = cpu, cuda\n[bench nop]\n -> cpu:0 ",
      DEVICE "cuda:GPU-aaaa2222 -> cuda:1 ", DEVICE "cuda:GPU-bbbb -> cuda:3 ",
      DEVICE "cuda:GPU-a -> cuda:2 ", /* whole, if short */
      DEVICE "cuda:GPU-aaaa -> device cuda:GPU-aaaa: more than one UUID begins like this: "
             "available: " THERE,
      DEVICE "cuda:GPU-bbb -> device cuda:GPU-bbb: expected four characters or more after the "
             "dash: available: " THERE,
      DEVICE "cuda:GPU-cccc -> device cuda:GPU-cccc: no UUID begins like this: available: " THERE,
      DEVICE "cuda:4 -> device cuda:4: there is only " THERE,
      DEVICE "cpu:1 -> device cpu:1: there is only cpu:0 (CPU)"}},
};

TEST_TEXT_CASES(devices_are_chosen, choices)

TEST(an_absent_plugin_says_why)
{
    load(&loaded, "[bench nop]\ndevice = cuda:all\n");
    const struct plugin_settings *settings;
    size_t n_auto;
    settings_devices(loaded.settings, &settings, &n_auto);
    struct absent_device absent = {.settings = settings, .is_auto = true, .reason = "no driver"};
    devices.absent = &absent;
    devices.n_absent = 1;
    CLEANUP(text_free) struct text out = {0};
    add_choice(DISTRIBUTE_SPREAD, &out);
    ck_assert_str_eq(text_get(&out), "device cuda is not available: no driver");
}

/* For each visit its label, round, devices, how many its case has, and what is recorded. */
static void walk(struct schedule *schedule, struct text *out)
{
    struct visit *visit;
    struct gb_error error;
    for (;;) {
        ck_assert_int_eq(schedule_next(schedule, &visit, &error), GB_OK);
        if (!visit)
            return;
        text_printf(out, "%s/%u:", text_get(&visit->label), visit->round);
        for (size_t i = 0; i < visit->devices.n; i++)
            text_printf(out, "%u", visit->devices.items[i]->info.index);
        text_printf(out, " of %zu as %s:%d; ", visit->n_case_devices,
                    visit->bench_case.device.settings->name, visit->bench_case.device.index);
        visit_free(visit);
    }
}

#define LEFT_OUT                                                                                   \
    "gbrun: device cuda:2 (Small) is not used: cases are spread over devices of the same model "   \
    "as the first; distribute = each uses all\n"
static const struct {
    const char *text;
    int32_t distribute;
    uint64_t n, n_known;
    const char *visits, *notes; /* NULL: none */
    struct visit_key done[3];
} schedules[] = {
    {"[bench nop]\ndevice = cuda:all\n", DISTRIBUTE_SPREAD, .n = 1,
     .visits = "nop/0:013 of 3 as cuda:-1; ", .notes = LEFT_OUT},
    {"[gbrun]\ndevices = all\n[bench nop]\nrounds = 2\n", DISTRIBUTE_SPREAD, .n = 2,
     .visits = "nop/0:013 of 3 as cuda:-1; nop/1:013 of 3 as cuda:-1; ", .notes = LEFT_OUT},
    {"[bench nop]\ndevice = cuda:all\n", DISTRIBUTE_EACH, .n = 4,
     .visits = "nop/0:0 of 4 as cuda:0; nop/0:1 of 4 as cuda:1; nop/0:2 of 4 as cuda:2; nop/0:3 of "
               "4 as cuda:3; "},
    {"[bench nop]\nsweep.device = cuda:all, cpu\n", DISTRIBUTE_EACH, .n = 5,
     .visits = "nop device=cuda:0/0:0 of 4 as cuda:0; nop device=cuda:1/0:1 of 4 as cuda:1; nop "
               "device=cuda:2/0:2 of 4 as cuda:2; nop device=cuda:3/0:3 of 4 as cuda:3; nop "
               "device=cpu/0:0 of 1 as cpu:-1; "},
    {"[bench nop]\n", DISTRIBUTE_EACH, .n = 1, .visits = "nop/0:0 of 1 as cuda:0; "},
    {"[bench nop]\ndevice = cuda:GPU-bbbb\n", DISTRIBUTE_EACH, .n = 1,
     .visits = "nop/0:3 of 1 as cuda:3; "},
    /* what is done: on any device, or on that one */
    {"[bench a]\nplugin = nop\ndevice = cuda:all\n[bench b]\nlike = a\n", DISTRIBUTE_SPREAD,
     .done = {{0, 0, 1, "cuda"}}, .n = 2, .n_known = 1, .visits = "b/0:013 of 3 as cuda:-1; ",
     .notes = LEFT_OUT},
    {"[bench a]\nplugin = nop\ndevice = cuda:all\n", DISTRIBUTE_EACH,
     .done = {{0, 0, 1, "cuda"}, {0, 0, 3, "cuda"}, {0, 0, 7, "cuda"}}, .n = 4, .n_known = 2,
     .visits = "a/0:0 of 4 as cuda:0; a/0:2 of 4 as cuda:2; "},
    {"[bench a]\nplugin = nop\nrounds = 3\ndevice = cuda\n", DISTRIBUTE_EACH,
     .done = {{0, 0, -1, "cuda"}, {0, 2, -1, "cuda"}, {5, 1, 0, "cuda"}}, .n = 3, .n_known = 2,
     .visits = "a/1:0 of 1 as cuda:-1; "},
    {"[bench a]\nplugin = nop\nrounds = 2\n[bench b]\nplugin = nop\n", DISTRIBUTE_SPREAD, .n = 3,
     .visits = "a/0:0 of 1 as cuda:0; b/0:0 of 1 as cuda:0; a/1:0 of 1 as cuda:0; "},
};

static uint64_t n, n_known;

static void count(struct schedule *schedule, const char *notes)
{
    CLEANUP(text_free) struct text found = {0};
    struct gb_error error;
    ck_assert_int_eq(schedule_count(schedule, &n, &n_known, &found, &error), GB_OK);
    ck_assert_str_eq(text_get(&found), notes);
}

TEST_EACH(visits, schedules)
{
    CLEANUP(text_free) struct text out = {0};
    load_machine(schedules[_i].text);
    struct schedule schedule = {.sweep = loaded.sweep,
                                .devices = &devices,
                                .distribute = schedules[_i].distribute,
                                .done = schedules[_i].done};
    while (schedule.n_done < 3 && schedules[_i].done[schedule.n_done].device_name)
        schedule.n_done++;
    count(&schedule, schedules[_i].notes ? schedules[_i].notes : "");
    ck_assert_uint_eq(n, schedules[_i].n);
    ck_assert_uint_eq(n_known, schedules[_i].n_known);
    walk(&schedule, &out);
    ck_assert_str_eq(text_get(&out), schedules[_i].visits);
}

#define SIDE(name, side, seeds)                                                                    \
    "[bench " name "]\nplugin = nop\nrounds = 9\ndevice = cuda\nsweep.seed = " seeds               \
    "\nsweep.side = " side "\n"

/* Of all visits up to a round, with the cases that it is of. */
static void expect_walk(struct schedule *schedule, uint32_t n_rounds, const bool *open,
                        const char *expected)
{
    CLEANUP(text_free) struct text out = {0};
    schedule->n_rounds = n_rounds;
    schedule->open = open;
    walk(schedule, &out);
    ck_assert_str_eq(text_get(&out), expected);
}

/* In the first block of two rounds pair 0 begins with the new side, pair 1 with the base. */
TEST(sides_take_turns)
{
    CLEANUP(arena_free) struct arena arena = {0};
    static const bool all[5] = {1, 1, 1, 1, 1}, second[5] = {1, 0, 1, 0, 1};
    static const bool base_of_first[5] = {0, 1, 0, 0, 0};
    struct visit_key done[] = {{3, 2, -1, "cuda"}};
    struct side_pair *pairs;
    struct error_list errors = {0};
    load_machine("[bench alone]\nplugin = nop\ndevice = cuda\n" SIDE("nop", "base", "1, 2")
                     SIDE("nop@new", "new", "1, 2"));
    struct schedule schedule = {
        .sweep = loaded.sweep, .devices = &devices, .done = done, .n_done = 1};
    ck_assert_int_eq(sides_pair(loaded.sweep, &arena, &pairs, &schedule.n_pairs, &errors), GB_OK);
    ck_assert_uint_eq(schedule.n_pairs, 2);
    schedule.pairs = pairs;
    count(&schedule, "");
    ck_assert_uint_eq(n, 36);
    ck_assert_uint_eq(n_known, 1);
    ck_assert_uint_eq(schedule.n_rounds, 1);
    expect_walk(&schedule, 1, all,
                "nop seed=1 side=new/0:0 of 1 as cuda:-1; nop seed=1 side=base/0:0 of 1 as "
                "cuda:-1; nop seed=2 side=base/0:0 of 1 as cuda:-1; nop seed=2 side=new/0:0 "
                "of 1 as cuda:-1; ");
    expect_walk(&schedule, 2, second,
                "nop seed=2 side=new/1:0 of 1 as cuda:-1; nop seed=2 side=base/1:0 of 1 as "
                "cuda:-1; ");
    /* position 3 is done: that of side new and seed 1 */
    expect_walk(&schedule, 3, all,
                "nop seed=1 side=base/2:0 of 1 as cuda:-1; nop seed=2 side=new/2:0 of 1 as "
                "cuda:-1; nop seed=2 side=base/2:0 of 1 as cuda:-1; ");
    expect_walk(&schedule, 3, all, "");
    expect_walk(&schedule, 4, base_of_first, "nop seed=1 side=base/3:0 of 1 as cuda:-1; ");
    error_list_free(&errors);
}

static const struct {
    const char *text, *message;
} unlike[] = {
    {SIDE("nop", "base", "1, 2") SIDE("nop@new", "new", "1"),
     "[bench nop]: the base has 2 cases and the other side 1"},
    {SIDE("nop", "base", "1, 2") SIDE("nop@new", "new", "1, 3"),
     "[bench nop]: the sides have different cases: seed=2 on the base, seed=3 on the other"},
};

TEST_EACH(sides_have_the_same_cases, unlike)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct error_list errors = {0};
    struct side_pair *pairs;
    load_machine(unlike[_i].text);
    ck_assert_int_ne(sides_pair(loaded.sweep, &arena, &pairs, &n, &errors), GB_OK);
    ck_assert_uint_eq(errors.n, 1);
    ck_assert_msg(text_starts_with(errors.items[0].text, unlike[_i].message), "%s",
                  errors.items[0].text);
    error_list_free(&errors);
}

TEST(a_visit_given_away_names_its_device)
{
    struct visit *visit;
    struct gb_error error;
    load_machine("[bench nop]\ndevice = cuda:all\n");
    struct schedule schedule = {.sweep = loaded.sweep, .devices = &devices, .n_rounds = 1};
    ck_assert_int_eq(schedule_next(&schedule, &visit, &error), GB_OK);
    visit_give(visit, visit->devices.items[2]);
    ck_assert_str_eq(text_get(&visit->label), "nop on cuda:3");
    ck_assert_int_eq(visit_given_case(visit).device.index, 3);
    ck_assert_int_eq(visit->bench_case.device.index, DEVICE_INDEX_ANY);
    visit_free(visit);
}

TEST(a_case_without_a_device_is_refused_once)
{
    struct visit *visit;
    struct gb_error error;
    load(&loaded, "[bench nop]\ndevice = cuda:all\n");
    struct schedule schedule = {
        .sweep = loaded.sweep, .devices = &devices, .distribute = DISTRIBUTE_EACH};
    count(&schedule, "");
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(schedule_next(&schedule, &visit, &error), GB_OK);
    ck_assert_str_eq(visit->refusal, "no device that nop runs on is available (any)");
    visit_free(visit);
    ck_assert_int_eq(schedule_next(&schedule, &visit, &error), GB_OK);
    ck_assert_ptr_null(visit);
}

TEST(what_wants_the_machine_says_so)
{
    struct visit visit = {.bench_case = {.info = &fixture_plugins[0]}};
    ck_assert(!visit_is_exclusive(&visit));
    visit.bench_case.common.exclusive = 1;
    ck_assert(visit_is_exclusive(&visit));
    struct plugin_info flagged = {.flags = GB_BENCH_EXCLUSIVE};
    visit = (struct visit){.bench_case = {.info = &flagged}};
    ck_assert(visit_is_exclusive(&visit));
}

/* Its limit is time of a processor, which others may delay as long as they like. */
TEST(a_case_that_counts_is_given_time_as_long_as_it_goes_on)
{
    static const struct {
        const char *what;
        double before_s, used_s, left_s;
    } rows[] = {
        {"others had nine tenths of the time", 0, 6, 54},
        {"it had a hundredth", 0, 0.6, 59.4},
        {"it waits for something else", 0, 0.5, 0},
        {"it waits now", 30, 30.2, 0},
        {"it goes on", 30, 40, 20},
        {"it used what it was given", 0, 60, 0},
        {"almost", 0, 59.9995, 0},
        {"more", 59, 61, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(fabs(slot_time_left(60e9, rows[i].before_s * 1e9, rows[i].used_s * 1e9) -
                           rows[i].left_s * 1e9) < 1,
                      "%s", rows[i].what);
}
