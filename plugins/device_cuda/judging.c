/*
 * judging.c - what judging code that is not trusted needs of a GPU: memory that two processes have
 * at the same address, kernels of the judge, a graph of many calls. Plugin side.
 */
#define _GNU_SOURCE
#include "graph.h"
#include "plugins/common/bench_steps.h"
#include "timed_device.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/*
 * gbrun_gather: parts of a block, one for each row of the grid, to one behind the other.
 *
 * gbrun_fill: the numbers of gb_fill, which gbrun draws on the host by Philox 4x32-10: whole ones
 * of `count` from `first` on, without bias (`reject`: below it the low half of the product is drawn
 * again); real ones where count is 0. Kinds: 0 64 bits, 1 32 bits, 2 half, 3 bfloat16, which is
 * rounded once, by way of a float rounded to odd.
 */
static const char image[] =
    ".version 6.3\n.target sm_70\n.address_size 64\n"
    ".visible .entry gbrun_gather(.param .u64 to, .param .u64 from, .param .u64 bytes,\n"
    "    .param .align 4 .b8 which[256])\n{\n"
    ".reg .u32 %r<8>;\n.reg .u64 %d<8>;\n.reg .pred %p;\n"
    "ld.param.u64 %d0, [to];\nld.param.u64 %d1, [from];\nld.param.u64 %d2, [bytes];\n"
    "mov.u32 %r0, %ctaid.y;\nmov.b64 %d3, which;\nmul.wide.u32 %d4, %r0, 4;\n"
    "add.u64 %d3, %d3, %d4;\nld.param.u32 %r1, [%d3];\n"
    "cvt.u64.u32 %d3, %r0;\nmad.lo.u64 %d0, %d3, %d2, %d0;\n"
    "cvt.u64.u32 %d3, %r1;\nmad.lo.u64 %d1, %d3, %d2, %d1;\n"
    "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %ntid.x;\nmov.u32 %r2, %tid.x;\n"
    "mov.u32 %r3, %nctaid.x;\nmul.wide.u32 %d3, %r0, %r1;\ncvt.u64.u32 %d4, %r2;\n"
    "add.u64 %d3, %d3, %d4;\nshl.b64 %d3, %d3, 4;\n"
    "mul.wide.u32 %d4, %r1, %r3;\nshl.b64 %d4, %d4, 4;\n"
    "next:\nsetp.ge.u64 %p, %d3, %d2;\n@%p bra done;\n"
    "add.u64 %d5, %d1, %d3;\nadd.u64 %d6, %d0, %d3;\n"
    "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d5];\n"
    "st.global.v4.u32 [%d6], {%r4, %r5, %r6, %r7};\n"
    "add.u64 %d3, %d3, %d4;\nbra next;\ndone:\nret;\n}\n"
    ".visible .entry gbrun_fill(.param .u64 to, .param .u64 n, .param .u32 kind, .param .u64 "
    "seed,\n"
    "    .param .u64 stream, .param .f64 low, .param .f64 span, .param .u64 first,\n"
    "    .param .u64 count, .param .u64 reject)\n{\n"
    ".reg .u32 %r<12>, %kind;\n.reg .u64 %d<4>, %i, %n, %to, %seed, %stream, %first, %count,\n"
    "    %reject, %step;\n.reg .f64 %f<4>;\n.reg .f32 %g;\n.reg .b16 %h;\n.reg .pred %p;\n"
    "ld.param.u64 %to, [to];\nld.param.u64 %n, [n];\nld.param.u32 %kind, [kind];\n"
    "ld.param.u64 %seed, [seed];\nld.param.u64 %stream, [stream];\nld.param.f64 %f0, [low];\n"
    "ld.param.f64 %f1, [span];\nld.param.u64 %first, [first];\nld.param.u64 %count, [count];\n"
    "ld.param.u64 %reject, [reject];\n"
    "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %ntid.x;\nmov.u32 %r2, %tid.x;\n"
    "mul.wide.u32 %i, %r0, %r1;\ncvt.u64.u32 %d0, %r2;\nadd.u64 %i, %i, %d0;\n"
    "mov.u32 %r0, %nctaid.x;\nmul.wide.u32 %step, %r0, %r1;\n"
    "element:\nsetp.ge.u64 %p, %i, %n;\n@%p bra done;\nmov.u64 %d3, %stream;\n"
    "draw:\nmov.b64 {%r0, %r1}, %i;\nmov.b64 {%r2, %r3}, %d3;\nmov.b64 {%r4, %r5}, %seed;\n"
    "mov.u32 %r6, 10;\n"
    "round:\nmul.wide.u32 %d0, %r0, 0xD2511F53;\nmul.wide.u32 %d1, %r2, 0xCD9E8D57;\n"
    "mov.b64 {%r7, %r8}, %d0;\nmov.b64 {%r9, %r10}, %d1;\n"
    "xor.b32 %r0, %r10, %r1;\nxor.b32 %r0, %r0, %r4;\nmov.u32 %r1, %r9;\n"
    "xor.b32 %r2, %r8, %r3;\nxor.b32 %r2, %r2, %r5;\nmov.u32 %r3, %r7;\n"
    "add.u32 %r4, %r4, 0x9E3779B9;\nadd.u32 %r5, %r5, 0xBB67AE85;\n"
    "sub.u32 %r6, %r6, 1;\nsetp.ne.u32 %p, %r6, 0;\n@%p bra round;\n"
    "mov.b64 %d0, {%r0, %r1};\nsetp.eq.u64 %p, %count, 0;\n@%p bra real;\n"
    "mul.lo.u64 %d1, %d0, %count;\nadd.u64 %d3, %d3, 0x9E3779B97F4A7C15;\n"
    "setp.lt.u64 %p, %d1, %reject;\n@%p bra draw;\n"
    "mul.hi.u64 %d1, %d0, %count;\nadd.u64 %d1, %d1, %first;\n"
    "setp.eq.u32 %p, %kind, 0;\n@%p bra long;\ncvt.u32.u64 %r0, %d1;\n"
    "word:\nshl.b64 %d2, %i, 2;\nadd.u64 %d2, %d2, %to;\nst.global.u32 [%d2], %r0;\n"
    "add.u64 %i, %i, %step;\nbra element;\n"
    "long:\nshl.b64 %d2, %i, 3;\nadd.u64 %d2, %d2, %to;\nst.global.u64 [%d2], %d1;\n"
    "add.u64 %i, %i, %step;\nbra element;\n"
    "real:\nshr.u64 %d0, %d0, 11;\ncvt.rn.f64.u64 %f2, %d0;\n"
    "mul.rn.f64 %f2, %f2, 0d3CA0000000000000;\nfma.rn.f64 %f2, %f2, %f1, %f0;\n"
    "mov.b64 %d1, %f2;\nsetp.eq.u32 %p, %kind, 0;\n@%p bra long;\n"
    "cvt.rn.f32.f64 %g, %f2;\nmov.b32 %r0, %g;\nsetp.eq.u32 %p, %kind, 1;\n@%p bra word;\n"
    "cvt.rn.f16.f64 %h, %f2;\nsetp.eq.u32 %p, %kind, 2;\n@%p bra half;\n"
    "cvt.rz.f32.f64 %g, %f2;\ncvt.f64.f32 %f3, %g;\nmov.b32 %r0, %g;\n"
    "setp.neu.f64 %p, %f3, %f2;\nselp.u32 %r1, 1, 0, %p;\nor.b32 %r0, %r0, %r1;\n"
    "shr.u32 %r1, %r0, 16;\nand.b32 %r1, %r1, 1;\nadd.u32 %r0, %r0, %r1;\n"
    "add.u32 %r0, %r0, 0x7FFF;\nshr.u32 %r0, %r0, 16;\ncvt.u16.u32 %h, %r0;\n"
    "half:\nshl.b64 %d2, %i, 1;\nadd.u64 %d2, %d2, %to;\nst.global.b16 [%d2], %h;\n"
    "add.u64 %i, %i, %step;\nbra element;\ndone:\nret;\n}\n";

