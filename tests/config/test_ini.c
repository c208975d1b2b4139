/* test_ini.c - the INI reader: what it takes, what it refuses, and where it says things are. */
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/config/ini.h"
#include "tests/check_main.h"

static struct arena arena;
static struct error_list errors;
static struct ini ini;

static void tear_down(void)
{
    error_list_free(&errors);
    arena_free(&arena);
}

static int32_t read_text(const char *text)
{
    return ini_read_text("bench.ini", text, strlen(text), &arena, &ini, &errors);
}

/* All that was read, one line a section or entry: "[kind|name]", "key|value"; and all errors, those
 * of bench.ini without its name. */
static void check_result(const char *content, const char *messages)
{
    CLEANUP(text_free) struct text found = {0}, said = {0};
    for (size_t i = 0; i < errors.n; i++) {
        const struct gb_error *error = &errors.items[i];
        if (!text_equal(error->origin.file, "bench.ini"))
            text_printf(&said, "%s:", error->origin.file);
        text_printf(&said, "%u:%u: %s\n", error->origin.line, error->origin.column, error->text);
    }
    ck_assert_str_eq(text_get(&said), messages);
    for (size_t i = 0; i < ini.n; i++) {
        const struct ini_section *section = &ini.sections[i];
        text_printf(&found, "[%s|%s]\n", section->kind, section->name);
        for (size_t k = 0; k < section->n; k++)
            text_printf(&found, "%s|%s\n", section->entries[k].key, section->entries[k].value);
    }
    ck_assert_str_eq(text_get(&found), content);
}

#define TEN "0123456789"
#define FIFTY TEN TEN TEN TEN TEN
#define HUNDRED FIFTY FIFTY
#define WHOLE                                                                                      \
    HUNDRED FIFTY TEN TEN TEN TEN "12345" /* with "k = " before it, all that inih takes            \
                                           */
#define TWENTY "                    "
#define BLANKS TWENTY TWENTY TWENTY TWENTY TWENTY

