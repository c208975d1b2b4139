/*
 * zygote.h - a process that has loaded what judged processes of a case need, and from which each of
 * them is forked: it is loaded once.
 *
 * The zygote runs nothing of what is measured, opens no device, and knows no more of its judge than
 * the cases that it is given. A judged process has none of its descriptors, and is a child of the
 * judge, as is one that was started anew.
 */
#pragma once

#include "core/run/judged.h"

/* The program's first argument; the socket to the judge is ZYGOTE_SOCKET. */
#define ZYGOTE_ARGUMENT "--zygote"
enum { ZYGOTE_SOCKET = 3 };

/* Of one process: where its shared memory belongs, and its folder. */
struct zygote_order {
    uint64_t base, bytes;
    int32_t judge; /* which it ends with */
    int32_t n_files;
    char folder[SANDBOX_FOLDER_BYTES];
};

/*
 * A process that carries out the judge's orders, forked from this process's zygote, which is
 * started if there is none. files: n_files, those from JUDGED_FILE on; the first has the page with
 * the case. 0: there can be none, as `why` says; after that this process has no zygote any more.
 * This process is a subreaper.
 */
pid_t zygote_fork(const struct zygote_order *order, const int *files, char why[HOST_TEXT_MAX]);

/* This process has started one, which is no trace of a case. */
bool zygote_is_there(void);

/* Serves the judge until it closes the socket. Returns the exit code. */
int zygote_main(void);
