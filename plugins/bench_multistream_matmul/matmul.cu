/*
 * matmul.cu - the product C = A B with one thread for each element of C, as plain as it can be
 * written: how little of a device it fills is what multistream_matmul is about.
 */

/* All matrices by rows: A rows x aligned, B aligned x cols. The sum is kept in order. Four terms
 * are loaded ahead whatever the compiler would choose, so that figures of different builds agree.
 */
extern "C" __global__ void multiply(const float *__restrict__ a, const float *__restrict__ b,
                                    float *__restrict__ c, long long rows, long long cols,
                                    long long aligned)
{
    const long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;
    const long long col = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || col >= cols)
        return;
    const float *left = a + row * aligned;
    const float *right = b + col;
    float sum = 0.0f;
#pragma unroll 4
    for (long long k = 0; k < aligned; k++)
        sum += left[k] * right[k * cols];
    c[row * cols + col] = sum;
}
