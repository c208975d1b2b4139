// numbers.cuh - the types of elements of the benchmark `elementwise`, and functions of their
// numbers. Plugin side.
//
// Taken by nvcc and by NVRTC: nothing is included. Elements come and go 16 bytes at a time. Halves
// are computed with as float.
#ifndef GBRUN_PLUGINS_ELEMENTWISE_NUMBERS_CUH
#define GBRUN_PLUGINS_ELEMENTWISE_NUMBERS_CUH

static __device__ __forceinline__ float half_to_float(unsigned short bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

static __device__ __forceinline__ unsigned short float_to_half(float value)
{
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

static __device__ __forceinline__ unsigned short float_to_brain(float value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    unsigned short bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
#else
    const unsigned word = __float_as_uint(value);
    return (unsigned short)((word + 0x7fff + (word >> 16 & 1)) >> 16);
#endif
}

// COUNT elements are 16 bytes; IS_WIDE: numbers are stored without loss.
struct fp32 {
    typedef float stored;
    typedef float number;
    static const int COUNT = 4;
    static const bool IS_WIDE = true;
    static __device__ __forceinline__ float load(float x)
    {
        return x;
    }
    static __device__ __forceinline__ float round(float x)
    {
        return x;
    }
    static __device__ __forceinline__ void unpack(uint4 v, float *x)
    {
        x[0] = __uint_as_float(v.x);
        x[1] = __uint_as_float(v.y);
        x[2] = __uint_as_float(v.z);
        x[3] = __uint_as_float(v.w);
    }
    static __device__ __forceinline__ uint4 pack(const float *x)
    {
        return make_uint4(__float_as_uint(x[0]), __float_as_uint(x[1]), __float_as_uint(x[2]),
                          __float_as_uint(x[3]));
    }
};

// Of 16 bits: two elements in a word, the first in its low half.
template <typename format> struct in_pairs {
    typedef unsigned short stored;
    typedef float number;
    static const int COUNT = 8;
    static const bool IS_WIDE = false;
    static __device__ __forceinline__ void unpack(uint4 v, float *x)
    {
        const unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int i = 0; i < 4; i++) {
            x[2 * i] = format::load((unsigned short)words[i]);
            x[2 * i + 1] = format::load((unsigned short)(words[i] >> 16));
        }
    }
    static __device__ __forceinline__ unsigned pair_of(float low, float high)
    {
        return format::round(low) | (unsigned)format::round(high) << 16;
    }
    static __device__ __forceinline__ uint4 pack(const float *x)
    {
        return make_uint4(pair_of(x[0], x[1]), pair_of(x[2], x[3]), pair_of(x[4], x[5]),
                          pair_of(x[6], x[7]));
    }
};

struct fp16 : in_pairs<fp16> {
    static __device__ __forceinline__ float load(unsigned short x)
    {
        return half_to_float(x);
    }
    static __device__ __forceinline__ unsigned short round(float x)
    {
        return float_to_half(x);
    }
};

struct bf16 : in_pairs<bf16> {
    static __device__ __forceinline__ float load(unsigned short x)
    {
        return __uint_as_float((unsigned)x << 16);
    }
    static __device__ __forceinline__ unsigned short round(float x)
    {
        return float_to_brain(x);
    }
};

struct fp64 {
    typedef double stored;
    typedef double number;
    static const int COUNT = 2;
    static const bool IS_WIDE = true;
    static __device__ __forceinline__ double load(double x)
    {
        return x;
    }
    static __device__ __forceinline__ double round(double x)
    {
        return x;
    }
    static __device__ __forceinline__ void unpack(uint4 v, double *x)
    {
        x[0] = __hiloint2double((int)v.y, (int)v.x);
        x[1] = __hiloint2double((int)v.w, (int)v.z);
    }
    static __device__ __forceinline__ uint4 pack(const double *x)
    {
        return make_uint4((unsigned)__double2loint(x[0]), (unsigned)__double2hiint(x[0]),
                          (unsigned)__double2loint(x[1]), (unsigned)__double2hiint(x[1]));
    }
};

// --- functions of numbers; constants as in elementwise.h ---

// As a power of 2, which the hardware has.
static __device__ __forceinline__ float exponential(float x)
{
    return exp2f(x * 1.4426950408889634f);
}

static __device__ __forceinline__ double exponential(double x)
{
    return exp(x);
}

#define FOR_ALL_TYPES(X) X(fp32) X(fp16) X(bf16) X(fp64)

#endif
