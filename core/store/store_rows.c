/* store_rows.c - see store_internal.h: structs into rows of the file, and back. */
#include "core/store/store_internal.h"

#include "core/base/plain_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t stored_integer(int type, const void *member)
{
    switch (type) {
    case STORED_BOOL:
        return *(const bool *)member;
    case STORED_INT32:
        return *(const int32_t *)member;
    case STORED_UINT32:
        return *(const uint32_t *)member;
    default:
        return *(const int64_t *)member;
    }
}

/* As SQLite says it, OK or not. */
static int bind_member(const struct stored_column *column, sqlite3_stmt *statement, int at,
                       const void *member)
{
    switch (column->type) {
    case STORED_TEXT: {
        const char *text = *(const char *const *)member;
        return sqlite3_bind_text(statement, at, text ? text : "", -1, SQLITE_STATIC);
    }
    case STORED_CHARS:
        return sqlite3_bind_text(statement, at, member, (int)strnlen(member, column->bytes),
                                 SQLITE_STATIC);
    case STORED_REAL:
        return sqlite3_bind_double(statement, at, *(const double *)member);
    case STORED_BLOB: {
        const struct stored_blob *blob = member;
        return sqlite3_bind_blob64(statement, at, blob->bytes, blob->n, SQLITE_STATIC);
    }
    default: {
        int64_t value = stored_integer(column->type, member);
        if (column->words)
            return sqlite3_bind_text(statement, at, column->words->word((int32_t)value), -1,
                                     SQLITE_STATIC);
        return column->role != ROLE_DEVICE || value ? sqlite3_bind_int64(statement, at, value)
                                                    : sqlite3_bind_null(statement, at);
    }
    }
}

static int row_bind(const struct stored_table *table, sqlite3_stmt *statement, int64_t parent,
                    int64_t ordinal, const void *row)
{
    const char *bytes = row;
    int at = 0, code = SQLITE_OK;
    for (size_t i = 0; i < table->n_columns && code == SQLITE_OK; i++) {
        const struct stored_column *column = &table->columns[i];
        if (column->role == ROLE_ID)
            continue;
        at++;
        if (column->role == ROLE_PARENT)
            code = sqlite3_bind_int64(statement, at, parent);
        else if (column->role == ROLE_ORDINAL)
            code = sqlite3_bind_int64(statement, at, ordinal);
        else if (column->guard && !*(const bool *)(bytes + column->guard))
            code = sqlite3_bind_null(statement, at);
        else
            code = bind_member(column, statement, at, bytes + column->offset);
    }
    return code;
}

static void set_integer(int type, void *member, int64_t value)
{
    switch (type) {
    case STORED_BOOL:
        *(bool *)member = value != 0;
        break;
    case STORED_INT32:
        *(int32_t *)member = (int32_t)value;
        break;
    case STORED_UINT32:
        *(uint32_t *)member = (uint32_t)value;
        break;
    default:
        *(int64_t *)member = value;
    }
}

static const char *raw_text(sqlite3_stmt *statement, int at)
{
    const char *text = (const char *)sqlite3_column_text(statement, at);
    return text ? text : "";
}

char *row_text(sqlite3_stmt *statement, int at, struct arena *arena)
{
    return make_plain(arena_text(arena, raw_text(statement, at)));
}

double row_real(sqlite3_stmt *statement, int at)
{
    return sqlite3_column_type(statement, at) == SQLITE_NULL ? NAN
                                                             : sqlite3_column_double(statement, at);
}

bool row_text_is(sqlite3_stmt *statement, int at, const char *text)
{
    return text_equal(raw_text(statement, at), text);
}

static const char *known_text(struct known_texts *known, const char *text, struct arena *arena)
{
    const size_t n_slots = sizeof known->slots / sizeof *known->slots;
    const char **slot = &known->slots[hash_text(HASH_START, text) % n_slots];
    if (!*slot || !text_equal(*slot, text))
        *slot = make_plain(arena_text(arena, text));
    return *slot;
}

/* Into an array of n, made plain before it is cut, and after that, as a code point may be. */
static void take_chars(const char *text, char *member, size_t n)
{
    CLEANUP(arena_free) struct arena scratch = {0};
    if (strlen(text) >= n)
        text = make_plain(arena_text(&scratch, text));
    snprintf(member, n, "%s", text);
    make_plain(member);
}

static void take_member(const struct stored_column *column, sqlite3_stmt *statement, int at,
                        bool is_null, struct known_texts *known, struct arena *arena, void *member)
{
    switch (column->type) {
    case STORED_NOTHING:
    case STORED_BLOB:
        break;
    case STORED_TEXT:
        *(const char **)member = is_null && column->guard
                                     ? NULL
                                     : known_text(known, raw_text(statement, at), arena);
        break;
    case STORED_CHARS:
        take_chars(raw_text(statement, at), member, column->bytes);
        break;
    case STORED_REAL:
        *(double *)member = is_null ? NAN : sqlite3_column_double(statement, at);
        break;
    default:
        set_integer(column->type, member,
                    column->words ? column->words->value(raw_text(statement, at))
                                  : sqlite3_column_int64(statement, at));
    }
}

