/* roofs.c - see roofs.h. Plugin side. */
#include "roofs.h"

#include <string.h>

const struct roof roofs[N_ROOFS] = {
#define ROOF_ROW(name, level, access, number, unit) {#name, level, access, number, unit},
    ROOFS(ROOF_ROW)
#undef ROOF_ROW
};

uint32_t roof_arrays(const struct roof *roof)
{
    static const uint32_t arrays[] = {
        [ACCESS_NONE] = 0, [ACCESS_READ] = 1,  [ACCESS_WRITE] = 1,
        [ACCESS_COPY] = 2, [ACCESS_TRIAD] = 3,
    };
    return arrays[roof->access];
}

/* What the data sheets of NVIDIA give for each product: GB/s, and TFLOP/s without sparsity. 0 is
 * what they leave out. Models are the names that the driver gives them. */
static const struct {
    const char *model;
    double dram;
    double fp64, fp32;
    double fp64_tensor, tf32_tensor, half_tensor, fp8_tensor, int8_tensor;
} datasheets[] = {
    {"NVIDIA H200", 4800, 34, 67, 67, 494.5, 989.5, 1979, 1979},
    {"NVIDIA H100 80GB HBM3", 3350, 34, 67, 67, 494.5, 989.5, 1979, 1979},
    {"NVIDIA H100 PCIe", 2000, 26, 51, 51, 378, 756.5, 1513, 1513},
    {"NVIDIA A100-SXM4-80GB", 2039, 9.7, 19.5, 19.5, 156, 312, 0, 624},
    {"NVIDIA A100-SXM4-40GB", 1555, 9.7, 19.5, 19.5, 156, 312, 0, 624},
    {"NVIDIA L40S", 864, 0, 91.6, 0, 183, 362.05, 733, 733},
};
enum { N_DATASHEETS = sizeof datasheets / sizeof datasheets[0] };

static double rate_in_tera(const struct roof *roof, size_t i)
{
    if (roof->unit == UNIT_FMA)
        return roof->number == NUMBER_FP64   ? datasheets[i].fp64
               : roof->number == NUMBER_FP32 ? datasheets[i].fp32
                                             : 0.0;
    switch (roof->number) {
    case NUMBER_FP64:
        return datasheets[i].fp64_tensor;
    case NUMBER_TF32:
        return datasheets[i].tf32_tensor;
    case NUMBER_FP8:
        return datasheets[i].fp8_tensor;
    case NUMBER_INT8:
        return datasheets[i].int8_tensor;
    default:
        return datasheets[i].half_tensor;
    }
}

double roof_datasheet(const struct roof *roof, const char *model)
{
    for (size_t i = 0; i < N_DATASHEETS; i++) {
        if (strcmp(datasheets[i].model, model) != 0)
            continue;
        if (roof->level == LEVEL_DRAM)
            return datasheets[i].dram * 1e9;
        if (roof->unit == UNIT_FMA || roof->unit == UNIT_TENSOR)
            return rate_in_tera(roof, i) * 1e12;
    }
    return 0.0;
}
