/*
 * fleet_fixture.h - results files of nodes that measured the same, with the noise of rounds.
 */
#pragma once

#include "tests/view/views_fixture.h"

/* One node of each kind. */
#define FLEET_EIGHT                                                                                \
    "node01\nnode02\nnode03 factor=1.05 driver=570.86\nnode04\nnode05 crashed=2\n"                 \
    "node06 factor=0.95\nnode07 cases=2\nother01 model=Other_1 cases=1\n"

/* What stands behind the key, up to a blank. */
static inline const char *fleet_word(struct arena *arena, const char *node, const char *key,
                                     const char *usual)
{
    const char *at = strstr(node, key);
    at = at ? at + strlen(key) : usual;
    return arena_text_n(arena, at, strcspn(at, " "));
}

static inline double fleet_number(struct arena *arena, const char *node, const char *key,
                                  const char *usual)
{
    return strtod(fleet_word(arena, node, key, usual), NULL);
}

/*
 * A run for each node, numbered from `number`, a line each: "HOST factor=1 cases=4 rounds=5
 * crashed=CASE skipped=CASE model=MODEL uuid=DEVICE index=0 driver=580.65 errors=3 started=TIME",
 * of which all but the host (-: not known) may be missing. Case streams=N takes N ms by the factor;
 * one crashes in the last round. Metrics are rate and errors.
 */
static inline void fleet_store(const char *file, unsigned number, const char *nodes)
{
    static const double noise[] = {0.0013, -0.0021, 0.0004, 0.0018, -0.0015, 0.0007, -0.0009};
    CLEANUP(arena_free) struct arena arena = {0};
    char *save = NULL;
    for (char *node = strtok_r(arena_text(&arena, nodes), "\n", &save); node;
         node = strtok_r(NULL, "\n", &save), number++) {
        CLEANUP(text_free) struct text cases = {0}, sql = {0};
        const double factor = fleet_number(&arena, node, " factor=", "1");
        const unsigned n_cases = (unsigned)fleet_number(&arena, node, " cases=", "4"),
                       n_rounds = (unsigned)fleet_number(&arena, node, " rounds=", "5"),
                       crashed = (unsigned)fleet_number(&arena, node, " crashed=", "0"),
                       skipped = (unsigned)fleet_number(&arena, node, " skipped=", "0");
        for (unsigned i = 1; i <= n_cases; i++) {
            for (unsigned round = 0; round < n_rounds; round++) {
                const double off = noise[(number * (3 + round) + i * 5 + round * 2) % 7];
                text_add(&cases, round ? "," : "");
                if (i == skipped || (i == crashed && round == n_rounds - 1))
                    text_add(&cases, i == skipped ? "-" : "!");
                else
                    text_printf(&cases, "%.17g", 1e6 * i * factor * (1 + off));
            }
            text_printf(&cases, " streams rows=32 +streams=%u\n", i);
        }
        text_printf(
            &sql,
            "INSERT OR IGNORE INTO metric SELECT id, 0, 'rate', 1e9 / estimate_ns, 'items/s' FROM"
            " bench_case; INSERT OR IGNORE INTO metric SELECT id, 1, 'errors', %s, '' FROM"
            " bench_case; UPDATE run SET started = '%s' WHERE id = (SELECT max(id) FROM run);"
            "UPDATE run_fact SET value = '%s' WHERE name = 'host' AND run_id = (SELECT max(id) FROM"
            " run); DELETE FROM run_fact WHERE value = '-';"
            "INSERT INTO device_fact SELECT max(id), 3, 'driver', '%s' FROM device;"
            "UPDATE device SET uuid = '%s', model = replace('%s', '_', ' ') WHERE id = (SELECT"
            " max(id) FROM device);"
            "UPDATE bench_case SET device_index = %s, uid = '%s' || uid WHERE run_id = (SELECT"
            " max(id) FROM run)",
            fleet_word(&arena, node, " errors=", "3"),
            fleet_word(&arena, node, " started=", "2026-01-05T10:00:00.000Z"),
            fleet_word(&arena, node, "", ""), fleet_word(&arena, node, " driver=", "580.65"),
            fleet_word(&arena, node, " uuid=", ""),
            fleet_word(&arena, node, " model=", "Example_CPU_9000"),
            fleet_word(&arena, node, " index=", "0"), fleet_word(&arena, node, " model=", ""));
        views_make(file, number, text_get(&cases), text_get(&sql));
    }
}
