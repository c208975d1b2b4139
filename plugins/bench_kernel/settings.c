/* settings.c - see settings.h. Plugin side. */
#define _GNU_SOURCE
#include "settings.h"

#include "files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_BYTES = 64, SPLIT_MAX = 128 };

static const char blanks[] = " \t\r\n";

/* --- problems under the names of this plugin's options --- */

struct renaming {
    struct reporter *reporter;
    bool has_reference_kernel;
};

static void rename_problem(void *context, const char *option, uint64_t offset, const char *text)
{
    const struct renaming *renaming = context;
    if (strcmp(option, "function") == 0)
        option = "entry";
    if (strcmp(option, "reference") == 0 && renaming->has_reference_kernel)
        option = "reference_entry";
    report(renaming->reporter, option, (size_t)offset, "%s", text);
}

/* --- lists of numbers --- */

struct dims_rule {
    unsigned x, y, z;  /* the largest */
    uint64_t product;  /* likewise */
    const char *words; /* what is expected */
};

static const struct dims_rule grid_rule = {
    2147483647, 65535, 65535, UINT64_MAX,
    "whole numbers of blocks: up to 2147483647, 65535, 65535"};
static const struct dims_rule block_rule = {
    1024, 1024, 64, 1024, "whole numbers of threads: up to 1024, 1024, 64 and 1024 in all"};
static const struct dims_rule cluster_rule = {16, 16, 16, 16,
                                              "whole numbers of blocks of a cluster: up to 16"};

/* The number of n bytes at `at` of a text. */
static bool read_whole(struct reporter *reporter, const char *option, const char *text, size_t at,
                       size_t n, unsigned least, unsigned most, const char *expected, unsigned *ret)
{
    char word[SPLIT_MAX];
    struct number number;
    struct problem problem = {0};
    snprintf(word, sizeof word, "%.*s", (int)(n < SPLIT_MAX ? n : SPLIT_MAX - 1), text + at);
    if (!parse_number(word, &number, &problem)) {
        const bool is_formula = word[strcspn(word, "+*/%()")] != '\0';
        report(reporter, option, at + problem.at, "%s%s", problem.text,
               is_formula ? " (an expression stands in braces, such as {n / 256})" : "");
        return false;
    }
    *ret = (unsigned)number.magnitude;
    if (number.is_integer && !number.is_negative && number.magnitude >= least &&
        number.magnitude <= most)
        return true;
    report(reporter, option, at, "%.17g is out of range: expected %s", number.value, expected);
    return false;
}

static void read_dims(struct reporter *reporter, const char *option, const char *text,
                      const struct dims_rule *rule, struct dims *ret)
{
    const unsigned largest[] = {rule->x, rule->y, rule->z};
    unsigned values[] = {1, 1, 1};
    size_t at = 0;
    bool is_read = true;
    for (size_t i = 0; is_read && i < 3 && (i == 0 || text[at] != '\0'); i++) {
        const size_t n = strcspn(text + at, ",");
        is_read = read_whole(reporter, option, text, at, n, 1, largest[i], rule->words, &values[i]);
        at += n + (text[at + n] == ',' && text[at + n + 1] != '\0');
    }
    *ret = (struct dims){values[0], values[1], values[2]};
    if (is_read && text[at] != '\0')
        report(reporter, option, at + strspn(text + at, " "),
               "'%.24s': expected up to three numbers", text + at + strspn(text + at, " "));
    else if (is_read && (uint64_t)values[0] * values[1] * values[2] > rule->product)
        report(reporter, option, 0, "%u x %u x %u are too many: expected %s", values[0], values[1],
               values[2], rule->words);
}

static void read_bytes(struct reporter *reporter, const char *option, const char *text,
                       unsigned *ret)
{
    read_whole(reporter, option, text, 0, strlen(text), 0, 1u << 24,
               "bytes, a whole number up to 16777216", ret);
}

static void read_shapes(struct settings *settings, struct reporter *reporter)
{
    const struct kernel_params *params = settings->params;
    struct shape *own = &settings->shape, *other = &settings->reference_shape;
    const struct dims *grid = &own->grid, *cluster = &settings->cluster;
    read_dims(reporter, "grid", params->grid, &grid_rule, &own->grid);
    read_dims(reporter, "block", params->block, &block_rule, &own->block);
    read_bytes(reporter, "shared", params->shared, &own->shared);
    if (*params->cluster != '\0') {
        read_dims(reporter, "cluster", params->cluster, &cluster_rule, &settings->cluster);
        if (grid->x % cluster->x != 0 || grid->y % cluster->y != 0 || grid->z % cluster->z != 0)
            report(reporter, "cluster", 0,
                   "the grid of %u x %u x %u blocks is not a multiple of clusters of %u x %u x %u",
                   grid->x, grid->y, grid->z, cluster->x, cluster->y, cluster->z);
    }
    *other = *own;
    if (*params->reference_grid != '\0')
        read_dims(reporter, "reference_grid", params->reference_grid, &grid_rule, &other->grid);
    if (*params->reference_block != '\0')
        read_dims(reporter, "reference_block", params->reference_block, &block_rule, &other->block);
    if (*params->reference_shared != '\0')
        read_bytes(reporter, "reference_shared", params->reference_shared, &other->shared);
}

