// spin.cu - the kernel of the benchmark `spin`. Plugin side.
//
// Taken by nvcc and by NVRTC: nothing is included.

// As in spin.h.
struct spin_record {
    unsigned long long begin_ns, end_ns, cycles;
};
enum { SPIN_RECORDS = 4096 };
struct spin_ring {
    unsigned long long n;
    spin_record records[SPIN_RECORDS];
};

static __device__ __forceinline__ unsigned long long global_ns()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}

static __device__ __forceinline__ unsigned long long multiprocessor_cycles()
{
    return (unsigned long long)clock64();
}

// Spins for so many cycles, or, where that is 0, until the timer shows that the duration is over.
// The slot in the ring is asked for at the start, so that the answer comes while it spins; what is
// left for the end is one store.
extern "C" __global__ void spin(unsigned long long duration_ns, unsigned long long cycles,
                                spin_ring *ring)
{
    const unsigned long long begin_ns = global_ns();
    const unsigned long long first_cycle = multiprocessor_cycles();
    unsigned long long slot = 0;
    unsigned long long end_ns = begin_ns;
    unsigned long long spent = 0;
    if (ring != nullptr)
        slot = atomicAdd(&ring->n, 1ull);
    if (cycles > 0) {
        while (spent < cycles)
            spent = multiprocessor_cycles() - first_cycle;
        end_ns = global_ns();
    } else {
        do {
            end_ns = global_ns();
        } while (end_ns - begin_ns < duration_ns);
        spent = multiprocessor_cycles() - first_cycle;
    }
    if (ring != nullptr) {
        // Not before: else the compiler works out the slot, and waits for it, ahead of the loop.
        asm volatile("" : "+l"(slot));
        spin_record *record = &ring->records[slot % SPIN_RECORDS];
        record->begin_ns = begin_ns;
        record->end_ns = end_ns;
        record->cycles = spent;
    }
}
