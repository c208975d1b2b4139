/* fake_nccl.c - see fake_nccl.h. */
#include "tests/fake_cuda/fake_nccl.h"

#include "plugins/bench_nccl/library.h"
#include "tests/fake_cuda/fake_cuda.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { INT32 = 2, FP32 = 7, ELEMENT_BYTES = 4 };
enum { SUM = 0, MAX = 2, MIN = 3 };
enum { INTERNAL_ERROR = 3, INVALID_ARGUMENT = 4 };
enum kind { ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER, BROADCAST, SEND, RECEIVE };

struct communicator {
    int rank, n_ranks;
};

struct call {
    enum kind kind;
    const struct communicator *communicator;
    const void *from;
    void *to;
    size_t n;
    int type, op, peer;
    bool is_done;
};

__attribute__((visibility("default"))) struct fake_nccl fake_nccl;
static struct call calls[FAKE_NCCL_CALLS_MAX];
static void *inputs[FAKE_NCCL_CALLS_MAX];
static int n_calls;
static bool is_grouped;

#pragma GCC visibility push(default)

static int next_call(void)
{
    fake_nccl.n_calls++;
    return fake_nccl.n_calls == fake_nccl.fail_at ? INTERNAL_ERROR : 0;
}

static void expect(bool is_right)
{
    fake_nccl.n_wrong += !is_right;
}

int ncclGetVersion(int *version)
{
    *version = 22809;
    return 0;
}

const char *ncclGetErrorString(int result)
{
    return result == INTERNAL_ERROR ? "internal error" : "invalid argument";
}

int ncclCommInitAll(void **communicators, int n_devices, const int *devices)
{
    const int result = next_call();
    for (int i = 0; i < n_devices && result == 0; i++) {
        struct communicator *made = malloc(sizeof *made);
        *made = (struct communicator){.rank = i, .n_ranks = n_devices};
        communicators[i] = made;
        fake_nccl.devices[i] = devices[i];
        fake_nccl.n_live++;
    }
    return result;
}

int ncclCommDestroy(void *communicator)
{
    fake_nccl.n_live--;
    free(communicator);
    return 0;
}

/* --- what a group does --- */

static double element(const struct call *call, const void *array, size_t i)
{
    return call->type == FP32 ? (double)((const float *)array)[i]
                              : (double)((const int32_t *)array)[i];
}

static void set(const struct call *call, size_t i, double value)
{
    if (call->type == FP32)
        ((float *)call->to)[i] = (float)value;
    else
        ((int32_t *)call->to)[i] = (int32_t)value;
}

static double reduced(size_t i)
{
    double result = element(&calls[0], inputs[0], i);
    for (int rank = 1; rank < n_calls; rank++) {
        const double other = element(&calls[0], inputs[rank], i);
        result = calls[0].op == SUM                         ? result + other
                 : (calls[0].op == MAX) == (result > other) ? result
                                                            : other;
    }
    return result;
}

/* In place, an output is another one's input, which is copied before any is set. */
static void collect(void)
{
    const enum kind kind = calls[0].kind;
    const size_t n = calls[0].n, n_ranks = (size_t)n_calls;
    const size_t n_out = kind == ALL_GATHER ? n * n_ranks : n;
    for (size_t rank = 0; rank < n_ranks; rank++) {
        const size_t bytes = ELEMENT_BYTES * n * (kind == REDUCE_SCATTER ? n_ranks : 1);
        inputs[rank] = malloc(bytes);
        memcpy(inputs[rank], calls[rank].from, bytes);
    }
    for (size_t rank = 0; rank < n_ranks; rank++) {
        const struct call *call = &calls[rank];
        for (size_t i = 0; i < n_out; i++)
            set(call, i,
                kind == ALL_GATHER  ? element(call, inputs[i / n], i % n)
                : kind == BROADCAST ? element(call, inputs[call->peer], i)
                                    : reduced(i + (kind == REDUCE_SCATTER ? rank * n : 0)));
    }
    for (size_t rank = 0; rank < n_ranks; rank++)
        free(inputs[rank]);
}

