/* test_fleet_files.c - core/compare/fleet.h: nodes out of results files, what is missing, what
 * fails, formats. */
#include "core/compare/fleet.h"
#include "tests/check_main.h"
#include "tests/compare/fleet_fixture.h"

#include <ctype.h>

static struct compare_options options = {.margin = 0.01, .confidence = 0.95, .metric = ""};

static struct fleet *read_fleet(const char *by, int32_t expected, size_t n_files,
                                const char *const *files)
{
    struct fleet *fleet = fleet_new(&options, by);
    struct gb_error error = {0};
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < n_files; i++)
        status = fleet_add_file(fleet, fixture_path(files[i]), RUN_ALL, &error);
    if (status == GB_OK)
        status = fleet_finish(fleet, &error);
    ck_assert_msg(status == expected, "%d: %s", status, error.text);
    return fleet;
}

static struct fleet *fleet_by(const char *by)
{
    return read_fleet(by, GB_OK, 1, (const char *const[]){"a.gbr"});
}

#define FLEET_OF(nodes) (FLEET_STORE("a.gbr", 1, nodes), fleet_by("host"))

/* "n1: slower; n2: same" */
static const char *verdicts_of(const struct fleet *fleet)
{
    static char words[2000];
    const struct fleet_result *result = fleet_result(fleet);
    size_t length = 0;
    words[0] = 0;
    for (size_t i = 0; i < result->n_nodes; i++)
        length += (size_t)snprintf(words + length, sizeof words - length, "%s%s: %s", i ? "; " : "",
                                   result->nodes[i].name, compared_word(result->nodes[i].verdict));
    return words;
}

static const char *hosts_of(const struct fleet *fleet)
{
    static char hosts[200];
    CLEANUP(text_free) struct text text = {0};
    fleet_write_hosts(fleet_result(fleet), &text);
    snprintf(hosts, sizeof hosts, "%s", text_get(&text));
    return hosts;
}

static void expect_fleet(struct fleet *fleet, const char *verdicts, const char *hosts, int code,
                         int strict_code)
{
    ck_assert_str_eq(verdicts_of(fleet), verdicts);
    ck_assert_str_eq(hosts_of(fleet), hosts);
    ck_assert_int_eq(fleet_exit_code(fleet_result(fleet), false), code);
    ck_assert_int_eq(fleet_exit_code(fleet_result(fleet), true), strict_code);
    fleet_free(fleet);
}

static const struct fixture_node eight[] = {
    {.host = "node1"}, {.host = "node2"},
    {.host = "node3"}, {.host = "node4", .factor = 1.05, .driver = "570.86"},
    {.host = "node5"}, {.host = "node6"},
    {.host = "node7"}, {.host = "node10"},
};

TEST_FIXTURE(fixture_begin, fixture_end)

/* Eight files of one node each, as a fleet brings them, and the same in one. */
TEST(the_slow_node_is_found)
{
    static const char *const files[] = {"0.gbr", "1.gbr", "2.gbr", "3.gbr",
                                        "4.gbr", "5.gbr", "6.gbr", "7.gbr"};
    static const char expected[] = "node1: same; node2: same; node3: same; node4: slower; "
                                   "node5: same; node6: same; node7: same; node10: same";
    for (unsigned i = 0; i < 8; i++)
        fleet_store(files[i], i + 1, &eight[i], 1);
    struct fleet *fleet = read_fleet("host", GB_OK, 8, files);
    const struct fleet_node *node = &fleet_result(fleet)->nodes[3];
    ck_assert_double_eq_tol(exp(node->mean.theta), 1.05, 0.002);
    ck_assert_uint_eq(node->n_differences, 1);
    ck_assert_str_eq(node->differences[0], "driver: 570.86, most have 580.65");
    expect_fleet(fleet, expected, "node4\n", 3, 3);
    FLEET_STORE("a.gbr", 1, eight);
    expect_fleet(fleet_by("host"), expected, "node4\n", 3, 3);
    /* what is in several files counts once */
    fleet = read_fleet("host", GB_OK, 2, (const char *const[]){"a.gbr", "3.gbr"});
    ck_assert_uint_eq(fleet_result(fleet)->n_runs, 8);
    ck_assert_uint_eq(fleet_result(fleet)->cases[0].cells[3].of.side.n, 5);
    fleet_free(fleet);
}

TEST(alike_nodes_are_fine)
{
    FLEET_STORE("a.gbr", 1,
                ((const struct fixture_node[]){
                    {.host = "a"}, {.host = "b"}, {.host = "c"}, {.host = "d"}}));
    expect_fleet(fleet_by("host"), "a: same; b: same; c: same; d: same", "", 0, 0);
}

TEST(the_newest_run_of_a_node_counts)
{
    static const struct fixture_node nodes[] = {
        {.host = "a", .factor = 1.2, .started = "2026-01-02T10:00:00.000Z"},
        {.host = "b"},
        {.host = "c"},
        {.host = "a", .n_cases = 3}, /* was repaired; case 4 is not measured again */
    };
    struct fleet *fleet = FLEET_OF(nodes);
    ck_assert_uint_eq(fleet_result(fleet)->nodes[0].n_slower, 1);
    ck_assert_str_eq(fleet_result(fleet)->nodes[0].first_slower, "streams streams=4");
    expect_fleet(fleet, "a: unclear; b: same; c: same", "", 0, 3);
}

