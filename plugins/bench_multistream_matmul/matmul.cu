/*
 * matmul.cu - the product C = A B with one thread for each element of C, as plain as it can be
 * written: how little of a device it fills is what multistream_matmul is about.
 */

/*
 * All matrices by rows: A rows x aligned, B aligned x cols, each of fewer than 2^31 elements. The
 * sum is kept in order. Terms are loaded four at a time whatever the compiler would choose: with
 * more of them ahead one product is up to four times as fast, but then 16 at once slow each other
 * by some percent, where these are within one of what a single one promises.
 */
extern "C" __global__ void multiply(const float *__restrict__ a, const float *__restrict__ b,
                                    float *__restrict__ c, int rows, int cols, int aligned)
{
    enum { BATCH = 32 };
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || col >= cols)
        return;
    const float *left = a + (size_t)row * aligned;
    const float *right = b + col;
    float sum = 0.0f;
    int k = 0;
    for (; k + BATCH <= aligned; k += BATCH) {
#pragma unroll 4
        for (int i = 0; i < BATCH; i++)
            sum += left[k + i] * right[(k + i) * cols];
    }
    for (; k < aligned; k++)
        sum += left[k] * right[k * cols];
    c[(size_t)row * cols + col] = sum;
}
