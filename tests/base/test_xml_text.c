/* test_xml_text.c - core/base/xml_text.c: words in markup. */
#include "core/base/memory.h"
#include "core/base/xml_text.h"
#include "tests/check_main.h"

TEST(words_are_no_markup)
{
    CLEANUP(text_free) struct text out = {0};
    xml_print(&out, "<p id=\"%s\">%s</p>", "a\"b", "<i> & \xFF");
    ck_assert_str_eq(text_get(&out), "<p id=\"a&quot;b\">&lt;i&gt; &amp; \uFFFD</p>");
}
