/* store_upgrade.c - see store_upgrade.h. */
#include "core/store/store_upgrade.h"

#include "core/store/store_schema.h"

#include <stdio.h>

/* What brings a file of version i + 1 up by one. */
static const struct {
    const char *to_write; /* changes the file */
    const char *to_read;  /* temporary views, which come before the file's tables of their names */
} steps[] = {
    {"ALTER TABLE bench_case ADD COLUMN launch TEXT NOT NULL DEFAULT "
     "'stream';" STORE_TELEMETRY_TABLE ";" STORE_SUMMARY_TABLE ";" STORE_HISTOGRAM_TABLE,
     "CREATE TEMP VIEW bench_case_of_2 AS SELECT *, 'stream' AS launch FROM main.bench_case;"
     "CREATE TEMP VIEW telemetry AS SELECT NULL AS case_id, NULL AS moment, NULL AS elapsed_ns,"
     " NULL AS iterations, NULL AS clock_hz, NULL AS memory_clock_hz, NULL AS temperature_celsius,"
     " NULL AS power_watts, NULL AS energy_joules, NULL AS throttle, NULL AS throttle_text"
     " WHERE 0;"
     "CREATE TEMP VIEW check_summary AS SELECT NULL AS case_id, NULL AS ordinal, NULL AS name,"
     " NULL AS n, NULL AS n_exact, NULL AS n_overflowed, NULL AS n_nan,"
     " NULL AS n_infinite_mismatch, NULL AS n_zero_mismatch WHERE 0;"
     "CREATE TEMP VIEW check_histogram AS SELECT NULL AS case_id, NULL AS ordinal, NULL AS class,"
     " NULL AS label, NULL AS count WHERE 0"},
    /* Chunks of equal values may be one double now, which those of before are only if n is 1. The
     * view is for people, who find it in the file. */
    {"ALTER TABLE bench_case ADD COLUMN math_format TEXT NOT NULL DEFAULT '';"
     "ALTER TABLE bench_case ADD COLUMN math_unit TEXT NOT NULL DEFAULT '';"
     "DROP VIEW IF EXISTS result;" STORE_RESULT_VIEW,
     "CREATE TEMP VIEW IF NOT EXISTS bench_case_of_2 AS SELECT * FROM main.bench_case;"
     "CREATE TEMP VIEW bench_case AS SELECT *, '' AS math_format, '' AS math_unit"
     " FROM bench_case_of_2"},
};
enum { STEPS = sizeof steps / sizeof *steps };
_Static_assert(STEPS == STORE_SCHEMA_VERSION - 1, "a step for each version but the present one");

static int32_t execute(struct store *store, const char *sql, struct gb_error *error)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) ? store_error(store, error) : GB_OK;
}

int32_t store_upgrade(struct store *store, int version, struct gb_error *error)
{
    char pragma[48];
    snprintf(pragma, sizeof pragma, "PRAGMA user_version = %d", STORE_SCHEMA_VERSION);
    int32_t status = store_begin(store, error);
    if (status != GB_OK)
        return status;
    for (int i = 0; status == GB_OK && i < STEPS; i++)
        if (version <= i + 1)
            status = execute(store, steps[i].to_write, error);
    if (status == GB_OK)
        status = execute(store, pragma, error);
    return store_end(store, status, error);
}

int32_t store_read_as_present(struct store *store, int version, struct gb_error *error)
{
    int32_t status = GB_OK;
    for (int i = 0; status == GB_OK && i < STEPS; i++)
        if (version <= i + 1)
            status = execute(store, steps[i].to_read, error);
    return status;
}
