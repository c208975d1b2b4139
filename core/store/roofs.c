/* roofs.c - see roofs.h. */
#include "core/store/roofs.h"

#include "core/base/number_format.h"
#include "core/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the model ---- */

static const struct {
    const char *suffix;
    double write_share;
} accesses[] = {{"_read", 0}, {"_triad", 1.0 / 3}, {"_copy", 0.5}, {"_write", 1}};
enum { ACCESSES = sizeof accesses / sizeof *accesses };

/* Of the roof of a rate, by GB_MATH_...; NULL: there is none. */
static const char *const unit_suffixes[] = {
    [GB_MATH_SCALAR] = "scalar", [GB_MATH_VECTOR] = "fma", [GB_MATH_TENSOR] = "tensor"};

const char *bound_word(int bound)
{
    static const char *const words[] = {[BOUND_MEMORY] = "memory-bound",
                                        [BOUND_MATH] = "math-bound",
                                        [BOUND_LATENCY] = "latency-bound"};
    return words[bound];
}

const struct roof *roof_named(const struct roofs *roofs, const char *name)
{
    return ITEM_NAMED(roofs->items, roofs->n, name, name);
}

bool roof_is_memory(const char *name)
{
    for (size_t i = 0; i < ACCESSES; i++)
        if (text_ends_with(name, accesses[i].suffix))
            return true;
    return false;
}

static double amount(double declared)
{
    return isfinite(declared) && declared > 0 ? declared : 0;
}

enum { NAME_MAX_BYTES = 64 };

static const struct roof *memory_roof(const struct roofs *roofs, const char *level,
                                      double write_share)
{
    const struct roof *nearest = NULL;
    double distance = INFINITY;
    char name[NAME_MAX_BYTES];
    for (size_t i = 0; i < ACCESSES; i++) {
        snprintf(name, sizeof name, "%s%s", level, accesses[i].suffix);
        const struct roof *roof = roof_named(roofs, name);
        double difference = fabs(accesses[i].write_share - write_share);
        if (roof && difference < distance) {
            nearest = roof;
            distance = difference;
        }
    }
    return nearest;
}

/* That of the level, or of the next outer one of which something is known. */
static const struct roof *outward_roof(const struct roofs *roofs, int level, double write_share)
{
    static const char *const outwards[LEVELS][4] = {[LEVEL_DRAM] = {"dram"},
                                                    [LEVEL_LAST] = {"l3", "l2", "dram"},
                                                    [LEVEL_L3] = {"l3", "dram"},
                                                    [LEVEL_L2] = {"l2", "l3", "dram"},
                                                    [LEVEL_L1] = {"l1", "l2", "l3", "dram"}};
    const struct roof *roof = NULL;
    for (size_t i = 0; !roof && i < 4 && outwards[level][i]; i++)
        roof = memory_roof(roofs, outwards[level][i], write_share);
    return roof;
}

static const struct roof *math_roof(const struct roofs *roofs, const struct gb_work *work)
{
    char name[NAME_MAX_BYTES];
    const struct gb_format *format = number_format_of(work->math_format);
    const bool is_narrow = work->math_format == GB_F8_E4M3 || work->math_format == GB_F8_E5M2;
    if (work->math_unit >= sizeof unit_suffixes / sizeof *unit_suffixes ||
        !unit_suffixes[work->math_unit])
        return NULL;
    snprintf(name, sizeof name, "%s_%s",
             is_narrow ? "fp8"
             : format  ? format->name
                       : "",
             unit_suffixes[work->math_unit]); /* both formats of 8 bits have one rate */
    return roof_named(roofs, name);
}

