/* graph.c - see graph.h. Plugin side. */
#include "graph.h"

#include "cuda_device.h"

#include <stdio.h>

enum { TEXT_BYTES = 512 };

/* The capture's own error says more than what run made of it; both are for the user. */
static int32_t explain(const struct cuda_device *device, CUresult result, int32_t run_status)
{
    char words[128];
    char text[TEXT_BYTES];
    if (run_status == GB_SKIPPED || run_status == GB_DEVICE_ERROR)
        return run_status;
    driver_error_words(&device->driver, result, words, sizeof words);
    snprintf(text, sizeof text,
             "launch = graph: what run does cannot be captured%s%s: it may only put work on its "
             "queue and on streams that it joins back, and not wait, copy to pageable memory or "
             "allocate",
             result != CUDA_SUCCESS ? ": " : "", result != CUDA_SUCCESS ? words : "");
    device->host->fail(device->host, text);
    device->host->log(device->host, GB_LOG_ERROR, text);
    return driver_error_is_sticky(result) ? GB_DEVICE_ERROR : GB_FAILED;
}

static int32_t capture(const struct cuda_device *device, const struct gb_measurement *measurement,
                       CUgraph *ret_graph)
{
    const struct driver *driver = &device->driver;
    CUstream stream = measurement->queue->native;
    CUgraph graph = NULL;
    CUresult result = driver->capture_begin(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    if (result != CUDA_SUCCESS)
        return cuda_status(device, result, "beginning to capture a graph");
    const int32_t status = measurement->bench_ops->run(measurement->bench, measurement->queue,
                                                       measurement->iterations);
    result = driver->capture_end(stream, &graph);
    if (status == GB_OK && result == CUDA_SUCCESS) {
        *ret_graph = graph;
        return GB_OK;
    }
    if (graph != NULL)
        driver->graph_destroy(graph);
    return explain(device, result, status);
}

/* How a graph is traced is fixed when it is instantiated: CUPTI crashes if it is changed later. A
 * single node is traced itself, as it would be outside of a graph; several slow each other when
 * each is recorded, so that the graph is, unless their own times are wanted. */
static int32_t choose_trace(struct cuda_device *device, const struct gb_measurement *measurement,
                            CUgraph captured)
{
    size_t n_nodes = 0;
    const CUresult result = device->driver.graph_nodes(captured, NULL, &n_nodes);
    if (result == CUDA_SUCCESS && n_nodes == 0)
        return device->host->fail(device->host,
                                  "launch = graph: run put no work on its queue to capture");
    const uint32_t kind = device->kinds[measurement->clock];
    device->graph.is_traced_whole = kind == CLOCK_KERNEL && n_nodes > 1;
    const int32_t status = cuda_status(device, result, "looking at the captured graph");
    return status != GB_OK ? status : cuda_trace(device, kind, device->graph.is_traced_whole);
}

static int32_t instantiate(struct cuda_device *device, const struct gb_measurement *measurement,
                           CUgraph captured)
{
    const struct driver *driver = &device->driver;
    struct graph *graph = &device->graph;
    CUgraphExec exec = NULL;
    CUresult result = driver->graph_instantiate(&exec, captured, 0);
    if (result == CUDA_SUCCESS) {
        graph->exec = exec;
        graph->bench = measurement->bench;
        graph->iterations = measurement->iterations;
        graph->clock = measurement->clock;
        result = driver->graph_upload(exec, measurement->queue->native);
    }
    if (result == CUDA_SUCCESS)
        result = driver->stream_synchronize(measurement->queue->native);
    return cuda_status(device, result, "making a graph of what was captured");
}

int32_t graph_capture(struct cuda_device *device, const struct gb_measurement *measurement)
{
    const struct graph *graph = &device->graph;
    CUgraph captured = NULL;
    if (graph->exec != NULL && graph->bench == measurement->bench &&
        graph->iterations == measurement->iterations && graph->clock == measurement->clock)
        return GB_OK;
    graph_forget(device);
    int32_t status = capture(device, measurement, &captured);
    if (status != GB_OK)
        return status;
    status = choose_trace(device, measurement, captured);
    if (status == GB_OK)
        status = instantiate(device, measurement, captured);
    device->driver.graph_destroy(captured);
    return status;
}

void graph_forget(struct cuda_device *device)
{
    if (device->graph.exec != NULL)
        device->driver.graph_exec_destroy(device->graph.exec);
    device->graph = (struct graph){0};
}
