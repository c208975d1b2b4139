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
             "launch = graph: what run does can not be captured%s%s: it may only put work on its "
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

static int32_t instantiate(struct cuda_device *device, const struct gb_measurement *measurement,
                           CUgraph graph)
{
    const struct driver *driver = &device->driver;
    size_t n_nodes = 0;
    CUresult result = driver->graph_nodes(graph, NULL, &n_nodes);
    if (result == CUDA_SUCCESS && n_nodes == 0)
        return device->host->fail(device->host,
                                  "launch = graph: run put no work on its queue to capture");
    CUgraphExec exec = NULL;
    if (result == CUDA_SUCCESS)
        result = driver->graph_instantiate(&exec, graph, 0);
    if (result == CUDA_SUCCESS)
        device->graph = (struct graph){exec, measurement->bench, measurement->iterations, n_nodes};
    if (result == CUDA_SUCCESS)
        result = driver->graph_upload(exec, measurement->queue->native);
    if (result == CUDA_SUCCESS)
        result = driver->stream_synchronize(measurement->queue->native);
    return cuda_status(device, result, "making a graph of what was captured");
}

int32_t graph_capture(struct cuda_device *device, const struct gb_measurement *measurement)
{
    CUgraph graph = NULL;
    if (device->graph.exec != NULL && device->graph.bench == measurement->bench &&
        device->graph.iterations == measurement->iterations)
        return GB_OK;
    graph_forget(device);
    int32_t status = capture(device, measurement, &graph);
    if (status != GB_OK)
        return status;
    status = instantiate(device, measurement, graph);
    device->driver.graph_destroy(graph);
    return status;
}

void graph_forget(struct cuda_device *device)
{
    if (device->graph.exec != NULL)
        device->driver.graph_exec_destroy(device->graph.exec);
    device->graph = (struct graph){0};
}
