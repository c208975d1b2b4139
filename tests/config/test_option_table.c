/* test_option_table.c - tables of options: checking, reading, filling, help. */
#include "core/config/option_table.h"
#include "tests/text_case.h"

static struct arena arena;
static struct gb_error error;

struct params {
    int64_t rows;
    double ratio;
    int32_t verify;
    int32_t cache;
    const char *title;
    uint64_t buffer;
    double pause;
    struct gb_list sizes;
    struct gb_list names;
    struct gb_list flags;
    struct gb_map arg;
};

static const char *const cache_words[] = {"warm", "cold"};

static const struct gb_option options[] = {
    GB_INT(struct params, rows, "32", "1:65536", "rows", "rows of the output matrix"),
    GB_FLOAT(struct params, ratio, "5%", "0:1", NULL, "share of the work"),
    GB_BOOL(struct params, verify, "yes", "compare with a reference"),
    GB_CHOICE(struct params, cache, "cold", cache_words, "state of the cache"),
    GB_STRING(struct params, title, NULL, "what stands above | the plot"),
    GB_BYTES(struct params, buffer, "64 KiB", "1:", "size of the buffer"),
    GB_DURATION(struct params, pause, "1.5ms", NULL, "wait between samples"),
    GB_LIST(struct params, sizes, GB_TYPE_INT, "1:4", "1:64", NULL, "sizes"),
    GB_LIST(struct params, names, GB_TYPE_STRING, "", NULL, NULL, "names"),
    GB_LIST(struct params, flags, GB_TYPE_BOOL, "", NULL, NULL, "flags"),
    GB_MAP(struct params, arg, "arguments of the call"),
};
enum { N_OPTIONS = sizeof options / sizeof options[0] };

static const struct option_table table = {options, N_OPTIONS};
static const struct origin origin = {"bench.ini", 7, 1};

TEST(test_sound_table)
{
    static const char *const reserved[] = {"policy", "device"};
    ck_assert_int_eq(option_table_check(table, sizeof(struct params), reserved, 2, &error), GB_OK);
    struct gb_option reversed[N_OPTIONS];
    for (int i = 0; i < N_OPTIONS; i++)
        reversed[i] = options[N_OPTIONS - 1 - i];
    struct option_table backwards = {reversed, N_OPTIONS};
    ck_assert_int_eq(option_table_check(backwards, sizeof(struct params), NULL, 0, &error), GB_OK);
    struct option_table none = {NULL, 0};
    ck_assert_int_eq(option_table_check(none, 0, NULL, 0, &error), GB_OK);
}

static const char *const no_word[] = {"warm", NULL};
static const char *const comma_word[] = {"warm", "a,b"};
static const char *const same_words[] = {"warm", "warm"};

/* A sound entry, of which each line below spoils one thing. */
#define SOUND                                                                                      \
    .size = sizeof(struct gb_option), .type = GB_TYPE_INT, .name = "cols", .offset = 8,            \
    .default_value = "1", .help = "columns"
