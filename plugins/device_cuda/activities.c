/*
 * activities.c - the nodes of a captured sample, and their times: the extension
 * `gbrun.activities/1`. Plugin side.
 *
 * The sample is cut into sections that follow each other: a cut is where all that comes before must
 * have ended before anything after it begins, and what runs side by side is one section. A stamp is
 * put between them.
 *
 * What a stamp between two kernels adds is the offset of the clock. The gap that the launch leaves
 * between two sections is the time of both with no stamp between, less their own times: for that
 * the samples are also taken with every other stamp, the even ones and the odd ones.
 */
#define _GNU_SOURCE
#include "cupti.h"
#include "timed_device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BREAKDOWN_SECTIONS_MAX = 1024 };

/* As CUgraphEdgeData, which older headers have not. */
struct edge_data {
    unsigned char from_port, to_port, type, reserved[5];
};

/* The work of one captured sample. Zero-initialize. */
struct breakdown {
    CUgraph graph;
    CUgraphNode *nodes; /* of the work, in an order in which they can run */
    size_t n_nodes;
    uint32_t *section; /* of each node, from 0 */
    uint32_t n_sections;
    CUgraphNode first;      /* the stamp before the work */
    CUgraphNode *from, *to; /* edges of the graph, */
    struct edge_data *data; /*   and what they are */
    size_t n_edges;
};

/* ns over the samples; a gap is before the section, 0 before the first. */
struct section_time {
    double mean_ns, low_ns, high_ns, gap_ns;
};

/* In this form drivers have them since CUDA 10 or 12.0, whatever the header calls by the name now;
 * those of typed edges since 12.3. */
