/*
 * holder.c - a worker that was killed and does not end: in prepare it makes a child that traces it,
 * so that its end is kept from its parent until the child goes after `seconds`. Stands for a
 * process in uninterruptible sleep.
 */
#include "tests/modules/hurry.h"
#include "tests/modules/places.h"

#include <gbrun/gbrun.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

struct params {
    int32_t where;
    int64_t seconds;
    int32_t goes_on;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "prepare", places, "the callback that misbehaves"),
    GB_INT(struct params, seconds, "20", "0:60", "s", "how long the child lives"),
    GB_BOOL(struct params, goes_on, "no", "the case is fine: only its worker does not end"),
};

struct bench {
    const struct gb_host *host;
    struct params params;
};

static int32_t act(struct bench *bench, int32_t where)
{
    int ready[2];
    char traced = 0;
    if (where != bench->params.where)
        return GB_OK;
    if (pipe(ready) != 0)
        return bench->host->fail(bench->host, "no pipe");
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
        setsid();
        traced = ptrace(PTRACE_SEIZE, parent, 0, 0) == 0 ? 'y' : 'n';
        if (write(ready[1], &traced, 1) == 1)
            for (int fd = 0; fd < 20; fd++)
                close(fd);
        sleep((unsigned)bench->params.seconds);
        _exit(0);
    }
    if (child < 0 || read(ready[0], &traced, 1) != 1 || traced != 'y')
        return bench->host->skip(bench->host, "nothing can be traced here");
    if (!bench->params.goes_on)
        hurry_hang(12e9); /* gbrun leaves it after ten */
    while (!bench->params.goes_on)
        pause();
    return GB_OK;
}

#define MODULE_ID "holder"
#define MODULE_SUMMARY "does not let its worker end"
#include "tests/modules/callbacks.h"
