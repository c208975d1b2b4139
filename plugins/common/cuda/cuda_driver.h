/*
 * cuda_driver.h - the CUDA driver API, opened when it is needed, so that one build loads
 * everywhere. Plugin side.
 */
#pragma once

#include "plugins/common/symbols.h"

#include <cuda.h>
#include <gbrun/host.h>
#include <stdbool.h>
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
    X(can_access_peer, cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer")                             \
    X(context_retain, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")                        \
    X(context_release, cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2")                  \
    X(context_state, cuDevicePrimaryCtxGetState, "cuDevicePrimaryCtxGetState")                     \
    X(context_reset, cuDevicePrimaryCtxReset, "cuDevicePrimaryCtxReset_v2")                        \
    X(context_get, cuCtxGetCurrent, "cuCtxGetCurrent")                                             \
    X(context_device, cuCtxGetDevice, "cuCtxGetDevice")                                            \
    X(context_enable_peer, cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess")                         \
    X(context_set, cuCtxSetCurrent, "cuCtxSetCurrent")                                             \
    X(context_synchronize, cuCtxSynchronize, "cuCtxSynchronize")                                   \
    X(memory_info, cuMemGetInfo, "cuMemGetInfo_v2")                                                \
    X(allocate, cuMemAlloc, "cuMemAlloc_v2")                                                       \
    X(free, cuMemFree, "cuMemFree_v2")                                                             \
    X(allocate_async, cuMemAllocAsync, "cuMemAllocAsync")                                          \
    X(host_allocate, cuMemHostAlloc, "cuMemHostAlloc")                                             \
    X(host_free, cuMemFreeHost, "cuMemFreeHost")                                                   \
    X(host_device_pointer, cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2")              \
    X(pointer_attribute, cuPointerGetAttribute, "cuPointerGetAttribute")                           \
    X(copy, cuMemcpy, "cuMemcpy")                                                                  \
    X(copy_async, cuMemcpyAsync, "cuMemcpyAsync")                                                  \
    X(copy_device_async, cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2")                                \
    X(fill_async, cuMemsetD8Async, "cuMemsetD8Async")                                              \
    X(fill_words_async, cuMemsetD32Async, "cuMemsetD32Async")                                      \
    X(stream_create, cuStreamCreate, "cuStreamCreate")                                             \
    X(stream_create_with_priority, cuStreamCreateWithPriority, "cuStreamCreateWithPriority")       \
    X(stream_priorities, cuCtxGetStreamPriorityRange, "cuCtxGetStreamPriorityRange")               \
    X(stream_destroy, cuStreamDestroy, "cuStreamDestroy_v2")                                       \
    X(stream_synchronize, cuStreamSynchronize, "cuStreamSynchronize")                              \
    X(stream_wait_value, cuStreamWaitValue32, "cuStreamWaitValue32_v2")                            \
    X(stream_wait_event, cuStreamWaitEvent, "cuStreamWaitEvent")                                   \
    X(capture_begin, cuStreamBeginCapture, "cuStreamBeginCapture_v2")                              \
    X(capture_end, cuStreamEndCapture, "cuStreamEndCapture")                                       \
    X(graph_nodes, cuGraphGetNodes, "cuGraphGetNodes")                                             \
    X(graph_roots, cuGraphGetRootNodes, "cuGraphGetRootNodes")                                     \
    X(graph_node_type, cuGraphNodeGetType, "cuGraphNodeGetType")                                   \
    X(graph_node_kernel, cuGraphKernelNodeGetParams, "cuGraphKernelNodeGetParams_v2")              \
    X(graph_node_copy, cuGraphMemcpyNodeGetParams, "cuGraphMemcpyNodeGetParams")                   \
    X(graph_node_fill, cuGraphMemsetNodeGetParams, "cuGraphMemsetNodeGetParams")                   \
    X(graph_node_graph, cuGraphChildGraphNodeGetGraph, "cuGraphChildGraphNodeGetGraph")            \
    X(graph_destroy, cuGraphDestroy, "cuGraphDestroy")                                             \
    X(graph_instantiate, cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags")               \
    X(graph_upload, cuGraphUpload, "cuGraphUpload")                                                \
    X(graph_launch, cuGraphLaunch, "cuGraphLaunch")                                                \
    X(graph_exec_destroy, cuGraphExecDestroy, "cuGraphExecDestroy")                                \
    X(event_create, cuEventCreate, "cuEventCreate")                                                \
    X(event_destroy, cuEventDestroy, "cuEventDestroy_v2")                                          \
    X(event_record, cuEventRecord, "cuEventRecord")                                                \
    X(event_elapsed, cuEventElapsedTime, "cuEventElapsedTime")                                     \
    X(module_load, cuModuleLoadData, "cuModuleLoadData")                                           \
    X(module_unload, cuModuleUnload, "cuModuleUnload")                                             \
    X(module_function, cuModuleGetFunction, "cuModuleGetFunction")                                 \
    X(function_attribute, cuFuncGetAttribute, "cuFuncGetAttribute")                                \
    X(launch, cuLaunchKernel, "cuLaunchKernel")                                                    \
    X(module_load_with, cuModuleLoadDataEx, "cuModuleLoadDataEx")                                  \
    X(function_set, cuFuncSetAttribute, "cuFuncSetAttribute")                                      \
    X(launch_with, cuLaunchKernelEx, "cuLaunchKernelEx")                                           \
    X(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                      \
      "cuOccupancyMaxActiveBlocksPerMultiprocessor")                                               \
    X(context_disable_peer, cuCtxDisablePeerAccess, "cuCtxDisablePeerAccess")

struct driver {
    void *library;
    int version; /* of CUDA: 13000 is 13.0 */
    DRIVER_FUNCTIONS(SYMBOL_MEMBER)
};

/* Opens the library and calls cuInit, which makes no context. False: CUDA is absent, and reason
 * says why. The library stays open for the life of the process. */
bool driver_open(struct driver *driver, char *reason, size_t bytes);

/* Opens the first library of the list, NULL at its end, that is found where the loader looks, else
 * where the CUDA Toolkit keeps it. NULL: none. It stays open for the life of the process. */
void *cuda_library_open(const char *const *names);

/* "illegal address (CUDA_ERROR_ILLEGAL_ADDRESS)" */
void driver_error_words(const struct driver *driver, CUresult result, char *text, size_t bytes);

/*
 * GB_OK for success. Else the error and what was being done are reported to the host ("launching a
 * kernel"), and the status is GB_DEVICE_ERROR after an error that is sticky, GB_NO_MEMORY or
 * GB_FAILED.
 */
int32_t driver_status(const struct driver *driver, const struct gb_host *host, CUresult result,
                      const char *doing);

/* Asks what the current context's device is. A failure of these is reported to the host. */
struct driver_question {
    int *ret;
    CUdevice_attribute attribute;
};
int32_t driver_ask(const struct driver *driver, const struct gb_host *host,
                   const struct driver_question *questions, size_t n, const char *doing);

/* Its compute capability: 90 is 9.0. */
int32_t driver_architecture(const struct driver *driver, const struct gb_host *host, int *ret);

/* Its multiprocessors, and how many threads each can hold at a time. */
int32_t driver_units(const struct driver *driver, const struct gb_host *host, int *ret_units,
                     int *ret_unit_threads);

/* True for an error after which nothing works in this process any more. */
bool driver_error_is_sticky(CUresult result);