static const struct {
    const char *text;
    const char *content;
} sound[] = {
    {"", ""},
    {"\n\n", ""},
    {"; only\n# comments", ""},
    {"[gbrun]\nseed = 42\n", "[gbrun|]\nseed|42\n"},
    {"[gbrun]\nseed=42", "[gbrun|]\nseed|42\n"},
    {"[gbrun]\r\nseed = 42\r\n", "[gbrun|]\nseed|42\n"},
    {"\xEF\xBB\xBF[gbrun]\nseed = 42", "[gbrun|]\nseed|42\n"},
    {"[bench streams]\n[ bench \t x ]  ; two\n", "[bench|streams]\n[bench|x]\n"},
    /* no value, comments, quotes */
    {"[a]\nk =\nl = \nm = x\nn = ; nothing\no = # nothing\np = 1 ; comment\nq = 2 # comment\n"
     "r = 3;4#5\ns =;\nt = \"x ; y # z\" ; comment\nu = \"x \\\" ; y\" # comment\n"
     "v = \"\\\\\" ; comment\n",
     "[a|]\nk|\nl|\nm|x\nn|\no|\np|1\nq|2\nr|3;4#5\ns|;\nt|\"x ; y # z\"\nu|\"x \\\" ; y\"\n"
     "v|\"\\\\\"\n"},
    /* values that go on */
    {"[a]\nk = 1,\n  2,\n\t3\nl =\n  1\n  2\nm = 1\n\n; between\n  # between\n  2\n"
     "n = 1 ; one\n  2 ; two\no = \"1\n  ; 2\" ; two\np = \"1\n  #2\n  3\"\n"
     "only = x = 1 and\n  y = 2\nq = x and\n  [y] = 2\nr = 3\n",
     "[a|]\nk|1, 2, 3\nl|1 2\nm|1 2\nn|1 2\no|\"1 ; 2\"\np|\"1 #2 3\"\nonly|x = 1 and y = 2\n"
     "q|x and [y] = 2\nr|3\n"},
    {"[a]\nzip.s = m,n: 1,2 | 3,4\nsweep.x = 1:4:x2\nenv.A_b = c=d\nl = a\tb\n"
     "k = \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80\n",
     "[a|]\nzip.s|m,n: 1,2 | 3,4\nsweep.x|1:4:x2\nenv.A_b|c=d\nl|a\tb\n"
     "k|\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80\n"},
    {"[a]\nk=1\n[b]\nk=2\n", "[a|]\nk|1\n[b|]\nk|2\n"},
    {"[a]\nk = 1 ;" HUNDRED HUNDRED HUNDRED "\n", "[a|]\nk|1\n"},
    {"# " HUNDRED HUNDRED HUNDRED "\n[a]\nk = 1\n", "[a|]\nk|1\n"},
    {"[a]\nk = " WHOLE "\n", "[a|]\nk|" WHOLE "\n"},
    {"[a]\nk = x\n " WHOLE "678\n", "[a|]\nk|x " WHOLE "678\n"},
    /* longer than inih takes, in words, blanks, quotes, before what looks like a comment, and
       before the value */
    {"[a]\nj = 1\nk" BLANKS BLANKS " = 1\n  7\nl = 2\n", "[a|]\nj|1\nk|1 7\nl|2\n"},
    {"[" BLANKS " a b" BLANKS BLANKS "]\nk = 1\n", "[a|b]\nk|1\n"},
    {"[a]\nj = 1\nk = " WHOLE "6\n  7\nl = 2\n", "[a|]\nj|1\nk|" WHOLE "6 7\nl|2\n"},
    {"[a]\nk = 1\n " HUNDRED HUNDRED ", l = 2\n  7\n", "[a|]\nk|1 " HUNDRED HUNDRED ", l = 2 7\n"},
    {"[a]\nk = " HUNDRED HUNDRED HUNDRED HUNDRED " ; comment\n",
     "[a|]\nk|" HUNDRED HUNDRED HUNDRED HUNDRED "\n"},
    {"[a]\nk = " HUNDRED BLANKS BLANKS BLANKS "1\n", "[a|]\nk|" HUNDRED BLANKS BLANKS BLANKS "1\n"},
    {"[a]\nk =" BLANKS BLANKS BLANKS "1\n", "[a|]\nk|1\n"},
    {"[a]\nk =\n" BLANKS BLANKS BLANKS "1\n", "[a|]\nk|1\n"},
    {"[a]\nk = " WHOLE ";6#7\n", "[a|]\nk|" WHOLE ";6#7\n"},
    {"[a]\nk = \"" HUNDRED FIFTY TEN TEN TEN TEN "123 ;4 # 5\" ; comment\n",
     "[a|]\nk|\"" HUNDRED FIFTY TEN TEN TEN TEN "123 ;4 # 5\"\n"},
    {"[a]\nk = " WHOLE "[b]\n", "[a|]\nk|" WHOLE "[b]\n"},
    {"[a]\nk" TEN TEN TEN TEN "12345678 = x\n", "[a|]\nk" TEN TEN TEN TEN "12345678|x\n"},
    {"[" TEN TEN TEN TEN "1234 6789]\n", "[" TEN TEN TEN TEN "1234|6789]\n"},
};

TEST_FIXTURE(NULL, tear_down)

TEST_EACH(test_sound, sound)
{
    ck_assert_int_eq(read_text(sound[_i].text), GB_OK);
    check_result(sound[_i].content, "");
}

#define INDENTED                                                                                   \
    " is indented: expected it in the first column (an indented line continues the value above "   \
    "it)\n"
#define NO_EQUALS " is not KEY = VALUE: expected '=' after a key\n"
#define COLON " is not KEY = VALUE: expected '=' instead of ':'\n"
#define NO_BRACKET "']' is missing: expected [KIND NAME]\n"
#define TWICE " is there twice: the first is on line "
#define NO_UTF8 " is not UTF-8: expected text in UTF-8\n"