void roofline_of(const struct roofs *roofs, const struct gb_work *work, int level,
                 struct roofline *ret)
{
    double flops = amount(work->flops), written = amount(work->bytes_written);
    double bytes = amount(work->bytes_read) + written;
    *ret = (struct roofline){.intensity = NAN, .ridge = NAN, .model_ns = NAN};
    if (flops > 0 && bytes > 0)
        ret->intensity = flops / bytes;
    if (bytes > 0)
        ret->memory = outward_roof(roofs, level, written / bytes);
    if (flops > 0)
        ret->math = math_roof(roofs, work);
    double memory_ns = ret->memory ? bytes / ret->memory->rate * 1e9 : 0;
    double math_ns = ret->math ? flops / ret->math->rate * 1e9 : 0;
    if (ret->memory && ret->math)
        ret->ridge = ret->math->rate / ret->memory->rate;
    if (!ret->memory && !ret->math)
        return;
    bool is_math = math_ns > memory_ns;
    ret->roof = is_math ? ret->math : ret->memory;
    ret->model_ns = is_math ? math_ns : memory_ns;
    if ((bytes > 0) == (ret->memory != NULL) && (flops > 0) == (ret->math != NULL))
        ret->bound = is_math ? BOUND_MATH : BOUND_MEMORY;
}

/* ---- roofs of files ---- */

static const char ceilings[] = "ceilings";

/* What a case of ceilings measured: its parameter `roof`, or NULL. */
static const char *measured_roof(const struct stored_case *c)
{
    const struct parameter *roof = text_equal(c->plugin, ceilings) ? find_parameter(c, "roof")
                                                                   : NULL;
    return roof ? roof->value.text : NULL;
}

/* Of a case on a CPU that has n_units: its options say it, or it has one. */
static double threads_of(const struct stored_case *c, double n_units)
{
    const struct parameter *threads = find_parameter(c, "threads");
    threads = threads ? threads : find_parameter(c, "streams");
    if (!threads)
        return 1;
    return threads->value.number > 0 ? fmin(threads->value.number, n_units) : n_units;
}

bool is_roof(const struct stored_case *c)
{
    return measured_roof(c) != NULL;
}

/* bytes/s or operations/s of a case for a roof of that name; NaN: none. */
static double amount_of(const struct stored_case *c, const char *name)
{
    const struct gb_work *work = &c->record.work;
    double amount = roof_is_memory(name) ? work->bytes_read + work->bytes_written : work->flops;
    return isfinite(amount) && amount > 0 ? amount : NAN;
}

/* A CPU, whose caches belong to cores. */
static bool has_threads(const struct device_record *device)
{
    return device_number(device, "l1_bytes") > 0;
}

/* See roofs.h. */
static bool is_doubtful(const struct stored_case *c, double n_threads)
{
    const double waited_share = 0.05;
    const struct case_record *record = &c->record;
    const struct interference_record *noise = &record->interference;
    const int32_t verdict = record->has_estimate ? record->estimate.verdict : GB_VERDICT_NONE;
    return verdict == GB_VERDICT_UNCONVERGED || verdict == GB_VERDICT_GAVE_UP ||
           (noise->is_known && text_equal(record->clock, "wall") &&
            noise->waited_cpu_ns > waited_share * noise->sampled_ns * fmax(1, n_threads));
}

static void raise_roof(struct roofs *roofs, const char *name, double rate, bool is_doubtful,
                       struct arena *arena)
{
    const size_t i = text_index(TEXTS_OF(roofs->items, roofs->n, name), name);
    if (i == roofs->n) {
        ARENA_APPEND(arena, roofs->items, roofs->n, (struct roof){.name = arena_text(arena, name)});
    }
    if (rate > roofs->items[i].rate) {
        roofs->items[i].rate = rate;
        roofs->items[i].is_doubtful = is_doubtful;
    }
}

/* How far from a core it is that a roof is about; 0: it is no bandwidth. */
static size_t distance_of(const char *name)
{
    static const char *const levels[] = {"l1_", "l2_", "l3_", "dram_"};
    size_t n = sizeof levels / sizeof *levels;
    while (n > 0 && !text_starts_with(name, levels[n - 1]))
        n--;
    return n;
}

/* Is the same access to a level farther out faster? */
static bool is_contradicted(const struct roofs *roofs, const struct roof *roof)
{
    const double tolerance = 1.02;
    const size_t distance = distance_of(roof->name);
    for (size_t i = 0; distance > 0 && i < roofs->n; i++) {
        const struct roof *other = &roofs->items[i];
        if (distance_of(other->name) > distance && other->rate > tolerance * roof->rate &&
            text_equal(strchr(other->name, '_'), strchr(roof->name, '_')))
            return true;
    }
    return false;
}