TEST(failing_nodes_are_flagged)
{
    static const struct fixture_node nodes[] = {
        {.host = "a"}, {.host = "b", .crashed = 2}, {.host = "c"}, {.host = "d"}};
    static const struct fixture_node all_fail[] = {{.host = "a", .crashed = 2},
                                                   {.host = "b", .crashed = 2},
                                                   {.host = "c", .crashed = 2},
                                                   {.host = "d"}};
    struct fleet *fleet = FLEET_OF(nodes);
    const struct fleet_node *node = &fleet_result(fleet)->nodes[1];
    ck_assert_str_eq(node->failure, "crashed (SIGSEGV)");
    ck_assert_str_eq(node->first_failed, "streams streams=2");
    ck_assert_uint_eq(node->n_cases, 3); /* of what fails no ratio is claimed */
    expect_fleet(fleet, "a: same; b: broken; c: same; d: same", "b\n", 3, 3);
    FLEET_STORE("b.gbr", 11, all_fail);
    fleet = read_fleet("host", GB_OK, 1, (const char *const[]){"b.gbr"});
    ck_assert_uint_eq(fleet_result(fleet)->n_failed, 1);
    expect_fleet(fleet, "a: same; b: same; c: same; d: same", "", 1, 1);
}

TEST(missing_cases_are_seen)
{
    static const struct fixture_node nodes[] = {{.host = "a"},
                                                {.host = "b", .n_cases = 2},
                                                {.host = "c"},
                                                {.host = "d", .skipped = 1},
                                                {.host = "e", .n_cases = 5}};
    struct fleet *fleet = FLEET_OF(nodes);
    ck_assert_uint_eq(fleet_result(fleet)->nodes[1].n_missing, 2);
    ck_assert_str_eq(fleet_result(fleet)->nodes[1].first_missing, "streams streams=3");
    ck_assert_ptr_null(fleet_cell_of(&fleet_result(fleet)->cases[3], 1));
    ck_assert_uint_eq(fleet_cell_of(&fleet_result(fleet)->cases[3], 2)->node, 2);
    expect_fleet(fleet, "a: same; b: missing; c: same; d: missing; e: same", "", 0, 3);
}

TEST(what_half_of_the_nodes_have_is_not_missing)
{
    static const struct fixture_node nodes[] = {
        {.host = "a"}, {.host = "b", .n_cases = 3}, {.host = "c"}, {.host = "d", .n_cases = 3}};
    FLEET_STORE("a.gbr", 1, nodes);
    struct fleet *fleet = fleet_by("host");
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_eq(fleet_result(fleet)->nodes[i].n_missing, 0);
    fleet_free(fleet);
}

TEST(two_nodes_cannot_be_told_apart)
{
    FLEET_STORE("a.gbr", 1,
                ((const struct fixture_node[]){{.host = "a"}, {.host = "b", .factor = 1.5}}));
    struct fleet *fleet = fleet_by("host");
    ck_assert_uint_eq(fleet_result(fleet)->n_judged, 0);
    ck_assert(isnan(fleet_result(fleet)->cases[0].cells[1].of.result.theta));
    expect_fleet(fleet, "a: skipped; b: skipped", "", 1, 3);
}

TEST(models_are_kept_apart)
{
    static const struct fixture_node nodes[] = {{.host = "a"},
                                                {.host = "b"},
                                                {.host = "c"},
                                                {.host = "d", .factor = 3, .model = "Other 1"}};
    struct fleet *fleet = FLEET_OF(nodes);
    ck_assert_uint_eq(fleet_result(fleet)->n_models, 2);
    ck_assert_uint_eq(fleet_result(fleet)->n_cases, 8);
    ck_assert_uint_eq(fleet_result(fleet)->n_judged, 4);
    expect_fleet(fleet, "a: same; b: same; c: same; d: skipped", "", 0, 3);
}

/* What one round varies by is not known: nodes that are a little apart are usual then. */
TEST(one_round_goes_by_how_far_nodes_are_apart)
{
    static const struct fixture_node nodes[] = {
        {.host = "a", .factor = 1.012, .n_rounds = 1},
        {.host = "b", .factor = 0.98, .n_rounds = 1},
        {.host = "c", .factor = 1, .n_rounds = 1},
        {.host = "d", .factor = 1.02, .n_rounds = 1},
        {.host = "e", .factor = 0.99, .n_rounds = 1},
        {.host = "f", .factor = 1.05, .n_rounds = 1},
        {.host = "g", .factor = 0.97, .n_rounds = 1},
        {.host = "h", .factor = 1.005, .n_rounds = 1},
    };
    struct fleet *fleet = FLEET_OF(nodes);
    ck_assert(fleet_result(fleet)->cases[0].cells[0].of.result.is_visit);
    ck_assert_uint_eq(fleet_result(fleet)->n_visits, 4);
    ck_assert_uint_eq(fleet_result(fleet)->n_flagged, 0);
    fleet_free(fleet);
}

