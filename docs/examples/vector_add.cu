// vector_add.cu - the first kernel of Kernel Tuner's documents, with more than one element for a thread
extern "C" __global__ void vector_add(float *c, const float *a, const float *b, int n)
{
    const int first = blockIdx.x * block_size_x * per_thread + threadIdx.x;
#pragma unroll
    for (int k = 0; k < per_thread; k++)
        if (first + k * block_size_x < n)
            c[first + k * block_size_x] = a[first + k * block_size_x] + b[first + k * block_size_x];
}
extern "C" __global__ void add_simply(float *c, const float *a, const float *b, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