/* --- the source and how it is compiled --- */

const char *settings_folder(const struct gb_host *host)
{
    return GB_HAS(host, folder) ? host->folder : NULL;
}

/* Kept by the host. */
static const char *keep(const struct gb_host *host, char *text)
{
    const size_t n = text != NULL ? strlen(text) + 1 : 0;
    char *kept = n > 0 ? host->allocate(host, n) : NULL;
    if (kept != NULL)
        memcpy(kept, text, n);
    free(text);
    return kept;
}

static bool ends_in(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

static bool read_source(struct settings *settings, struct reporter *reporter, const char *option,
                        const char *path, struct source *ret)
{
    static const struct {
        const char *end;
        enum source_kind kind;
    } kinds[] = {{".cu", SOURCE_CUDA},
                 {".ptx", SOURCE_PTX},
                 {".cubin", SOURCE_BINARY},
                 {".fatbin", SOURCE_BINARY}};
    const struct gb_host *host = settings->host;
    ret->path = keep(host, path_in(settings_folder(host), path));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        ret->kind = kinds[i].kind;
        if (ends_in(path, kinds[i].end))
            return ret->path != NULL;
    }
    report(reporter, option, 0,
           "'%.200s': expected a file that ends in .cu, .ptx, .cubin or .fatbin", path);
    return ret->path != NULL;
}

static bool add_option(struct settings *settings, char *option, size_t place)
{
    settings->option_places[settings->n_options] = place;
    settings->options[settings->n_options] = keep(settings->host, option);
    return settings->options[settings->n_options++] != NULL;
}

static bool add_define(struct settings *settings, struct reporter *reporter, const char *name,
                       const char *value)
{
    char words[OPTION_BYTES];
    char *option = NULL;
    snprintf(words, sizeof words, "define.%.48s", name);
    if (!text_is_word(name))
        report(reporter, words, 0,
               "'%.100s' is not a macro name: expected letters, digits and underscores", name);
    return asprintf(&option, "--define-macro=%s=%s", name, value) >= 0 &&
           add_option(settings, option, 0);
}

/* Options whose value may be the next word. */
static const struct {
    const char *name, *joint;
    bool is_folder;
} spellings[] = {
    {"-I", "", true},
    {"--include-path", "=", true},
    {"-D", "", false},
    {"--define-macro", "=", false},
    {"-U", "", false},
    {"--undefine-macro", "=", false},
    {"-include", "=", false},
    {"--pre-include", "=", false},
    {"-arch", "=", false},
    {"--gpu-architecture", "=", false},
    {"-std", "=", false},
    {"--std", "=", false},
    {"-maxrregcount", "=", false},
    {"--maxrregcount", "=", false},
    {"-Xptxas", "=", false},
    {"--ptxas-options", "=", false},
};
enum { N_SPELLINGS = sizeof spellings / sizeof spellings[0] };

/* The row of an option, which is alone (*ret_value NULL) or has its value in the same word. */
static size_t spelling_of(const char *word, size_t n, const char **ret_value)
{
    *ret_value = NULL;
    for (size_t i = 0; i < N_SPELLINGS; i++) {
        const size_t length = strlen(spellings[i].name), joint = strlen(spellings[i].joint);
        if (n < length || strncmp(word, spellings[i].name, length) != 0)
            continue;
        if (n == length)
            return i;
        if (spellings[i].is_folder && n > length + joint &&
            strncmp(word + length, spellings[i].joint, joint) == 0) {
            *ret_value = word + length + joint;
            return i;
        }
    }
    return N_SPELLINGS;
}

/* One option as the compiler gets it: in one word, folders from that of the configuration. *at goes
 * behind it. NULL: there is no memory. */
