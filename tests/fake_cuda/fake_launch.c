/* fake_launch.c - see fake_launch.h. */
#include "tests/fake_cuda/fake_launch.h"

#include "tests/fake_cuda/fake_driver.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { KERNELS_MAX = 64 };

struct CUfunc_st {
    bool is_simple;
};
static struct CUfunc_st kernels[KERNELS_MAX];
static int32_t n_kernels;
static int module;

__attribute__((visibility("default"))) struct fake_launch fake_launch;

#pragma GCC visibility push(default)

SUCCEEDS(cuInit, (unsigned flags))

/* NVRTC asks for it where there is a driver, and gets a table without an entry. */
SUCCEEDS(cuGetExportTable, (const void **ret, const CUuuid *id),
         static const size_t table[1] = {sizeof table};
         *ret = table)

SUCCEEDS(cuDriverGetVersion, (int *ret), *ret = CUDA_VERSION)

SUCCEEDS(cuGetErrorName, (CUresult result, const char **ret),
         *ret = result == CUDA_ERROR_NOT_FOUND     ? "CUDA_ERROR_NOT_FOUND"
                : result == CUDA_ERROR_INVALID_PTX ? "CUDA_ERROR_INVALID_PTX"
                                                   : "CUDA_ERROR_OTHER")

SUCCEEDS(cuCtxGetDevice, (CUdevice * ret), *ret = 0)

SUCCEEDS(cuDeviceGetAttribute, (int *ret, CUdevice_attribute attribute, CUdevice device),
         *ret = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
                    ? fake_launch.architecture / 10
                : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
                    ? fake_launch.architecture % 10
                : attribute == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR
                    ? 2048
                    : fake_launch.most_shared_bytes)

CUresult cuModuleLoadDataEx(CUmodule *ret, const void *image, unsigned n, CUjit_option *options,
                            void **values)
{
    const char *text = image;
    for (unsigned i = 0; i < n; i++)
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER && strstr(text, "not ptx") == text)
            strcpy(values[i], "line 1; fatal: not PTX");
    memcpy(fake_launch.image, text, sizeof fake_launch.image - 1);
    *ret = (CUmodule)(void *)&module;
    fake_launch.n_loaded++;
    return strstr(text, "not ptx") == text ? CUDA_ERROR_INVALID_PTX : CUDA_SUCCESS;
}

RETURNS((void *)unloaded == (void *)&module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE,
        cuModuleUnload, (CUmodule unloaded), fake_launch.n_loaded--)

CUresult cuModuleGetFunction(CUfunction *ret, CUmodule of, const char *name)
{
    snprintf(fake_launch.kernel, sizeof fake_launch.kernel, "%s", name);
    if (strstr(name, "scale") == NULL || n_kernels == KERNELS_MAX)
        return CUDA_ERROR_NOT_FOUND;
    kernels[n_kernels].is_simple = strstr(name, "simply") != NULL;
    *ret = &kernels[n_kernels++];
    return CUDA_SUCCESS;
}

SUCCEEDS(cuFuncGetAttribute, (int *ret, CUfunction_attribute attribute, CUfunction function),
         *ret = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? fake_launch.max_threads
                : attribute == CU_FUNC_ATTRIBUTE_NUM_REGS            ? fake_launch.registers
                : attribute == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES    ? fake_launch.local_bytes
                                                                     : fake_launch.shared_bytes)

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        fake_launch.asked_shared = value;
    return CUDA_SUCCESS;
}

RETURNS(i < (size_t)fake_launch.n_parameters ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE,
        cuFuncGetParamInfo, (CUfunction function, size_t i, size_t *ret_offset, size_t *ret_bytes),
        *ret_offset = 0;
        *ret_bytes = i < 2 ? 8 : 4)

SUCCEEDS(cuOccupancyMaxActiveBlocksPerMultiprocessor,
         (int *ret, CUfunction function, int n_threads, size_t shared), *ret = 1024 / n_threads)

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void **arguments, void **extra)
{
    const uint32_t grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
    const int64_t n_threads = (int64_t)grid_x * block_x;
    int *to = *(int **)arguments[0];
    const int *from = *(const int **)arguments[1];
    const int factor = *(int *)arguments[2], n = *(int *)arguments[3];
    for (int64_t i = 0; i < n && i < n_threads; i++)
        if (function->is_simple || !fake_launch.is_wrong || i + 1 < n)
            to[i] = factor * from[i];
    memcpy(fake_launch.grid, grid, sizeof grid);
    memcpy(fake_launch.block, block, sizeof block);
    fake_launch.launch_shared = shared;
    fake_launch.n_launches++;
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **arguments,
                          void **extra)
{
    memcpy(fake_launch.cluster, &config->attrs->value.clusterDim, sizeof fake_launch.cluster);
    return cuLaunchKernel(function, config->gridDimX, config->gridDimY, config->gridDimZ,
                          config->blockDimX, config->blockDimY, config->blockDimZ,
                          config->sharedMemBytes, config->hStream, arguments, extra);
}

SUCCEEDS(cuStreamSynchronize, (CUstream stream))

SUCCEEDS(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
         memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
         fake_launch.n_restored++)

#pragma GCC visibility pop
