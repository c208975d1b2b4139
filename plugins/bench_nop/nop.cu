// nop.cu - the kernel of the benchmark `nop`. Plugin side.

extern "C" __global__ void nop()
{
}
