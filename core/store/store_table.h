/*
 * store_table.h - a table of the results file as data: each column with its SQL and the member of a
 * struct that it holds. Statements, writing, reading, upgrades and merging follow from it.
 *
 * A row is such a struct. NULL in a column reads as "", NaN or 0.
 */
#pragma once

#include "core/base/text.h"

/* The type of a member, from which follows how it is stored. */
enum {
    STORED_NOTHING, /* the column has no member */
    STORED_TEXT,    /* const char *; NULL is stored as "" */
    STORED_CHARS,   /* an array of char, ended by NUL unless it is full */
    STORED_REAL,    /* NaN is stored as NULL */
    STORED_BOOL,
    STORED_INT32,
    STORED_UINT32,
    STORED_INT64, /* also of uint64_t */
    STORED_BLOB,  /* written only */
};
int64_t stored_integer(int type, const void *member); /* of STORED_BOOL and what follows */
struct stored_blob {
    const void *bytes;
    size_t n;
};
#define STORED_TYPE(member)                                                                        \
    _Generic((member), const char *                                                                \
             : STORED_TEXT, char *                                                                 \
             : STORED_CHARS, double                                                                \
             : STORED_REAL, bool                                                                   \
             : STORED_BOOL, int32_t                                                                \
             : STORED_INT32, uint32_t                                                              \
             : STORED_UINT32, int64_t                                                              \
             : STORED_INT64, uint64_t                                                              \
             : STORED_INT64, struct stored_blob                                                    \
             : STORED_BLOB)

/* What a column is for. */
enum {
    ROLE_VALUE,
    ROLE_ID,      /* of the row, in this file only: never written */
    ROLE_PARENT,  /* id of the row that this one belongs to */
    ROLE_ORDINAL, /* number among the rows of its parent, from 0 */
    ROLE_DEVICE,  /* id of a device; 0 is stored as NULL */
};

/* Words that are stored for the values of a 32-bit member. */
struct stored_words {
    const char *(*word)(int32_t value);
    int32_t (*value)(const char *word); /* also of "" and of unknown ones */
};

struct stored_column {
    const char *name;
    const char *sql; /* type and constraints; what is added to a table of an earlier version ends
                        with the DEFAULT of that table's rows, or is NULL in them */
    int since;       /* the first version of the schema that has it */
    const char *comment; /* lines; NULL: none */
    size_t offset, bytes;
    int type; /* STORED_... */
    int role; /* ROLE_... */
    const struct stored_words *words;
    size_t guard;   /* offset of a bool that says whether the column is known: NULL if not, and text
                       reads as NULL then; 0: always */
    bool has_lines; /* of a text: several; others are one line */
    /* As a column of results (show, export, help columns): */
    const char *help;     /* NULL: it is none */
    const char *shown_as; /* its name; NULL: that of the column */
    int unit;             /* UNIT_... */
    bool is_amount;       /* not known unless above 0 */
    bool is_real;         /* an integer that expressions divide as a real number */
};
/* Members of a column that results show. */
#define RESULT(help_) .help = help_
#define RESULT_IN(unit_, help_) .unit = UNIT_##unit_, .help = help_

/*
 * A column of rows of the type ROW, a macro that the list of columns defines. Further members of
 * the struct follow after the comment: .role = ..., .words = ..., .guard = ...
 */
#define COLUMN(name_, sql_, since_, member, comment_, ...)                                         \
    {                                                                                              \
        .name = #name_, .sql = sql_, .since = since_, .comment = comment_,                         \
        .offset = offsetof(ROW, member), .bytes = sizeof(((ROW *)0)->member),                      \
        .type = STORED_TYPE(((ROW *)0)->member), __VA_ARGS__                                       \
    }
/* One without a member, which the writer gives apart from the row. */
#define COLUMN_OF_ROLE(name_, sql_, since_, role_, comment_)                                       \
    {                                                                                              \
        .name = #name_, .sql = sql_, .since = since_, .comment = comment_, .role = role_           \
    }
#define COLUMN_PARENT(name, table, since)                                                          \
    COLUMN_OF_ROLE(name, "INTEGER NOT NULL REFERENCES " table " ON DELETE CASCADE", since,         \
                   ROLE_PARENT, NULL)
#define COLUMN_ORDINAL(since, comment)                                                             \
    COLUMN_OF_ROLE(ordinal, "INTEGER NOT NULL", since, ROLE_ORDINAL, comment)

/* In the order in which they are made and merged: parents first. */
enum {
    TABLE_RUN,
    TABLE_RUN_FACT,
    TABLE_MODULE,
    TABLE_DEVICE,
    TABLE_DEVICE_FACT,
    TABLE_CLOCK,
    TABLE_CASE,
    TABLE_PARAMETER,
    TABLE_SAMPLES,
    TABLE_METRIC,
    TABLE_SERIES,
    TABLE_CHECK,
    TABLE_CHECK_SUMMARY,
    TABLE_CHECK_HISTOGRAM,
    TABLE_CHECK_WORST,
    TABLE_MODE,
    TABLE_TELEMETRY,
    TABLE_SENTINEL,
    TABLE_ACTIVITY,
    TABLE_MESSAGE,
    STORED_TABLES,
    TABLE_NONE = -1,
};

struct stored_table {
    const char *name, *comment; /* comment: NULL: none */
    const struct stored_column *columns;
    size_t n_columns;
    size_t row_bytes;
    int parent;        /* TABLE_...: the one whose rows these belong to */
    const char *key;   /* columns of the primary key; NULL: one of them is ROLE_ID */
    bool has_rowid;    /* although there is a key */
    const char *order; /* in which rows are read; NULL: that of the key */
    const char *index; /* a statement that makes one; NULL: none */
    /* Of rows that are the same in every file: */
    const char *uuid;  /* the column that names them; NULL: they have none */
    const char *newer; /* SQL: the row `excluded` takes the place of the one that is there; NULL:
                          the first one stays */
};

/* The number of its column of that role, of which it has one at most; -1: none. */
int table_column_of_role(const struct stored_table *table, int role);

enum { STORED_VIEWS = 2 };
struct stored_schema {
    struct stored_table tables[STORED_TABLES];
    struct stored_view {
        const char *name, *create; /* create: a statement */
        int since;                 /* the version that made it what it is */
    } views[STORED_VIEWS];
};

/* The version is the highest since of any part. */
int schema_version(const struct stored_schema *schema);

/* The statements that make a new file's tables, indices and views; sqlite3's .schema shows them as
 * they stand here, comments included. */
void schema_create_sql(const struct stored_schema *schema, struct text *out);
/* Those that bring a file of an earlier version up. */
void schema_upgrade_sql(const struct stored_schema *schema, int version, struct text *out);
/* Those that put temporary views before what such a file lacks; nothing for one of this version. */
void schema_views_sql(const struct stored_schema *schema, int version, struct text *out);

/* Statements on one table. Columns have their order in the table; those of ROLE_ID are read only.
 */
enum {
    SQL_INSERT,           /* ?1, ?2 ...: the columns */
    SQL_MERGE,            /* the same, where such a row may be there already */
    SQL_FIND,             /* the id of the row with UUID ?1 */
    SQL_SELECT,           /* the rows with ids ?1 to ?2, in their order */
    SQL_SELECT_ALL,       /* in the order of ids, or of the key */
    SQL_SELECT_OF_PARENT, /* those of parents ?1 to ?2, by parent, in order; without parents all */
    SQL_DELETE_OF_PARENT, /* of ?1 */
    STORED_STATEMENTS
};
void table_sql(const struct stored_table *table, int statement, struct text *out);