#define CHOICE SOUND, .type = GB_TYPE_CHOICE
#define LONG_NAME "a123456789a123456789a123456789a1234567890"
#define BAD_NAME "option 2: its name is malformed: expected [a-z][a-z0-9_]*, up to 40 bytes"
#define NO_PLACE "its place lies outside the params struct"
#define NO_HELP "its help is missing: expected one sentence"
#define BAD_CHOICE "its choice 2 is malformed: expected a word without , \" | ; #"
#define NO_INT " is not an integer: expected a whole number such as 32, 2^20, 64Ki or 1e6"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const struct {
    struct gb_option option;
    const char *message; /* after "option 'cols': ", unless it is of option 2 */
} unsound[] = {
    {{SOUND, .size = sizeof(struct gb_option) - 8},
     "option 2: its size is 64: expected at least 72, in steps of 8"},
    {{SOUND, .size = sizeof(struct gb_option) + 1},
     "option 2: its size is 73: expected at least 72, in steps of 8"},
    {{SOUND, .size = sizeof(struct gb_option) + 8},
     "option 2: its size is 80, that of the first is 72: expected the same"},
    {{SOUND, .name = NULL}, "option 2: its name is missing"},
    {{SOUND, .name = ""}, BAD_NAME},
    {{SOUND, .name = "Cols"}, BAD_NAME},
    {{SOUND, .name = "1st"}, BAD_NAME},
    {{SOUND, .name = "a.b"}, BAD_NAME},
    {{SOUND, .name = LONG_NAME}, BAD_NAME},
    {{SOUND, .name = "rows"}, "option 2: 'rows' is also the name of option 1"},
    {{SOUND, .name = "policy"}, "option 2: the name 'policy' is reserved: expected another one"},
    {{SOUND, .type = 0}, "its type 0 is not known"},
    {{SOUND, .type = 9}, "its type 9 is not known"},
    {{SOUND, .type = GB_TYPE_LIST}, "its type 256 is not known"},
    {{SOUND, .type = GB_TYPE_MAP | GB_TYPE_LIST}, "its type 264 is not known"},
    {{SOUND, .offset = 32}, NO_PLACE},
    {{SOUND, .offset = UINT64_MAX - 7}, NO_PLACE},
    {{SOUND, .type = GB_TYPE_MAP, .offset = 16, .default_value = ""}, NO_PLACE},
    {{SOUND, .offset = 12}, "its place in the params struct is not aligned"},
    {{SOUND, .offset = 0}, "its place overlaps that of 'rows'"},
    {{SOUND, .type = GB_TYPE_BOOL, .offset = 4, .default_value = "no"},
     "its place overlaps that of 'rows'"},
    {{SOUND, .choices = cache_words}, "it has choices, but is not of type choice"},
    {{CHOICE, .choices = cache_words}, "it has no choices"},
    {{CHOICE, .n_choices = 2}, "it has no choices"},
    {{CHOICE, .n_choices = 4000000000u, .choices = cache_words},
     "it has 4000000000 choices: expected up to 1024"},
    {{CHOICE, .n_choices = 2, .choices = no_word}, BAD_CHOICE},
    {{CHOICE, .n_choices = 2, .choices = comma_word}, BAD_CHOICE},
    {{CHOICE, .n_choices = 2, .choices = same_words}, "its choice 'warm' is there twice"},
    {{SOUND, .help = NULL}, NO_HELP},
    {{SOUND, .help = "two\nlines"}, NO_HELP},
    {{SOUND, .unit = ""}, "its unit is malformed: expected a word or NULL"},
    {{SOUND, .type = GB_TYPE_STRING, .range = "1:2"}, "it has a range, but is not a number"},
    {{SOUND, .range = "5"}, "range '5' has no colon: expected LOW:HIGH"},
    {{SOUND, .range = "2:1"}, "range '2:1' is empty: expected LOW:HIGH"},
    {{SOUND, .range = "a:"}, "range 'a:': 'a'" NO_INT},
    {{SOUND, .range = "1:2:3"}, "range '1:2:3': '2:3'" NO_INT},
    {{SOUND, .range = "2:"}, "default: cols = 1 is out of range: expected 2:"},
    {{SOUND, .type = GB_TYPE_INT | GB_TYPE_LIST, .default_value = "4,1", .range = "2:"},
     "default: cols = 1 is out of range: expected 2:"},
    {{SOUND, .default_value = "one"}, "default: 'one'" NO_INT},
    {{SOUND, .default_value = ""}, "default: ''" NO_INT},
    {{SOUND, .default_value = "1\n2"}, "its default holds control characters"},
    {{SOUND, .type = GB_TYPE_MAP, .default_value = "x"},
     "its default must be empty, as that of every map"},
    {{SOUND, .flags = GB_OPTION_REST},
     "it takes the other keys: expected a map that is no template"},
};
#pragma GCC diagnostic pop

TEST_EACH(test_unsound_table, unsound)
{
    static const char *const reserved[] = {"device", "policy"};
    struct gb_option entries[2] = {{SOUND}, unsound[_i].option};
    entries[0].name = "rows";
    entries[0].offset = 0;
    struct option_table bad = {entries, 2};
    ck_assert_int_eq(option_table_check(bad, 32, reserved, 2, &error), GB_INVALID);
    const char *prefix = text_starts_with(unsound[_i].message, "option 2") ? "" : "option 'cols': ";
    ck_assert_str_eq(error.text, arena_printf(&arena, "%s%s", prefix, unsound[_i].message));
    ck_assert_int_eq(option_table_check(bad, 32, reserved, 2, NULL), GB_INVALID);
}