enum { THREADS = 256, BLOCKS_MOST = 2048, FILE_LEAST = 16 };
/* Far from programs, heaps and stacks, and from what gbrun shares of the host's memory. */
static const CUdeviceptr lowest = (CUdeviceptr)3 << 44, address_step = (CUdeviceptr)1 << 38;

/* ---- memory ---- */

/* X(member, symbol) */
#define MEMORY_FUNCTIONS(X)                                                                        \
    X(granularity, cuMemGetAllocationGranularity)                                                  \
    X(create, cuMemCreate)                                                                         \
    X(give, cuMemExportToShareableHandle)                                                          \
    X(take, cuMemImportFromShareableHandle)                                                        \
    X(drop, cuMemRelease)                                                                          \
    X(reserve, cuMemAddressReserve)                                                                \
    X(unreserve, cuMemAddressFree)                                                                 \
    X(map, cuMemMap)                                                                               \
    X(unmap, cuMemUnmap)                                                                           \
    X(allow, cuMemSetAccess)

struct memory_functions {
    MEMORY_FUNCTIONS(SYMBOL_MEMBER)
};

static CUresult find_memory_functions(const struct cuda_device *device,
                                      struct memory_functions *functions)
{
    const struct symbol symbols[] = {MEMORY_FUNCTIONS(SYMBOL_LINE)};
    return FIND_SYMBOLS(device->driver.library, symbols) == NULL ? CUDA_SUCCESS
                                                                 : CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult reserve(const struct memory_functions *memory, size_t bytes, CUdeviceptr wanted,
                        CUdeviceptr *ret)
{
    CUresult result = memory->reserve(ret, bytes, 0, wanted, 0);
    if (result == CUDA_SUCCESS && *ret != wanted) {
        memory->unreserve(*ret, bytes);
        result = CUDA_ERROR_INVALID_ADDRESS_SPACE;
    }
    return result;
}

static CUresult map_whole(const struct cuda_device *device, const struct memory_functions *memory,
                          CUmemGenericAllocationHandle handle, CUdeviceptr base, size_t bytes)
{
    const CUmemAccessDesc access = {
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device->number},
        .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUresult result = memory->map(base, bytes, 0, handle, 0);
    if (result == CUDA_SUCCESS)
        result = memory->allow(base, bytes, &access, 1);
    return result;
}

/* Any address will do, if the other process is likely to have it free as well. */
static CUresult reserve_any(const struct memory_functions *memory, size_t bytes, CUdeviceptr *ret)
{
    enum { TRIES = 16 };
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
    for (CUdeviceptr i = 0; i < TRIES && result != CUDA_SUCCESS; i++)
        result = reserve(memory, bytes, lowest + i * address_step, ret);
    return result;
}

/* High enough to be out of the way of those that the other process is given by number. */
static int give_file(const struct memory_functions *memory, CUmemGenericAllocationHandle handle)
{
    int file = -1;
    if (memory->give(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) != CUDA_SUCCESS)
        return -1;
    const int high = fcntl(file, F_DUPFD_CLOEXEC, FILE_LEAST);
    close(file);
    return high;
}

/* New memory at an address; the mapping holds it. */
static CUresult make_memory(const struct cuda_device *device, const struct memory_functions *memory,
                            const CUmemAllocationProp *properties, size_t bytes, CUdeviceptr at,
                            int *ret_file)
{
    CUmemGenericAllocationHandle handle = 0;
    CUresult result = memory->create(&handle, bytes, properties, 0);
    if (result != CUDA_SUCCESS)
        return result;
    result = map_whole(device, memory, handle, at, bytes);
    if (result == CUDA_SUCCESS)
        result = cuda_fill(device, at, 0, bytes);
    if (result == CUDA_SUCCESS && ret_file != NULL)
        *ret_file = give_file(memory, handle);
    memory->drop(handle);
    return result;
}

static CUresult make_block(const struct cuda_device *device, uint64_t most,
                           struct gb_shared_block *ret)
{
    const CUmemAllocationProp properties = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device->number}};
    struct memory_functions memory;
    CUdeviceptr base = 0, other = 0;
    size_t step = 0, free_bytes = 0, total = 0;
    CUresult result = find_memory_functions(device, &memory);
    if (result == CUDA_SUCCESS)
        result = device->driver.memory_info(&free_bytes, &total);
    if (result == CUDA_SUCCESS)
        result = memory.granularity(&step, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
    if (result != CUDA_SUCCESS)
        return result;
    const size_t bytes = (size_t)smaller(most, free_bytes / 4) / step * step;
    ret->bytes = bytes;
    result = reserve_any(&memory, bytes, &base);
    ret->base = result == CUDA_SUCCESS ? (void *)(uintptr_t)base : NULL;
    if (result == CUDA_SUCCESS)
        result = make_memory(device, &memory, &properties, bytes, base, NULL);
    if (result == CUDA_SUCCESS)
        result = memory.reserve(&other, bytes, 0, 0, 0);
    ret->other = result == CUDA_SUCCESS ? (void *)(uintptr_t)other : NULL;
    if (result == CUDA_SUCCESS)
        result = make_memory(device, &memory, &properties, bytes, other, &ret->file);
    return result == CUDA_SUCCESS && ret->file < 0 ? CUDA_ERROR_NOT_SUPPORTED : result;
}