/* Four devices in two hosts; one of them is slow. */
static const struct fixture_node devices[] = {
    {.host = "a", .device_uuid = "GPU-1", .device_index = 0},
    {.host = "a", .device_uuid = "GPU-2", .device_index = 1},
    {.host = "b", .device_uuid = "GPU-3", .device_index = 0},
    {.host = "b", .factor = 1.05, .device_uuid = "GPU-4", .device_index = 0},
};

TEST(devices_are_a_factor_too)
{
    FLEET_STORE("a.gbr", 1, devices);
    expect_fleet(fleet_by("device"), "a GPU-1: same; a GPU-2: same; b GPU-3: same; b GPU-4: slower",
                 "b\n", 3, 3);
    struct fleet *fleet = fleet_by("host"); /* two hosts only */
    ck_assert_uint_eq(fleet_result(fleet)->n_cases, 4);
    ck_assert_uint_eq(fleet_result(fleet)->nodes[1].n_devices, 2);
    ck_assert_uint_eq(fleet_result(fleet)->cases[0].cells[1].of.side.n, 10);
    expect_fleet(fleet, "a: skipped; b: skipped", "", 1, 3);
}

TEST(other_metrics_have_directions)
{
    FLEET_STORE("a.gbr", 1, eight);
    options.metric = "rate";
    expect_fleet(fleet_by("host"),
                 "node1: same; node2: same; node3: same; node4: slower; node5: same; node6: same; "
                 "node7: same; node10: same",
                 "node4\n", 3, 3);
    options.metric = "nonesuch";
    fleet_free(read_fleet("host", GB_NOT_FOUND, 1, (const char *const[]){"a.gbr"}));
    options.metric = "";
}

/* Zeros have no ratio: such a node has no value of that. */
TEST(zeros_are_no_values)
{
    static const struct fixture_node nodes[] = {
        {.host = "a"}, {.host = "b"}, {.host = "c"}, {.host = "d", .zero = 1}};
    FLEET_STORE("a.gbr", 1, nodes);
    options.metric = "errors";
    expect_fleet(fleet_by("host"), "a: same; b: same; c: same; d: skipped", "", 0, 3);
    options.metric = "";
}

TEST(what_cannot_be_compared_is_an_error)
{
    static const struct fixture_node nodes[] = {
        {.host = NULL}, {.host = "b"}, {.host = "c"}, {.host = "d"}};
    FLEET_STORE("a.gbr", 1, nodes);
    fleet_free(read_fleet("label.rack", GB_NOT_FOUND, 1, (const char *const[]){"a.gbr"}));
    struct fleet *fleet = fleet_by("host");
    ck_assert_uint_eq(fleet_result(fleet)->n_left_out, 1);
    expect_fleet(fleet, "b: same; c: same; d: same", "", 0, 0);
    fleet_free(read_fleet("host", GB_NOT_FOUND, 1, (const char *const[]){"none.gbr"}));
}

/* Numbers with a point to 8 digits: the last ones depend on compilers and libraries. */
static void shorten(const char *words, struct text *out)
{
    static const char digits[] = "0123456789.e+-";
    for (const char *at = words, *before = ""; *at;) {
        size_t n = isdigit((unsigned char)*at) && !isalnum((unsigned char)*before)
                       ? strspn(at, digits)
                       : 1;
        if (n > 8 && memchr(at, '.', n))
            text_printf(out, "%.8g", strtod(at, NULL));
        else
            text_add_n(out, at, n);
        at += n;
        before = at - 1;
    }
}

TEST(formats_are_as_they_were)
{
    static const char *const goldens[] = {"nodes.txt",     "nodes.md",    "nodes.csv",
                                          "nodes.json",    "nodes.junit", "nodes.github",
                                          "nodes.hostlist"};
    static const struct fixture_node nodes[] = {
        {.host = "node01"},
        {.host = "node02"},
        {.host = "node03", .factor = 1.05, .driver = "570.86"},
        {.host = "node04"},
        {.host = "node05", .crashed = 2},
        {.host = "node06", .factor = 0.95},
        {.host = "node07", .n_cases = 2},
        {.host = "other01", .model = "Other 1", .n_cases = 1},
    };
    struct fleet *fleet = FLEET_OF(nodes);
    for (int format = 0; format <= FLEET_HOSTLIST; format++) {
        CLEANUP(text_free) struct text text = {0}, shortened = {0};
        fleet_write(fleet_result(fleet), format, false, 80, false, &text);
        shorten(text_get(&text), &shortened);
        views_expect_golden(goldens[format], text_get(&shortened));
    }
    fleet_free(fleet);
    ck_assert_int_eq(fleet_format_named("hostlist"), FLEET_HOSTLIST);
    ck_assert_int_eq(fleet_format_named("csv"), COMPARE_CSV);
    ck_assert_int_eq(compare_format_named("hostlist"), -1);
}
