/* fake_host.c - see fake_host.h. */
#include "tests/fake_host.h"

#include "core/base/memory.h"
#include "core/base/number_format.h"
#include "core/base/random.h"
#include "core/config/option_table.h"
#include "tests/check_main.h"

#include <dlfcn.h>

static struct fake_host *fake_of(const struct gb_host *host)
{
    return (struct fake_host *)(uintptr_t)host;
}

/* --- services --- */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

static void *take(void **blocks, size_t *n, uint64_t bytes)
{
    ck_assert_uint_lt(*n, FAKE_BLOCKS_MAX);
    void *block = NULL;
    const size_t length = bytes > 0 ? (size_t)bytes : 1;
    if (posix_memalign(&block, 64, length) != 0)
        return NULL;
    memset(block, 0, length);
    blocks[(*n)++] = block;
    return block;
}

static void *fake_allocate(const struct gb_host *host, uint64_t bytes)
{
    struct fake_host *fake = fake_of(host);
    return take(fake->blocks, &fake->n_blocks, bytes);
}

static int32_t fake_device_allocate(const struct gb_host *host, uint64_t bytes, uint32_t kind,
                                    void **ret_memory)
{
    struct fake_host *fake = fake_of(host);
    ck_assert(kind == GB_MEMORY_DEVICE || kind == GB_MEMORY_PINNED);
    *ret_memory = take(fake->device_blocks, &fake->n_device_blocks, bytes);
    return *ret_memory != NULL ? GB_OK : GB_NO_MEMORY;
}

static int32_t fake_device_copy(const struct gb_host *host, void *to, const void *from,
                                uint64_t bytes)
{
    memcpy(to, from, (size_t)bytes);
    return GB_OK;
}

static int32_t fake_device_fill(const struct gb_host *host, void *memory, uint32_t byte,
                                uint64_t bytes)
{
    memset(memory, (int)byte, (size_t)bytes);
    return GB_OK;
}

/* As a device does that fills integers alone. */
static int32_t fake_device_draw(const struct gb_host *host, const struct gb_queue *queue,
                                void *memory, uint64_t n, const struct gb_fill *fill)
{
    ck_assert_ptr_nonnull(queue);
    fake_of(host)->n_drawn += fill->format == GB_I32;
    return fill->format == GB_I32 ? host->fill(host, memory, n, fill) : GB_UNSUPPORTED;
}

static int32_t fake_fail(const struct gb_host *host, const char *text)
{
    snprintf(fake_of(host)->reason, FAKE_TEXT_BYTES, "%s", text);
    return GB_FAILED;
}

static int32_t fake_skip(const struct gb_host *host, const char *reason)
{
    snprintf(fake_of(host)->reason, FAKE_TEXT_BYTES, "%s", reason);
    return GB_SKIPPED;
}

static void fake_log(const struct gb_host *host, int32_t severity, const char *text)
{
    ck_assert_int_eq(severity, GB_LOG_INFO);
    snprintf(fake_of(host)->log, FAKE_TEXT_BYTES, "%s", text);
}

static void fake_metric(const struct gb_host *host, const char *name, double value,
                        const char *unit)
{
    struct fake_host *fake = fake_of(host);
    ck_assert_ptr_nonnull(unit);
    ck_assert_uint_lt(fake->n_metrics, FAKE_METRICS_MAX);
    snprintf(fake->metrics[fake->n_metrics].name, sizeof fake->metrics[0].name, "%s", name);
    fake->metrics[fake->n_metrics++].value = value;
}

double fake_metric_named(const struct fake_host *fake, const char *name)
{
    for (size_t i = fake->n_metrics; i > 0; i--) {
        if (strcmp(fake->metrics[i - 1].name, name) == 0)
            return fake->metrics[i - 1].value;
    }
    ck_abort_msg("no metric %s", name);
    return 0.0;
}

static uint64_t fake_random(const struct gb_host *host, uint64_t stream, uint64_t index)
{
    return random_bits(host->seed, stream, index);
}

static int32_t fake_fill(const struct gb_host *host, void *data, uint64_t n,
                         const struct gb_fill *fill)
{
    return random_fill(host->seed, data, n, fill);
}

/* Exact, by the bound of a sum in single precision, or relative. */
static double tolerated(const struct gb_check *check, uint64_t i)
{
    const double u = 0x1p-24;
    const double products = (double)check->n_products;
    if ((check->flags & GB_CHECK_EXACT) != 0)
        return 0.0;
    if (strcmp(check->default_metric, "bound") == 0)
        return check->default_tolerance * (products * u / (1.0 - products * u)) *
                   check->magnitude[i] +
               u * fabs(check->reference[i]);
    ck_assert_str_eq(check->default_metric, "rel_floor");
    return check->default_tolerance * fmax(1e-3, fabs(check->reference[i]));
}

static int32_t fake_check(const struct gb_host *host, const struct gb_check *check)
{
    struct fake_host *fake = fake_of(host);
    fake->n_checks++;
    fake->n_compared = check->n;
    fake->n_wrong = 0;
    for (uint64_t i = 0; i < check->n; i++) {
        const double output = number_load(check->format, check->output, i);
        fake->n_wrong += !(fabs(output - check->reference[i]) <= tolerated(check, i));
    }
    return fake->n_wrong > 0 ? GB_WRONG_RESULT : GB_OK;
}

static int32_t fake_cancelled(const struct gb_host *host)
{
    return ((const struct fake_host *)host)->is_cancelled;
}

static void fake_keep(const struct gb_host *host)
{
    fake_of(host)->keeps = 1;
}

