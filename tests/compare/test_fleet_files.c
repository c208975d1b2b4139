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

static struct fleet *fleet_of(const char *nodes)
{
    fleet_store("a.gbr", 1, nodes);
    return fleet_by("host");
}

/* "n1: slower; n2: same", the hosts that are flagged, and both exit codes. */
static void expect_fleet(struct fleet *fleet, const char *verdicts, const char *hosts, int code,
                         int strict_code)
{
    CLEANUP(text_free) struct text words = {0}, flagged = {0};
    const struct fleet_result *result = fleet_result(fleet);
    for (size_t i = 0; i < result->n_nodes; i++)
        text_printf(&words, "%s%s: %s", i ? "; " : "", result->nodes[i].name,
                    compared_word(result->nodes[i].verdict));
    ck_assert_str_eq(text_get(&words), verdicts);
    fleet_write(result, FLEET_HOSTLIST, false, 0, false, &flagged);
    ck_assert_str_eq(text_get(&flagged), hosts);
    ck_assert_int_eq(fleet_exit_code(result, false), code);
    ck_assert_int_eq(fleet_exit_code(result, true), strict_code);
    fleet_free(fleet);
}

static const char *const eight[] = {
    "node1", "node2", "node3", "node4 factor=1.05 driver=570.86",
    "node5", "node6", "node7", "node10",
};
static const char eight_verdicts[] = "node1: same; node2: same; node3: same; node4: slower; "
                                     "node5: same; node6: same; node7: same; node10: same";

static void store_eight(void)
{
    for (unsigned i = 0; i < 8; i++)
        fleet_store("a.gbr", i + 1, eight[i]);
}

TEST_FIXTURE(fixture_begin, fixture_end)

/* Eight files of one node each, as a fleet brings them, and the same in one. */
TEST(the_slow_node_is_found)
{
    static const char *const files[] = {"0.gbr", "1.gbr", "2.gbr", "3.gbr",
                                        "4.gbr", "5.gbr", "6.gbr", "7.gbr"};
    for (unsigned i = 0; i < 8; i++)
        fleet_store(files[i], i + 1, eight[i]);
    struct fleet *fleet = read_fleet("host", GB_OK, 8, files);
    const struct fleet_node *node = &fleet_result(fleet)->nodes[3];
    ck_assert_double_eq_tol(exp(node->mean.theta), 1.05, 0.002);
    ck_assert_uint_eq(node->n_differences, 1);
    ck_assert_str_eq(node->differences[0], "driver: 570.86, most have 580.65");
    expect_fleet(fleet, eight_verdicts, "node4\n", 3, 3);
    store_eight();
    expect_fleet(fleet_by("host"), eight_verdicts, "node4\n", 3, 3);
    /* what is in several files counts once */
    fleet = read_fleet("host", GB_OK, 2, (const char *const[]){"a.gbr", "3.gbr"});
    ck_assert_uint_eq(fleet_result(fleet)->n_runs, 8);
    ck_assert_uint_eq(fleet_result(fleet)->cases[0].cells[3].of.side.n, 5);
    fleet_free(fleet);
}

TEST(alike_nodes_are_fine)
{
    expect_fleet(fleet_of("a\nb\nc\nd"), "a: same; b: same; c: same; d: same", "", 0, 0);
    unlink(fixture_path("a.gbr")); /* what half of the nodes have is not missing */
    expect_fleet(fleet_of("a\nb cases=3\nc\nd cases=3"), "a: same; b: same; c: same; d: same", "",
                 0, 0);
}

TEST(the_newest_run_of_a_node_counts)
{
    /* it was repaired; case 4 is not measured again */
    struct fleet *fleet = fleet_of(
        "a factor=1.2 started=2026-01-02T10:00:00.000Z\nb\nc\na cases=3");
    ck_assert_uint_eq(fleet_result(fleet)->nodes[0].n_slower, 1);
    ck_assert_str_eq(fleet_result(fleet)->nodes[0].first_slower, "streams streams=4");
    expect_fleet(fleet, "a: unclear; b: same; c: same", "", 0, 3);
}

TEST(failing_nodes_are_flagged)
{
    struct fleet *fleet = fleet_of("a\nb crashed=2\nc\nd");
    const struct fleet_node *node = &fleet_result(fleet)->nodes[1];
    ck_assert_str_eq(node->failure, "crashed (SIGSEGV)");
    ck_assert_str_eq(node->first_failed, "streams streams=2");
    ck_assert_uint_eq(node->n_cases, 3); /* of what fails no ratio is claimed */
    expect_fleet(fleet, "a: same; b: broken; c: same; d: same", "b\n", 3, 3);
}

