/* roofline.c - see roofline.h. */
#include "core/store/roofline.h"

#include "core/base/number_format.h"
#include "core/base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *suffix;
    double write_share;
} accesses[] = {{"_read", 0}, {"_triad", 1.0 / 3}, {"_copy", 0.5}, {"_write", 1}};
enum { ACCESSES = sizeof accesses / sizeof *accesses };

static const struct {
    uint32_t unit;
    const char *word;
    const char *suffix; /* of the roof */
} units[] = {{GB_MATH_SCALAR, "scalar", "scalar"},
             {GB_MATH_VECTOR, "vector", "fma"},
             {GB_MATH_TENSOR, "tensor", "tensor"}};
enum { UNITS = sizeof units / sizeof *units };

const char *bound_word(int bound)
{
    static const char *const words[] = {[BOUND_MEMORY] = "memory-bound",
                                        [BOUND_MATH] = "math-bound",
                                        [BOUND_LATENCY] = "latency-bound"};
    return words[bound];
}

const char *math_unit_word(uint32_t unit)
{
    for (size_t i = 0; i < UNITS; i++)
        if (units[i].unit == unit)
            return units[i].word;
    return "";
}

uint32_t math_unit_named(const char *word)
{
    for (size_t i = 0; i < UNITS; i++)
        if (text_equal(units[i].word, word))
            return units[i].unit;
    return 0;
}

const char *math_format_word(uint32_t format)
{
    const struct gb_format *known = number_format_of(format);
    return known ? known->name : "";
}

uint32_t math_format_named(const char *word)
{
    const struct gb_format *known = number_format_named(word);
    return known ? known->format : 0;
}

const struct roof *roof_named(const struct roofs *roofs, const char *name)
{
    for (size_t i = 0; i < roofs->n; i++)
        if (text_equal(roofs->items[i].name, name))
            return &roofs->items[i];
    return NULL;
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

/* Is there any bandwidth of the level? */
static bool has_level(const struct roofs *roofs, const char *level)
{
    char name[NAME_MAX_BYTES];
    for (size_t i = 0; i < ACCESSES; i++) {
        snprintf(name, sizeof name, "%s%s", level, accesses[i].suffix);
        if (roof_named(roofs, name))
            return true;
    }
    return false;
}

/* The level, or the next outer one of which something is known. */
static const char *measured_level(const struct roofs *roofs, int level)
{
    static const char dram[] = "dram";
    static const char *const outwards[LEVELS][3] = {[LEVEL_LAST] = {"l3", "l2"},
                                                    [LEVEL_L3] = {"l3"},
                                                    [LEVEL_L2] = {"l2", "l3"},
                                                    [LEVEL_L1] = {"l1", "l2", "l3"}};
    for (size_t i = 0; i < sizeof outwards[0] / sizeof *outwards[0]; i++)
        if (outwards[level][i] && has_level(roofs, outwards[level][i]))
            return outwards[level][i];
    return dram;
}

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

/* Both formats of 8 bits have one rate. */
static const char *rate_format(uint32_t format)
{
    return format == GB_F8_E4M3 || format == GB_F8_E5M2 ? "fp8" : math_format_word(format);
}

static const struct roof *math_roof(const struct roofs *roofs, const struct gb_work *work)
{
    char name[NAME_MAX_BYTES];
    for (size_t i = 0; i < UNITS; i++) {
        if (units[i].unit != work->math_unit)
            continue;
        snprintf(name, sizeof name, "%s_%s", rate_format(work->math_format), units[i].suffix);
        return roof_named(roofs, name);
    }
    return NULL;
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
        ret->memory = memory_roof(roofs, measured_level(roofs, level), written / bytes);
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
