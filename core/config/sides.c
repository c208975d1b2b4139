/* sides.c - see sides.h. */
#include "core/config/sides.h"

#include "core/base/text.h"

#include <string.h>

const char *const side_words[SIDES] = {"base", "new"};

static const struct gb_option ab_table[] = {
    GB_LIST(struct ab_params, base, GB_TYPE_STRING, "", NULL, NULL,
            "What the base side changes: KEY=VALUE in all benchmarks, or BENCH.KEY=VALUE in one"),
    GB_LIST(struct ab_params, new, GB_TYPE_STRING, "", NULL, NULL,
            "What the new side changes, likewise"),
    GB_FLOAT(struct ab_params, margin, "1%", "0:99.9%", NULL,
             "Differences up to this do not make a case slower or faster"),
    GB_FLOAT(struct ab_params, alpha, "5%", "0.01%:50%", NULL,
             "Probability that an unchanged case is called different, over all looks"),
    GB_INT(struct ab_params, max_rounds, "40", "4:10000", NULL,
           "Rounds after which an undecided case is unclear"),
    {(uint32_t)sizeof(struct gb_option), GB_TYPE_DURATION, 0, 0,
     offsetof(struct ab_params, visit_ns), "visit", "0.1 s", "0:1000 h", NULL, "ns",
     "How long a case is measured in each visit: its max_time"},
};

struct option_table ab_options(void)
{
    return (struct option_table){ab_table, sizeof ab_table / sizeof *ab_table};
}

/* ---- [ab NAME] ---- */

static void read_changes(const struct ini_section *section, int side, struct arena *arena,
                         struct ab_params *params, struct error_list *errors)
{
    const struct ini_entry *entry = ini_entry_of(section, side_words[side]);
    struct text_list *changes = &params->changes[side];
    struct gb_error error;
    if (entry &&
        text_split(entry->value, ',', entry->value_origin, arena, changes, &error) != GB_OK) {
        error_list_take(errors, &error);
        return;
    }
    size_t n = 0;
    for (size_t i = 0; i < changes->n; i++) {
        const char *equals = strchr(changes->items[i], '=');
        if (!equals || equals == changes->items[i]) {
            error_list_add(errors, changes->origins[i],
                           "'%s': \1expected KEY=VALUE or BENCH.KEY=VALUE, such as plugin=./old.so",
                           changes->items[i]);
            continue;
        }
        changes->items[n] = changes->items[i];
        changes->origins[n++] = changes->origins[i];
    }
    changes->n = n;
}

int32_t ab_section_read(const struct ini_section *section, struct arena *arena,
                        struct ab_params *ret, struct error_list *errors)
{
    struct setting *good = ARENA_ARRAY(arena, struct setting, section->n);
    size_t n = 0, n_before = error_list_count(errors);
    struct gb_error error;
    for (size_t i = 0; i < section->n; i++) {
        const struct ini_entry *entry = &section->entries[i];
        const struct gb_option *option = option_find(ab_options(), entry->key, NULL);
        struct setting setting = {entry->key, entry->value, entry->value_origin};
        const char *text, *nearest = option_nearest(ab_options(), entry->key);
        if (!option)
            error_list_add(errors, entry->origin, "unknown key '%s' in [ab %s]%s%s%s", entry->key,
                           section->name, DID_YOU_MEAN(nearest, ""));
        else if (option_read(option, &setting, arena, &text, &error) != GB_OK)
            error_list_take(errors, &error);
        else
            good[n++] = setting;
    }
    *ret = (struct ab_params){0};
    if (option_fill(ab_options(), good, n, ret, sizeof *ret, arena, &error) != GB_OK)
        error_list_take(errors, &error);
    for (int side = 0; side < SIDES; side++)
        read_changes(section, side, arena, ret, errors);
    return error_list_count(errors) == n_before ? GB_OK : GB_INVALID;
}

