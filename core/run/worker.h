/*
 * worker.h - the process that runs plugins.
 */
#ifndef GBRUN_CORE_WORKER_H
#define GBRUN_CORE_WORKER_H

/* The first argument that makes the program a worker. */
#define WORKER_ARGUMENT "--worker"

/* Serves the supervisor on WORKER_SOCKET until it closes the connection. Returns the exit code. */
int worker_main(void);

#endif
