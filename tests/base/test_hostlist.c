/* test_hostlist.c - core/base/hostlist.c: names of hosts in short. */
#include "core/base/hostlist.h"
#include "tests/text_case.h"

/* Names have a bar behind each. */
static void add_list(char *input, uint32_t with, struct text *out)
{
    const char *names[8];
    size_t n = 0;
    while (*input)
        names[n++] = strsep(&input, "|");
    hostlist_add(out, names, n);
}

static const struct text_cases lists[] = {
    {{add_list, 0},
     {" -> ", "node07| -> node07", "login| -> login",
      "node03|node01|node07|node02| -> node[01-03,07]", "node9|node10|node8| -> node[8-10]",
      "node09|node10|node08| -> node[08-10]", "node99|node100|node98| -> node[98-100]",
      "node1|node01|node2| -> node[1,01,2]", "node9|node010| -> node[9,010]",
      "node01|node01|node02| -> node[01-02]", "b2|a1|a2|login|b1| -> a[1-2],b[1-2],login",
      "rack1n1|rack2n1|rack1n2| -> rack1n[1-2],rack2n1",
      "n1.example.org|n2.example.org| -> n1.example.org,n2.example.org", "7|8| -> [7-8]",
      "n18446744073709551615|n18446744073709551616| -> n18[446744073709551615-446744073709551616]",
      "node0|node1|node00| -> node[0,00,1]", "|a| -> ,a"}},
};

TEST_TEXT_CASES(lists_are_short, lists)
