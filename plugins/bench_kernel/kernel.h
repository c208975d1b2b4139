/* kernel.h - a case of the benchmark `kernel`. Plugin side. */
#pragma once

#include "launch.h"

struct kernel_bench {
    const struct gb_host *host;
    struct settings settings;
    struct driver driver;
    CUmodule module, reference_module; /* the second NULL: there is none, or it is the first */
    struct world world;
    struct world reference_world; /* made in the first comparison */
    bool has_reference_world;
    struct launch launch, reference;
};

/* Reads the files of `input` into the buffers of a world, all of which are made. */
int32_t kernel_read_inputs(const struct kernel_bench *bench, const struct world *world);

/* Puts the first contents of buffers that are restored back, on the stream. */
CUresult kernel_restore(const struct kernel_bench *bench, CUstream stream);

/* verify of the benchmark. */
int32_t kernel_verify(void *object, const struct gb_queue *queue);