/* Adds "; words: a, b" of roofs for which it is asked. */
static void list_roofs(const struct roofs *roofs, const bool *are_listed, const char *words,
                       struct text *out)
{
    const char *before = words;
    for (size_t i = 0; i < roofs->n; i++) {
        if (!are_listed[i])
            continue;
        text_printf(out, "%s%s", before, roofs->items[i].name);
        before = ", ";
    }
}

/* Leaves out what is contradicted; out: which, and which of the others are doubtful. */
static void judge_roofs(struct roofs *roofs, struct arena *arena, struct text *out)
{
    bool *are_listed = ARENA_ARRAY(arena, bool, roofs->n + 1);
    for (size_t i = 0; i < roofs->n; i++)
        are_listed[i] = is_contradicted(roofs, &roofs->items[i]);
    list_roofs(roofs, are_listed, "; left out, as a level farther out is faster: ", out);
    size_t n = 0;
    for (size_t i = 0; i < roofs->n; i++)
        if (!are_listed[i])
            roofs->items[n++] = roofs->items[i];
    roofs->n = n;
    for (size_t i = 0; i < n; i++)
        are_listed[i] = roofs->items[i].is_doubtful;
    list_roofs(roofs, are_listed, "; not certified or disturbed: ", out);
}

static void judge_set(struct roof_set *set, struct arena *arena)
{
    CLEANUP(text_free) struct text source = {0};
    CLEANUP(text_free) struct text of_one_thread = {0};
    text_add(&source, set->source);
    judge_roofs(&set->roofs, arena, &source);
    judge_roofs(&set->of_one_thread, arena, &of_one_thread);
    if (of_one_thread.length > 0)
        text_printf(&source, "; of one thread%s", text_get(&of_one_thread));
    set->source = arena_text(arena, text_get(&source));
}

/* "run 3 of ceilings.gbr, 2026-01-01 10:00:00 UTC" */
static const char *describe(const struct stored_run *run, const char *path, struct arena *arena)
{
    const char *iso = run->record.started;
    return strlen(iso) >= 20 && iso[10] == 'T'
               ? arena_printf(arena, "run %lld of %s, %.10s %.8s UTC", (long long)run->number, path,
                              iso, iso + 11)
               : arena_printf(arena, "run %lld of %s, %s", (long long)run->number, path, iso);
}

/* The set of the model among those added from number `first` on, all of one run. */
static struct roof_set *set_of(struct roof_library *library, size_t first, const char *model,
                               const struct stored_run *run, const char *path)
{
    struct arena *arena = library->arena;
    for (size_t i = first; i < library->n; i++)
        if (text_equal(library->sets[i]->model, model))
            return library->sets[i];
    struct roof_set *set = ARENA_NEW(arena, struct roof_set);
    set->model = arena_text(arena, model);
    set->source = describe(run, path, arena);
    set->run_uuid = arena_text(arena, run->record.uuid);
    ARENA_APPEND(arena, library->sets, library->n, set);
    return set;
}

/* run: that of the cases; devices: of it. */
static int32_t add_cases(struct roof_library *library, struct store *store,
                         const struct stored_run *run, const char *path, const int64_t *ids,
                         size_t n, bool is_chosen, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(free_pointer) struct stored_case *cases = NULL;
    struct stored_devices devices = {0};
    const size_t first = library->n;
    int32_t status = store_devices(store, run->id, &arena, &devices, error);
    if (status == GB_OK)
        status = store_cases_read(store, ids, n, &arena, &cases, error);
    for (size_t i = 0; status == GB_OK && i < n; i++) {
        const struct stored_case *c = &cases[i];
        const struct stored_device *on = stored_device_of(&devices, c->record.device_id);
        const struct device_record *device = on ? &on->record : NULL;
        const char *name = measured_roof(c);
        double rate = name ? amount_of(c, name) / central_ns(c) * 1e9 : NAN;
        if (!device || !device->model || c->record.status != CASE_OK || !isfinite(rate) ||
            !(rate > 0))
            continue;
        struct roof_set *set = set_of(library, first, device->model, run, path);
        set->is_chosen = is_chosen;
        const double n_threads = threads_of(c, device_number(device, "units"));
        const bool doubtful = is_doubtful(c, n_threads);
        raise_roof(&set->roofs, name, rate, doubtful, library->arena);
        if (has_threads(device) && n_threads == 1)
            raise_roof(&set->of_one_thread, name, rate, doubtful, library->arena);
    }
    for (size_t i = first; i < library->n; i++)
        judge_set(library->sets[i], library->arena);
    return status;
}