void row_take(const struct stored_table *table, sqlite3_stmt *statement, struct known_texts *known,
              struct arena *arena, void *ret_row)
{
    char *bytes = ret_row;
    memset(ret_row, 0, table->row_bytes);
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct stored_column *column = &table->columns[i];
        bool is_null = sqlite3_column_type(statement, (int)i) == SQLITE_NULL;
        take_member(column, statement, (int)i, is_null, known, arena, bytes + column->offset);
        if (column->guard && !is_null)
            *(bool *)(bytes + column->guard) = true;
    }
}

int32_t row_write(struct store *store, int table, int statement, int64_t parent, int64_t ordinal,
                  const void *row, struct gb_error *error)
{
    sqlite3_stmt *insert = table_statement(store, table, statement, error);
    int code = insert ? row_bind(&store->schema->tables[table], insert, parent, ordinal, row)
                      : SQLITE_OK;
    return code == SQLITE_OK ? store_finish(store, insert, error)
                             : store_end_rows(store, insert, code, error);
}

int32_t rows_write(struct store *store, int table, int statement, int64_t parent, const void *rows,
                   size_t n, struct gb_error *error)
{
    const char *row = rows;
    size_t bytes = store->schema->tables[table].row_bytes;
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < n; i++)
        status = row_write(store, table, statement, parent, (int64_t)i, row + i * bytes, error);
    return status;
}

int32_t rows_delete(struct store *store, int table, int64_t parent, struct gb_error *error)
{
    sqlite3_stmt *statement = table_statement(store, table, SQL_DELETE_OF_PARENT, error);
    if (!statement || !store_bind_integer(store, statement, 1, parent, error))
        return store_failure(error);
    return store_finish(store, statement, error);
}

size_t near_ids(const int64_t *ids, size_t n)
{
    enum { FEW = 32 };
    size_t end = 1;
    /* cppcheck-suppress objectIndex ; of one id alone, n is 1 */
    while (end < n && (uint64_t)ids[end] - (uint64_t)ids[end - 1] <= FEW)
        end++;
    return end;
}

/* Rows being collected, texts in an arena. */
struct collected {
    char *rows;
    size_t n;
    struct known_texts known;
};

/* Those of ids that lie near to each other; rows of the ids between them are left out. */
static int32_t collect(struct row_reader *reader, int table, int statement, const int64_t *ids,
                       size_t n_ids, size_t *n_of, struct collected *ret)
{
    struct store *store = reader->store;
    const struct stored_table *rows = &store->schema->tables[table];
    const int by = table_column_of_role(rows, statement == SQL_SELECT ? ROLE_ID : ROLE_PARENT);
    sqlite3_stmt *select = table_statement(store, table, statement, reader->error);
    if (!select ||
        (by >= 0 && (!store_bind_integer(store, select, 1, ids[0], reader->error) ||
                     !store_bind_integer(store, select, 2, ids[n_ids - 1], reader->error))))
        return store_failure(reader->error);
    size_t at = 0;
    int code;
    while ((code = sqlite3_step(select)) == SQLITE_ROW) {
        const int64_t id = by >= 0 ? sqlite3_column_int64(select, by) : ids[0];
        while (at + 1 < n_ids && ids[at] < id)
            at++;
        if (ids[at] != id)
            continue;
        n_of[at]++;
        ret->rows = memory_grow(ret->rows, ret->n, rows->row_bytes);
        row_take(rows, select, &ret->known, reader->arena, ret->rows + ret->n++ * rows->row_bytes);
    }
    return store_end_rows(store, select, code, reader->error);
}

void *rows_of(struct row_reader *reader, int table, int statement, const int64_t *ids, size_t n_ids,
              size_t *n_of)
{
    struct collected collected = {0};
    memset(n_of, 0, n_ids * sizeof *n_of);
    for (size_t i = 0, n; reader->status == GB_OK && i < n_ids; i += n) {
        n = near_ids(ids + i, n_ids - i);
        reader->status = collect(reader, table, statement, ids + i, n, n_of + i, &collected);
    }
    if (reader->status == GB_OK)
        return collected.rows;
    memset(n_of, 0, n_ids * sizeof *n_of);
    free(collected.rows);
    return NULL;
}

void *rows_keep(struct row_reader *reader, int table, void *rows, size_t n)
{
    const size_t bytes = n * reader->store->schema->tables[table].row_bytes;
    void *kept = n ? arena_allocate(reader->arena, bytes) : NULL;
    if (n)
        memcpy(kept, rows, bytes);
    free(rows);
    return kept;
}

void *rows_read(struct row_reader *reader, int table, int64_t parent, size_t *ret_n)
{
    void *rows = rows_of(reader, table, SQL_SELECT_OF_PARENT, &parent, 1, ret_n);
    return rows_keep(reader, table, rows, *ret_n);
}
