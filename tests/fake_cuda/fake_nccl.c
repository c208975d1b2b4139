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

static double element(const struct call *call, size_t i)
{
    return call->type == FP32 ? (double)((const float *)call->from)[i]
                              : (double)((const int32_t *)call->from)[i];
}

static void set(const struct call *call, size_t i, double value)
{
    if (call->type == FP32)
        ((float *)call->to)[i] = (float)value;
    else
        ((int32_t *)call->to)[i] = (int32_t)value;
}

static double reduced(int op, double a, double b)
{
    return op == SUM ? a + b : (op == MAX) == (a > b) ? a : b;
}

/* In place, an output is another one's input: all are computed before any is set. */
static void reduce(size_t n_in)
{
    double *results = calloc(n_in, sizeof *results);
    for (size_t i = 0; i < n_in; i++) {
        results[i] = element(&calls[0], i);
        for (int rank = 1; rank < n_calls; rank++)
            results[i] = reduced(calls[0].op, results[i], element(&calls[rank], i));
    }
    for (int rank = 0; rank < n_calls; rank++) {
        const size_t first = calls[rank].kind == REDUCE_SCATTER ? (size_t)rank * calls[rank].n : 0;
        for (size_t i = 0; i < calls[rank].n; i++)
            set(&calls[rank], i, results[first + i]);
    }
    free(results);
}

static void gather(void)
{
    for (int rank = 0; rank < n_calls; rank++) {
        for (int other = 0; other < n_calls; other++)
            memmove((char *)calls[rank].to + (size_t)other * calls[other].n * ELEMENT_BYTES,
                    calls[other].from, calls[other].n * ELEMENT_BYTES);
    }
}

static void broadcast(void)
{
    for (int rank = 0; rank < n_calls; rank++)
        memmove(calls[rank].to, calls[calls[rank].peer].from, calls[rank].n * ELEMENT_BYTES);
}

/* Each send with the first call that receives it. */
static void exchange(void)
{
    for (int i = 0; i < n_calls; i++) {
        struct call *receive = NULL;
        for (int j = 0; j < n_calls && calls[i].kind == SEND && receive == NULL; j++) {
            if (calls[j].kind == RECEIVE && !calls[j].is_done && calls[j].n == calls[i].n &&
                calls[j].communicator->rank == calls[i].peer &&
                calls[j].peer == calls[i].communicator->rank)
                receive = &calls[j];
        }
        if (calls[i].kind == RECEIVE)
            continue;
        expect(receive != NULL);
        if (receive == NULL)
            continue;
        memcpy(receive->to, calls[i].from, receive->n * ELEMENT_BYTES);
        receive->is_done = true;
    }
}

static void compute(void)
{
    const struct call *last = &calls[n_calls - 1];
    switch (calls[0].kind) {
    case ALL_REDUCE:
        reduce(calls[0].n);
        break;
    case REDUCE_SCATTER:
        reduce(calls[0].n * (size_t)n_calls);
        break;
    case ALL_GATHER:
        gather();
        break;
    case BROADCAST:
        broadcast();
        break;
    default:
        exchange();
    }
    if (fake_nccl.is_wrong != 0) {
        const struct call output = {.from = last->to, .to = last->to, .type = last->type};
        set(&output, last->n - 1, element(&output, last->n - 1) + 1);
    }
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

int ncclAllReduce(const void *from, void *to, size_t n, int type, int op, void *communicator,
                  void *stream)
{
    return add((struct call){ALL_REDUCE, communicator, from, to, n, type, op, 0, false}, stream);
}

int ncclReduceScatter(const void *from, void *to, size_t n, int type, int op, void *communicator,
                      void *stream)
{
    return add((struct call){REDUCE_SCATTER, communicator, from, to, n, type, op, 0, false},
               stream);
}

int ncclAllGather(const void *from, void *to, size_t n, int type, void *communicator, void *stream)
{
    return add((struct call){ALL_GATHER, communicator, from, to, n, type, SUM, 0, false}, stream);
}

int ncclBroadcast(const void *from, void *to, size_t n, int type, int root, void *communicator,
                  void *stream)
{
    return add((struct call){BROADCAST, communicator, from, to, n, type, SUM, root, false}, stream);
}

int ncclSend(const void *from, size_t n, int type, int peer, void *communicator, void *stream)
{
    return add((struct call){SEND, communicator, from, NULL, n, type, SUM, peer, false}, stream);
}

int ncclRecv(void *to, size_t n, int type, int peer, void *communicator, void *stream)
{
    return add((struct call){RECEIVE, communicator, to, to, n, type, SUM, peer, false}, stream);
}

#pragma GCC visibility pop