static CUresult clear_block(const struct cuda_device *device, const struct gb_shared_block *block)
{
    const CUdeviceptr at[] = {(CUdeviceptr)(uintptr_t)block->base,
                              (CUdeviceptr)(uintptr_t)block->other};
    CUresult result = cuda_fill(device, at[0], 0, block->bytes);
    if (result == CUDA_SUCCESS)
        result = cuda_fill(device, at[1], 0, block->bytes);
    return result;
}

static void unshare_block(void *object, struct gb_shared_block *block)
{
    const struct cuda_device *device = object;
    struct memory_functions memory;
    const CUdeviceptr at[] = {(CUdeviceptr)(uintptr_t)block->base,
                              (CUdeviceptr)(uintptr_t)block->other};
    if (find_memory_functions(device, &memory) != CUDA_SUCCESS ||
        device->driver.context_set(device->context) != CUDA_SUCCESS)
        return;
    for (size_t i = 0; i < 2 && at[i] != 0; i++) {
        memory.unmap(at[i], block->bytes);
        memory.unreserve(at[i], block->bytes);
    }
    if (block->file >= 0)
        close(block->file);
    *block = (struct gb_shared_block){.size = block->size, .file = -1};
}

static CUresult load(struct cuda_device *device)
{
    const struct driver *driver = &device->driver;
    CUresult result = driver->module_load(&device->judging, image);
    if (result == CUDA_SUCCESS)
        result = driver->module_function(&device->gather, device->judging, "gbrun_gather");
    return result == CUDA_SUCCESS
               ? driver->module_function(&device->random, device->judging, "gbrun_fill")
               : result;
}