static char *take_option(const struct settings *settings, struct reporter *reporter,
                         const char *text, const char **at)
{
    const char *word = *at, *value = NULL;
    const size_t n = strcspn(word, blanks), row = spelling_of(word, n, &value);
    *at = word + n;
    if (row == N_SPELLINGS)
        return strndup(word, n);
    size_t n_value = value != NULL ? (size_t)(word + n - value) : 0;
    if (value == NULL) {
        value = *at + strspn(*at, blanks);
        n_value = strcspn(value, blanks);
        *at = value + n_value;
    }
    if (n_value == 0)
        report(reporter, "options", (size_t)(word - text), "'%.*s': expected a value after it",
               (int)n, word);
    char *own = strndup(value, n_value), *option = NULL;
    char *used = own != NULL && spellings[row].is_folder
                     ? path_in(settings_folder(settings->host), own)
                     : own;
    if (used != NULL &&
        asprintf(&option, "%s%s%s", spellings[row].name, spellings[row].joint, used) < 0)
        option = NULL;
    if (used != own)
        free(used);
    free(own);
    return option;
}

/* Options are separated by blanks. */
static bool add_options(struct settings *settings, struct reporter *reporter)
{
    const char *text = settings->params->options;
    for (const char *at = text + strspn(text, blanks); *at != '\0'; at += strspn(at, blanks)) {
        const size_t place = (size_t)(at - text);
        if (settings->n_options >= settings->params->define.n + SPLIT_MAX) {
            report(reporter, "options", place, "too many: expected up to %d", SPLIT_MAX);
            return true;
        }
        if (!add_option(settings, take_option(settings, reporter, text, &at), place))
            return false;
    }
    return true;
}

static bool read_compilation(struct settings *settings, struct reporter *reporter)
{
    const struct kernel_params *params = settings->params;
    const struct gb_host *host = settings->host;
    const char *const *include = params->include.items;
    const uint64_t n = params->define.n + SPLIT_MAX;
    settings->options = host->allocate(host, n * sizeof *settings->options);
    settings->option_places = host->allocate(host, n * sizeof *settings->option_places);
    settings->folders = host->allocate(host, (params->include.n + 1) * sizeof *settings->folders);
    if (settings->options == NULL || settings->option_places == NULL || settings->folders == NULL)
        return false;
    for (uint64_t i = 0; i < params->define.n; i++)
        if (!add_define(settings, reporter, params->define.keys[i], params->define.values[i]))
            return false;
    for (uint64_t i = 0; i < params->include.n; i++) {
        const char *folder = keep(host, path_in(settings_folder(host), include[i]));
        settings->folders[settings->n_folders++] = folder;
        if (folder == NULL)
            return false;
    }
    return add_options(settings, reporter);
}

static void check_compiled(const struct settings *settings, struct reporter *reporter)
{
    const struct kernel_params *params = settings->params;
    char words[OPTION_BYTES] = "options";
    const bool is_compiled = settings->source.kind == SOURCE_CUDA ||
                             (settings->has_reference_kernel &&
                              settings->reference_source.kind == SOURCE_CUDA);
    if (is_compiled ||
        (params->define.n == 0 && *params->options == '\0' && params->include.n == 0))
        return;
    if (params->define.n > 0)
        snprintf(words, sizeof words, "define.%.48s", params->define.keys[0]);
    else if (*params->options == '\0')
        snprintf(words, sizeof words, "include");
    report(reporter, words, 0, "nothing is compiled here: expected a source that ends in .cu");
}

/* --- arguments --- */

/* The value that argument i of a routine is. */
static const struct value *settings_argument(const struct settings *settings,
                                             const struct routine *routine, size_t i)
{
    const struct entry *entry = plan_resolve(&settings->plan, routine->arguments[i]);
    return entry != NULL ? &entry->value : &routine->arguments[i]->value;
}

/* A kernel reaches memory of the device, and pinned memory. */
static bool is_reached(const struct value *value)
{
    return value->kind == VALUE_NUMBER || value->kind == VALUE_NULL ||
           (value->kind == VALUE_BUFFER && value->buffer.memory != MEMORY_HOST);
}

static bool are_parts_reached(const struct plan *plan, const struct value *value)
{
    for (size_t i = 0; i < value->n; i++) {
        const struct entry *entry = plan_resolve(plan, plan_entry(plan, value->names[i]));
        if (value->names[i].n > 0 && !span_is(value->names[i], "null") &&
            (entry == NULL || !is_reached(&entry->value)))
            return false;
    }
    return true;
}

static void check_routine(const struct settings *settings, struct reporter *reporter,
                          const struct routine *routine, const char *signature_option)
{
    const struct signature *signature = &routine->signature;
    if (signature->result.id != TYPE_VOID || signature->is_variadic)
        report(reporter, signature_option, 0,
               "a kernel returns nothing and has no '...': expected void(...)");
    for (size_t i = 0; i < signature->n; i++) {
        const struct entry *entry = routine->arguments[i];
        const struct value *value = settings_argument(settings, routine, i);
        char option[OPTION_BYTES];
        snprintf(option, sizeof option, "%s.%.48s", entry->map, entry->key);
        if (value->kind == VALUE_STRUCT ? !are_parts_reached(&settings->plan, value)
                                        : !is_reached(value))
            report(reporter, option, entry->value.at,
                   "a kernel cannot access this: expected a number, struct(...), null, or a "
                   "buffer(...) of the device or pinned");
    }
}