TEST(where_most_fail_the_case_does)
{
    struct fleet *fleet = fleet_of("a crashed=2\nb crashed=2\nc crashed=2\nd");
    ck_assert_uint_eq(fleet_result(fleet)->n_failed, 1);
    expect_fleet(fleet, "a: same; b: same; c: same; d: same", "", 1, 1);
}

TEST(missing_cases_are_seen)
{
    struct fleet *fleet = fleet_of("a\nb cases=2\nc\nd skipped=1\ne cases=5");
    ck_assert_uint_eq(fleet_result(fleet)->nodes[1].n_missing, 2);
    ck_assert_str_eq(fleet_result(fleet)->nodes[1].first_missing, "streams streams=3");
    ck_assert_ptr_null(fleet_cell_of(&fleet_result(fleet)->cases[3], 1));
    ck_assert_uint_eq(fleet_cell_of(&fleet_result(fleet)->cases[3], 2)->node, 2);
    expect_fleet(fleet, "a: same; b: missing; c: same; d: missing; e: same", "", 0, 3);
}

TEST(two_nodes_cannot_be_told_apart)
{
    struct fleet *fleet = fleet_of("a\nb factor=1.5");
    ck_assert_uint_eq(fleet_result(fleet)->n_judged, 0);
    ck_assert(isnan(fleet_result(fleet)->cases[0].cells[1].of.result.theta));
    expect_fleet(fleet, "a: skipped; b: skipped", "", 1, 3);
}

TEST(models_are_kept_apart)
{
    struct fleet *fleet = fleet_of("a\nb\nc\nd factor=3 model=Other_1");
    ck_assert_uint_eq(fleet_result(fleet)->n_models, 2);
    ck_assert_uint_eq(fleet_result(fleet)->n_cases, 8);
    ck_assert_uint_eq(fleet_result(fleet)->n_judged, 4);
    expect_fleet(fleet, "a: same; b: same; c: same; d: skipped", "", 0, 3);
}

/* What one round varies by is not known: nodes that are a little apart are usual then. */
TEST(one_round_goes_by_how_far_nodes_are_apart)
{
    struct fleet *fleet = fleet_of("a factor=1.012 rounds=1\n"
                                   "b factor=0.98 rounds=1\n"
                                   "c rounds=1\n"
                                   "d factor=1.02 rounds=1\n"
                                   "e factor=0.99 rounds=1\n"
                                   "f factor=1.05 rounds=1\n"
                                   "g factor=0.97 rounds=1\n"
                                   "h factor=1.005 rounds=1\n");
    ck_assert(fleet_result(fleet)->cases[0].cells[0].of.result.is_visit);
    ck_assert_uint_eq(fleet_result(fleet)->n_visits, 4);
    ck_assert_uint_eq(fleet_result(fleet)->n_flagged, 0);
    fleet_free(fleet);
}

/* Four devices in two hosts; one of them is slow. */
TEST(devices_are_a_factor_too)
{
    struct fleet *fleet = fleet_of("a uuid=GPU-1\na uuid=GPU-2 index=1\n"
                                   "b uuid=GPU-3\nb uuid=GPU-4 factor=1.05\n");
    ck_assert_uint_eq(fleet_result(fleet)->n_cases, 4); /* by host, of which there are two */
    ck_assert_uint_eq(fleet_result(fleet)->nodes[1].n_devices, 2);
    ck_assert_uint_eq(fleet_result(fleet)->cases[0].cells[1].of.side.n, 10);
    expect_fleet(fleet, "a: skipped; b: skipped", "", 1, 3);
    expect_fleet(fleet_by("device"), "a GPU-1: same; a GPU-2: same; b GPU-3: same; b GPU-4: slower",
                 "b\n", 3, 3);
}

TEST(other_metrics_have_directions)
{
    store_eight();
    options.metric = "rate";
    expect_fleet(fleet_by("host"), eight_verdicts, "node4\n", 3, 3);
    options.metric = "nonesuch";
    fleet_free(read_fleet("host", GB_NOT_FOUND, 1, (const char *const[]){"a.gbr"}));
    options.metric = "";
}

/* Zeros have no ratio: such a node has no value of that. */
TEST(zeros_are_no_values)
{
    options.metric = "errors";
    expect_fleet(fleet_of("a\nb\nc\nd errors=0"), "a: same; b: same; c: same; d: skipped", "", 0,
                 3);
    options.metric = "";
}

TEST(what_cannot_be_compared_is_an_error)
{
    struct fleet *fleet = fleet_of("-\nb\nc\nd");
    ck_assert_uint_eq(fleet_result(fleet)->n_left_out, 1);
    expect_fleet(fleet, "b: same; c: same; d: same", "", 0, 0);
    fleet_free(read_fleet("label.rack", GB_NOT_FOUND, 1, (const char *const[]){"a.gbr"}));
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
    struct fleet *fleet = fleet_of(FLEET_EIGHT);
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
