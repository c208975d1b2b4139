/* fake_judging.h - what judging needs of the device `fake`: its memory is the host's. */
#include "tests/modules/harm.h"

#include <fcntl.h>
#include <gbrun/judging.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define JUDGING_BYTES ((uint64_t)1 << 28)
enum { FILE_LEAST = 16 };

static int32_t share_block(void *object, uint64_t most, struct gb_shared_block *ret)
{
    const int access = PROT_READ | PROT_WRITE;
    void *wanted = (void *)((uintptr_t)3 << 44);
    if (ret->bytes > 0)
        return ftruncate(ret->file, 0) == 0 && ftruncate(ret->file, (off_t)ret->bytes) == 0 &&
                       madvise(ret->base, ret->bytes, MADV_DONTNEED) == 0
                   ? GB_OK
                   : GB_NO_MEMORY;
    ret->bytes = JUDGING_BYTES < most ? JUDGING_BYTES : most;
    const int file = memfd_create("fake", MFD_CLOEXEC);
    ret->file = fcntl(file, F_DUPFD_CLOEXEC, FILE_LEAST);
    close(file);
    if (ret->file < 0 || ftruncate(ret->file, (off_t)ret->bytes) != 0)
        return GB_NO_MEMORY;
    ret->base = mmap(wanted, ret->bytes, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ret->other = mmap(NULL, ret->bytes, access, MAP_SHARED, ret->file, 0);
    return ret->base == wanted && ret->other != MAP_FAILED ? GB_OK : GB_NO_MEMORY;
}

static int32_t map_block(void *object, const struct gb_queue *queue,
                         const struct gb_shared_block *block)
{
    void *mapped = mmap(block->base, block->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, block->file,
                        0);
    close(block->file);
    return mapped == block->base ? GB_OK : GB_NO_MEMORY;
}

static void unshare_block(void *object, struct gb_shared_block *block)
{
    munmap(block->base, block->bytes);
    munmap(block->other, block->bytes);
    close(block->file);
}

static int32_t wait_for_all(void *object)
{
    return GB_OK;
}

static int32_t fill_nothing(void *object, const struct gb_queue *queue, uint64_t seed, void *memory,
                            uint64_t n, const struct gb_fill *fill)
{
    return GB_UNSUPPORTED;
}

static int32_t gather(void *object, const struct gb_queue *queue, void *to, const void *from,
                      uint64_t bytes, const uint32_t *which, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        memcpy((char *)to + i * bytes, (const char *)from + which[i] * bytes, bytes);
    return GB_OK;
}

static int32_t idle(void *object, const struct gb_queue *queue, double ns)
{
    const struct timespec time = {0, (long)ns};
    nanosleep(&time, NULL);
    return GB_OK;
}

/* A graph of the fake calls run again. */
struct fake_graph {
    const struct gb_bench_ops *ops;
    void *bench;
};

static int32_t capture(void *object, const struct gb_queue *queue, const struct gb_bench_ops *ops,
                       void *bench, void **ret_graph)
{
    static struct fake_graph graph;
    graph = (struct fake_graph){ops, bench};
    *ret_graph = &graph;
    return GB_OK;
}

static int32_t launch(void *object, const struct gb_queue *queue, void *captured)
{
    const struct fake_graph *graph = captured;
    return graph->ops->run(graph->bench, queue, 1);
}

static const struct gb_judging_device judging = {.size = sizeof judging,
                                                 .share = share_block,
                                                 .map = map_block,
                                                 .unshare = unshare_block,
                                                 .wait = wait_for_all,
                                                 .fill = fill_nothing,
                                                 .gather = gather,
                                                 .idle = idle,
                                                 .capture = capture,
                                                 .launch = launch};