static bool receives(const struct call *receive, const struct call *send)
{
    return receive->kind == RECEIVE && !receive->is_done && receive->n == send->n &&
           receive->communicator->rank == send->peer && receive->peer == send->communicator->rank;
}

/* Each send with the first call that receives it. */
static void exchange(void)
{
    for (int i = 0; i < n_calls; i++) {
        int j = 0;
        while (j < n_calls && calls[i].kind == SEND && !receives(&calls[j], &calls[i]))
            j++;
        expect(j < n_calls);
        if (calls[i].kind == SEND && j < n_calls) {
            memcpy(calls[j].to, calls[i].from, calls[j].n * ELEMENT_BYTES);
            calls[j].is_done = true;
        }
    }
}

static void compute(void)
{
    const struct call *last = &calls[n_calls - 1];
    if (calls[0].kind >= SEND)
        exchange();
    else
        collect();
    if (fake_nccl.is_wrong != 0)
        set(last, last->n - 1, element(last, last->to, last->n - 1) + 1);
}

/* --- calls --- */

int ncclGroupStart(void)
{
    expect(!is_grouped);
    is_grouped = true;
    n_calls = 0;
    return next_call();
}

int ncclGroupEnd(void)
{
    const int result = next_call();
    expect(is_grouped);
    is_grouped = false;
    if (result != 0 || n_calls == 0)
        return result;
    for (int i = 0; i < n_calls; i++) {
        expect(calls[i].type == calls[0].type && calls[i].op == calls[0].op);
        if (calls[0].kind < SEND)
            expect(n_calls == calls[0].communicator->n_ranks && calls[i].communicator->rank == i &&
                   calls[i].kind == calls[0].kind && calls[i].n == calls[0].n);
    }
    fake_nccl.n_groups++;
    if (fake_nccl.is_idle == 0 || fake_nccl.n_groups == 1)
        compute();
    return 0;
}

static bool is_enqueued(void *stream)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    fake_cuda_enqueue_fn *enqueue = NULL;
    if (driver == NULL)
        return false;
    *(void **)&enqueue = dlsym(driver, "fake_cuda_enqueue");
    return enqueue != NULL && enqueue(stream) != 0;
}

static int add(struct call call, void *stream)
{
    const int result = next_call();
    if (result != 0)
        return result;
    if (n_calls == FAKE_NCCL_CALLS_MAX || (call.type != FP32 && call.type != INT32))
        return INVALID_ARGUMENT;
    expect(is_grouped && is_enqueued(stream));
    calls[n_calls++] = call;
    return 0;
}

#define CALLS(name, parameters, ...)                                                               \
    int name parameters                                                                            \
    {                                                                                              \
        return add((struct call){.communicator = communicator, .n = n, .type = type, __VA_ARGS__}, \
                   stream);                                                                        \
    }
#define WITH_OP                                                                                    \
    (const void *from, void *to, size_t n, int type, int op, void *communicator, void *stream)
CALLS(ncclAllReduce, WITH_OP, .kind = ALL_REDUCE, .from = from, .to = to, .op = op)
CALLS(ncclReduceScatter, WITH_OP, .kind = REDUCE_SCATTER, .from = from, .to = to, .op = op)
CALLS(ncclAllGather,
      (const void *from, void *to, size_t n, int type, void *communicator, void *stream),
      .kind = ALL_GATHER, .from = from, .to = to)
CALLS(ncclBroadcast,
      (const void *from, void *to, size_t n, int type, int root, void *communicator, void *stream),
      .kind = BROADCAST, .from = from, .to = to, .peer = root)
CALLS(ncclSend, (const void *from, size_t n, int type, int peer, void *communicator, void *stream),
      .kind = SEND, .from = from, .peer = peer)
CALLS(ncclRecv, (void *to, size_t n, int type, int peer, void *communicator, void *stream),
      .kind = RECEIVE, .from = to, .to = to, .peer = peer)

#pragma GCC visibility pop
