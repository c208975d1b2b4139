/* shared_memory.c - see shared_memory.h. */
#include "core/run/shared_memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 256, TRIES = 16 };
/* Far from programs, libraries, heaps and stacks, and from what sanitizers keep for themselves. */
static const uintptr_t lowest = (uintptr_t)1 << 45, step = (uintptr_t)1 << 38;

static void *map_at(int file, uintptr_t base, uint64_t bytes)
{
    return mmap((void *)base, bytes, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0);
}

int32_t shared_memory_new(uint64_t bytes, struct shared_memory *ret, struct gb_error *error)
{
    void *base = MAP_FAILED;
    *ret = (struct shared_memory){.file = memfd_create("gbrun shared", MFD_CLOEXEC)};
    if (ret->file >= 0 && ftruncate(ret->file, (off_t)bytes) == 0)
        for (int i = 0; i < TRIES && base == MAP_FAILED; i++)
            base = map_at(ret->file, lowest + (uintptr_t)i * step, bytes);
    if (base == MAP_FAILED) {
        error_set(error, GB_NO_MEMORY, "shared memory of %llu bytes: %s", (unsigned long long)bytes,
                  reason_of(errno));
        if (ret->file >= 0)
            close(ret->file);
        *ret = (struct shared_memory){0};
        return GB_NO_MEMORY;
    }
    ret->base = base;
    ret->bytes = bytes;
    return GB_OK;
}

bool shared_memory_map(int file, uintptr_t base, uint64_t bytes, struct shared_memory *ret)
{
    void *mapped = map_at(file, base, bytes);
    close(file);
    *ret = (struct shared_memory){.file = -1};
    if (mapped != (void *)base)
        return false;
    ret->base = mapped;
    ret->bytes = bytes;
    return true;
}

void *shared_memory_take(struct shared_memory *memory, uint64_t bytes)
{
    const uint64_t left = memory->bytes - memory->used;
    const uint64_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void *taken = memory->base + memory->used;
    if (bytes > left || rounded > left)
        return NULL;
    memory->used += rounded ? rounded : ALIGNMENT;
    return taken;
}

void shared_memory_free(struct shared_memory *memory)
{
    if (!memory->base)
        return;
    munmap(memory->base, memory->bytes);
    if (memory->file >= 0)
        close(memory->file);
    *memory = (struct shared_memory){0};
}
