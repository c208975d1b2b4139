/* store_table.c - see store_table.h: SQL from tables that are data. */
#include "core/store/store_table.h"

#include "core/base/memory.h"

#include <string.h>

/* ---- tables ---- */

/* Is it there since a later version than this? */
static bool is_new(const struct stored_table *table, int version)
{
    for (size_t i = 0; i < table->n_columns; i++)
        if (table->columns[i].since <= version)
            return false;
    return true;
}

int schema_version(const struct stored_schema *schema)
{
    int version = 0;
    for (int i = 0; i < STORED_VIEWS; i++)
        version = schema->views[i].since > version ? schema->views[i].since : version;
    for (int t = 0; t < STORED_TABLES; t++)
        for (size_t i = 0; i < schema->tables[t].n_columns; i++) {
            int since = schema->tables[t].columns[i].since;
            version = since > version ? since : version;
        }
    return version;
}

/* " -- comment", the further lines of it below the first. line: where that one starts. */
static void add_comment(struct text *out, size_t line, const char *comment)
{
    size_t indent = out->length + 1 - line;
    for (bool is_first = true; comment && *comment; is_first = false) {
        size_t n = strcspn(comment, "\n");
        text_add(out, is_first ? " " : "\n");
        text_pad(out, ' ', is_first ? 0 : indent);
        text_printf(out, "-- %.*s", (int)n, comment);
        comment += n + (comment[n] == '\n');
    }
}

static void add_create(struct text *out, const struct stored_table *table)
{
    size_t line = out->length;
    text_printf(out, "CREATE TABLE %s (", table->name);
    add_comment(out, line, table->comment);
    text_add(out, "\n");
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct stored_column *column = &table->columns[i];
        bool is_last = i + 1 == table->n_columns && !table->key;
        line = out->length;
        text_printf(out, "    %s %s%s", column->name, column->sql, is_last ? "" : ",");
        add_comment(out, line, column->comment);
        text_add(out, "\n");
    }
    if (table->key)
        text_printf(out, "    PRIMARY KEY (%s)\n", table->key);
    text_add(out, table->key && !table->has_rowid ? ") WITHOUT ROWID;" : ");");
    if (table->index)
        text_printf(out, "%s;", table->index);
}

void schema_create_sql(const struct stored_schema *schema, struct text *out)
{
    for (int t = 0; t < STORED_TABLES; t++)
        add_create(out, &schema->tables[t]);
    for (int i = 0; i < STORED_VIEWS; i++)
        text_printf(out, "%s;", schema->views[i].create);
}

void schema_upgrade_sql(const struct stored_schema *schema, int version, struct text *out)
{
    for (int t = 0; t < STORED_TABLES; t++) {
        const struct stored_table *table = &schema->tables[t];
        if (is_new(table, version))
            add_create(out, table);
        else
            for (size_t i = 0; i < table->n_columns; i++)
                if (table->columns[i].since > version)
                    text_printf(out, "ALTER TABLE %s ADD COLUMN %s %s;", table->name,
                                table->columns[i].name, table->columns[i].sql);
    }
    for (int i = 0; i < STORED_VIEWS; i++)
        if (schema->views[i].since > version)
            text_printf(out, "DROP VIEW IF EXISTS %s;%s;", schema->views[i].name,
                        schema->views[i].create);
}

/* What the rows of an earlier version have in the column. */
static const char *default_of(const struct stored_column *column)
{
    static const char word[] = " DEFAULT ";
    const char *found = strstr(column->sql, word);
    return found ? found + strlen(word) : "NULL";
}

void schema_views_sql(const struct stored_schema *schema, int version, struct text *out)
{
    for (int t = 0; t < STORED_TABLES; t++) {
        const struct stored_table *table = &schema->tables[t];
        CLEANUP(text_free) struct text added = {0};
        for (size_t i = 0; i < table->n_columns; i++)
            if (table->columns[i].since > version)
                text_printf(&added, ", %s AS %s", default_of(&table->columns[i]),
                            table->columns[i].name);
        if (is_new(table, version))
            text_printf(out, "CREATE TEMP VIEW %s AS SELECT %s WHERE 0;", table->name,
                        text_get(&added) + strlen(", "));
        else if (added.length)
            text_printf(out, "CREATE TEMP VIEW %s AS SELECT *%s FROM main.%s;", table->name,
                        text_get(&added), table->name);
    }
}

/* ---- statements ---- */

int table_column_of_role(const struct stored_table *table, int role)
{
    int i = (int)table->n_columns - 1;
    while (i >= 0 && table->columns[i].role != role)
        i--;
    return i;
}

static void add_insert(const struct stored_table *table, bool merges, struct text *out)
{
    CLEANUP(text_free) struct text names = {0}, places = {0}, updates = {0};
    for (size_t i = 0; i < table->n_columns; i++) {
        const char *name = table->columns[i].name, *comma = names.length ? ", " : "";
        if (table->columns[i].role == ROLE_ID)
            continue;
        text_printf(&names, "%s%s", comma, name);
        text_printf(&places, "%s?", comma);
        text_printf(&updates, "%s%s = excluded.%s", comma, name, name);
    }
    text_printf(out, "INSERT INTO %s (%s) VALUES (%s)", table->name, text_get(&names),
                text_get(&places));
    if (merges && table->newer)
        text_printf(out, " ON CONFLICT (%s) DO UPDATE SET %s WHERE %s", table->uuid,
                    text_get(&updates), table->newer);
    else if (merges)
        text_add(out, " ON CONFLICT DO NOTHING");
}

static void add_select(const struct stored_table *table, struct text *out)
{
    for (size_t i = 0; i < table->n_columns; i++)
        text_printf(out, "%s%s", i ? ", " : "SELECT ", table->columns[i].name);
    text_printf(out, " FROM %s", table->name);
}

void table_sql(const struct stored_table *table, int statement, struct text *out)
{
    const int parent_column = table_column_of_role(table, ROLE_PARENT);
    const char *parent = parent_column < 0 ? NULL : table->columns[parent_column].name;
    switch (statement) {
    case SQL_INSERT:
    case SQL_MERGE:
        add_insert(table, statement == SQL_MERGE, out);
        break;
    case SQL_FIND:
        text_printf(out, "SELECT id FROM %s WHERE %s = ?", table->name, table->uuid);
        break;
    case SQL_SELECT:
        add_select(table, out);
        text_add(out, " WHERE id BETWEEN ? AND ? ORDER BY id");
        break;
    case SQL_SELECT_ALL:
        add_select(table, out);
        text_printf(out, " ORDER BY %s", table->key ? table->key : "id");
        break;
    case SQL_SELECT_OF_PARENT:
        add_select(table, out);
        if (parent)
            text_printf(out, " WHERE %s BETWEEN ? AND ?", parent);
        text_printf(out, " ORDER BY %s%s", parent && table->order ? parent : "",
                    parent && table->order ? ", " : "");
        text_add(out, table->order ? table->order : table->key);
        break;
    case SQL_DELETE_OF_PARENT:
        text_printf(out, "DELETE FROM %s WHERE %s = ?", table->name, parent);
        break;
    default:
        break;
    }
}