static void fake_exclusive(const struct gb_host *host)
{
    fake_of(host)->is_exclusive = 1;
}

static const void *fake_extension(const struct gb_host *host, const char *id)
{
    return strcmp(id, GB_FORMATS) == 0 ? &number_formats : NULL;
}

struct fake_host *fake_host_new(void)
{
    struct fake_host *fake = calloc(1, sizeof *fake);
    ck_assert_ptr_nonnull(fake);
    fake->device = (struct gb_device_info){
        .size = sizeof fake->device, .backend = "cpu", .n_units = 2};
    fake->host = (struct gb_host){
        .size = sizeof fake->host,
        .seed = 42,
        .allocate = fake_allocate,
        .fail = fake_fail,
        .skip = fake_skip,
        .log = fake_log,
        .metric = fake_metric,
        .random = fake_random,
        .fill = fake_fill,
        .check = fake_check,
        .cancelled = fake_cancelled,
        .device = &fake->device,
        .device_allocate = fake_device_allocate,
        .device_copy = fake_device_copy,
        .device_fill = fake_device_fill,
        .device_draw = fake_device_draw,
        .extension = fake_extension,
        .exclusive = fake_exclusive,
        .keep = fake_keep,
    };
    return fake;
}

void fake_host_free(struct fake_host *fake)
{
    for (size_t i = 0; i < fake->n_blocks; i++)
        free(fake->blocks[i]);
    for (size_t i = 0; i < fake->n_device_blocks; i++)
        free(fake->device_blocks[i]);
    free(fake);
}

#pragma GCC diagnostic pop

/* --- modules --- */

const char *fake_path(const char *name)
{
    static char path[4096];
    const char *build = getenv("top_builddir");
    snprintf(path, sizeof path, "%s/%s", build != NULL ? build : ".", name);
    return path;
}

void *fake_library(const char *name)
{
    void *library = dlopen(fake_path(name), RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(library != NULL, "%s", dlerror());
    return library;
}

void *fake_symbol(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    ck_assert_msg(symbol != NULL, "there is no %s", name);
    return symbol;
}

const struct gb_plugin *fake_plugin(const char *folder, uint32_t kind, const char *id)
{
    char path[256];
    const struct gb_module *(*entry)(void) = NULL;
    snprintf(path, sizeof path, "plugins/%s/.libs/%s.so", folder, folder);
    *(void **)&entry = fake_symbol(fake_library(path), GB_ENTRY_SYMBOL);
    const struct gb_module *module = entry();
    for (uint32_t i = 0; i < module->n_plugins; i++) {
        if (module->plugins[i]->kind == kind && strcmp(module->plugins[i]->id, id) == 0)
            return module->plugins[i];
    }
    ck_abort_msg("%s has no plugin %s", path, id);
    return NULL;
}

const struct gb_plugin *fake_policy(const char *id)
{
    static const char *const others[][2] = {{"median_ci", "median"},
                                            {"median_cs", "median"},
                                            {"quantiles", "steady"},
                                            {"budget", "fixed"}};
    const char *module = id;
    char folder[64];
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(id, others[i][0]) == 0)
            module = others[i][1];
    snprintf(folder, sizeof folder, "policy_%s", module);
    return fake_plugin(folder, GB_PLUGIN_POLICY, id);
}

/* --- params --- */

/* Params with what they were made of, and what they point to. */
struct fake_params {
    struct arena arena;
    struct setting settings[32];
    size_t n_settings;
    _Alignas(16) char params[];
};

static struct fake_params *params_of(void *params)
{
    return (struct fake_params *)(void *)((char *)params - offsetof(struct fake_params, params));
}

static void fill_params(const struct gb_plugin *plugin, struct fake_params *made)
{
    struct gb_error error = {0};
    ck_assert_msg(option_fill(option_table_of(plugin), made->settings, made->n_settings,
                              made->params, plugin->params_size, &made->arena, &error) == GB_OK,
                  "%s", error.text);
}

void *fake_params_new(const struct gb_plugin *plugin)
{
    struct fake_params *made = calloc(1, sizeof *made + (size_t)plugin->params_size);
    ck_assert_ptr_nonnull(made);
    for (uint32_t i = 0; i < plugin->n_options; i++)
        if (!plugin->options[i].default_value) /* a text that the test gives later */
            made->settings[made->n_settings++] = (struct setting){.key = plugin->options[i].name,
                                                                  .text = "\"\""};
    fill_params(plugin, made);
    return made->params;
}

void fake_params_set(const struct gb_plugin *plugin, void *params, const char *name,
                     const char *text)
{
    struct fake_params *made = params_of(params);
    size_t i = 0;
    while (i < made->n_settings && strcmp(made->settings[i].key, name) != 0)
        i++;
    ck_assert_uint_lt(i, sizeof made->settings / sizeof made->settings[0]);
    made->settings[i] = (struct setting){
        .key = arena_text(&made->arena, name),
        .text = text_quote(arena_text(&made->arena, text), 0, &made->arena)};
    made->n_settings += i == made->n_settings;
    fill_params(plugin, made);
}

void fake_params_free(const struct gb_plugin *plugin, void *params)
{
    arena_free(&params_of(params)->arena);
    free(params_of(params));
}

/* --- random numbers --- */

static uint64_t scramble(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

double fake_unit(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return (double)(scramble(*state) >> 11) * 0x1p-53;
}

/* Box and Muller's transformation. */
double fake_normal(uint64_t *state)
{
    const double radius = sqrt(-2.0 * log(1.0 - fake_unit(state)));
    return radius * cos(2.0 * acos(-1.0) * fake_unit(state));
}