const struct entry *settings_buffer(const struct settings *settings, const char *key)
{
    const struct plan *plan = &settings->plan;
    const struct entry *entry = NULL;
    for (size_t i = 0; entry == NULL && i < plan->n_entries; i++)
        if (strcmp(plan->entries[i].key, key) == 0)
            entry = plan_resolve(plan, &plan->entries[i]);
    return entry != NULL && entry->value.kind == VALUE_BUFFER ? entry : NULL;
}

static void check_map(const struct settings *settings, struct reporter *reporter,
                      const struct gb_map *map, const char *name)
{
    for (uint64_t i = 0; i < map->n; i++) {
        char option[OPTION_BYTES];
        snprintf(option, sizeof option, "%s.%.48s", name, map->keys[i]);
        if (settings_buffer(settings, map->keys[i]) == NULL)
            report(reporter, option, 0, "arg.%.100s is not a buffer", map->keys[i]);
    }
}

static void check_reference(const struct settings *settings, struct reporter *reporter)
{
    const struct kernel_params *params = settings->params;
    const struct {
        const char *name, *text;
    } needs[] = {{"reference_source", params->reference_source},
                 {"reference_grid", params->reference_grid},
                 {"reference_block", params->reference_block},
                 {"reference_shared", params->reference_shared}};
    if (*params->reference_entry != '\0' && *params->reference != '\0')
        report(reporter, "reference", 0, "reference_entry is given, too: expected one of the two");
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (*needs[i].text != '\0' && *params->reference_entry == '\0')
            report(reporter, needs[i].name, 0,
                   "it needs 'reference_entry', the kernel that it describes");
    if (*params->reference != '\0' && params->reference_library.n == 0)
        report(reporter, "reference", 0,
               "it needs 'reference_library', which holds the function (for a kernel: "
               "reference_entry)");
    if (*params->reference_entry != '\0' && params->reference_library.n > 0)
        report(reporter, "reference_library", 0,
               "it applies to 'reference', a function: for a kernel, expected reference_source");
    if (*params->reference_entry != '\0' && *params->reference_source == '\0' &&
        strcmp(params->reference_entry, params->entry) == 0)
        report(reporter, "reference_entry", 0,
               "the kernel would be compared with itself: expected a different one");
}

/* --- the whole --- */

static int32_t make_plan(struct settings *settings, struct reporter *reporter)
{
    const struct kernel_params *params = settings->params;
    struct renaming renaming = {reporter, *params->reference_entry != '\0'};
    struct reporter renamed = {rename_problem, &renaming, 0};
    settings->call = (struct params){
        .function = params->entry,
        .signature = params->signature,
        .arg = params->arg,
        .expect = "",
        .before = "",
        .after = "",
        .ok = "",
        .reference = renaming.has_reference_kernel ? params->reference_entry : params->reference,
        .reference_library = params->reference_library,
        .reference_signature = params->reference_signature,
        .ref = params->ref,
        .reference_memory = REFERENCE_HOST,
        .work = params->work,
    };
    settings->has_reference_kernel = renaming.has_reference_kernel;
    return plan_make(settings->host, &settings->call, &renamed, &settings->plan);
}

int32_t settings_make(const struct gb_host *host, const struct kernel_params *params,
                      struct reporter *reporter, struct settings *ret)
{
    *ret = (struct settings){.host = host, .params = params};
    const uint64_t n_before = reporter->n;
    int32_t status = make_plan(ret, reporter);
    if (status != GB_OK)
        return status;
    check_reference(ret, reporter);
    if (reporter->n == n_before) {
        check_routine(ret, reporter, &ret->plan.routine, "signature");
        if (ret->has_reference_kernel)
            check_routine(ret, reporter, &ret->plan.reference,
                          *params->reference_signature != '\0' ? "reference_signature"
                                                               : "signature");
        check_map(ret, reporter, &params->input, "input");
        check_map(ret, reporter, &params->output, "output");
    }
    read_shapes(ret, reporter);
    if (!read_source(ret, reporter, "source", params->source, &ret->source) ||
        !read_compilation(ret, reporter))
        return GB_NO_MEMORY;
    ret->reference_source = ret->source;
    if (*params->reference_source != '\0' &&
        !read_source(ret, reporter, "reference_source", params->reference_source,
                     &ret->reference_source))
        return GB_NO_MEMORY;
    check_compiled(ret, reporter);
    return GB_OK;
}