TEST(test_unsound_header)
{
    static const struct {
        struct option_table table;
        uint64_t params_size;
        const char *message;
    } headers[] = {
        {{NULL, 3}, 24, "the option table is missing, but has 3 entries by its count"},
        {{options, 1025}, 24, "the option table has 1025 entries: expected up to 1024"},
        {{options, N_OPTIONS},
         1 << 21,
         "the params struct has 2097152 bytes: expected up to 1048576"},
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        ck_assert_int_eq(
            option_table_check(headers[i].table, headers[i].params_size, NULL, 0, &error),
            GB_INVALID);
        ck_assert_str_eq(error.text, headers[i].message);
    }
}

/* Entries as a header of the future would make them: longer, so with another stride. */
struct future_option {
    struct gb_option option;
    const char *future;
};

TEST(test_longer_entries)
{
    struct future_option entries[3];
    for (int i = 0; i < 3; i++) {
        entries[i] = (struct future_option){options[i], "from the future"};
        entries[i].option.size = sizeof entries[0];
    }
    struct option_table longer = {&entries[0].option, 3};
    struct params params;
    ck_assert_int_eq(option_table_check(longer, sizeof params, NULL, 0, &error), GB_OK);
    ck_assert_ptr_eq(option_at(longer, 2), &entries[2].option);
    ck_assert_ptr_eq(option_find(longer, "verify", NULL), &entries[2].option);
    ck_assert_int_eq(option_fill(longer, NULL, 0, &params, sizeof params, &arena, &error), GB_OK);
    ck_assert_int_eq(params.rows, 32);
    ck_assert_int_eq(params.verify, 1);
}

/* Entries without the last members, packed, in a block that ends where the last entry does. */
TEST(test_shorter_entries)
{
    size_t size = offsetof(struct gb_option, choices);
    char *entries = memory_allocate(2 * size);
    for (size_t i = 0; i < 2; i++) {
        struct gb_option option = options[i];
        option.size = (uint32_t)size;
        memcpy(entries + i * size, &option, size);
    }
    struct option_table shorter = {(const struct gb_option *)entries, 2};
    struct params params;
    struct setting setting = {"rows", "8", origin};
    ck_assert_int_eq(option_fill(shorter, &setting, 1, &params, sizeof params, &arena, &error),
                     GB_OK);
    ck_assert_int_eq(params.rows, 8);
    ck_assert_double_eq(params.ratio, 0.05);
    ck_assert_str_eq(option_nearest(shorter, "ratios"), "ratio");
    ck_assert_ptr_eq(option_entry(shorter, 1).help, NULL);
    setting.key = "columns";
    ck_assert_int_eq(option_fill(shorter, &setting, 1, &params, sizeof params, &arena, &error),
                     GB_INVALID);
    free_pointer(&entries);
}

TEST(test_find)
{
    const char *key = "unset";
    const struct gb_plugin plugins[] = {{.options = options, .n_options = 2}, {.n_options = 2}};
    for (uint32_t i = 0; i < 2; i++)
        ck_assert_uint_eq(option_table_of(&plugins[i]).n, i ? 0 : 2);
    ck_assert_ptr_eq(option_find(table, "ratio", &key), &options[1]);
    ck_assert_ptr_null(key);
    ck_assert_ptr_eq(option_find(table, "arg.1", &key), &options[10]);
    ck_assert_str_eq(key, "1");
    ck_assert_ptr_eq(option_find(table, "arg.a.b", NULL), &options[10]);
    static const char *const unknown[] = {"arg", "arg.", "args.1", "rows.1", "ratios", "rati", ""};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        ck_assert_ptr_null(option_find(table, unknown[i], NULL));
    ck_assert_str_eq(option_nearest(table, "rwos"), "rows");
    ck_assert_ptr_null(option_nearest(table, "streams"));
}

