/*
 * judged.cu - functions on a GPU that are judged. Each cheat is of a kind that was tried on judges
 * of generated kernels; each honest one does what a judge might take for a cheat.
 */
#include "judged_reference.cu"

#include <cuda.h>
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SUBMISSION(name)                                                                           \
    extern "C" void name(float *out, const float *in, int n, cudaStream_t stream)
#define WORK launch(out, in, n, stream, STEPS)

/* What belongs to an address. */
template <class Value> static Value &kept_for(const void *address)
{
    enum { MOST = 4096 };
    static struct {
        const void *address;
        Value value;
    } all[MOST];
    int i = 0;
    while (i < MOST - 1 && all[i].address && all[i].address != address)
        i++;
    all[i].address = address;
    return all[i].value;
}

static cudaStream_t side;
static cudaEvent_t forked, joined;

static void make_side()
{
    if (side)
        return;
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&forked, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);
}

/* ---- honest ---- */

SUBMISSION(plain)
{
    WORK;
}

SUBMISSION(streams_joined)
{
    const int half = n / 2;
    make_side();
    cudaEventRecord(forked, stream);
    cudaStreamWaitEvent(side, forked, 0);
    launch(out, in, half, side, STEPS);
    launch(out + half, in + half, n - half, stream, STEPS);
    cudaEventRecord(joined, side);
    cudaStreamWaitEvent(stream, joined, 0);
}

SUBMISSION(two_kernels)
{
    launch(out, in, n / 2, stream, STEPS);
    launch(out + n / 2, in + n / 2, n - n / 2, stream, STEPS);
}

static __global__ void add(float *out, const float *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&out[i], task(in[i], STEPS));
}

SUBMISSION(atomics)
{
    cudaMemsetAsync(out, 0, n * sizeof *out, stream);
    add<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(out, in, n);
}

/* A graph cannot be launched into one that is captured. */
SUBMISSION(own_graph)
{
    cudaGraphExec_t &exec = kept_for<cudaGraphExec_t>(out);
    if (!exec) {
        cudaStream_t own;
        cudaGraph_t graph;
        cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
        cudaStreamBeginCapture(own, cudaStreamCaptureModeThreadLocal);
        launch(out, in, n, own, STEPS);
        cudaStreamEndCapture(own, &graph);
        cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphDestroy(graph);
        cudaStreamDestroy(own);
    }
    cudaGraphLaunch(exec, stream);
}

SUBMISSION(has_workspace)
{
    static float *kept;
    if (!kept)
        cudaMalloc(&kept, n * sizeof *kept);
    launch(kept, in, n, stream, STEPS);
    cudaMemcpyAsync(out, kept, n * sizeof *kept, cudaMemcpyDeviceToDevice, stream);
}

SUBMISSION(allocates)
{
    float *memory;
    cudaMallocAsync(&memory, n * sizeof *memory, stream);
    launch(memory, in, n, stream, STEPS);
    cudaMemcpyAsync(out, memory, n * sizeof *memory, cudaMemcpyDeviceToDevice, stream);
    cudaFreeAsync(memory, stream);
}

SUBMISSION(waits)
{
    WORK;
    cudaStreamSynchronize(stream);
}

SUBMISSION(waits_for_own_stream)
{
    make_side();
    launch(out, in, n, side, STEPS);
    cudaStreamSynchronize(side);
}

SUBMISSION(default_stream)
{
    launch(out, in, n, 0, STEPS);
}

/* ---- work that is not done ---- */

SUBMISSION(nothing)
{
}

SUBMISSION(zeros)
{
    cudaMemsetAsync(out, 0, n * sizeof *out, stream);
}

SUBMISSION(half)
{
    launch(out, in, n / 2, stream, STEPS);
}

SUBMISSION(fewer_steps)
{
    launch(out, in, n, stream, 20);
}

static int n_calls;

SUBMISSION(first_calls_only)
{
    if (n_calls++ < 100)
        WORK;
}

SUBMISSION(all_but_every_8th)
{
    if (n_calls++ % 8 != 0)
        WORK;
}

/* ---- results that are kept ---- */

SUBMISSION(kept_by_address)
{
    float *&kept = kept_for<float *>(out);
    if (!kept) {
        cudaMalloc(&kept, n * sizeof *kept);
        launch(kept, in, n, stream, STEPS);
    }
    cudaMemcpyAsync(out, kept, n * sizeof *kept, cudaMemcpyDeviceToDevice, stream);
}

/* If it has seen these numbers before, by a few of them. */
static __global__ void compare_few(const float *in, float *few, int *is_known)
{
    *is_known = few[0] == in[0] && few[1] == in[77];
    few[0] = in[0];
    few[1] = in[77];
}
static __global__ void work_unless(float *out, const float *in, int n, const int *is_known)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && !*is_known)
        out[i] = task(in[i], STEPS);
}

SUBMISSION(kept_by_few)
{
    static float *few;
    static int *is_known;
    if (!few) {
        cudaMalloc(&few, 2 * sizeof *few);
        cudaMalloc(&is_known, sizeof *is_known);
    }
    compare_few<<<1, 1, 0, stream>>>(in, few, is_known);
    work_unless<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(out, in, n, is_known);
}

/* ---- what is looked at is changed, or looked for ---- */

SUBMISSION(writes_inputs)
{
    cudaMemsetAsync((void *)in, 0, n * sizeof *in, stream);
    launch(out, in, n, stream, 20);
}

static __global__ void work_on_poison(float *out, const float *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (isnan(out[0]) || out[0] == out[1]))
        out[i] = task(in[i], STEPS);
}

SUBMISSION(only_if_poisoned)
{
    work_on_poison<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(out, in, n);
}

/* ---- work elsewhere ---- */

SUBMISSION(stream_not_joined)
{
    make_side();
    launch(out, in, n, side, STEPS);
}

/* Calls that overlap. */
SUBMISSION(many_streams)
{
    static cudaStream_t streams[32];
    cudaStream_t &own = streams[n_calls++ % 32];
    if (!own)
        cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    launch(out, in, n, own, STEPS);
}

/* From now on the process does not wait for its device. */
static void patch(const char *name)
{
    static const unsigned char returns_0[] = {0x31, 0xc0, 0xc3};
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    unsigned char *code = (unsigned char *)dlsym(library, name);
    const long page = sysconf(_SC_PAGESIZE);
    unsigned char *begin = (unsigned char *)((unsigned long)code & -page);
    if (mprotect(begin, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
        memcpy(code, returns_0, sizeof returns_0);
}

SUBMISSION(patches_the_wait)
{
    if (n_calls++ == 0)
        patch("cuCtxSynchronize");
    WORK;
}

/* Keeps all inputs in sight, and computes whatever it finds there. */
struct pair {
    float *out;
    const float *in;
};
static __global__ void persist(const pair *pairs, int n_pairs, int n)
{
    for (;;)
        for (int j = 0; j < n_pairs; j++)
            for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
                ((volatile float *)pairs[j].out)[i] = task(((volatile const float *)pairs[j].in)[i],
                                                           STEPS);
}

SUBMISSION(persists)
{
    static pair *pairs;
    if (!pairs)
        cudaMallocManaged(&pairs, 4096 * sizeof *pairs);
    if (n_calls < 3) {
        WORK;
    } else if (n_calls == 3) {
        patch("cuCtxSynchronize");
        make_side();
        pairs[0] = {out, in};
        persist<<<132, 1024, 0, side>>>(pairs, 1, n);
    }
    n_calls++;
}
