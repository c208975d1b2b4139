/* graph.c - see graph.h. Plugin side. */
#include "graph.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* --- capturing --- */

/* What the capture's own error says is for the user. A benchmark's failure is taken for the
 * capture's if that failed, too. */
static int32_t explain(const struct cuda_device *device, CUresult result, int32_t status,
                       char reason[GRAPH_REASON_BYTES])
{
    if (status == GB_SKIPPED || status == GB_DEVICE_ERROR)
        return status;
    if (driver_error_is_sticky(result))
        return cuda_status(device, result, "capturing");
    if (result == CUDA_SUCCESS) {
        snprintf(reason, GRAPH_REASON_BYTES, "run fails during capture");
        return GB_OK;
    }
    char words[128];
    driver_error_words(&device->driver, result, words, sizeof words);
    snprintf(reason, GRAPH_REASON_BYTES, "run cannot be captured: %s", words);
    return GB_OK;
}

struct capture {
    const struct cuda_device *device;
    const struct gb_measurement *measurement;
    CUstream stream;
    CUresult result;
    int32_t status; /* of the benchmark */
};

static bool capture_begin(struct capture *capture, const struct cuda_device *device,
                          const struct gb_measurement *measurement)
{
    *capture = (struct capture){device, measurement, measurement->queue->native, CUDA_SUCCESS,
                                GB_OK};
    capture->result = device->driver.capture_begin(capture->stream,
                                                   CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    return capture->result == CUDA_SUCCESS;
}

/* The first error counts, the capture's own, which explains the others, before all. */
static CUgraph capture_end(struct capture *capture)
{
    CUgraph graph = NULL;
    const CUresult result = capture->device->driver.capture_end(capture->stream, &graph);
    if (result != CUDA_SUCCESS)
        capture->result = result;
    if (capture->status == GB_OK && capture->result == CUDA_SUCCESS)
        return graph;
    if (graph != NULL)
        capture->device->driver.graph_destroy(graph);
    return NULL;
}

static bool is_whole(const struct capture *capture)
{
    return capture->status == GB_OK && capture->result == CUDA_SUCCESS;
}

static void call_run(struct capture *capture)
{
    const struct gb_measurement *measurement = capture->measurement;
    if (is_whole(capture))
        capture->status = measurement->bench_ops->run(measurement->bench, measurement->queue,
                                                      measurement->iterations);
}

static void call_reset(struct capture *capture)
{
    const struct gb_measurement *measurement = capture->measurement;
    if (is_whole(capture))
        capture->status = measurement->bench_ops->reset(measurement->bench, measurement->queue);
}

static void put_sample(struct capture *capture, uint32_t i, bool has_reset)
{
    const struct cuda_device *device = capture->device;
    const struct gb_measurement *measurement = capture->measurement;
    const struct driver *driver = &device->driver;
    if (measurement->gap_ns > 0.0)
        capture->result = stamps_put_idle(&device->stamps, capture->stream, measurement->gap_ns);
    if (has_reset)
        call_reset(capture);
    if (is_whole(capture) && measurement->cache == GB_CACHE_COLD)
        capture->result = driver->fill_async(device->flush, 0, device->flush_bytes,
                                             capture->stream);
    if (is_whole(capture))
        capture->result = stamps_put_first(&device->stamps, capture->stream, 2 * i);
    call_run(capture);
    if (is_whole(capture))
        capture->result = stamps_put(&device->stamps, capture->stream, 2 * i + 1);
}

/* Of n samples, or n plain calls of run. NULL: they cannot be captured, for that reason. */
static int32_t capture_calls(const struct cuda_device *device,
                             const struct gb_measurement *measurement, uint32_t n, bool is_stamped,
                             bool has_reset, CUgraph *ret_graph, char reason[GRAPH_REASON_BYTES])
{
    struct capture capture;
    reason[0] = '\0';
    *ret_graph = NULL;
    if (!capture_begin(&capture, device, measurement))
        return cuda_status(device, capture.result, "beginning to capture a graph");
    for (uint32_t i = 0; i < n && is_whole(&capture); i++) {
        if (is_stamped)
            put_sample(&capture, i, has_reset);
        else
            call_run(&capture);
    }
    *ret_graph = capture_end(&capture);
    return *ret_graph != NULL ? GB_OK : explain(device, capture.result, capture.status, reason);
}

/* --- what was captured --- */

bool is_on_host(const struct driver *driver, CUmemorytype type, CUdeviceptr address)
{
    unsigned where = 0;
    if (type != CU_MEMORYTYPE_UNIFIED)
        return type == CU_MEMORYTYPE_HOST;
    return driver->pointer_attribute(&where, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) !=
               CUDA_SUCCESS ||
           where == CU_MEMORYTYPE_HOST;
}

static bool copies_host(const struct driver *driver, CUgraphNode node)
{
    CUDA_MEMCPY3D copy;
    if (driver->graph_node_copy(node, &copy) != CUDA_SUCCESS)
        return true;
    return is_on_host(driver, copy.srcMemoryType, copy.srcDevice) ||
           is_on_host(driver, copy.dstMemoryType, copy.dstDevice);
}

/* One that does not come last has one node after it, and one is the first. In this form drivers
 * have the function since CUDA 10, whatever the header calls by its name. */
static bool is_chain(const struct driver *driver, CUgraph graph, const CUgraphNode *nodes, size_t n)
{
    CUresult (*dependents)(CUgraphNode, CUgraphNode *, size_t *) = NULL;
    size_t n_next = 0;
    *(void **)&dependents = dlsym(driver->library, "cuGraphNodeGetDependentNodes");
    if (dependents == NULL || driver->graph_roots(graph, NULL, &n_next) != CUDA_SUCCESS)
        return true;
    bool is_one = n_next <= 1;
    for (size_t i = 0; i < n && is_one; i++)
        is_one = dependents(nodes[i], NULL, &n_next) != CUDA_SUCCESS || n_next <= 1;
    return is_one;
}

static CUresult look(const struct driver *driver, CUgraph graph, struct graph_content *content);

static CUresult look_at_node(const struct driver *driver, CUgraphNode node,
                             struct graph_content *content)
{
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    CUgraph inner = NULL;
    CUresult result = driver->graph_node_type(node, &type);
    if (result != CUDA_SUCCESS)
        return result;
    switch (type) {
    case CU_GRAPH_NODE_TYPE_GRAPH:
        result = driver->graph_node_graph(node, &inner);
        return result == CUDA_SUCCESS ? look(driver, inner, content) : result;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        content->crosses_host |= copies_host(driver, node);
        break;
    case CU_GRAPH_NODE_TYPE_HOST:
        content->crosses_host = true;
        break;
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return CUDA_SUCCESS;
    default:
        break;
    }
    content->n_operations++;
    return CUDA_SUCCESS;
}

static CUresult look(const struct driver *driver, CUgraph graph, struct graph_content *content)
{
    size_t n = 0;
    CUresult result = driver->graph_nodes(graph, NULL, &n);
    if (result != CUDA_SUCCESS || n == 0)
        return result;
    CUgraphNode *nodes = calloc(n, sizeof(CUgraphNode));
    if (nodes == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    result = driver->graph_nodes(graph, nodes, &n);
    for (size_t i = 0; i < n && result == CUDA_SUCCESS; i++)
        result = look_at_node(driver, nodes[i], content);
    content->is_parallel |= result == CUDA_SUCCESS && !is_chain(driver, graph, nodes, n);
    free(nodes);
    return result;
}

int32_t graph_look_at_run(const struct cuda_device *device,
                          const struct gb_measurement *measurement, struct graph_content *ret,
                          char reason[GRAPH_REASON_BYTES])
{
    CUgraph graph = NULL;
    const int32_t status = capture_calls(device, measurement, 1, false, false, &graph, reason);
    *ret = (struct graph_content){0};
    if (graph == NULL)
        return status;
    const CUresult result = look(&device->driver, graph, ret);
    device->driver.graph_destroy(graph);
    return cuda_status(device, result, "looking at the captured graph");
}

int32_t graph_reset_kind(const struct cuda_device *device, const struct gb_measurement *measurement)
{
    struct capture capture;
    size_t n = 0;
    if (measurement->bench_ops->reset == NULL)
        return RESET_NONE;
    if (!capture_begin(&capture, device, measurement))
        return RESET_CALLED;
    call_reset(&capture);
    CUgraph graph = capture_end(&capture);
    if (graph == NULL)
        return RESET_CALLED;
    if (device->driver.graph_nodes(graph, NULL, &n) != CUDA_SUCCESS)
        n = 0;
    device->driver.graph_destroy(graph);
    return n > 0 ? RESET_CAPTURED : RESET_CALLED;
}

/* --- samples --- */

CUresult graph_instantiate(const struct cuda_device *device, CUgraph captured, CUstream stream,
                           CUgraphExec *ret)
{
    const struct driver *driver = &device->driver;
    CUresult result = driver->graph_instantiate(ret, captured, 0);
    if (result == CUDA_SUCCESS)
        result = driver->graph_upload(*ret, stream);
    if (result == CUDA_SUCCESS)
        result = driver->stream_synchronize(stream);
    return result;
}

int32_t graph_capture_sample(const struct cuda_device *device,
                             const struct gb_measurement *measurement, CUgraph *ret_graph,
                             char reason[GRAPH_REASON_BYTES])
{
    const bool has_reset = graph_reset_kind(device, measurement) == RESET_CAPTURED;
    return capture_calls(device, measurement, 1, true, has_reset, ret_graph, reason);
}

int32_t graph_make(const struct cuda_device *device, const struct gb_measurement *measurement,
                   uint32_t n, bool is_stamped, bool has_reset, struct graph *ret,
                   char reason[GRAPH_REASON_BYTES])
{
    CUgraph captured = NULL;
    *ret = (struct graph){.n = n};
    const int32_t status = capture_calls(device, measurement, n, is_stamped, has_reset, &captured,
                                         reason);
    if (captured == NULL)
        return status;
    const CUresult result = graph_instantiate(device, captured, measurement->queue->native,
                                              &ret->exec);
    device->driver.graph_destroy(captured);
    if (result == CUDA_SUCCESS)
        return GB_OK;
    graph_free(device, ret);
    return explain(device, result, GB_OK, reason);
}

CUresult graph_read(const struct cuda_device *device, CUgraphExec exec, CUstream stream,
                    uint32_t n_stamps)
{
    const CUresult result = device->driver.graph_launch(exec, stream);
    return result == CUDA_SUCCESS ? stamps_read(&device->stamps, stream, n_stamps) : result;
}

void graph_free(const struct cuda_device *device, struct graph *graph)
{
    if (graph->exec != NULL)
        device->driver.graph_exec_destroy(graph->exec);
    *graph = (struct graph){0};
}
