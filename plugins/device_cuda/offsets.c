/* offsets.c - see offsets.h. Plugin side. */
#include "offsets.h"

#include "plugins/common/bench_steps.h"

#include <math.h>
#include <stdlib.h>

enum { PAIRS = 64, LAUNCHES = 64, LAUNCHES_OF_A_LOOK = 4, EVENT_SAMPLES = 129, OBSERVED = 5 };
/* Further apart, a look at the offset says that it has moved, */
static const double MOVED_NS = 8.0;
/* and this far, that launches have become slower: it is less than half of what they do. */
static const double SLOWER_NS = 80.0;

/* The mean of those of n readings that are within some steps of their median, so that what was
 * disturbed does not count. Sorts them. */
static struct offset offset_of(double *readings, size_t n, double step_ns)
{
    struct offset offset = {NAN, NAN};
    const double reach_ns = 4.0 * fmax(step_ns, 16.0);
    double sum = 0.0;
    double squares = 0.0;
    size_t kept = 0;
    if (n == 0)
        return offset;
    qsort(readings, n, sizeof readings[0], compare_doubles);
    const double median = readings[n / 2];
    for (size_t i = 0; i < n; i++) {
        const double off = readings[i] - median;
        if (fabs(off) > reach_ns)
            continue;
        sum += off;
        squares += off * off;
        kept++;
    }
    const double mean = sum / (double)kept;
    const double variance = fmax(squares / (double)kept - mean * mean, 0.0);
    offset.ns = median + mean;
    offset.error_ns = 1.96 * sqrt(variance / (double)kept);
    return offset;
}

/* --- stamped graphs --- */

static CUresult capture(const struct cuda_device *device, CUstream stream, bool is_empty)
{
    const struct stamps *stamps = &device->stamps;
    CUresult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < PAIRS && result == CUDA_SUCCESS; i++) {
        result = stamps_put_first(stamps, stream, 2 * i);
        if (result == CUDA_SUCCESS && is_empty)
            result = stamps_put_empty(stamps, stream);
        if (result == CUDA_SUCCESS)
            result = stamps_put(stamps, stream, 2 * i + 1);
    }
    return result;
}

static CUresult make(const struct cuda_device *device, CUstream stream, bool is_empty,
                     struct graph *ret)
{
    const struct driver *driver = &device->driver;
    CUgraph captured = NULL;
    if (ret->exec != NULL)
        return CUDA_SUCCESS;
    CUresult result = driver->capture_begin(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    if (result != CUDA_SUCCESS)
        return result;
    result = capture(device, stream, is_empty);
    const CUresult ended = driver->capture_end(stream, &captured);
    if (result == CUDA_SUCCESS)
        result = ended;
    if (result == CUDA_SUCCESS)
        result = graph_instantiate(device, captured, stream, &ret->exec);
    if (captured != NULL)
        driver->graph_destroy(captured);
    ret->n = PAIRS;
    return result;
}

/* One launch goes before, as the first after a pause takes longer. */
static CUresult read(const struct cuda_device *device, CUstream stream, const struct graph *graph,
                     size_t n_launches, double *readings)
{
    const struct stamps *stamps = &device->stamps;
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i <= n_launches && result == CUDA_SUCCESS; i++) {
        result = graph_read(device, graph->exec, stream, 2 * PAIRS);
        for (uint32_t j = 0; j < PAIRS && i > 0; j++)
            readings[(i - 1) * PAIRS + j] = stamps_between(stamps, 2 * j, 2 * j + 1);
    }
    return result;
}

static CUresult measure(const struct cuda_device *device, CUstream stream, bool is_empty,
                        size_t n_launches, struct graph *graph, struct offset *ret)
{
    static double readings[LAUNCHES * PAIRS];
    if (device->is_observed)
        n_launches = 1;
    CUresult result = make(device, stream, is_empty, graph);
    if (result == CUDA_SUCCESS)
        result = read(device, stream, graph, n_launches, readings);
    if (result == CUDA_SUCCESS)
        *ret = offset_of(readings, n_launches * PAIRS, device->step_ns);
    return result;
}

