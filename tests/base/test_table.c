/* test_table.c - core/base/table.c: columns that are aligned. */
#include "core/base/memory.h"
#include "core/base/table.h"
#include "tests/check_main.h"

static struct table sample_table(void)
{
    struct table table = {0};
    table_columns(&table, "case|>median|note");
    table_row(&table);
    table_cell(&table, "streams=1");
    table_cell_printf(&table, "%.2f us", 1.44);
    table_cell(&table, "a|b");
    table_row(&table);
    table_cell(&table, "\xC2\xB5");
    table_cell(&table, "12.00 us");
    return table;
}

TEST(plain_table)
{
    CLEANUP(table_free) struct table table = sample_table();
    CLEANUP(text_free) struct text out = {0};
    table_write(&table, TABLE_PLAIN, &out);
    ck_assert_str_eq(text_get(&out), "case         median  note\n"
                                     "streams=1   1.44 us  a|b\n"
                                     "\xC2\xB5          12.00 us  \n");
}

TEST(markdown_table)
{
    CLEANUP(table_free) struct table table = sample_table();
    CLEANUP(text_free) struct text out = {0};
    table_write(&table, TABLE_MARKDOWN, &out);
    ck_assert_str_eq(text_get(&out), "| case      |   median | note |\n"
                                     "| --------- | -------: | ---- |\n"
                                     "| streams=1 |  1.44 us | a\\|b |\n"
                                     "| \xC2\xB5         | 12.00 us |      |\n");
}

TEST(columns_can_be_removed)
{
    CLEANUP(table_free) struct table table = sample_table();
    CLEANUP(text_free) struct text out = {0};
    ck_assert_uint_eq(table_column_width(&table, 0, TABLE_PLAIN), 9);
    ck_assert_uint_eq(table_column_width(&table, 2, TABLE_PLAIN), 4);
    table_remove_column(&table, 2);
    table_remove_column(&table, 0);
    table_row(&table);
    table_cell(&table, "1 us");
    table_write(&table, TABLE_PLAIN, &out);
    ck_assert_str_eq(text_get(&out), "  median\n 1.44 us\n12.00 us\n    1 us\n");
}

TEST(cells_beyond_the_last_column_are_dropped)
{
    CLEANUP(table_free) struct table table = {0};
    table_column(&table, "n", true);
    for (int i = 0; i < 40; i++) {
        table_row(&table);
        table_cell_printf(&table, "%d", i);
        table_cell(&table, "too much");
    }
    CLEANUP(text_free) struct text out = {0};
    table_write(&table, TABLE_MARKDOWN, &out);
    ck_assert(text_starts_with(text_get(&out), "|   n |\n| --: |\n|   0 |\n"));
    ck_assert(text_ends_with(text_get(&out), "\n|  39 |\n"));
}