struct edit_functions {
    CUresult (*edges)(CUgraph, CUgraphNode *, CUgraphNode *, size_t *);
    CUresult (*add_kernel)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                           const CUDA_KERNEL_NODE_PARAMS *);
    CUresult (*add_edges)(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
    CUresult (*remove_edges)(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
    /* NULL: not there. Launches that overlap have edges of their own type. */
    CUresult (*typed_edges)(CUgraph, CUgraphNode *, CUgraphNode *, struct edge_data *, size_t *);
    CUresult (*remove_typed_edges)(CUgraph, const CUgraphNode *, const CUgraphNode *,
                                   const struct edge_data *, size_t);
};

static bool find_functions(const struct driver *driver, struct edit_functions *ret)
{
    const struct symbol needed[] = {
        {"cuGraphGetEdges", &ret->edges},
        {"cuGraphAddKernelNode_v2", &ret->add_kernel},
        {"cuGraphAddDependencies", &ret->add_edges},
        {"cuGraphRemoveDependencies", &ret->remove_edges},
    };
    const struct symbol newer[] = {
        {"cuGraphGetEdges_v2", &ret->typed_edges},
        {"cuGraphRemoveDependencies_v2", &ret->remove_typed_edges},
    };
    FIND_SYMBOLS(driver->library, newer);
    return FIND_SYMBOLS(driver->library, needed) == NULL;
}

static CUresult get_edges(const struct edit_functions *edit, struct breakdown *breakdown, size_t *n)
{
    return edit->typed_edges != NULL && edit->remove_typed_edges != NULL
               ? edit->typed_edges(breakdown->graph, breakdown->from, breakdown->to,
                                   breakdown->data, n)
               : edit->edges(breakdown->graph, breakdown->from, breakdown->to, n);
}

static void remove_edge(const struct edit_functions *edit, const struct breakdown *breakdown,
                        size_t i)
{
    if (breakdown->data[i].type != 0)
        edit->remove_typed_edges(breakdown->graph, &breakdown->from[i], &breakdown->to[i],
                                 &breakdown->data[i], 1);
    else
        edit->remove_edges(breakdown->graph, &breakdown->from[i], &breakdown->to[i], 1);
}

/* --- the work of a captured sample --- */

static bool is_stamp(const struct cuda_device *device, CUgraphNode node)
{
    const struct driver *driver = &device->driver;
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    CUDA_KERNEL_NODE_PARAMS kernel;
    memset(&kernel, 0, sizeof kernel);
    return driver->graph_node_type(node, &type) == CUDA_SUCCESS &&
           type == CU_GRAPH_NODE_TYPE_KERNEL &&
           driver->graph_node_kernel(node, &kernel) == CUDA_SUCCESS &&
           kernel.func == device->stamps.stamp;
}

static bool has_edge(const struct breakdown *breakdown, CUgraphNode from, CUgraphNode to)
{
    for (size_t i = 0; i < breakdown->n_edges; i++)
        if (breakdown->from[i] == from && breakdown->to[i] == to)
            return true;
    return false;
}

static size_t place_of(const struct breakdown *breakdown, CUgraphNode node)
{
    size_t i = 0;
    while (i < breakdown->n_nodes && breakdown->nodes[i] != node)
        i++;
    return i;
}

/* Nodes are captured in an order in which they can run. Keeps those between the two stamps. */
static bool keep_work(const struct cuda_device *device, struct breakdown *breakdown)
{
    size_t n_kept = 0;
    size_t n_stamps = 0;
    for (size_t i = 0; i < breakdown->n_nodes; i++) {
        CUgraphNode node = breakdown->nodes[i];
        if (is_stamp(device, node)) {
            if (n_stamps++ == 0)
                breakdown->first = node;
        } else if (n_stamps == 1) {
            breakdown->nodes[n_kept++] = node;
        }
    }
    breakdown->n_nodes = n_kept;
    return n_stamps == 2;
}

static CUresult read_edges(const struct cuda_device *device, struct breakdown *breakdown)
{
    struct edit_functions edit;
    size_t n = 0;
    if (!find_functions(&device->driver, &edit))
        return CUDA_ERROR_NOT_SUPPORTED;
    CUresult result = get_edges(&edit, breakdown, &n);
    if (result != CUDA_SUCCESS)
        return result;
    breakdown->from = calloc(n + 1, sizeof(CUgraphNode));
    breakdown->to = calloc(n + 1, sizeof(CUgraphNode));
    breakdown->data = calloc(n + 1, sizeof *breakdown->data);
    if (breakdown->from == NULL || breakdown->to == NULL || breakdown->data == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    breakdown->n_edges = n;
    return get_edges(&edit, breakdown, &n);
}

/* From a graph that allocates memory no edge can be removed. Of launches that overlap it has to be,
 * or nothing comes between them. */
static bool must_stay(const struct cuda_device *device, const struct breakdown *breakdown)
{
    bool is_typed = false;
    bool allocates = false;
    for (size_t i = 0; i < breakdown->n_edges; i++)
        is_typed |= breakdown->data[i].type != 0;
    for (size_t i = 0; i < breakdown->n_nodes; i++) {
        CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
        device->driver.graph_node_type(breakdown->nodes[i], &type);
        allocates |= type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || type == CU_GRAPH_NODE_TYPE_MEM_FREE;
    }
    return is_typed && allocates;
}

/* Is there a cut before node `at`? Every node before it without a successor there must have an edge
 * to every node from it on without a predecessor there. */
static bool is_cut(const struct breakdown *breakdown, const bool *ends_before, size_t at,
                   const size_t *newest_before)
{
    for (size_t v = at; v < breakdown->n_nodes; v++) {
        if (newest_before[v] != SIZE_MAX && newest_before[v] >= at)
            continue; /* something from `at` on goes before it */
        for (size_t u = 0; u < at; u++)
            if (ends_before[u] && !has_edge(breakdown, breakdown->nodes[u], breakdown->nodes[v]))
                return false;
    }
    return true;
}

/* For each node the newest of those that go before it; SIZE_MAX: none of the work. */
static void find_newest(const struct breakdown *breakdown, size_t *newest_before)
{
    for (size_t i = 0; i < breakdown->n_nodes; i++)
        newest_before[i] = SIZE_MAX;
    for (size_t i = 0; i < breakdown->n_edges; i++) {
        const size_t u = place_of(breakdown, breakdown->from[i]);
        const size_t v = place_of(breakdown, breakdown->to[i]);
        if (u < breakdown->n_nodes && v < breakdown->n_nodes &&
            (newest_before[v] == SIZE_MAX || newest_before[v] < u))
            newest_before[v] = u;
    }
}

static CUresult cut(struct breakdown *breakdown)
{
    const size_t n = breakdown->n_nodes;
    /* One more, for what place_of finds nowhere. */
    size_t *newest_before = calloc(n + 1, sizeof *newest_before);
    bool *ends_before = calloc(n + 1, sizeof *ends_before);
    const bool has_memory = newest_before != NULL && ends_before != NULL;
    if (has_memory) {
        find_newest(breakdown, newest_before);
        for (size_t at = 1; at < n; at++) {
            ends_before[at - 1] = true;
            for (size_t i = 0; i < breakdown->n_edges; i++)
                if (breakdown->to[i] == breakdown->nodes[at - 1] &&
                    breakdown->from[i] != breakdown->first)
                    ends_before[place_of(breakdown, breakdown->from[i])] = false;
            breakdown->n_sections += is_cut(breakdown, ends_before, at, newest_before);
            breakdown->section[at] = breakdown->n_sections;
        }
    }
    breakdown->n_sections++;
    free(newest_before);
    free(ends_before);
    return has_memory ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult understand(const struct cuda_device *device, struct breakdown *breakdown)
{
    const struct driver *driver = &device->driver;
    size_t n = 0;
    CUresult result = driver->graph_nodes(breakdown->graph, NULL, &n);
    if (result != CUDA_SUCCESS)
        return result;
    breakdown->nodes = calloc(n + 1, sizeof(CUgraphNode));
    breakdown->section = calloc(n + 1, sizeof *breakdown->section);
    if (breakdown->nodes == NULL || breakdown->section == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    result = driver->graph_nodes(breakdown->graph, breakdown->nodes, &n);
    breakdown->n_nodes = n;
    if (result != CUDA_SUCCESS || !keep_work(device, breakdown))
        return result != CUDA_SUCCESS ? result : CUDA_ERROR_UNKNOWN;
    result = n > BREAKDOWN_SECTIONS_MAX ? CUDA_ERROR_NOT_SUPPORTED : read_edges(device, breakdown);
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return result;
    if (result == CUDA_SUCCESS && !must_stay(device, breakdown))
        return cut(breakdown);
    breakdown->n_edges = 0;
    breakdown->n_sections = 1; /* older drivers do not tell of launches that overlap */
    return CUDA_SUCCESS;
}

static void breakdown_free(const struct cuda_device *device, struct breakdown *breakdown)
{
    if (breakdown->graph != NULL)
        device->driver.graph_destroy(breakdown->graph);
    free(breakdown->nodes);
    free(breakdown->section);
    free(breakdown->from);
    free(breakdown->to);
    free(breakdown->data);
    *breakdown = (struct breakdown){0};
}

/* Captures a sample. GB_SKIPPED after host->skip: it cannot be captured. */
static int32_t breakdown_new(const struct cuda_device *device,
                             const struct gb_measurement *measurement, struct breakdown *ret)
{
    char reason[GRAPH_REASON_BYTES];
    *ret = (struct breakdown){0};
    int32_t status = graph_capture_sample(device, measurement, &ret->graph, reason);
    if (status == GB_OK && ret->graph == NULL)
        return device->host->skip(device->host, reason);
    if (status == GB_OK)
        status = cuda_status(device, understand(device, ret), "looking at the captured graph");
    if (status != GB_OK)
        breakdown_free(device, ret);
    return status;
}

/* --- stamps between sections --- */

/* A stamp between section `at` and the one before it. */
static CUresult put_stamp(const struct cuda_device *device, const struct edit_functions *edit,
                          const struct breakdown *breakdown, uint32_t at, uint32_t number)
{
    uint64_t address[1];
    uint32_t wait[1];
    void *arguments[2];
    CUDA_KERNEL_NODE_PARAMS kernel;
    CUgraphNode stamp = NULL;
    CUgraph graph = breakdown->graph;
    stamps_node(&device->stamps, number, address, wait, arguments, &kernel);
    CUresult result = edit->add_kernel(&stamp, graph, NULL, 0, &kernel);
    for (size_t i = 0; i < breakdown->n_edges && result == CUDA_SUCCESS; i++) {
        const size_t u = place_of(breakdown, breakdown->from[i]);
        const size_t v = place_of(breakdown, breakdown->to[i]);
        if (u >= breakdown->n_nodes || v >= breakdown->n_nodes || breakdown->section[u] >= at ||
            breakdown->section[v] < at)
            continue;
        /* That one is gone already, or that one is there, are errors that mean nothing here. */
        remove_edge(edit, breakdown, i);
        edit->add_edges(graph, &breakdown->from[i], &stamp, 1);
        edit->add_edges(graph, &stamp, &breakdown->to[i], 1);
    }
    return result;
}

/* Takes samples with a stamp before every section from `begin` on, `step` apart; sums[i] and
 * squares[i], unless they are not asked for, are over what follows stamp i. */
static int32_t take(const struct timed_device *timed, const struct gb_measurement *measurement,
                    uint64_t n_samples, uint32_t begin, uint32_t step, double *sums,
                    double *squares)
{
    const struct cuda_device *device = &timed->device;
    const struct driver *driver = &device->driver;
    CUstream stream = measurement->queue->native;
    struct edit_functions edit;
    struct breakdown work;
    CUgraphExec exec = NULL;
    const bool calls_reset = graph_reset_kind(device, measurement) == RESET_CALLED;
    uint32_t n_stamps = 1; /* stamp 0 begins, 1 ends, the others stand between */
    int32_t status = breakdown_new(device, measurement, &work);
    if (status != GB_OK)
        return status;
    CUresult result = find_functions(driver, &edit) ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
    for (uint32_t at = begin; at < work.n_sections && result == CUDA_SUCCESS; at += step)
        if (at > 0)
            result = put_stamp(device, &edit, &work, at, ++n_stamps);
    if (result == CUDA_SUCCESS)
        result = graph_instantiate(device, work.graph, stream, &exec);
    for (uint64_t i = 0; i <= n_samples && result == CUDA_SUCCESS && status == GB_OK; i++) {
        if (calls_reset)
            status = measurement->bench_ops->reset(measurement->bench, measurement->queue);
        result = graph_read(device, exec, stream, n_stamps + 1);
        for (uint32_t j = 0; j < n_stamps && i > 0; j++) { /* the first is for warming up */
            const uint32_t from = j == 0 ? 0 : j + 1;
            const double ns = stamps_between(&device->stamps, from, j + 1 < n_stamps ? j + 2 : 1) -
                              timed->offsets.graph.ns;
            sums[j] += ns;
            if (squares != NULL)
                squares[j] += ns * ns;
        }
    }
    if (exec != NULL)
        driver->graph_exec_destroy(exec);
    breakdown_free(device, &work);
    return status != GB_OK ? status : cuda_status(device, result, "measuring a breakdown");
}

/* --- times --- */

/* Each section's own, and the sums of neighbours, which have the gap between them. */
struct series {
    double own[BREAKDOWN_SECTIONS_MAX], own_squares[BREAKDOWN_SECTIONS_MAX];
    double pairs[2][BREAKDOWN_SECTIONS_MAX];
};

/* Of sections i - 1 and i, in the samples where no stamp stands between. Those with odd i - 1 have
 * one more section before them. */
static double pair_sum(const struct series *series, uint32_t i)
{
    const uint32_t parity = (i - 1) % 2;
    return series->pairs[parity][(i - 1) / 2 + parity];
}

static void work_out(const struct offset *nothing, const struct series *series, double n,
                     uint32_t n_sections, struct section_time *times)
{
    for (uint32_t i = 0; i < n_sections; i++) {
        const double mean = series->own[i] / n;
        const double variance = fmax(series->own_squares[i] / n - mean * mean, 0.0);
        const double error = 1.96 * sqrt(variance / n) + nothing->error_ns;
        times[i] = (struct section_time){mean, mean - error, mean + error, 0.0};
    }
    for (uint32_t i = 1; i < n_sections; i++)
        times[i].gap_ns = pair_sum(series, i) / n - times[i - 1].mean_ns - times[i].mean_ns;
}

/* times holds n_sections values. */
static int32_t breakdown_measure(struct timed_device *timed,
                                 const struct gb_measurement *measurement, uint64_t n_samples,
                                 const struct breakdown *breakdown, struct section_time *times)
{
    static struct series series; /* one at a time; too large for a stack */
    const uint32_t n = breakdown->n_sections;
    memset(&series, 0, sizeof series);
    int32_t status = offsets_update_graph(&timed->offsets, &timed->device,
                                          measurement->queue->native);
    if (status == GB_OK)
        status = take(timed, measurement, n_samples, 1, 1, series.own, series.own_squares);
    if (status == GB_OK && n > 1)
        status = take(timed, measurement, n_samples, 2, 2, series.pairs[0], NULL);
    if (status == GB_OK && n > 2)
        status = take(timed, measurement, n_samples, 1, 2, series.pairs[1], NULL);
    if (status == GB_OK)
        work_out(&timed->offsets.graph, &series, (double)n_samples, n, times);
    return status;
}

/* --- a kernel --- */

/* The name as it was written, where a library of C++ is there to tell. */
static void put_readable(const char *name, char *text, size_t bytes)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", NULL};
    typedef char *demangle_fn(const char *, char *, size_t *, int *);
    void *library = strncmp(name, "_Z", 2) == 0 ? cuda_library_open(libraries) : NULL;
    demangle_fn *demangle = NULL;
    int status = -1;
    if (library != NULL)
        *(void **)&demangle = dlsym(library, "__cxa_demangle");
    char *readable = demangle != NULL ? demangle(name, NULL, NULL, &status) : NULL;
    snprintf(text, bytes, "%s", readable != NULL ? readable : name);
    free(readable);
}

/* Kernels of the runtime's libraries have a function only when they are asked for it. */
static CUfunction function_of(const struct driver *driver, const CUDA_KERNEL_NODE_PARAMS *kernel)
{
    typedef CUresult get_fn(CUfunction *, CUkernel);
    CUfunction function = kernel->func;
    get_fn *get = NULL;
    *(void **)&get = dlsym(driver->library, "cuKernelGetFunction");
    if (function == NULL && kernel->kern != NULL && get != NULL)
        get(&function, kernel->kern);
    return function;
}

static void put_name(const struct driver *driver, CUfunction function, char *text, size_t bytes)
{
    typedef CUresult name_fn(const char **, CUfunction);
    const char *name = NULL;
    name_fn *get = NULL;
    *(void **)&get = dlsym(driver->library, "cuFuncGetName"); /* from CUDA 12.3 on */
    if (get != NULL && get(&name, function) == CUDA_SUCCESS && name != NULL)
        put_readable(name, text, bytes);
}

static double occupancy_of(const struct cuda_device *device, CUfunction function,
                           const CUDA_KERNEL_NODE_PARAMS *kernel, int n_threads)
{
    int n_blocks = 0;
    const uint32_t most = cuda_attribute(&device->driver, device->number,
                                         CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    if (most == 0 || device->driver.occupancy(&n_blocks, function, n_threads,
                                              kernel->sharedMemBytes) != CUDA_SUCCESS)
        return NAN;
    return (double)n_blocks * n_threads / most;
}

static void put_kernel(const struct cuda_device *device, CUgraphNode node,
                       struct gb_activity *activity)
{
    const struct driver *driver = &device->driver;
    CUDA_KERNEL_NODE_PARAMS kernel;
    int n_registers = 0;
    int static_bytes = 0;
    memset(&kernel, 0, sizeof kernel);
    activity->kind = GB_ACTIVITY_KERNEL;
    snprintf(activity->name, sizeof activity->name, "kernel");
    if (driver->graph_node_kernel(node, &kernel) != CUDA_SUCCESS)
        return;
    const uint32_t grid[] = {kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ};
    const uint32_t block[] = {kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ};
    memcpy(activity->grid, grid, sizeof grid);
    memcpy(activity->block, block, sizeof block);
    CUfunction function = function_of(driver, &kernel);
    if (function == NULL)
        return;
    put_name(driver, function, activity->name, sizeof activity->name);
    driver->function_attribute(&n_registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
    driver->function_attribute(&static_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
    activity->registers = (uint32_t)n_registers;
    activity->shared_bytes = (uint64_t)static_bytes + kernel.sharedMemBytes;
    activity->occupancy = occupancy_of(device, function, &kernel,
                                       (int)(block[0] * block[1] * block[2]));
}

/* --- all else --- */

static void put_copy(const struct driver *driver, CUgraphNode node, struct gb_activity *activity)
{
    CUDA_MEMCPY3D copy;
    activity->kind = GB_ACTIVITY_COPY;
    snprintf(activity->name, sizeof activity->name, "copy");
    if (driver->graph_node_copy(node, &copy) != CUDA_SUCCESS)
        return;
    activity->bytes = (uint64_t)copy.WidthInBytes * copy.Height * copy.Depth;
    snprintf(activity->name, sizeof activity->name, "copy %s to %s",
             is_on_host(driver, copy.srcMemoryType, copy.srcDevice) ? "host" : "device",
             is_on_host(driver, copy.dstMemoryType, copy.dstDevice) ? "host" : "device");
}

static void put_fill(const struct driver *driver, CUgraphNode node, struct gb_activity *activity)
{
    CUDA_MEMSET_NODE_PARAMS fill;
    activity->kind = GB_ACTIVITY_FILL;
    snprintf(activity->name, sizeof activity->name, "fill");
    if (driver->graph_node_fill(node, &fill) == CUDA_SUCCESS)
        activity->bytes = (uint64_t)fill.width * fill.height * fill.elementSize;
}

static const char *words_of(CUgraphNodeType type)
{
    switch (type) {
    case CU_GRAPH_NODE_TYPE_HOST:
        return "host function";
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return "graph";
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return "allocate memory";
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return "free memory";
    default:
        return "other";
    }
}

/* False: it does nothing by itself. */
static bool describe_node(const struct cuda_device *device, CUgraphNode node,
                          struct gb_activity *activity)
{
    const struct driver *driver = &device->driver;
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    if (driver->graph_node_type(node, &type) != CUDA_SUCCESS)
        return false;
    switch (type) {
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return false;
    case CU_GRAPH_NODE_TYPE_KERNEL:
        put_kernel(device, node, activity);
        return true;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        put_copy(driver, node, activity);
        return true;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        put_fill(driver, node, activity);
        return true;
    default:
        activity->kind = GB_ACTIVITY_OTHER;
        snprintf(activity->name, sizeof activity->name, "%s", words_of(type));
        return true;
    }
}

/* --- the list --- */

static uint32_t nodes_in_section(const struct breakdown *breakdown, uint32_t section)
{
    uint32_t n = 0;
    for (size_t i = 0; i < breakdown->n_nodes; i++)
        n += breakdown->section[i] == section;
    return n;
}

static void tell(const struct cuda_device *device, const struct breakdown *breakdown,
                 const struct section_time *times, gb_activity_fn *activity, void *context)
{
    for (size_t i = 0; i < breakdown->n_nodes; i++) {
        const uint32_t section = breakdown->section[i];
        struct gb_activity one = {.size = sizeof one,
                                  .occupancy = NAN,
                                  .time_ns = NAN,
                                  .low_ns = NAN,
                                  .high_ns = NAN,
                                  .gap_ns = NAN};
        if (!describe_node(device, breakdown->nodes[i], &one))
            continue;
        one.parallel = nodes_in_section(breakdown, section) > 1 ? section + 1 : 0;
        if (times != NULL) {
            one.time_ns = times[section].mean_ns;
            one.low_ns = times[section].low_ns;
            one.high_ns = times[section].high_ns;
            one.gap_ns = times[section].gap_ns;
        }
        activity(context, &one);
    }
}

static int32_t list_work(struct timed_device *timed, const struct gb_measurement *measurement,
                         uint64_t n_samples, gb_activity_fn *activity, void *context)
{
    const struct cuda_device *device = &timed->device;
    struct breakdown breakdown;
    struct section_time *times = NULL;
    int32_t status = breakdown_new(device, measurement, &breakdown);
    if (status != GB_OK)
        return status;
    if (n_samples > 0) {
        times = calloc(breakdown.n_sections, sizeof *times);
        status = times == NULL
                     ? GB_NO_MEMORY
                     : breakdown_measure(timed, measurement, n_samples, &breakdown, times);
    }
    if (status == GB_OK)
        tell(device, &breakdown, times, activity, context);
    free(times);
    breakdown_free(device, &breakdown);
    return status;
}

static int32_t list(void *object, const struct gb_measurement *measurement, uint64_t n_samples,
                    gb_activity_fn *activity, void *context)
{
    struct timed_device *timed = object;
    struct cuda_device *device = &timed->device;
    const struct gb_host *host = device->host;
    int32_t status = cuda_enter(device, "listing");
    if (status == GB_OK && measurement->cache == GB_CACHE_COLD)
        status = cuda_reserve_flush(device);
    if (status != GB_OK)
        return status;
    if (device->stamps.module == NULL)
        return host->skip(host, "this device has no time stamps");
    way_forget(device, &timed->way);
    cupti_close();
    return list_work(timed, measurement, n_samples, activity, context);
}

const struct gb_activities cuda_activities = {.size = sizeof cuda_activities, .list = list};