int32_t offsets_update_graph(struct offsets *offsets, const struct cuda_device *device,
                             CUstream stream)
{
    struct offset now = {0};
    CUresult result = CUDA_SUCCESS;
    if (offsets->first_ns > 0.0 && device->is_observed)
        return GB_OK;
    if (offsets->first_ns > 0.0) {
        result = measure(device, stream, false, LAUNCHES_OF_A_LOOK, &offsets->nothing, &now);
        if (result == CUDA_SUCCESS && fabs(now.ns - offsets->graph.ns) < MOVED_NS + now.error_ns)
            return GB_OK;
    }
    if (result == CUDA_SUCCESS)
        result = measure(device, stream, false, LAUNCHES, &offsets->nothing, &now);
    if (result != CUDA_SUCCESS)
        return cuda_status(device, result, "measuring what the clock kernel reads of no work");
    offsets->graph = now;
    offsets->has_event = false;
    if (offsets->first_ns == 0.0)
        offsets->first_ns = now.ns;
    return GB_OK;
}

double offsets_slower_ns(const struct offsets *offsets)
{
    const double ns = offsets->graph.ns - offsets->first_ns;
    return ns > SLOWER_NS + 2.0 * offsets->graph.error_ns ? ns : 0.0;
}

bool offsets_have_moved(struct offsets *offsets, const struct cuda_device *device, CUstream stream)
{
    struct offset now = {0};
    if (offsets->first_ns == 0.0 || device->is_observed)
        return false;
    return offsets->will_move ||
           (measure(device, stream, false, LAUNCHES_OF_A_LOOK, &offsets->nothing, &now) ==
                CUDA_SUCCESS &&
            fabs(now.ns - offsets->first_ns) > SLOWER_NS + 2.0 * now.error_ns);
}

/* --- events --- */

static CUresult event_sample(const struct cuda_device *device, CUstream stream, CUevent start,
                             CUevent stop, double *ret_ns)
{
    const struct driver *driver = &device->driver;
    float ms = 0.0f;
    CUresult result = CUDA_SUCCESS;
    if (device->hold != NULL)
        result = hold_begin(device->hold, stream);
    if (result == CUDA_SUCCESS)
        result = driver->event_record(start, stream);
    if (result == CUDA_SUCCESS)
        result = stamps_put_empty(&device->stamps, stream);
    if (result == CUDA_SUCCESS)
        result = driver->event_record(stop, stream);
    if (device->hold != NULL)
        hold_release(device->hold);
    if (result == CUDA_SUCCESS)
        result = driver->stream_synchronize(stream);
    if (result == CUDA_SUCCESS)
        result = driver->event_elapsed(&ms, start, stop);
    *ret_ns = (double)ms * 1e6;
    return result;
}

int32_t offsets_update_event(struct offsets *offsets, const struct cuda_device *device,
                             CUstream stream)
{
    const struct driver *driver = &device->driver;
    double readings[EVENT_SAMPLES];
    const size_t n_samples = device->is_observed ? OBSERVED : EVENT_SAMPLES;
    struct offset empty = {0};
    CUevent start = NULL;
    CUevent stop = NULL;
    if (offsets->has_event)
        return GB_OK;
    CUresult result = measure(device, stream, true, LAUNCHES / 2, &offsets->empty, &empty);
    if (result == CUDA_SUCCESS)
        result = driver->event_create(&start, CU_EVENT_DEFAULT);
    if (result == CUDA_SUCCESS)
        result = driver->event_create(&stop, CU_EVENT_DEFAULT);
    if (device->hold != NULL)
        hold_start(device->hold);
    for (size_t i = 0; i < n_samples && result == CUDA_SUCCESS; i++)
        result = event_sample(device, stream, start, stop, &readings[i]);
    if (device->hold != NULL)
        hold_stop(device->hold);
    if (stop != NULL)
        driver->event_destroy(stop);
    if (start != NULL)
        driver->event_destroy(start);
    if (result != CUDA_SUCCESS)
        return cuda_status(device, result, "measuring what events read of an empty kernel");
    const struct offset around = offset_of(readings, n_samples, 4.0 * device->step_ns);
    const double kernel_ns = empty.ns - offsets->graph.ns;
    offsets->event = (struct offset){
        around.ns - kernel_ns,
        hypot(around.error_ns, hypot(empty.error_ns, offsets->graph.error_ns))};
    offsets->has_event = true;
    return GB_OK;
}

void offsets_free(struct offsets *offsets, const struct cuda_device *device)
{
    graph_free(device, &offsets->nothing);
    graph_free(device, &offsets->empty);
    *offsets = (struct offsets){0};
}