int32_t roof_library_add(struct roof_library *library, struct store *store, const char *path,
                         bool is_chosen, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct stored_run *runs = NULL;
    size_t n = 0;
    int32_t status = store_runs(store, RUN_ALL, &arena, &runs, &n, error);
    for (size_t i = n; status == GB_OK && i-- > 0;) {
        int64_t *ids = NULL;
        size_t n_ids = 0;
        status = store_case_ids(store, runs[i].id, ceilings, &ids, &n_ids, error);
        if (status == GB_OK && n_ids)
            status = add_cases(library, store, &runs[i], path, ids, n_ids, is_chosen, error);
        free(ids);
    }
    return status;
}

int32_t roof_library_add_file(struct roof_library *library, const char *path, bool is_chosen,
                              struct gb_error *error)
{
    CLEANUP(store_leave) struct store *store = NULL;
    const int32_t status = store_open(path, STORE_READ, &store, error);
    return status == GB_OK ? roof_library_add(library, store, path, is_chosen, error) : status;
}

bool roof_library_user_file(struct text *ret_path)
{
    static const char in_data[] = "gbrun/roofs.gbr", in_home[] = ".local/share/";
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data && *data == '/')
        text_printf(ret_path, "%s/%s", data, in_data);
    else if (home && *home)
        text_printf(ret_path, "%s/%s%s", home, in_home, in_data);
    return ret_path->length > 0 && access(text_get(ret_path), F_OK) == 0;
}

struct roof_set *roof_library_find(const struct roof_library *library, const char *model,
                                   const char *run_uuid)
{
    struct roof_set *first = NULL, *own = NULL;
    for (size_t i = 0; i < library->n; i++) {
        struct roof_set *set = library->sets[i];
        if (!text_equal(set->model, model))
            continue;
        if (set->is_chosen)
            return set;
        own = !own && text_equal(set->run_uuid, run_uuid) ? set : own;
        first = first ? first : set;
    }
    return own ? own : first;
}

static void roofline_of_roof(const struct roof_set *set, const struct stored_case *c,
                             const char *name, struct roofline *ret)
{
    const struct roof *roof = roof_named(&set->roofs, name);
    bool is_memory = roof_is_memory(name);
    if (!roof || isnan(amount_of(c, name)))
        return;
    *(is_memory ? &ret->memory : &ret->math) = roof;
    ret->roof = roof;
    ret->bound = is_memory ? BOUND_MEMORY : BOUND_MATH;
    ret->model_ns = amount_of(c, name) / roof->rate * 1e9;
}

/* Blocks and occupancy of a kernel, or of all that run beside it. */
static void add_up_section(const struct case_record *record, const struct gb_activity *kernel,
                           double *ret_blocks, double *ret_occupancy)
{
    *ret_blocks = *ret_occupancy = 0;
    for (size_t i = 0; i < record->n_activities; i++) {
        const struct gb_activity *other = &record->activities[i];
        bool is_beside = kernel->parallel && other->parallel == kernel->parallel;
        if (other->kind != GB_ACTIVITY_KERNEL || (other != kernel && !is_beside))
            continue;
        *ret_blocks += activity_blocks(other);
        *ret_occupancy += other->occupancy;
    }
}

