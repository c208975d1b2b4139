/*
 * worker.h - the process that runs plugins.
 */
#pragma once

#include <sys/types.h>

/* The first argument that makes the program a worker. */
#define WORKER_ARGUMENT "--worker"

/* Serves the supervisor on WORKER_SOCKET until it closes the connection. Returns the exit code. */
int worker_main(void);

/* The same on other descriptors, which it takes over. supervisor: 0, or the process's own child,
 * for whose end it waits and whose exit code it returns. */
int worker_serve(int socket, int page_descriptor, pid_t supervisor);
