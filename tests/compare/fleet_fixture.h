/*
 * fleet_fixture.h - results files of nodes that measured the same, with the noise of rounds.
 */
#pragma once

#include "tests/view/views_fixture.h"

/* What one run of a node has; streams = 1 ... n_cases, in microseconds of as many milliseconds. */
struct fixture_node {
    const char *host;
    double factor;     /* 0: 1 */
    int64_t n_cases;   /* 0: 4 */
    unsigned n_rounds; /* 0: 5 */
    int64_t crashed;   /* this case crashes in the last round; -1: all do */
    int64_t skipped;
    const char *model, *device_uuid, *driver, *started;
    int32_t device_index;
    double zero; /* 1: the metric "errors" is 0 */
};

static unsigned fleet_n_stored;

static inline void fleet_store_record(struct store *store, int64_t run_id, unsigned number,
                                      int64_t device, const struct fixture_node *node,
                                      int64_t streams, unsigned round)
{
    static const double noise[] = {0.0013, -0.0021, 0.0004, 0.0018, -0.0015, 0.0007, -0.0009};
    struct fixture_case c;
    struct gb_error error;
    double factor = node->factor > 0 ? node->factor : 1;
    double ns = 1e6 * (double)streams * factor *
                (1 + noise[(number * (3 + round) + (unsigned)streams * 5 + round * 2) % 7]);
    unsigned last = (node->n_rounds ? node->n_rounds : 5) - 1;
    fixture_case(&c, (unsigned)streams, streams, ns - 9.5);
    fixture_uuid(0xE0, ++fleet_n_stored, c.record.uuid);
    c.record.sequence = fleet_n_stored;
    c.record.round = round;
    c.record.device_id = device;
    c.bench_case.device.index = node->device_index;
    c.record.n_checks = c.record.n_summaries = 0;
    c.metrics[0] = (struct metric_record){"rate", 1e9 / ns, "items/s"};
    c.metrics[1] = (struct metric_record){"errors", node->zero > 0 ? 0 : 3, ""};
    c.record.n_metrics = 2;
    if (node->crashed == -1 || (node->crashed == streams && round == last)) {
        c.record.status = CASE_CRASHED;
        c.record.status_text = "SIGSEGV";
    }
    if (node->skipped == streams)
        c.record.status = CASE_SKIPPED;
    if (c.record.status != CASE_OK) {
        c.record.has_estimate = false;
        c.record.n_samples = c.record.n_columns = 0;
    }
    if (node->model)
        snprintf(c.record.uid, sizeof c.record.uid, "%032x", 0x100 + (unsigned)streams);
    ck_assert_msg(store_case(store, run_id, &c.record, &error) == GB_OK, "%s", error.text);
}

static inline void fleet_store_node(struct store *store, unsigned number,
                                    const struct fixture_node *node)
{
    struct fact facts[] = {{"host", node->host ? node->host : ""}, {"kernel", "6.1"}};
    struct fact device_facts[] = {{"driver", node->driver ? node->driver : "580.65"}};
    struct device_record device = fixture_device_record();
    struct run_record run = fixture_run(1);
    struct gb_error error = {0};
    int64_t run_id, device_id;
    run.facts = facts;
    run.n_facts = node->host ? 2 : 0;
    run.started = node->started ? node->started : "2026-01-05T10:00:00.000Z";
    fixture_uuid(0xA0, number, run.uuid);
    device.facts = device_facts;
    device.n_facts = 1;
    device.model = node->model ? node->model : device.model;
    device.uuid = node->device_uuid ? node->device_uuid : "";
    ck_assert_int_eq(store_run_begin(store, &run, &run_id, &error), GB_OK);
    ck_assert_int_eq(store_device(store, run_id, &device, &device_id, &error), GB_OK);
    for (unsigned round = 0; round < (node->n_rounds ? node->n_rounds : 5); round++)
        for (int64_t streams = 1; streams <= (node->n_cases ? node->n_cases : 4); streams++)
            fleet_store_record(store, run_id, number, device_id, node, streams, round);
    fixture_end_run(store, run_id);
}

static inline void fleet_store(const char *file, unsigned first, const struct fixture_node *nodes,
                               size_t n)
{
    struct store *store = fixture_open(file, STORE_WRITE);
    for (size_t i = 0; i < n; i++)
        fleet_store_node(store, first + (unsigned)i, &nodes[i]);
    fixture_close(store);
}
#define FLEET_STORE(file, first, nodes)                                                            \
    fleet_store(file, first, nodes, sizeof(nodes) / sizeof *(nodes))