/* Leaves only one section of its kind; at the end: none. Returns it. */
static struct ini_section *keep_section(struct ini *ini, size_t chosen)
{
    size_t n = 0, at = chosen;
    for (size_t i = 0; i < ini->n; i++) {
        if (i == chosen)
            at = n;
        if (i == chosen || !text_equal(ini->sections[i].kind, "ab"))
            ini->sections[n++] = ini->sections[i];
    }
    ini->n = n;
    return &ini->sections[at];
}

struct ini_section *ab_section_choose(struct ini *ini, const char *name, bool is_new,
                                      struct arena *arena, struct error_list *errors)
{
    CLEANUP(text_free) struct text names = {0};
    const struct origin whole = {.file = ini->path};
    size_t n = 0, chosen = ini->n;
    if (is_new)
        keep_section(ini, chosen);
    chosen = ini->n;
    for (size_t i = 0; i < ini->n; i++) {
        if (!text_equal(ini->sections[i].kind, "ab"))
            continue;
        text_printf(&names, "%s%s", n++ ? ", " : "", ini->sections[i].name);
        if (!name || text_equal(ini->sections[i].name, name))
            chosen = i;
    }
    if (!name && n == 0)
        return ini_insert(ini, &(struct ini_section){.kind = "ab", .name = "ab", .origin = whole},
                          ini->n, arena);
    if (chosen == ini->n)
        error_list_add(errors, whole, "there is no [ab %s]; there is %s%s", name,
                       n ? text_get(&names) : "none", n ? "" : " at all");
    else if (!name && n > 1)
        error_list_add(errors, whole, "which [ab NAME] is meant? there are %s", text_get(&names));
    else
        return keep_section(ini, chosen);
    return NULL;
}

/* ---- sections of the sides ---- */

/* What a change says, once its benchmark is known. */
struct change {
    const char *bench; /* NULL: of all */
    const char *key, *value;
    struct origin origin;
    int side;
};

static struct change change_of(const struct ini *ini, const char *text, struct origin origin,
                               int side, struct arena *arena)
{
    const char *equals = strchr(text, '='), *key = text, *value = equals + 1;
    struct change change = {.origin = origin, .side = side};
    for (const char *dot = text; (dot = memchr(dot, '.', (size_t)(equals - dot))); dot++) {
        const char *bench = arena_text_n(arena, text, (size_t)(dot - text));
        if (!ini_section_of(ini, "bench", bench))
            continue;
        change.bench = bench;
        key = dot + 1;
        break;
    }
    size_t n_key = (size_t)(equals - key), n_value = strlen(value);
    text_trim(&key, &n_key);
    text_trim(&value, &n_value);
    change.key = arena_text_n(arena, key, n_key);
    change.value = arena_text_n(arena, value, n_value);
    return change;
}

/* Both sides have the same cases: so no side chooses them. */
static bool may_change(const struct change *change, struct error_list *errors)
{
    const char *key = change->key;
    bool is_axis = text_starts_with(key, "sweep.") || text_starts_with(key, "zip.");
    bool is_other = IS_AMONG(key, "only", "exclude", "like", "rounds", SIDE_AXIS);
    if (is_axis || is_other)
        error_list_add(errors, change->origin,
                       is_axis ? "'%s': a side of ab gives one value to an option or setting: the "
                                 "cases of both sides are the same"
                               : "'%s' is always the same on both sides of ab: \1expected an "
                                 "option, a setting, plugin or env.NAME",
                       key);
    return !is_axis && !is_other;
}

static struct change *read_all_changes(const struct ini *ini, const struct ab_params *params,
                                       struct arena *arena, size_t *ret_n,
                                       struct error_list *errors)
{
    size_t n = 0, most = params->changes[SIDE_BASE].n + params->changes[SIDE_NEW].n;
    struct change *changes = ARENA_ARRAY(arena, struct change, most + 1);
    for (int side = 0; side < SIDES; side++)
        for (size_t i = 0; i < params->changes[side].n; i++) {
            const struct text_list *list = &params->changes[side];
            changes[n] = change_of(ini, list->items[i], list->origins[i], side, arena);
            if (may_change(&changes[n], errors))
                n++;
        }
    *ret_n = n;
    return changes;
}

