/* store_rows.c - see store_internal.h: structs into rows of the file, and back. */
#include "core/store/store_internal.h"

#include "core/base/plain_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int64_t integer_at(int type, const void *member)
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
        int64_t value = integer_at(column->type, member);
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

char *row_text(sqlite3_stmt *statement, int at, struct arena *arena)
{
    const char *text = (const char *)sqlite3_column_text(statement, at);
    return make_plain(arena_text(arena, text ? text : ""));
}

static void take_member(const struct stored_column *column, sqlite3_stmt *statement, int at,
                        bool is_null, struct arena *arena, void *member)
{
    switch (column->type) {
    case STORED_NOTHING:
    case STORED_BLOB:
        break;
    case STORED_TEXT:
        *(const char **)member = is_null && column->guard ? NULL : row_text(statement, at, arena);
        break;
    case STORED_CHARS:
        snprintf(member, column->bytes, "%s", row_text(statement, at, arena));
        make_plain(member); /* a code point may be cut */
        break;
    case STORED_REAL:
        *(double *)member = is_null ? NAN : sqlite3_column_double(statement, at);
        break;
    default:
        set_integer(column->type, member,
                    column->words ? column->words->value(row_text(statement, at, arena))
                                  : sqlite3_column_int64(statement, at));
    }
}

void row_take(const struct stored_table *table, sqlite3_stmt *statement, struct arena *arena,
              void *ret_row)
{
    char *bytes = ret_row;
    memset(ret_row, 0, table->row_bytes);
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct stored_column *column = &table->columns[i];
        bool is_null = sqlite3_column_type(statement, (int)i) == SQLITE_NULL;
        take_member(column, statement, (int)i, is_null, arena, bytes + column->offset);
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

void *rows_read(struct row_reader *reader, int table, int64_t parent, size_t *ret_n)
{
    struct store *store = reader->store;
    const struct stored_table *rows = &store->schema->tables[table];
    char *items = NULL;
    size_t n = 0;
    *ret_n = 0;
    if (reader->status != GB_OK)
        return NULL;
    sqlite3_stmt *select = table_statement(store, table, SQL_SELECT_OF_PARENT, reader->error);
    if (!select || (rows->parent != TABLE_NONE &&
                    !store_bind_integer(store, select, 1, parent, reader->error))) {
        reader->status = store_failure(reader->error);
        return NULL;
    }
    int code;
    while ((code = sqlite3_step(select)) == SQLITE_ROW) {
        items = arena_grow(reader->arena, items, n, rows->row_bytes);
        row_take(rows, select, reader->arena, items + n++ * rows->row_bytes);
    }
    reader->status = store_end_rows(store, select, code, reader->error);
    *ret_n = n;
    return items;
}