static int32_t enter(struct cuda_device *device, const char *doing)
{
    const int32_t status = cuda_enter(device, doing);
    return status == GB_OK && device->judging == NULL
               ? cuda_status(device, load(device), "loading the judge's kernels")
               : status;
}

static int32_t share_block(void *object, uint64_t most, struct gb_shared_block *ret)
{
    struct cuda_device *device = object;
    const int32_t status = enter(device, "sharing memory");
    if (status != GB_OK)
        return status;
    return cuda_status(device,
                       ret->bytes > 0 ? clear_block(device, ret) : make_block(device, most, ret),
                       "sharing memory");
}

static CUresult join_all(const struct cuda_device *device)
{
    const CUresult result = device->record_context(device->context, device->joined);
    return result == CUDA_SUCCESS ? device->await_event(device->context, device->joined) : result;
}

static void find_join(struct cuda_device *device)
{
    const struct driver *driver = &device->driver;
    *(void **)&device->record_context = dlsym(driver->library, "cuCtxRecordEvent");
    *(void **)&device->await_event = dlsym(driver->library, "cuCtxWaitEvent");
    if (device->record_context == NULL || device->await_event == NULL ||
        driver->event_create(&device->joined, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS ||
        join_all(device) == CUDA_SUCCESS)
        return;
    driver->event_destroy(device->joined);
    device->joined = NULL;
}

/* A pool, which is made when it is used first, opens files. */
static CUresult use_pool(const struct driver *driver, CUstream stream)
{
    CUresult (*give_back)(CUdeviceptr, CUstream) = NULL;
    CUdeviceptr memory = 0;
    *(void **)&give_back = dlsym(driver->library, "cuMemFreeAsync");
    if (give_back == NULL || driver->allocate_async(&memory, 1, stream) != CUDA_SUCCESS)
        return CUDA_SUCCESS;
    return give_back(memory, stream);
}

static int32_t map_block(void *object, const struct gb_queue *queue,
                         const struct gb_shared_block *block)
{
    struct cuda_device *device = object;
    struct memory_functions memory;
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr base = (CUdeviceptr)(uintptr_t)block->base;
    int32_t status = cuda_enter(device, "mapping the judge's memory");
    if (status != GB_OK)
        return status;
    CUresult result = find_memory_functions(device, &memory);
    if (result == CUDA_SUCCESS)
        result = memory.take(&handle, (void *)(intptr_t)block->file,
                             CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    if (result == CUDA_SUCCESS)
        result = reserve(&memory, block->bytes, base, &base);
    if (result == CUDA_SUCCESS)
        result = map_whole(device, &memory, handle, base, block->bytes);
    if (result == CUDA_SUCCESS)
        result = memory.drop(handle);
    if (result == CUDA_SUCCESS)
        result = load(device);
    if (result == CUDA_SUCCESS)
        find_join(device);
    if (result == CUDA_SUCCESS)
        result = use_pool(&device->driver, queue->native);
    close(block->file);
    return cuda_status(device, result, "mapping the judge's memory");
}

static int32_t wait(void *object)
{
    const struct cuda_device *device = object;
    return cuda_status(device, device->driver.context_synchronize(), "waiting for the device");
}

/* ---- work of the judge's own ---- */

static unsigned blocks_for(const struct cuda_device *device, uint64_t n_threads)
{
    const uint64_t n = quotient_up(n_threads, THREADS);
    const uint64_t units = cuda_attribute(&device->driver, device->number,
                                          CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    return (unsigned)(n == 0 ? 1 : smaller(n, smaller(8 * units, BLOCKS_MOST)));
}

static int32_t gather(void *object, const struct gb_queue *queue, void *to, const void *from,
                      uint64_t bytes, const uint32_t *which, uint32_t n)
{
    const struct cuda_device *device = object;
    uint64_t nothing = 0;
    uint32_t list[GB_GATHERED_MAX] = {0};
    void *arguments[] = {&to, &from, n > 0 ? &bytes : &nothing, list};
    if (n > GB_GATHERED_MAX)
        return GB_INVALID;
    if (n > 0)
        memcpy(list, which, n * sizeof *list);
    const unsigned rows = n > 0 ? n : 1, columns = blocks_for(device, n > 0 ? bytes / 16 : 0);
    return cuda_status(device,
                       device->driver.launch(device->gather, (columns + rows - 1) / rows, rows, 1,
                                             THREADS, 1, 1, 0, queue->native, arguments, NULL),
                       "copying outputs");
}

/* What a range of whole numbers is to gbrun_fill. False: there is none. */
static bool whole_range(const struct gb_fill *fill, uint64_t *first, uint64_t *count,
                        uint64_t *reject)
{
    const double low = ceil(fill->low), high = floor(fill->high);
    const double most = 0x1p52;
    if (!(low <= high) || fabs(low) > most || fabs(high) > most)
        return false;
    *first = (uint64_t)(int64_t)low;
    *count = (uint64_t)((int64_t)high - (int64_t)low) + 1;
    *reject = -*count % *count;
    return true;
}

static int32_t random_fill(void *object, const struct gb_queue *queue, uint64_t seed, void *memory,
                           uint64_t n, const struct gb_fill *fill)
{
    static const struct {
        uint32_t format, kind;
        bool is_whole;
    } formats[] = {{GB_F64, 0, false}, {GB_F32, 1, false}, {GB_F16, 2, false}, {GB_BF16, 3, false},
                   {GB_I64, 0, true},  {GB_U64, 0, true},  {GB_I32, 1, true},  {GB_U32, 1, true}};
    enum { N_FORMATS = sizeof formats / sizeof *formats };
    struct cuda_device *device = object;
    double low = fill->low, span = fill->high - fill->low;
    uint64_t stream = fill->stream, first = 0, count = 0, reject = 0;
    size_t i = 0;
    while (i < N_FORMATS && formats[i].format != fill->format)
        i++;
    if (i == N_FORMATS || !isfinite(span) || (fill->integral && !formats[i].is_whole) ||
        (formats[i].is_whole && !whole_range(fill, &first, &count, &reject)))
        return GB_UNSUPPORTED;
    const int32_t status = enter(device, "filling memory");
    if (status != GB_OK)
        return status;
    uint32_t kind = formats[i].kind;
    void *arguments[] = {&memory, &n, &kind, &seed, &stream, &low, &span, &first, &count, &reject};
    return cuda_status(device,
                       device->driver.launch(device->random, blocks_for(device, n), 1, 1, THREADS,
                                             1, 1, 0, queue->native, arguments, NULL),
                       "filling memory");
}

static int32_t idle(void *object, const struct gb_queue *queue, double ns)
{
    const struct cuda_device *device = object;
    if (device->stamps.module == NULL)
        return GB_UNSUPPORTED;
    return cuda_status(device, stamps_put_idle(&device->stamps, queue->native, ns), "idling");
}

/* ---- the work of the other process ---- */

static int32_t capture(void *object, const struct gb_queue *queue, const struct gb_bench_ops *ops,
                       void *bench, void **ret_graph)
{
    const struct cuda_device *device = object;
    const struct gb_measurement measurement = {.size = sizeof measurement,
                                               .iterations = 1,
                                               .bench_ops = ops,
                                               .bench = bench,
                                               .queue = queue};
    char reason[GRAPH_REASON_BYTES];
    struct graph graph = {0};
    const int32_t status = graph_make(device, &measurement, 1, false, false, &graph, reason);
    *ret_graph = graph.exec;
    return status == GB_OK && graph.exec == NULL ? GB_SKIPPED : status;
}

static int32_t launch(void *object, const struct gb_queue *queue, void *graph)
{
    const struct cuda_device *device = object;
    return cuda_status(device, device->driver.graph_launch(graph, queue->native),
                       "launching a graph");
}

static int32_t join(void *object)
{
    const struct cuda_device *device = object;
    return device->joined == NULL
               ? GB_OK
               : cuda_status(device, join_all(device), "joining what was launched");
}

const struct gb_judging_device cuda_judging = {.size = sizeof cuda_judging,
                                               .share = share_block,
                                               .map = map_block,
                                               .unshare = unshare_block,
                                               .wait = wait,
                                               .fill = random_fill,
                                               .gather = gather,
                                               .idle = idle,
                                               .capture = capture,
                                               .launch = launch,
                                               .join = join};