static bool is_of(const struct change *change, const struct ini_section *section)
{
    return !change->bench || text_equal(change->bench, section->name);
}

static bool is_changed(const struct ini_section *section, const struct change *changes, size_t n)
{
    bool is_any = false;
    for (size_t i = 0; i < n; i++)
        is_any |= is_of(&changes[i], section);
    return text_equal(section->kind, "bench") && is_any;
}

/* Does a [defaults] say it? */
static bool has_default(const struct ini *ini, const char *key)
{
    bool any = false;
    for (size_t i = 0; i < ini->n; i++)
        any |= text_equal(ini->sections[i].kind, "defaults") &&
               ini_entry_of(&ini->sections[i], key);
    return any;
}

static void make_side(struct ini_section *section, const char *name, int side,
                      const struct change *changes, size_t n, const struct ab_params *params,
                      struct arena *arena)
{
    const struct origin ab = {.file = SIDES_ORIGIN};
    if (params->has_fresh_processes && !ini_entry_of(section, "isolate"))
        ini_put_text(section, "isolate", "yes", ab, arena);
    for (size_t i = 0; i < n; i++)
        if (changes[i].side == side && is_of(&changes[i], section))
            ini_put_text(section, changes[i].key, changes[i].value, changes[i].origin, arena);
    ini_put_text(section, "rounds", arena_printf(arena, "%lld", (long long)params->max_rounds), ab,
                 arena);
    ini_put_text(section, "max_time", arena_printf(arena, "%.0f ns", params->visit_ns), ab, arena);
    ini_put_text(section, "sweep." SIDE_AXIS, side_words[side], ab, arena);
    section->name = name;
}

int32_t sides_make(struct ini *ini, const struct ab_params *params, struct arena *arena,
                   struct error_list *errors)
{
    size_t n, n_made = 0, n_before = error_list_count(errors);
    struct ab_params made = *params;
    const struct change *changes = read_all_changes(ini, params, arena, &n, errors);
    made.has_fresh_processes &= !has_default(ini, "isolate");
    if (n == 0) {
        if (error_list_empty(errors))
            error_list_add(errors, (struct origin){.file = ini->path},
                           "nothing tells the sides apart: \1expected --base KEY=VALUE or --new "
                           "KEY=VALUE, or 'base' and 'new' in [ab NAME]");
        return GB_INVALID;
    }
    for (size_t i = 0; i < ini->n; i++) {
        struct ini_section *base = &ini->sections[i];
        if (!is_changed(base, changes, n))
            continue;
        if (ini_entry_of(base, SIDE_AXIS) || ini_entry_of(base, "sweep." SIDE_AXIS))
            error_list_add(errors, base->origin,
                           "[bench %s]: '%s' is the name of ab's own axis: a benchmark that has an "
                           "option or axis of this name cannot be compared",
                           base->name, SIDE_AXIS);
        const char *name = arena_printf(arena, "%s%s", base->name, SIDE_SUFFIX);
        struct ini_section *new = ini_insert(ini, base, i + 1, arena);
        base = &ini->sections[i];
        make_side(new, name, SIDE_NEW, changes, n, &made, arena);
        make_side(base, base->name, SIDE_BASE, changes, n, &made, arena);
        n_made++;
        i++;
    }
    if (n_made == 0 && error_list_empty(errors))
        error_list_add(errors, (struct origin){.file = ini->path},
                       "there is nothing to compare: \1expected a [bench NAME]");
    return error_list_count(errors) == n_before ? GB_OK : GB_INVALID;
}

/* ---- cases of the sides ---- */

/* The base of a part that is a new side; NULL: it is none. */
static const struct sweep_part *base_of(const struct sweep_part *part,
                                        const struct sweep_part *parts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (text_starts_with(part->name, parts[i].name) &&
            text_equal(part->name + strlen(parts[i].name), SIDE_SUFFIX))
            return &parts[i];
    return NULL;
}

