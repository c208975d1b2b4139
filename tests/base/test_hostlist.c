/* test_hostlist.c - core/base/hostlist.c: names of hosts in short. */
#include "core/base/hostlist.h"

#include "core/base/memory.h"
#include "tests/check_main.h"

enum { NAMES_MAX = 8 };

TEST(lists_are_short)
{
    static const struct {
        const char *names[NAMES_MAX];
        size_t n;
        const char *list;
    } all[] = {
        {{NULL}, 0, ""},
        {{"node07"}, 1, "node07"},
        {{"login"}, 1, "login"},
        {{"node03", "node01", "node07", "node02"}, 4, "node[01-03,07]"},
        {{"node9", "node10", "node8"}, 3, "node[8-10]"},
        {{"node09", "node10", "node08"}, 3, "node[08-10]"},
        {{"node99", "node100", "node98"}, 3, "node[98-100]"},
        {{"node1", "node01", "node2"}, 3, "node[1,01,2]"},
        {{"node9", "node010"}, 2, "node[9,010]"},
        {{"node01", "node01", "node02"}, 3, "node[01-02]"},
        {{"b2", "a1", "a2", "login", "b1"}, 5, "a[1-2],b[1-2],login"},
        {{"rack1n1", "rack2n1", "rack1n2"}, 3, "rack1n[1-2],rack2n1"},
        {{"n1.example.org", "n2.example.org"}, 2, "n1.example.org,n2.example.org"},
        {{"7", "8"}, 2, "[7-8]"},
        {{"n18446744073709551615", "n18446744073709551616"},
         2,
         "n18[446744073709551615-446744073709551616]"},
        {{"node0", "node1", "node00"}, 3, "node[0,00,1]"},
        {{"", "a"}, 2, ",a"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        CLEANUP(text_free) struct text list = {0};
        hostlist_add(&list, all[i].names, all[i].n);
        ck_assert_str_eq(text_get(&list), all[i].list);
    }
}