static const struct {
    const char *text;
    const char *content;
    const char *messages;
} wrong[] = {
    {"k = 1\nl = 2\n[a]\nm = 3\n", "[a|]\nm|3\n",
     "1:1: 'k = 1' is before the first section: expected [KIND NAME]\n"},
    {"[a]\nk = 1\nl\nm = 2\n", "[a|]\nk|1\nm|2\n", "3:1: 'l'" NO_EQUALS},
    {"[a]\nk ; = 1\n", "[a|]\n", "2:1: 'k'" NO_EQUALS},
    {"[a]\nthreads: 4\n", "[a|]\n", "2:8: 'threads: 4'" COLON},
    {"[a]\nx: y = 4\n", "[a|]\n", "2:2: 'x: y = 4'" COLON},
    {"[a]\n = 4\n", "[a|]\n", "2:2: '= 4'" INDENTED},
    {"[a]\n= 4\n", "[a|]\n", "2:1: the key is empty: expected KEY = VALUE\n"},
    {"[a]\nk = 1\nl\n  2\n", "[a|]\nk|1\n", "3:1: 'l'" NO_EQUALS},
    {"[a]\n  k = 1\n  l = 2\n", "[a|]\n", "2:3: 'k = 1'" INDENTED},
    {"[a]\nk = 1\n  [b]\n  l = 2\nm = 3\n", "[a|]\nk|1\nm|3\n", "3:3: '[b]'" INDENTED},
    {"[a]\nk = 1\nk = 2\n  3\nl = 4\n", "[a|]\nk|1\nl|4\n", "3:1: key 'k'" TWICE "2\n"},
    {"[a]\nk = 1\n[b]\n[a]\nk = 2\nk = 3\n", "[a|]\nk|1\n[b|]\n",
     "4:1: section [a]" TWICE "1\n6:1: key 'k'" TWICE "5\n"},
    {"[bench  x]\n[bench x]\n", "[bench|x]\n", "2:1: section [bench x]" TWICE "1\n"},
    {"[a\nk = 1\n[b]\n", "[b|]\n", "1:3: " NO_BRACKET},
    {"[a ;]\n", "", "1:3: " NO_BRACKET},
    {"[]\n[ ]\n", "",
     "1:1: the section's name is empty: expected [KIND NAME]\n2:1: the section's name is empty: "
     "expected [KIND NAME]\n"},
    {"[a] b\n", "", "1:5: 'b' after ']': expected the end of the line\n"},
    {"[bench my streams]\n", "",
     "1:1: section [bench my streams] has too many words: expected [KIND NAME]\n"},
    {"[" FIFTY "]\nk = 1\n", "", "1:1: the section's name has 50 bytes: expected up to 49\n"},
    {"[a]\n" FIFTY " = 1\nk = 2\n", "[a|]\nk|2\n",
     "2:1: the key has 50 bytes: expected up to 49\n"},
    {"[a]\nk = 1\n" HUNDRED HUNDRED "\nl = 2\n", "[a|]\nk|1\nl|2\n",
     "3:1: '" FIFTY TEN TEN TEN "...'" NO_EQUALS},
    {"[" BLANKS BLANKS "]\nk = 1\n[b]\n", "[b|]\n",
     "1:1: the section's name is empty: expected [KIND NAME]\n"},
    {"[a]\nk = 1\n \xFF\n  2\n  [b]\nl = 2\n", "[a|]\nk|1\nl|2\n",
     "3:2: byte 0xff" NO_UTF8 "5:3: '[b]'" INDENTED},
    {"[a]\nk = \"1\n; \xFF\n  2\"\nl = 2 ; 3\n", "[a|]\nk|\"1\nl|2\n", "3:3: byte 0xff" NO_UTF8},
    {"[a]\nk = 1\nk = " HUNDRED HUNDRED "; 2 = 3\n  7\nl = 2\n", "[a|]\nk|1\nl|2\n",
     "3:1: key 'k'" TWICE "2\n"},
    {"[a]\nk = \xFF\nl = 1\n", "[a|]\nl|1\n", "2:5: byte 0xff" NO_UTF8},
    {"[a]\nk = \xC3\xA4\xC0\x80\n", "[a|]\n", "2:6: byte 0xc0" NO_UTF8},
    {"[a]\nk = x\x01y\nl = a\rb\nm = \x7F\n", "[a|]\n",
     "2:6: control character 0x01: expected text\n3:6: control character 0x0d: expected text\n4:5: "
     "control character 0x7f: expected text\n"},
    {"[a]\nk = 1\n[\xFF]\nk = 2\n", "[a|]\nk|1\n", "3:2: byte 0xff" NO_UTF8},
};

TEST_EACH(test_wrong, wrong)
{
    ck_assert_int_eq(read_text(wrong[_i].text), GB_INVALID);
    check_result(wrong[_i].content, wrong[_i].messages);
}

