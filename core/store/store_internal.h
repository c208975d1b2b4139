/*
 * store_internal.h - what the files of the store share.
 */
#ifndef GBRUN_CORE_STORE_INTERNAL_H
#define GBRUN_CORE_STORE_INTERNAL_H

#include "core/store/store.h"

#include <sqlite3.h>

enum { STORE_STATEMENTS_MAX = 64 };

struct store {
    sqlite3 *db;
    char *path;
    int lock_fd; /* holds the writer's lock; -1: none */
    bool writes;
    struct {
        const char *sql; /* told apart by address */
        sqlite3_stmt *statement;
    } statements[STORE_STATEMENTS_MAX];
    size_t n_statements;
};

/* store_open on a given SQLite VFS; NULL: the default. For tests of file systems that lack
 * something. */
int32_t store_open_vfs(const char *path, int mode, const char *vfs, struct store **ret,
                       struct gb_error *error);

/* Words for the last failure of SQLite, with the file's name. Returns its status. */
int32_t store_error(const struct store *store, struct gb_error *error);

/*
 * The statement for a literal, prepared once and kept; bindings are cleared. NULL after an error.
 * Whoever steps it resets it.
 */
sqlite3_stmt *store_statement(struct store *store, const char *sql, struct gb_error *error);

/* Steps a statement that gives no rows to its end and resets it. NULL: passes the error on that
 * store_statement has set. */
int32_t store_finish(struct store *store, sqlite3_stmt *statement, struct gb_error *error);

int32_t store_begin(struct store *store, struct gb_error *error);
/* Commits if status is GB_OK, else rolls back; returns status or the error of the commit. */
int32_t store_end(struct store *store, int32_t status, struct gb_error *error);

/* Words of telemetry.moment. */
#define STORE_MOMENT_BEGIN "begin"
#define STORE_MOMENT_END "end"

/* Binds the next ?: *at counts. NaN becomes NULL, a NULL text "". */
void bind_text(sqlite3_stmt *statement, int *at, const char *text);
void bind_integer(sqlite3_stmt *statement, int *at, int64_t value);
void bind_real(sqlite3_stmt *statement, int *at, double value);
void bind_null(sqlite3_stmt *statement, int *at);

/* Columns of a row: NULL reads as "" and NaN. */
const char *column_text(sqlite3_stmt *statement, int column, struct arena *arena);
double column_real(sqlite3_stmt *statement, int column);

/* Runs in the order of their numbers. */
#define STORE_RUN_ORDER "started, uuid"

/* Of the records of one case only the last one that came to its end is shown: a resumed run, or
 * merged copies of one, may hold more. c is the outer query's bench_case. */
#define STORE_IS_LATEST                                                                            \
    "NOT EXISTS (SELECT 1 FROM bench_case AS o WHERE o.run_id = c.run_id"                          \
    " AND o.position = c.position AND o.round = c.round AND o.bench = c.bench"                     \
    " AND o.policy = c.policy AND o.device_name = c.device_name"                                   \
    " AND o.device_index = c.device_index AND (o.uid = c.uid OR o.done > c.done)"                  \
    " AND (o.done, o.started, o.sequence, o.uuid) > (c.done, c.started, c.sequence, c.uuid))"

#endif
