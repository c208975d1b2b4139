/*
 * kernel.cu - kernels for kernel.ini, compiled when it is run: C = A B in single precision, A of
 * m x k, B of k x n, each row behind the other, in tiles whose sizes are macros.
 */
#ifndef TILE_M
#define TILE_M 64 /* rows of C that a block computes */
#endif
#ifndef TILE_N
#define TILE_N 64 /* columns of C that a block computes */
#endif
#ifndef TILE_K
#define TILE_K 16 /* steps between two loads into shared memory */
#endif

/* One element for each thread, straight from memory: what the fast one is compared with. */
extern "C" __global__ void multiply_simply(const float *a, const float *b, float *c, int m, int n,
                                           int k)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
    c[(size_t)row * n + column] = sum;
}

/*
 * PER_THREAD x PER_THREAD elements for each thread of a block of TILE_N / PER_THREAD by TILE_M /
 * PER_THREAD: far apart, so that neighbours read neighbouring words. What hangs over is zero.
 */
template <int PER_THREAD>
__global__ void __launch_bounds__(TILE_M * TILE_N / (PER_THREAD * PER_THREAD))
    multiply(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m,
             int n, int k)
{
    constexpr int WIDTH = TILE_N / PER_THREAD, HEIGHT = TILE_M / PER_THREAD;
    constexpr int THREADS = WIDTH * HEIGHT;
    __shared__ float a_tile[TILE_K][TILE_M + 1];
    __shared__ float b_tile[TILE_K][TILE_N];
    const int first_row = blockIdx.y * TILE_M, first_column = blockIdx.x * TILE_N;
    const int thread = threadIdx.y * WIDTH + threadIdx.x;
    float sum[PER_THREAD][PER_THREAD] = {};

    for (int step = 0; step < k; step += TILE_K) {
        for (int i = thread; i < TILE_M * TILE_K; i += THREADS) {
            const int row = first_row + i / TILE_K, at = step + i % TILE_K;
            a_tile[i % TILE_K][i / TILE_K] = row < m && at < k ? a[(size_t)row * k + at] : 0.0f;
        }
        for (int i = thread; i < TILE_N * TILE_K; i += THREADS) {
            const int column = first_column + i % TILE_N, at = step + i / TILE_N;
            b_tile[i / TILE_N][i % TILE_N] = column < n && at < k ? b[(size_t)at * n + column]
                                                                  : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE_K; i++) {
            float of_a[PER_THREAD], of_b[PER_THREAD];
            for (int j = 0; j < PER_THREAD; j++) {
                of_a[j] = a_tile[i][threadIdx.y + j * HEIGHT];
                of_b[j] = b_tile[i][threadIdx.x + j * WIDTH];
            }
            for (int row = 0; row < PER_THREAD; row++)
                for (int column = 0; column < PER_THREAD; column++)
                    sum[row][column] += of_a[row] * of_b[column];
        }
        __syncthreads();
    }
    for (int i = 0; i < PER_THREAD; i++) {
        for (int j = 0; j < PER_THREAD; j++) {
            const int row = first_row + threadIdx.y + i * HEIGHT;
            const int column = first_column + threadIdx.x + j * WIDTH;
            if (row < m && column < n)
                c[(size_t)row * n + column] = sum[i][j];
        }
    }
}