TEST(test_nul)
{
    static const char text[] = "[a]\nk = 1\0002\nl = 3\n";
    ck_assert_int_eq(ini_read_text("x", text, sizeof text - 1, &arena, &ini, &errors), GB_INVALID);
    check_result("[a|]\nl|3\n", "x:2:6: control character 0x00: expected text\n");
}

TEST(test_origins)
{
    ck_assert_int_eq(read_text("; head\n[bench x]\nrows =  32\n\xC3\xA4 = 1,\n  2\n"
                               "empty =\n  5 ; one\nnone =\n"),
                     GB_OK);
    const struct ini_section *section = &ini.sections[0];
    ck_assert_str_eq(ini.path, "bench.ini");
    ck_assert_str_eq(section->origin.file, "bench.ini");
    ck_assert_uint_eq(section->origin.line, 2);
    ck_assert_uint_eq(section->origin.column, 1);
    ck_assert_uint_eq(section->n, 4);
    CLEANUP(text_free) struct text places = {0};
    for (size_t i = 0; i < section->n; i++) {
        const struct ini_entry *entry = &section->entries[i];
        ck_assert_str_eq(entry->origin.file, "bench.ini");
        ck_assert(!entry->is_override);
        text_printf(&places, "%u:%u %u:%u, ", entry->origin.line, entry->origin.column,
                    entry->value_origin.line, entry->value_origin.column);
    }
    ck_assert_str_eq(text_get(&places), "3:1 3:9, 4:1 4:0, 6:1 7:3, 8:1 8:7, ");
}

/* Far more of everything than any table here begins with. */
TEST(test_many)
{
    struct text text = {0};
    enum { MANY = 3000 };
    for (int i = 0; i < MANY; i++)
        text_printf(&text, "[bench s%d]\n", i);
    for (int i = 0; i < MANY; i++)
        text_printf(&text, "k%d = %d\n", i, i);
    text_add(&text, "long = 0\n");
    for (int i = 1; i < MANY; i++)
        text_printf(&text, " %d\n", i);
    ck_assert_int_eq(read_text(text_get(&text)), GB_OK);
    ck_assert_uint_eq(ini.n, MANY);
    const struct ini_section *last = &ini.sections[MANY - 1];
    ck_assert_uint_eq(last->n, MANY + 1);
    ck_assert_str_eq(last->entries[MANY - 1].value, "2999");
    ck_assert(text_starts_with(last->entries[MANY].value, "0 1 2 3 "));
    ck_assert(text_ends_with(last->entries[MANY].value, " 2998 2999"));
    text_free(&text);
}

TEST(test_file)
{
    char path[] = "ini_XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, "[a]\nk = 1\n", 10), 10);
    ck_assert_int_eq(ini_read_file(path, &arena, &ini, &errors), GB_OK);
    check_result("[a|]\nk|1\n", "");
    ck_assert_str_eq(ini.path, path);
    /* a file with a hole: larger than any configuration, without the disk space */
    ck_assert_int_eq(ftruncate(fd, 17 << 20), 0);
    ck_assert_int_eq(ini_read_file(path, &arena, &ini, &errors), GB_IO);
    close(fd);
    unlink(path);
    ck_assert_str_eq(errors.items[0].text,
                     "cannot be read: it is larger than 16 MiB, the limit of a configuration");
    ck_assert_str_eq(errors.items[0].origin.file, path);
}

TEST(test_no_file_and_a_folder)
{
    ck_assert_int_eq(ini_read_file("no/such.ini", &arena, &ini, &errors), GB_IO);
    ck_assert_str_eq(ini.path, "no/such.ini");
    ck_assert_int_eq(ini_read_file(".", &arena, &ini, &errors), GB_IO);
    check_result("", "no/such.ini:0:0: cannot be opened: No such file or directory\n"
                     ".:0:0: cannot be read: Is a directory\n");
    ck_assert_int_eq(errors.items[0].status, GB_IO);
}

TEST(test_stdin)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], "[a]\nk\n", 6), 6);
    close(ends[1]);
    ck_assert_int_ge(dup2(ends[0], STDIN_FILENO), 0);
    ck_assert_int_eq(ini_read_file("-", &arena, &ini, &errors), GB_INVALID);
    check_result("[a|]\n", "<stdin>:2:1: 'k' is not KEY = VALUE: expected '=' after a key\n");
    ck_assert_str_eq(ini.path, "-");
}

