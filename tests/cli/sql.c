/*
 * sql.c - statements on a results file, for tests that look where no verb does or that damage one:
 * the program sqlite3 is not on every machine, its library is. A row is a line, with | between its
 * values. usage: sql FILE STATEMENTS
 */
#include <sqlite3.h>
#include <stdio.h>

static int print_row(void *context, int n, char **values, char **names)
{
    (void)context;
    (void)names;
    for (int i = 0; i < n; i++)
        printf("%s%s", i > 0 ? "|" : "", values[i] ? values[i] : "");
    putchar('\n');
    return 0;
}

int main(int argc, char **argv)
{
    sqlite3 *file = NULL;
    if (argc != 3 || sqlite3_open_v2(argv[1], &file, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
        sqlite3_busy_timeout(file, 60000) != SQLITE_OK ||
        sqlite3_exec(file, argv[2], print_row, NULL, NULL) != SQLITE_OK) {
        fprintf(stderr, "sql: %s\n", file ? sqlite3_errmsg(file) : "usage: sql FILE STATEMENTS");
        return 1;
    }
    return sqlite3_close(file) == SQLITE_OK ? 0 : 1;
}
