// l2_distance.cu - 4096 loads from one line of the L2 cache on one multiprocessor, each of which waits for the one
// before. Blocks on all others end at once. The buffer holds zeros.
extern "C" __global__ void walk(unsigned *buffer, unsigned line, unsigned unit)
{
    unsigned here, next = 32 * line; // a line has 128 bytes
    asm("mov.u32 %0, %%smid;" : "=r"(here));
    if (here != unit)
        return;
    for (int i = 0; i < 4096; i++)
        next = 32 * line + __ldcg(buffer + next); // not from L1
    if (next != 32 * line)
        *buffer = next; // never: the loads count as used
}
