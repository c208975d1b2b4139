/*
 * transformer_block.cu - what a block of a transformer puts on the queue: nine kernels of our own,
 * in fp32, one after the other, which a breakdown is to tell apart.
 *
 * Each run computes the same output anew from the same inputs. Biases and the gains of layer norms
 * are left out.
 */
#include "cuda_bench.cuh"

#include <math.h>

enum {
    TOKENS = 256,
    WIDTH = 256,
    HEADS = 4,
    HEAD = WIDTH / HEADS,
    QKV = 3 * WIDTH, // a token's query, key and value, each with the heads side by side
    HIDDEN = 4 * WIDTH,
    TILE = 16,
    THREADS = 256
};
static_assert(TOKENS == THREADS && WIDTH == THREADS, "a thread for each element of a row");

static constexpr double epsilon = 1e-5; // of layer norms

// --- kernels ---

static __device__ float add(float a, float b)
{
    return a + b;
}

static __device__ float larger(float a, float b)
{
    return fmaxf(a, b);
}

// Over the values of a block's threads, for all of them.
template <float combine(float, float)> static __device__ float over_block(float mine)
{
    __shared__ float room[THREADS];
    room[threadIdx.x] = mine;
    for (unsigned n = THREADS / 2; n > 0; n /= 2) {
        __syncthreads();
        if (threadIdx.x < n)
            room[threadIdx.x] = combine(room[threadIdx.x], room[threadIdx.x + n]);
    }
    __syncthreads();
    const float ret = room[0];
    __syncthreads(); // before the room is used again
    return ret;
}

static __global__ void layer_norm(float *to, const float *from)
{
    const unsigned i = blockIdx.x * WIDTH + threadIdx.x;
    const float x = from[i] - over_block<add>(from[i]) / WIDTH;
    to[i] = x * rsqrtf(over_block<add>(x * x) / WIDTH + (float)epsilon);
}

struct matrix {
    const float *at;
    unsigned row, column; // from one to the next
};

static __device__ unsigned my_row()
{
    return blockIdx.y * TILE + threadIdx.y;
}

static __device__ unsigned my_column()
{
    return blockIdx.x * TILE + threadIdx.x;
}

// The thread's element of a b, which is a sum of n products.
static __device__ float product(matrix a, matrix b, unsigned n)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE + 1];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    float sum = 0.0f;
    for (unsigned k = 0; k < n; k += TILE) {
        a_tile[y][x] = a.at[my_row() * a.row + (k + x) * a.column];
        b_tile[y][x] = b.at[(k + y) * b.row + my_column() * b.column];
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < TILE; i++)
            sum = fmaf(a_tile[y][i], b_tile[i][x], sum);
        __syncthreads();
    }
    return sum;
}

static __global__ void qkv_product(float *qkv, const float *x, const float *weights)
{
    qkv[my_row() * QKV + my_column()] = product({x, WIDTH, 1}, {weights, QKV, 1}, WIDTH);
}

// Here and in times_values blockIdx.z is the head.
static __global__ void attention_scores(float *scores, const float *qkv)
{
    const float *const queries = qkv + blockIdx.z * HEAD;
    const float sum = product({queries, QKV, 1}, {queries + WIDTH, 1, QKV}, HEAD);
    scores[(blockIdx.z * TOKENS + my_row()) * TOKENS + my_column()] = sum * rsqrtf((float)HEAD);
}

static __global__ void softmax(float *scores)
{
    float *const mine = scores + blockIdx.x * TOKENS + threadIdx.x;
    const float x = expf(*mine - over_block<larger>(*mine));
    *mine = x / over_block<add>(x);
}

static __global__ void times_values(float *to, const float *scores, const float *qkv)
{
    const float *const values = qkv + 2 * WIDTH + blockIdx.z * HEAD;
    to[my_row() * WIDTH + blockIdx.z * HEAD + my_column()] = product(
        {scores + blockIdx.z * TOKENS * TOKENS, TOKENS, 1}, {values, QKV, 1}, TOKENS);
}

static __global__ void output_projection(float *to, const float *residual, const float *x,
                                         const float *weights)
{
    const unsigned i = my_row() * WIDTH + my_column();
    to[i] = residual[i] + product({x, WIDTH, 1}, {weights, WIDTH, 1}, WIDTH);
}