/* Its axes but the side. */
static int32_t axes_of(struct sweep *sweep, uint64_t position, struct text *ret,
                       struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct bench_case bench_case;
    int32_t status = sweep_case_at(sweep, position, &arena, &bench_case, error);
    text_clear(ret);
    if (status == GB_OK && bench_case_is_counted(&bench_case))
        return error_set(
            error, GB_INVALID,
            "[bench %s]: clock = " CLOCK_INSTRUCTIONS ": sides are judged by times: "
            "expected another clock, or two runs and gbrun compare --metric " CLOCK_INSTRUCTIONS,
            bench_case.bench);
    for (size_t i = 0; status == GB_OK && i < bench_case.n_parameters; i++) {
        const struct parameter *parameter = &bench_case.parameters[i];
        if (parameter->is_axis && !text_equal(parameter->name, SIDE_AXIS))
            text_printf(ret, "%s%s=%s", ret->length ? " " : "", parameter->name,
                        parameter->value.text);
    }
    return status;
}

static int32_t check_pair(struct sweep *sweep, const struct sweep_part *base,
                          const struct side_pair *pair, bool *ret_are_same,
                          struct error_list *errors)
{
    struct text axes[SIDES] = {{0}, {0}};
    struct gb_error error;
    int32_t status = GB_OK;
    for (int side = 0; side < SIDES && status == GB_OK; side++)
        status = axes_of(sweep, pair->positions[side], &axes[side], &error);
    *ret_are_same = status == GB_OK && text_equal(text_get(&axes[0]), text_get(&axes[1]));
    if (status != GB_OK)
        error_list_take(errors, &error);
    else if (!*ret_are_same)
        error_list_add(
            errors, base->origin,
            "[bench %s]: the sides have different cases: %s on the base, %s on the other: a side "
            "must not change an axis, or a value that 'only' or 'exclude' reads",
            base->name, axes[0].length ? axes[0].data : "one without axes",
            axes[1].length ? axes[1].data : "one without axes");
    for (int side = 0; side < SIDES; side++)
        text_free(&axes[side]);
    return status;
}

/* By position of the base; 0: it is none, else 1 + that of the other side. */
static int32_t pair_parts(struct sweep *sweep, const struct sweep_part *base,
                          const struct sweep_part *new, uint64_t *others, struct error_list *errors)
{
    bool are_same = base->n == new->n;
    if (!are_same)
        error_list_add(errors, base->origin,
                       "[bench %s]: the base has %llu cases and the other side %llu: a side must "
                       "not change an axis, or a value that 'only' or 'exclude' reads",
                       base->name, (unsigned long long)base->n, (unsigned long long)new->n);
    for (uint64_t i = 0; i < base->n && are_same; i++) {
        struct side_pair pair = {{base->first + i, new->first + i}};
        int32_t status = check_pair(sweep, base, &pair, &are_same, errors);
        if (status != GB_OK)
            return status;
        others[base->first + i] = 1 + new->first + i;
    }
    return are_same ? GB_OK : GB_INVALID;
}

int32_t sides_pair(struct sweep *sweep, struct arena *arena, struct side_pair **ret, size_t *ret_n,
                   struct error_list *errors)
{
    size_t n_parts = sweep_parts(sweep);
    uint64_t n = sweep_size(sweep);
    struct sweep_part *parts = ARENA_ARRAY(arena, struct sweep_part, n_parts + 1);
    uint64_t *others = ARENA_ARRAY(arena, uint64_t, n + 1);
    int32_t status = GB_OK;
    for (size_t i = 0; i < n_parts; i++)
        parts[i] = sweep_part(sweep, i);
    for (size_t i = 0; i < n_parts && status == GB_OK; i++) {
        const struct sweep_part *base = base_of(&parts[i], parts, n_parts);
        if (base)
            status = pair_parts(sweep, base, &parts[i], others, errors);
    }
    *ret = ARENA_ARRAY(arena, struct side_pair, n + 1);
    *ret_n = 0;
    for (uint64_t i = 0; i < n && status == GB_OK; i++) {
        uint64_t position = sweep_position(sweep, i);
        if (others[position])
            (*ret)[(*ret_n)++] = (struct side_pair){{position, others[position] - 1}};
    }
    return status;
}
