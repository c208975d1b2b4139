/*
 * store_internal.h - what the files of the store share.
 */
#pragma once

#include "core/store/store.h"
#include "core/store/store_table.h"

#include <sqlite3.h>
#include <sys/types.h>

enum { STORE_STATEMENTS_MAX = 64 };

struct store {
    sqlite3 *db;
    const struct stored_schema *schema;
    char *path;
    int lock_fd; /* holds the writer's lock; -1: none */
    bool writes;
    int n_snapshots; /* begun and not ended */
    off_t bytes;     /* the most the file had */
    store_wait_fn *wait;
    void *wait_context;
    struct {
        const char *sql; /* identified by address */
        sqlite3_stmt *statement;
    } statements[STORE_STATEMENTS_MAX];
    size_t n_statements;
    sqlite3_stmt *of_tables[STORED_TABLES][STORED_STATEMENTS]; /* NULL: not needed so far */
};

/* store_open of a file of another schema than store_schema, or on a given SQLite VFS (NULL: the
 * default), such as one that lacks something. */
int32_t store_open_as(const struct stored_schema *schema, const char *path, int mode,
                      const char *vfs, struct store **ret, struct gb_error *error);

/* A file that begins so is no results file, nor what else is read: which program unpacks it, or
 * why. */
#define GZIP_MAGIC "\x1f\x8b"
int32_t store_refuse(const char *path, const char *begin, const char *why, struct gb_error *error);

/* Words for the last failure of SQLite, with the file's name. Returns its status. */
int32_t store_error(const struct store *store, struct gb_error *error);

/*
 * The statement for a literal, prepared once and kept; bindings are cleared. NULL after an error.
 * The caller that steps it resets it.
 */
sqlite3_stmt *store_statement(struct store *store, const char *sql, struct gb_error *error);
/* With an id as its first parameter. */
sqlite3_stmt *store_statement_on(struct store *store, const char *sql, int64_t id,
                                 struct gb_error *error);
/* The same for SQL_... of TABLE_.... */
sqlite3_stmt *table_statement(struct store *store, int table, int statement,
                              struct gb_error *error);
/* The status after either of them has returned NULL. */
int32_t store_failure(const struct gb_error *error);

/* Binds a text that stays until the statement is reset. A file of another encoding has it
 * converted, for which memory may be short: false then, as a NULL in its place would be stored or
 * looked for. */
bool store_bind_text(struct store *store, sqlite3_stmt *statement, int at, const char *text,
                     struct gb_error *error);
bool store_bind_integer(struct store *store, sqlite3_stmt *statement, int at, int64_t value,
                        struct gb_error *error);

/* Steps a statement that gives no rows to its end and resets it. NULL: passes the error on that
 * store_statement has set. */
int32_t store_finish(struct store *store, sqlite3_stmt *statement, struct gb_error *error);

/* The one integer that a statement gives, which may have an id as its only parameter. */
int32_t store_integer(struct store *store, const char *sql, int64_t id, int64_t *ret,
                      struct gb_error *error);

/* After the last row, of which code is what sqlite3_step gave: resets the statement. */
int32_t store_end_rows(struct store *store, sqlite3_stmt *statement, int code,
                       struct gb_error *error);

/* Rows of a literal's statement, as `row` while query_next is true. The parameters in order, by a
 * letter each: i an int64_t, t a text, which stays until the end. */
struct query {
    struct store *store;
    struct gb_error *error;
    sqlite3_stmt *row;
    int code;
};
struct query query_begin(struct store *store, struct gb_error *error, const char *sql,
                         const char *kinds, ...);
bool query_next(struct query *query); /* false, too: an error */
/* Also before the last row; the error of whatever has failed since it began. */
int32_t query_end(const struct query *query);

/* Statements that give no rows, with semicolons between. */
int32_t store_execute(struct store *store, const char *sql, struct gb_error *error);

int32_t store_begin(struct store *store, struct gb_error *error);
/* Commits if status is GB_OK, else rolls back; returns status or the error of the commit. */
int32_t store_end(struct store *store, int32_t status, struct gb_error *error);

/* Writes a row of a table: a struct of its type. statement: SQL_INSERT or SQL_MERGE. parent and
 * ordinal count in tables that have columns of those roles. */
int32_t row_write(struct store *store, int table, int statement, int64_t parent, int64_t ordinal,
                  const void *row, struct gb_error *error);
/* An array of them, numbered from 0. */
int32_t rows_write(struct store *store, int table, int statement, int64_t parent, const void *rows,
                   size_t n, struct gb_error *error);
int32_t rows_delete(struct store *store, int table, int64_t parent, struct gb_error *error);

/* Texts that the rows of one table have had lately: most come again, and are kept once. */
struct known_texts {
    const char *slots[512];
};

/* Takes the row that a SQL_SELECT... stands on into a struct; text is the arena's, or one of those
 * that are known. */
void row_take(const struct stored_table *table, sqlite3_stmt *statement, struct known_texts *known,
              struct arena *arena, void *ret_row);

/* The text of a result's column, which is "" for NULL: plain, whatever the file holds, and the
 * arena's. */
char *row_text(sqlite3_stmt *statement, int at, struct arena *arena);
double row_real(sqlite3_stmt *statement, int at); /* NaN for NULL */
/* Is it that text, as the file holds it? */
bool row_text_is(sqlite3_stmt *statement, int at, const char *text);

/* Reads tables one after the other: once one has failed, the rest are empty. */
struct row_reader {
    struct store *store;
    struct arena *arena;
    struct gb_error *error;
    int32_t status; /* begin with GB_OK */
};
/*
 * The rows of many parents (SQL_SELECT_OF_PARENT), or those with the ids (SQL_SELECT), as one
 * array, the caller's to free: those of the first id, in order, then those of the second. n_of: by
 * id, how many there are. The ids ascend, each once. NULL: there are none.
 */
void *rows_of(struct row_reader *reader, int table, int statement, const int64_t *ids, size_t n_ids,
              size_t *n_of);
/* Moves n of them into the arena. */
void *rows_keep(struct row_reader *reader, int table, void *rows, size_t n);
/* Those of one parent, in the arena; of a table without parents all. */
void *rows_read(struct row_reader *reader, int table, int64_t parent, size_t *ret_n);

/* How many of the ids, which ascend, one query is to read, with the few that lie between. */
size_t near_ids(const int64_t *ids, size_t n);

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

/* ---- store_copy.c ---- */

/* Is there a journal or log with something in it that belongs to the file? */
bool store_has_journal(const char *path);
/* Copies the file with its journals to a new folder in $TMPDIR or /tmp; the copy's path is added to
 * ret_path. */
int32_t store_copy_make(const char *path, struct text *ret_path, struct gb_error *error);
void store_copy_remove(const char *copy_path);