static __global__ void mlp_up_gelu(float *to, const float *x, const float *weights)
{
    const float sum = product({x, WIDTH, 1}, {weights, HIDDEN, 1}, WIDTH);
    to[my_row() * HIDDEN + my_column()] = 0.5f * sum * (1.0f + erff(sum * (float)M_SQRT1_2));
}

static __global__ void mlp_down(float *to, const float *residual, const float *x,
                                const float *weights)
{
    const unsigned i = my_row() * WIDTH + my_column();
    to[i] = residual[i] + product({x, HIDDEN, 1}, {weights, WIDTH, 1}, HIDDEN);
}

// --- the benchmark ---

// All arrays of a block. T is float, or double for the reference.
template <typename T> struct arrays {
    T x[TOKENS * WIDTH];
    T qkv_weights[WIDTH * QKV], output_weights[WIDTH * WIDTH];
    T up_weights[WIDTH * HIDDEN], down_weights[HIDDEN * WIDTH]; // the last of the inputs
    T normal[TOKENS * WIDTH], qkv[TOKENS * QKV], scores[HEADS * TOKENS * TOKENS];
    T attended[TOKENS * WIDTH], middle[TOKENS * WIDTH], hidden[TOKENS * HIDDEN];
    T output[TOKENS * WIDTH];
};
static constexpr uint64_t n_inputs = offsetof(arrays<float>, normal) / sizeof(float);

struct bench {
    const gb_host *host;
    arrays<float> *inputs, *on_device; // of the first only the inputs count
};

static int32_t create(const gb_host *host, const void *, void **ret_bench)
{
    auto *bench = (struct bench *)host->allocate(host, sizeof(struct bench));
    auto *inputs = (arrays<float> *)host->allocate(host, sizeof(arrays<float>));
    if (bench == nullptr || inputs == nullptr)
        return GB_NO_MEMORY;
    *bench = {.host = host, .inputs = inputs};
    *ret_bench = bench;
    const gb_fill tokens = {.size = sizeof tokens, .format = GB_F32, .low = -1.0, .high = 1.0};
    const gb_fill weights = {
        .size = sizeof weights, .format = GB_F32, .stream = 1, .low = -0.1, .high = 0.1};
    TRY(host->fill(host, inputs->x, TOKENS * WIDTH, &tokens));
    return host->fill(host, inputs->qkv_weights, n_inputs - TOKENS * WIDTH, &weights);
}

ON_STREAM(prepare)
{
    const gb_host *host = bench->host;
    (void)stream;
    TRY(take(bench, 1, &bench->on_device));
    return host->device_copy(host, bench->on_device, bench->inputs, n_inputs * sizeof(float));
}

static dim3 tiles(unsigned columns, unsigned heads = 1)
{
    return {columns / TILE, TOKENS / TILE, heads};
}

static void enqueue(arrays<float> *on, cudaStream_t stream)
{
    const dim3 tile(TILE, TILE);
    layer_norm<<<TOKENS, THREADS, 0, stream>>>(on->normal, on->x);
    qkv_product<<<tiles(QKV), tile, 0, stream>>>(on->qkv, on->normal, on->qkv_weights);
    attention_scores<<<tiles(TOKENS, HEADS), tile, 0, stream>>>(on->scores, on->qkv);
    softmax<<<HEADS * TOKENS, THREADS, 0, stream>>>(on->scores);
    times_values<<<tiles(HEAD, HEADS), tile, 0, stream>>>(on->attended, on->scores, on->qkv);
    output_projection<<<tiles(WIDTH), tile, 0, stream>>>(on->middle, on->x, on->attended,
                                                         on->output_weights);
    layer_norm<<<TOKENS, THREADS, 0, stream>>>(on->normal, on->middle);
    mlp_up_gelu<<<tiles(HIDDEN), tile, 0, stream>>>(on->hidden, on->normal, on->up_weights);
    mlp_down<<<tiles(WIDTH), tile, 0, stream>>>(on->output, on->middle, on->hidden,
                                                on->down_weights);
}