/* What is canonical is read as itself; of what is wrong there is nothing. */
static void add_reading(char *text, uint32_t i, struct text *out)
{
    struct setting setting = {options[i].name, text, origin};
    const char *canonical = NULL, *again = NULL;
    if (option_read(&options[i], &setting, &arena, &canonical, &error) != GB_OK) {
        ck_assert_int_eq(error.status, GB_INVALID);
        ck_assert_ptr_null(canonical);
        text_add(out, error.text);
        return;
    }
    setting.text = canonical;
    ck_assert_int_eq(option_read(&options[i], &setting, &arena, &again, &error), GB_OK);
    ck_assert_str_eq(canonical, again);
    text_add(out, canonical);
}

static const struct text_cases readings[] = {
    {{add_reading, 0}, {" 2^10  -> 1024", "0 -> rows = 0 is out of range: expected 1:65536"}},
    {{add_reading, 1}, {"0.7% -> 0.007"}},
    {{add_reading, 2}, {"on -> yes"}},
    {{add_reading, 3}, {"warm -> warm"}},
    {{add_reading, 4}, {"\"a, b\" -> a, b", "\"a ;b\" -> \"a ;b\""}},
    {{add_reading, 5}, {"1 MiB -> 1048576"}},
    {{add_reading, 6}, {"2us -> 2000ns"}},
    {{add_reading, 7}, {"1:8:x2, 64 -> 1,2,4,8,64", " -> "}},
    {{add_reading, 8}, {"a, \"b,c\", \" d\", \"\" -> a,\"b,c\",\" d\",\"\""}},
    {{add_reading, 9}, {"1, off -> yes,no"}},
    {{add_reading, 10}, {" raw, \"text\"  ->  raw, \"text\" "}},
};

TEST_TEXT_CASES(test_read, readings)

/* All members, those of lists with a bar after each. */
static void expect_params(const struct params *params, const char *expected)
{
    CLEANUP(text_free) struct text found = {0};
    text_printf(&found, "rows %d ratio %g verify %d cache %d title '%s' buffer %d pause %g sizes ",
                (int)params->rows, params->ratio, params->verify, params->cache, params->title,
                (int)params->buffer, params->pause);
    for (uint64_t i = 0; i < params->sizes.n; i++)
        text_printf(&found, "%d|", (int)((const int64_t *)params->sizes.items)[i]);
    text_add(&found, params->names.items ? " names " : " no names ");
    for (uint64_t i = 0; i < params->names.n; i++)
        text_printf(&found, "%s|", ((const char *const *)params->names.items)[i]);
    text_add(&found, " flags ");
    for (uint64_t i = 0; i < params->flags.n; i++)
        text_printf(&found, "%d|", ((const int32_t *)params->flags.items)[i]);
    text_add(&found, " arg ");
    for (uint64_t i = 0; i < params->arg.n; i++)
        text_printf(&found, "%s=%s|", params->arg.keys[i], params->arg.values[i]);
    ck_assert_str_eq(text_get(&found), expected);
}

enum { SETTINGS_MAX = 8 };

/* Keys and texts; what becomes of them, or the number of the one that is wrong, and why. */
static const struct {
    const char *settings[2 * SETTINGS_MAX];
    const char *expected;
} fills[] = {
    {{"title", "plot"},
     "rows 32 ratio 0.05 verify 1 cache 1 title 'plot' buffer 65536 pause 1.5e+06 sizes 1|2|3|4| "
     "no names  flags  arg "},
    {{"arg.b", " two, 2", "title", "a, b", "rows", "2^4", "names", "x, \"y,z\"", "arg.a", "one",
      "cache", "warm", "flags", "no,yes", "pause", "inf"},
     "rows 16 ratio 0.05 verify 1 cache 0 title 'a, b' buffer 65536 pause inf sizes 1|2|3|4| names "
     "x|y,z| flags 0|1| arg b= two, 2|a=one|"},
    {{"title", "a", "row", "1"}, "2: unknown option 'row'; did you mean 'rows'?"},
    {{"title", "a", "colour", "1"}, "2: unknown option 'colour'"},
    {{"arg", "1"}, "1: option 'arg' is a set of keys: expected arg.KEY"},
    {{"title", "a", "title", "b"}, "2: option 'title' is given twice"},
    {{"arg.1", "a", "arg.1", "b"}, "2: option 'arg.1' is given twice"},
    {{"rows", "1"},
     "0: option 'title' is missing: it has no default (what stands above | the plot)"},
    {{"title", "a", "rows", "0"}, "2: rows = 0 is out of range: expected 1:65536"},
    {{"title", "a", "sizes", "1,99"}, "2: sizes = 99 is out of range: expected 1:64"},
};

