template <int TILE> __global__ void transpose(float *to, const float *from)
{
    __shared__ float tile[TILE][TILE + 1];
    const int n = TILE * gridDim.x, x = TILE * blockIdx.x, y = TILE * blockIdx.y;
    for (int row = threadIdx.y; row < TILE; row += blockDim.y)
        tile[row][threadIdx.x] = from[(y + row) * n + x + threadIdx.x];
    __syncthreads();
    for (int row = threadIdx.y; row < TILE; row += blockDim.y)
        to[(x + row) * n + y + threadIdx.x] = tile[threadIdx.x][row];
}
__global__ void transpose_simply(float *to, const float *from)
{
    const int n = blockDim.x * gridDim.x;
    const int x = blockDim.x * blockIdx.x + threadIdx.x, y = blockDim.y * blockIdx.y + threadIdx.y;
    to[x * n + y] = from[y * n + x];
}
