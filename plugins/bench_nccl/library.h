/* library.h - NCCL, opened when it is needed; no header of it is. Plugin side. */
#pragma once

#include "plugins/common/symbols.h"

/* As <nccl.h> declares them, with int for its enums and void * for its communicators. */
int ncclGetVersion(int *version);
const char *ncclGetErrorString(int result);
int ncclCommInitAll(void **communicators, int n_devices, const int *devices);
int ncclCommDestroy(void *communicator);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclAllReduce(const void *from, void *to, size_t n, int type, int op, void *communicator,
                  void *stream);
int ncclReduceScatter(const void *from, void *to, size_t n_received, int type, int op,
                      void *communicator, void *stream);
int ncclAllGather(const void *from, void *to, size_t n_sent, int type, void *communicator,
                  void *stream);
int ncclBroadcast(const void *from, void *to, size_t n, int type, int root, void *communicator,
                  void *stream);
int ncclSend(const void *from, size_t n, int type, int peer, void *communicator, void *stream);
int ncclRecv(void *to, size_t n, int type, int peer, void *communicator, void *stream);

/* X(member, symbol): what NCCL has had since 2.7. */
#define NCCL_FUNCTIONS(X)                                                                          \
    X(version, ncclGetVersion)                                                                     \
    X(error_string, ncclGetErrorString)                                                            \
    X(init_all, ncclCommInitAll)                                                                   \
    X(destroy, ncclCommDestroy)                                                                    \
    X(group_start, ncclGroupStart)                                                                 \
    X(group_end, ncclGroupEnd)                                                                     \
    X(all_reduce, ncclAllReduce)                                                                   \
    X(reduce_scatter, ncclReduceScatter)                                                           \
    X(all_gather, ncclAllGather)                                                                   \
    X(broadcast, ncclBroadcast)                                                                    \
    X(send, ncclSend)                                                                              \
    X(receive, ncclRecv)

struct nccl {
    NCCL_FUNCTIONS(SYMBOL_MEMBER)
    /* ncclGetLastError, of 2.13 and later, or NULL: what went wrong last, with details */
    const char *(*last_error)(void *communicator);
};