static int32_t run(void *object, const gb_queue *queue, uint64_t iterations)
{
    const auto *bench = (const struct bench *)object;
    for (; iterations > 0; iterations--)
        enqueue(bench->on_device, (cudaStream_t)queue->native);
    return enqueued(bench, GB_OK);
}

// --- the reference ---

static void normalize(double *to, const double *from)
{
    for (unsigned row = 0; row < TOKENS; row++, to += WIDTH, from += WIDTH) {
        double mean = 0.0, square = 0.0;
        for (unsigned i = 0; i < WIDTH; i++)
            mean += from[i] / WIDTH;
        for (unsigned i = 0; i < WIDTH; i++)
            square += (from[i] - mean) * (from[i] - mean) / WIDTH;
        for (unsigned i = 0; i < WIDTH; i++)
            to[i] = (from[i] - mean) / sqrt(square + epsilon);
    }
}

// to = residual, if there is any, + x weights
static void multiply(double *to, const double *residual, const double *x, const double *weights,
                     unsigned n, unsigned columns)
{
    for (unsigned i = 0; i < TOKENS * columns; i++)
        to[i] = residual != nullptr ? residual[i] : 0.0;
    for (unsigned row = 0; row < TOKENS; row++, to += columns)
        for (unsigned k = 0; k < n; k++)
            for (unsigned i = 0; i < columns; i++)
                to[i] += x[row * n + k] * weights[k * columns + i];
}

// One token in one head: adds to HEAD elements of zeroes. A value is WIDTH behind its key.
static void attend(double *to, const double *query, const double *keys)
{
    double weights[TOKENS], sum = 0.0;
    for (unsigned j = 0; j < TOKENS; j++) {
        double score = 0.0;
        for (unsigned i = 0; i < HEAD; i++)
            score += query[i] * keys[j * QKV + i];
        sum += weights[j] = exp(score / sqrt((double)HEAD));
    }
    for (unsigned j = 0; j < TOKENS; j++)
        for (unsigned i = 0; i < HEAD; i++)
            to[i] += weights[j] / sum * keys[j * QKV + WIDTH + i];
}

static void compute(arrays<double> *in)
{
    normalize(in->normal, in->x);
    multiply(in->qkv, nullptr, in->normal, in->qkv_weights, WIDTH, QKV);
    for (unsigned token = 0; token < TOKENS; token++)
        for (unsigned i = 0; i < WIDTH; i += HEAD)
            attend(in->attended + token * WIDTH + i, in->qkv + token * QKV + i,
                   in->qkv + WIDTH + i);
    multiply(in->middle, in->x, in->attended, in->output_weights, WIDTH, WIDTH);
    normalize(in->normal, in->middle);
    multiply(in->hidden, nullptr, in->normal, in->up_weights, WIDTH, HIDDEN);
    for (double &x : in->hidden)
        x *= 0.5 * (1.0 + erf(x * M_SQRT1_2));
    multiply(in->output, in->middle, in->hidden, in->down_weights, HIDDEN, WIDTH);
}

ON_STREAM(verify)
{
    const gb_host *host = bench->host;
    auto *reference = (arrays<double> *)host->allocate(host, sizeof(arrays<double>));
    auto *output = (float *)host->allocate(host, sizeof bench->on_device->output);
    (void)stream;
    if (reference == nullptr || output == nullptr)
        return GB_NO_MEMORY;
    for (uint64_t i = 0; i < n_inputs; i++)
        ((double *)reference)[i] = ((const float *)bench->inputs)[i];
    compute(reference);
    TRY(host->device_copy(host, output, bench->on_device->output, sizeof bench->on_device->output));
    const gb_check check = {.size = sizeof check,
                            .format = GB_F32,
                            .name = "output",
                            .n = TOKENS * WIDTH,
                            .output = output,
                            .reference = reference->output,
                            .default_metric = "abs",
                            .default_tolerance = 1e-4};
    return host->check(host, &check);
}

static const gb_bench_ops ops = {
    .size = sizeof ops, .create = create, .prepare = prepare, .run = run, .verify = verify};
static const gb_plugin block = {
    GB_PLUGIN(BENCH, "transformer_block", "1.0", "the kernels of one block of a transformer"),
    .devices = "cuda", .ops = &ops};
GB_MODULE(&block)