/* How many multiprocessors can have blocks of the case; 0: it may fill them, or it is not known. */
static double units_of_small(const struct case_record *record, double n_units)
{
    const double low_occupancy = 0.1;
    uint64_t n_kernels = 0;
    double used = 0;
    for (size_t i = 0; i < record->n_activities; i++) {
        const struct gb_activity *activity = &record->activities[i];
        double blocks, occupancy;
        if (activity->kind == GB_ACTIVITY_COPY)
            return 0;
        if (activity->kind != GB_ACTIVITY_KERNEL)
            continue;
        n_kernels++;
        add_up_section(record, activity, &blocks, &occupancy);
        if (blocks >= n_units && !(occupancy < low_occupancy))
            return 0;
        used = fmax(used, fmin(blocks, n_units));
    }
    return n_kernels == record->n_kernels ? used : 0;
}

static bool is_of_latency(const struct stored_case *c, const struct device_record *device,
                          const struct roofline *roofline)
{
    const double far = 4, latency_ns = 1000, flops = c->record.work.flops;
    const double n_units = device_number(device, "units");
    if (!(central_ns(c) > far * roofline->model_ns))
        return false;
    if (has_threads(device)) /* does less than what can be under way within a latency of memory */
        return !c->record.n_activities && roofline->model_ns < latency_ns;
    double used = units_of_small(&c->record, n_units);
    return used > 0 && (!roofline->math ||
                        central_ns(c) > far * flops / roofline->math->rate * 1e9 * n_units / used);
}

/* How many of the first n CPUs share the first one's cache, by a fact such as "0-3,8". Not known:
 * the number given. */
static double sharers_of(const struct device_record *device, const char *fact, double n,
                         double unknown)
{
    const char *at = FACT(device, fact);
    double sharers = 0;
    if (!*at)
        return unknown;
    while (*at >= '0' && *at <= '9') {
        char *end;
        const double first = (double)strtoul(at, &end, 10);
        const double last = *end == '-' ? (double)strtoul(end + 1, &end, 10) : first;
        sharers += fmax(0, fmin(last, n - 1) - first + 1);
        at = *end == ',' ? end + 1 : end;
    }
    return fmax(1, sharers);
}

/* The innermost that holds what its threads declare, each its share. */
static int level_of(const struct stored_case *c, const struct device_record *device)
{
    const struct gb_work *work = &c->record.work;
    const double bytes = work->bytes_read + work->bytes_written;
    if (!text_equal(c->cache, cache_word(GB_CACHE_WARM)))
        return LEVEL_DRAM;
    if (!has_threads(device))
        return bytes <= device_number(device, "cache_bytes") ? LEVEL_LAST : LEVEL_DRAM;
    const double n = threads_of(c, device_number(device, "units"));
    const double share = bytes / n;
    if (share * sharers_of(device, "l1_shared_by", n, 1) <= device_number(device, "l1_bytes"))
        return LEVEL_L1;
    if (share * sharers_of(device, "l2_shared_by", n, 1) <= device_number(device, "l2_bytes"))
        return LEVEL_L2;
    if (share * sharers_of(device, "l3_shared_by", n, n) <= device_number(device, "cache_bytes"))
        return LEVEL_L3;
    return LEVEL_DRAM;
}

void roofline_of_case(const struct roof_set *set, const struct stored_case *c,
                      const struct device_record *device, struct roofline *ret)
{
    static const struct roofs none = {0};
    const struct gb_work *work = &c->record.work;
    const char *measured = measured_roof(c);
    const int level = level_of(c, device);
    roofline_of(set && !measured ? &set->roofs : &none, work, level, ret);
    if (set && !measured && has_threads(device) &&
        threads_of(c, device_number(device, "units")) == 1) {
        struct roofline of_one;
        roofline_of(&set->of_one_thread, work, level, &of_one);
        if (of_one.bound || of_one.model_ns > ret->model_ns)
            *ret = of_one;
    }
    if (set && measured)
        roofline_of_roof(set, c, measured, ret);
    if (ret->bound && is_of_latency(c, device, ret))
        ret->bound = BOUND_LATENCY;
}