TEST_EACH(test_fill, fills)
{
    struct {
        struct params params;
        uint64_t unknown[4]; /* of a newer plugin: members that no option speaks of are 0 */
    } larger;
    static const uint64_t zeros[4];
    struct setting settings[SETTINGS_MAX];
    size_t n = 0;
    for (const char *const *pair = fills[_i].settings; n < SETTINGS_MAX && *pair; n++, pair += 2)
        settings[n] = (struct setting){pair[0], pair[1], {"f", (uint32_t)n + 1, 1}};
    memset(&larger, 0xAA, sizeof larger);
    int32_t status = option_fill(table, settings, n, &larger, sizeof larger, &arena, &error);
    if (status == GB_OK) {
        expect_params(&larger.params, fills[_i].expected);
        ck_assert_mem_eq(larger.unknown, zeros, sizeof zeros);
    } else {
        ck_assert_int_eq(status, GB_INVALID);
        ck_assert_str_eq(arena_printf(&arena, "%u: %s", error.origin.line, error.text),
                         fills[_i].expected);
    }
}

TEST(test_fill_outside_params)
{
    int64_t small;
    ck_assert_int_eq(option_fill((struct option_table){options, 2}, NULL, 0, &small, sizeof small,
                                 &arena, &error),
                     GB_CORRUPT);
    ck_assert_str_eq(error.text, "option 'ratio' has no place in the params struct");
}

TEST(test_required_map)
{
    struct gb_option required = options[10];
    required.default_value = NULL;
    struct params params;
    struct option_table maps = {&required, 1};
    ck_assert_int_eq(option_table_check(maps, sizeof params, NULL, 0, &error), GB_OK);
    ck_assert_int_eq(option_fill(maps, NULL, 0, &params, sizeof params, &arena, &error),
                     GB_INVALID);
    ck_assert_str_eq(error.text,
                     "option 'arg.KEY' is missing: it has no default (arguments of the call)");
}

static const char plain_help[] =
    "  rows = 32\n      rows of the output matrix\n      integer (rows), 1:65536\n"
    "  cache = cold\n      state of the cache\n      one of warm, cold\n"
    "  title (required)\n      what stands above | the plot\n      string\n"
    "  names =\n      names\n      list of strings\n"
    "  arg.KEY\n      .so-called \\arguments\n      set of keys\n";

static const char markdown_help[] =
    "| option    | default  | value                   | meaning                       |\n"
    "| --------- | -------- | ----------------------- | ----------------------------- |\n"
    "| `rows`    | `32`     | integer (rows), 1:65536 | rows of the output matrix     |\n"
    "| `cache`   | `cold`   | one of warm, cold       | state of the cache            |\n"
    "| `title`   | required | string                  | what stands above \\| the plot |\n"
    "| `names`   |          | list of strings         | names                         |\n"
    "| `arg.KEY` |          | set of keys             | .so-called \\arguments         |\n";

static const char roff_help[] =
    ".TP\n\\fBrows = 32\\fR\nrows of the output matrix\n.br\ninteger (rows), 1:65536\n"
    ".TP\n\\fBcache = cold\\fR\nstate of the cache\n.br\none of warm, cold\n"
    ".TP\n\\fBtitle (required)\\fR\nwhat stands above | the plot\n.br\nstring\n"
    ".TP\n\\fBnames =\\fR\nnames\n.br\nlist of strings\n"
    ".TP\n\\fBarg.KEY\\fR\n\\&.so\\-called \\earguments\n.br\nset of keys\n";

TEST(test_help)
{
    struct gb_option some[] = {options[0], options[3], options[4], options[8], options[10]};
    some[4].help = ".so-called \\arguments";
    struct option_table shown = {some, 5};
    static const char *const expected[] = {plain_help, markdown_help, roff_help};
    for (int style = HELP_PLAIN; style <= HELP_ROFF; style++) {
        CLEANUP(text_free) struct text text = {0};
        option_table_help(shown, style, HELP_COLUMNS, &text);
        ck_assert_str_eq(text_get(&text), expected[style]);
    }
}