static const char base[] = "[bench streams]\nplugin = x\nsweep.rows = 1:4\ncols = 3\n"
                           "[policy precise]\nplugin = steady\n[bench a.b]\nx = 1\ny = 2\n"
                           "sweep.x = 1:3\n";

#define AXIS "sweep.rows|1:4\n"
#define COLS "cols|3\n"
#define POLICY "[policy|precise]\nplugin|steady\n"
#define AB "[bench|a.b]\nx|1\ny|2\nsweep.x|1:3\n"
#define REST POLICY AB

static const struct {
    const char *overrides[2];
    const char *content, *messages; /* of the content what follows "plugin|x\n" */
} overrides[] = {
    {{"streams.cols=4"}, AXIS "cols|4\n" REST, ""},
    {{" streams.cols =  4 "}, AXIS "cols|4\n" REST, ""},
    {{"streams.rows=8"}, "rows|8\ncols|3\n" REST, ""},
    {{"streams.sweep.cols=1:8"}, AXIS "sweep.cols|1:8\n" REST, ""},
    {{"bench streams.new=1;2", "streams.new="}, AXIS COLS "new|\n" REST, ""},
    {{"policy precise.precision=1%", "policy  precise.plugin=fixed"},
     AXIS COLS "[policy|precise]\nplugin|fixed\nprecision|1%\n" AB,
     ""},
    {{"a.b.only=x = 1", "a.b.check.rms=3"}, AXIS COLS REST "only|x = 1\ncheck.rms|3\n", ""},
    {{"a.b.x=9"}, AXIS COLS POLICY "[bench|a.b]\nx|9\ny|2\n", ""}, /* in place of both */
    {{"gbrun.seed=7", "defaults.env.A=b"},
     AXIS COLS REST "[gbrun|]\nseed|7\n[defaults|]\nenv.A|b\n",
     ""},
    {{"gbrun.seed=7", "gbrun.jobs=2"}, AXIS COLS REST "[gbrun|]\nseed|7\njobs|2\n", ""},
    {{"steams.rows=1", "streams"},
     AXIS COLS REST,
     "-s:1:0: 'steams.rows=1': unknown section 'steams'; did you mean 'streams'?\n-s:2:0: "
     "'streams' is not an override: expected SECTION.KEY=VALUE\n"},
    {{"policy precis.x=1", "gemm.a.b=1"},
     AXIS COLS REST,
     "-s:1:0: 'policy precis.x=1': unknown section 'policy precis'; did you mean 'policy "
     "precise'?\n-s:2:0: 'gemm.a.b=1': unknown section 'gemm': expected gbrun, defaults, the NAME "
     "of a [bench NAME] or 'KIND NAME'\n"},
    {{"streams.=1", "rows=1.5"},
     AXIS COLS REST,
     "-s:1:0: 'streams.=1': the key is empty: expected SECTION.KEY=VALUE\n-s:2:0: 'rows=1.5' is "
     "not an override: expected SECTION.KEY=VALUE; in every benchmark: '*.rows=1.5'\n"},
    {{"streams.cols=a\nb"}, AXIS COLS REST, "-s:1:0: control character 0x0a: expected text\n"},
};

TEST_EACH(test_override, overrides)
{
    ck_assert_int_eq(read_text(base), GB_OK);
    size_t n = overrides[_i].overrides[1] ? 2 : 1;
    bool is_sound = !*overrides[_i].messages;
    ck_assert_int_eq(ini_override(&ini, overrides[_i].overrides, n, &arena, &errors),
                     is_sound ? GB_OK : GB_INVALID);
    check_result(arena_printf(&arena, "[bench|streams]\nplugin|x\n%s", overrides[_i].content),
                 overrides[_i].messages);
}

TEST(test_override_origin)
{
    static const char *const texts[] = {"streams.cols=4", "streams.rows=5"};
    read_text(base);
    ck_assert_int_eq(ini_override(&ini, texts, 2, &arena, &errors), GB_OK);
    const struct ini_entry *entry = &ini.sections[0].entries[1];
    ck_assert_str_eq(entry->key, "rows");
    ck_assert(entry->is_override);
    ck_assert_str_eq(entry->origin.file, "-s");
    ck_assert_uint_eq(entry->origin.line, 2);
    ck_assert_uint_eq(entry->value_origin.column, 0);
    ck_assert(!ini.sections[0].entries[0].is_override);
}
