/*
 * test_schema.c - a column that is added to the map of what is stored is written, read, merged and
 * upgraded, with no other line changed. Here two are added, in a second map with a version of its
 * own.
 */
#include "tests/check_main.h"
#include "tests/store/store_fixture.h"

/* Members of what is stored that the program's own map leaves out. */
#define ROW struct stored_case
enum { WIDE = 1000 }; /* above any version of the map */
static const struct stored_column new_of_case = COLUMN(n_columns, "INTEGER NOT NULL DEFAULT 7",
                                                       WIDE, record.n_columns, "of its samples");
#undef ROW
#define ROW struct parameter
static const struct stored_column new_of_parameter = COLUMN(
    filled, "TEXT", WIDE, filled, "a template with the values of the case");
#undef ROW

enum { COLUMNS_MAX = 100 };
static struct stored_column columns[2][COLUMNS_MAX];
static struct stored_schema wide;

static void widen(int table, struct stored_column *room, const struct stored_column *added)
{
    struct stored_table *changed = &wide.tables[table];
    ck_assert_uint_lt(changed->n_columns, COLUMNS_MAX);
    memcpy(room, changed->columns, changed->n_columns * sizeof *room);
    room[changed->n_columns++] = *added;
    changed->columns = room;
}

static void begin(void)
{
    fixture_begin();
    wide = store_schema;
    widen(TABLE_CASE, columns[0], &new_of_case);
    widen(TABLE_PARAMETER, columns[1], &new_of_parameter);
}

static struct store *open_wide(const char *name, int mode)
{
    struct store *store = NULL;
    FIXTURE_OK(store_open_as(&wide, fixture_path(name), mode, NULL, &store, &fixture_problem));
    return store;
}

/* One case with something in both columns. */
static void store_one(struct store *store, unsigned run)
{
    struct fixture_case c;
    fixture_case(&c, 0, 1, 100);
    fixture_uuid(0xC0, run, c.record.uuid);
    c.parameters[0].filled = "32 rows";
    fixture_store(store, fixture_begin_run(store, run), &c);
    fixture_close(store);
}

/* "n_columns filled filled;" of each case that is read with the second map. */
static const char *read_all(struct store *store)
{
    static struct text out;
    CLEANUP(arena_free) struct arena arena = {0};
    struct stored_run *runs = NULL;
    size_t n_runs = 0;
    text_clear(&out);
    ck_assert_int_eq(store_runs(store, RUN_ALL, &arena, &runs, &n_runs, NULL), GB_OK);
    for (size_t i = 0; i < n_runs; i++) {
        int64_t *ids = NULL;
        size_t n = 0;
        ck_assert_int_eq(store_case_ids(store, runs[i].id, NULL, &ids, &n, NULL), GB_OK);
        for (size_t j = 0; j < n; j++) {
            struct stored_case c;
            ck_assert_int_eq(store_case_read(store, ids[j], &arena, &c, NULL), GB_OK);
            ck_assert_uint_eq(c.n_parameters, 2);
            ck_assert_double_eq(c.summary.median, 109.5);
            text_printf(&out, "%zu '%s' '%s';", c.record.n_columns, c.parameters[0].filled,
                        c.parameters[1].filled);
        }
        free(ids);
    }
    fixture_close(store);
    return text_get(&out);
}

static const char *const stored = "2 '32 rows' '';", *const not_stored = "7 '' '';";

TEST_FIXTURE(begin, fixture_end)

TEST(a_new_column_is_written_and_read)
{
    ck_assert_int_eq(schema_version(&wide), WIDE);
    store_one(open_wide("wide.gbr", STORE_WRITE), 1);
    ck_assert_str_eq(read_all(open_wide("wide.gbr", STORE_READ)), stored);
    struct store *store = open_wide("wide.gbr", STORE_READ);
    ck_assert_int_eq(fixture_query(store, "PRAGMA user_version"), WIDE);
    const char *sql = fixture_rows(
        store, "SELECT sql FROM sqlite_schema WHERE name IN ('bench_case', 'parameter')");
    ck_assert_ptr_nonnull(
        strstr(sql, "    n_columns INTEGER NOT NULL DEFAULT 7 -- of its samples\n)"));
    ck_assert_ptr_nonnull(strstr(sql, "    filled TEXT, -- a template with the values of the case\n"
                                      "    PRIMARY KEY (case_id, ordinal)\n) WITHOUT ROWID"));
    fixture_close(store);
}

/* It reads as the default, merged into another file or not, until the file is written to. */
TEST(a_file_without_the_column_is_upgraded)
{
    struct store *refused = NULL;
    CLEANUP(text_free) struct text both = {0};
    text_printf(&both, "%s%s", not_stored, stored);
    store_one(fixture_open("narrow.gbr", STORE_WRITE), 1);
    store_one(open_wide("wide.gbr", STORE_WRITE), 2);
    ck_assert_str_eq(read_all(open_wide("narrow.gbr", STORE_READ)), not_stored);
    struct store *store = open_wide("all.gbr", STORE_WRITE);
    for (int i = 0; i < 4; i++)
        FIXTURE_OK(store_merge(store, fixture_path(i % 2 ? "narrow.gbr" : "wide.gbr"), NULL, NULL,
                               &fixture_problem));
    fixture_close(store);
    ck_assert_str_eq(read_all(open_wide("all.gbr", STORE_READ)), text_get(&both));
    store = fixture_open("narrow.gbr", STORE_READ); /* nothing in it has changed */
    ck_assert_int_eq(fixture_query(store, "PRAGMA user_version"), schema_version(&store_schema));
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM pragma_table_info('bench_case')"),
                     (int64_t)store_schema.tables[TABLE_CASE].n_columns);
    fixture_close(store);
    store_one(open_wide("narrow.gbr", STORE_WRITE), 2);
    ck_assert_str_eq(read_all(open_wide("narrow.gbr", STORE_READ)), text_get(&both));
    ck_assert_int_eq(store_open(fixture_path("narrow.gbr"), STORE_READ, &refused, NULL),
                     GB_UNSUPPORTED);
}

/* Of one table of the program's own map: what the compiler cannot see. */
TEST_TIMES(the_map_makes_sense, STORED_TABLES)
{
    const struct stored_table *table = &store_schema.tables[_i];
    int roles[ROLE_DEVICE + 1] = {0};
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct stored_column *column = &table->columns[i];
        roles[column->role]++;
        bool is_later = column->since > table->columns[0].since;
        ck_assert_msg(!is_later || !strstr(column->sql, "NOT NULL") ||
                          strstr(column->sql, " DEFAULT "),
                      "%s.%s cannot be added to a file that has rows", table->name, column->name);
        ck_assert_uint_le(column->offset + column->bytes, table->row_bytes);
        ck_assert(!column->words || column->type == STORED_INT32 || column->type == STORED_UINT32);
        for (size_t j = 0; j < i; j++)
            ck_assert_msg(!column->bytes || !table->columns[j].bytes ||
                              column->offset != table->columns[j].offset,
                          "%s.%s and .%s are the same member", table->name, column->name,
                          table->columns[j].name);
    }
    ck_assert_int_eq(roles[ROLE_ID], !table->key);
    ck_assert_int_eq(roles[ROLE_PARENT], table->parent != TABLE_NONE);
    ck_assert_int_lt(table->parent, _i);
}
