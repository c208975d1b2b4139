/*
 * driver.h - the CUDA driver API, opened when it is needed, so that one build loads everywhere.
 * Plugin side.
 */
#ifndef GBRUN_PLUGINS_DEVICE_CUDA_DRIVER_H
#define GBRUN_PLUGINS_DEVICE_CUDA_DRIVER_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(member, declared as, symbol): the symbols are those that drivers for CUDA 12 have. */
#define DRIVER_FUNCTIONS(X)                                                                        \
    X(init, cuInit, "cuInit")                                                                      \
    X(driver_version, cuDriverGetVersion, "cuDriverGetVersion")                                    \
    X(error_name, cuGetErrorName, "cuGetErrorName")                                                \
    X(error_string, cuGetErrorString, "cuGetErrorString")                                          \
    X(device_count, cuDeviceGetCount, "cuDeviceGetCount")                                          \
    X(device_get, cuDeviceGet, "cuDeviceGet")                                                      \
    X(device_name, cuDeviceGetName, "cuDeviceGetName")                                             \
    X(device_uuid, cuDeviceGetUuid, "cuDeviceGetUuid_v2")                                          \
    X(device_memory, cuDeviceTotalMem, "cuDeviceTotalMem_v2")                                      \
    X(device_attribute, cuDeviceGetAttribute, "cuDeviceGetAttribute")                              \
    X(device_pci, cuDeviceGetPCIBusId, "cuDeviceGetPCIBusId")                                      \
    X(context_retain, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")                        \
    X(context_release, cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2")                  \
    X(context_set, cuCtxSetCurrent, "cuCtxSetCurrent")                                             \
    X(context_synchronize, cuCtxSynchronize, "cuCtxSynchronize")                                   \
    X(memory_info, cuMemGetInfo, "cuMemGetInfo_v2")                                                \
    X(allocate, cuMemAlloc, "cuMemAlloc_v2")                                                       \
    X(free, cuMemFree, "cuMemFree_v2")                                                             \
    X(host_allocate, cuMemHostAlloc, "cuMemHostAlloc")                                             \
    X(host_free, cuMemFreeHost, "cuMemFreeHost")                                                   \
    X(host_device_pointer, cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2")              \
    X(pointer_attribute, cuPointerGetAttribute, "cuPointerGetAttribute")                           \
    X(copy, cuMemcpy, "cuMemcpy")                                                                  \
    X(copy_device_async, cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2")                                \
    X(fill, cuMemsetD8, "cuMemsetD8_v2")                                                           \
    X(fill_async, cuMemsetD8Async, "cuMemsetD8Async")                                              \
    X(stream_create, cuStreamCreate, "cuStreamCreate")                                             \
    X(stream_destroy, cuStreamDestroy, "cuStreamDestroy_v2")                                       \
    X(stream_synchronize, cuStreamSynchronize, "cuStreamSynchronize")                              \
    X(stream_wait_value, cuStreamWaitValue32, "cuStreamWaitValue32_v2")                            \
    X(event_create, cuEventCreate, "cuEventCreate")                                                \
    X(event_destroy, cuEventDestroy, "cuEventDestroy_v2")                                          \
    X(event_record, cuEventRecord, "cuEventRecord")                                                \
    X(event_elapsed, cuEventElapsedTime, "cuEventElapsedTime")                                     \
    X(module_load, cuModuleLoadData, "cuModuleLoadData")                                           \
    X(module_unload, cuModuleUnload, "cuModuleUnload")                                             \
    X(module_function, cuModuleGetFunction, "cuModuleGetFunction")                                 \
    X(launch, cuLaunchKernel, "cuLaunchKernel")

struct driver {
    void *library;
    int version; /* of CUDA: 13000 is 13.0 */
#define DRIVER_MEMBER(member, declared, symbol) __typeof__(declared) *member;
    DRIVER_FUNCTIONS(DRIVER_MEMBER)
#undef DRIVER_MEMBER
};

/* Opens the library and calls cuInit, which makes no context. False: CUDA is absent, and reason
 * says why. The library stays open for the life of the process. */
bool driver_open(struct driver *driver, char *reason, size_t bytes);

/* "illegal address (CUDA_ERROR_ILLEGAL_ADDRESS)" */
void driver_error_words(const struct driver *driver, CUresult result, char *text, size_t bytes);

/* True for an error after which nothing works in this process any more. */
bool driver_error_is_sticky(CUresult result);

#endif
