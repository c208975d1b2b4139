/* judge_process.c - see judge_process.h. */
#include "core/run/judge_process.h"

#include "core/base/command.h"
#include "core/base/host_clock.h"
#include "core/run/messages.h"
#include "core/run/module.h"
#include "core/run/zygote.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const double awake_ns = 2e7;
static struct judge_process *parked; /* for the next case; NULL: none */

/* ---- orders ---- */

static int32_t fail(const struct judge_process *process, const char *text)
{
    const struct gb_host *host = &process->state->host->interface;
    return host->fail(host, text);
}

static bool has_said(struct judge_process *process, _Atomic uint32_t *word)
{
    return atomic_load(word) == process->order;
}

/* It has ended by itself, or has been stopped or continued by another than the judge. */
static int32_t report_end(struct judge_process *process, int wait_status)
{
    char text[128];
    if (WIFSTOPPED(wait_status) || WIFCONTINUED(wait_status))
        return fail(process, "the judged process was stopped or continued by itself");
    process->pid = 0;
    if (WIFSIGNALED(wait_status))
        snprintf(text, sizeof text, "the judged process was ended by signal %d (%s)",
                 WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
    else
        snprintf(text, sizeof text, "the judged process ended with exit code %d",
                 WEXITSTATUS(wait_status));
    return fail(process, text);
}

/* The kernel, not the process, says that it has stopped itself with all its threads: it has no time
 * left to work in. Where it takes too long the supervisor ends this process. */
int32_t judge_process_wait(struct judge_process *process)
{
    int wait_status = 0;
    pid_t seen = 0;
    while (!process->is_stopped && seen <= 0) {
        seen = waitpid(process->pid, &wait_status, WUNTRACED | WCONTINUED);
        if (seen < 0 && errno != EINTR)
            return fail(process, "the judged process cannot be waited for");
    }
    if (seen > 0 && (!WIFSTOPPED(wait_status) || !has_said(process, &process->page->done)))
        return report_end(process, wait_status);
    process->is_stopped = true;
    return GB_OK;
}

/* A timer of its own may have continued it while it was stopped. */
static int32_t let_go(struct judge_process *process)
{
    int wait_status = 0;
    siginfo_t own;
    if (!process->is_stopped)
        return GB_OK;
    if (waitpid(process->pid, &wait_status, WUNTRACED | WCONTINUED | WNOHANG) != 0)
        return report_end(process, wait_status);
    kill(process->pid, SIGCONT);
    waitid(P_PID, (id_t)process->pid, &own, WCONTINUED | WNOHANG);
    process->is_stopped = false;
    return GB_OK;
}

/* Of a device, where what the process does takes milliseconds at most: a processor that sleeps
 * wakes up late. */
static void look_for(struct judge_process *process, _Atomic uint32_t *word)
{
    const double end_ns = process->block.bytes > 0 ? host_clock_ns() + awake_ns : 0;
    while (!has_said(process, word) && host_clock_ns() < end_ns)
        continue;
}

int32_t judge_process_give(struct judge_process *process)
{
    int32_t status = host_cancelled() ? GB_CANCELLED : judge_process_wait(process);
    if (status != GB_OK)
        return status;
    atomic_store(&process->page->order, ++process->order);
    status = let_go(process);
    look_for(process, &process->page->ready);
    return status;
}

int32_t judge_process_obey(struct judge_process *process)
{
    atomic_store(&process->page->go, process->order);
    look_for(process, &process->page->done);
    return has_said(process, &process->page->done) && process->block.bytes > 0
               ? GB_OK
               : judge_process_wait(process);
}

/* ---- its beginning ---- */

static int start_fresh(struct judge_process *process, const int *files, int n_files)
{
    struct environment_variable variables[JUDGED_VARIABLES];
    char base[32], bytes[32];
    const char *const arguments[] = {"gbrun", JUDGED_ARGUMENT,      base,
                                     bytes,   process->folder.path, NULL};
    snprintf(base, sizeof base, "%llx", (unsigned long long)(uintptr_t)process->memory.base);
    snprintf(bytes, sizeof bytes, "%llx", (unsigned long long)process->memory.bytes);
    judged_environment(process->folder.path, variables);
    char **environment = environment_make(variables, JUDGED_VARIABLES);
    const int code = command_start(program_image(), arguments, environment, files, n_files, true,
                                   &process->pid);
    free(environment);
    return code;
}

/* False: it takes a fresh one. */
static bool fork_process(struct judge_process *process, const int *files, int n_files)
{
    struct zygote_order order = {.base = (uintptr_t)process->memory.base,
                                 .bytes = process->memory.bytes,
                                 .judge = (int32_t)getpid(),
                                 .n_files = n_files};
    char why[HOST_TEXT_MAX] = "";
    if (!process->is_warm)
        return false;
    snprintf(order.folder, sizeof order.folder, "%s", process->folder.path);
    process->pid = zygote_fork(&order, files, why);
    if (process->pid == 0 && *why)
        link_say(process->state->link, GB_LOG_WARNING,
                 "verify = judge: each process imports anew what the reference does: %s", why);
    return process->pid > 0;
}

/* The case as it is sent to workers. False: it is too large. */
static bool write_case(struct judge_process *process, const struct bench_case *bench_case)
{
    const struct case_order given = {.record = "", .bench_case = *bench_case};
    struct judged_page *page = process->page;
    struct wire_writer writer = {0};
    struct wire_reader payload;
    wire_begin(&writer, WIRE_CASE);
    wire_put_fields(&writer, case_order_fields, &given);
    wire_end(&writer);
    wire_written(&writer, &payload);
    const bool fits = payload.length <= sizeof page->bench_case;
    memcpy(page->bench_case, payload.data, fits ? payload.length : 0);
    page->case_bytes = (uint32_t)payload.length;
    page->block = process->block;
    page->block.file = JUDGED_BLOCK_FILE;
    text_free(&writer.bytes);
    return fits;
}

/* It waits for its first order, which is what the page says. Returns a code of errno. */
static int start(struct judge_process *process, bool is_forked_only)
{
    const int files[] = {-1, STDOUT_FILENO, STDERR_FILENO, process->memory.file,
                         process->block.file};
    const int n_own = process->block.bytes > 0 ? 2 : 1;
    int code = 0;
    atomic_store(&process->page->order, ++process->order);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (!fork_process(process, files + JUDGED_FILE, n_own))
        code = is_forked_only ? ECHILD : start_fresh(process, files, JUDGED_FILE + n_own);
    close(process->memory.file);
    process->memory.file = -1;
    process->began = code == 0 ? sandbox_began(process->pid) : 0;
    return code;
}

int32_t judge_process_start(struct judge_process *process)
{
    struct case_state *state = process->state;
    if (!write_case(process, state->bench_case))
        return case_stop(state, CASE_FAILED, "verify = judge: the case is too large");
    const int code = process->pid > 0 ? 0 : start(process, false);
    atomic_store(&process->page->go, process->order);
    return code == 0 ? GB_OK
                     : case_stop(state, CASE_FAILED, "a judged process cannot be started: %s",
                                 reason_of(code));
}

void judge_process_kill(const struct judge_process *process)
{
    if (process->pid > 0)
        kill(process->pid, SIGKILL);
}

void judge_process_end(struct judge_process *process)
{
    if (!process)
        return;
    if (process->pid > 0)
        command_kill(process->pid);
    if (process->began > 0)
        sandbox_kill_others(parked ? parked->pid : 0, process->began);
    sandbox_folder_free(&process->folder);
    shared_memory_free(&process->memory);
    free(process);
}

/* ---- the next one ---- */

static struct judge_process *make(struct case_state *state, const struct gb_shared_block *block,
                                  bool is_warm, struct gb_error *error)
{
    const uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) / 4 * (uint64_t)sysconf(_SC_PAGESIZE);
    struct judge_process *process = memory_allocate(sizeof *process);
    *process = (struct judge_process){.state = state, .block = *block, .is_warm = is_warm};
    if (shared_memory_new(memory, &process->memory, error) != GB_OK) {
        free(process);
        return NULL;
    }
    process->page = shared_memory_take(&process->memory, sizeof *process->page);
    return process;
}

/* The order that it was parked with is done, and its folder is there. */
static bool is_ready(struct judge_process *process, struct gb_error *error)
{
    return sandbox_folder_new(&process->folder, error) == GB_OK &&
           judge_process_wait(process) == GB_OK && process->page->status == GB_OK;
}

struct judge_process *judge_process_new(struct case_state *state,
                                        const struct gb_shared_block *block, bool is_warm)
{
    struct judge_process *process = parked;
    struct gb_error error;
    parked = NULL;
    if (process) {
        process->state = state;
        if (is_warm && block->base == process->block.base && is_ready(process, &error))
            return process;
        judge_process_end(process);
        state->host->reason[0] = 0;
    }
    process = make(state, block, is_warm, &error);
    if (process && sandbox_folder_new(&process->folder, &error) == GB_OK)
        return process;
    judge_process_end(process);
    case_stop(state, CASE_FAILED, "%s", error.text);
    return NULL;
}

/* What is known of this case is nothing to the next, but for the device. */
void judge_process_park(const struct judge_process *process)
{
    const struct bench_case *bench_case = process->state->bench_case;
    struct bench_case device_alone = *bench_case;
    struct gb_error error;
    if (parked || !process->is_warm || process->block.bytes == 0 || !zygote_is_there())
        return;
    struct judge_process *next = make(process->state, &process->block, true, &error);
    if (!next)
        return;
    sandbox_folder_name(&next->folder);
    if (!write_case(next, bench_case) || start(next, true) != 0) {
        *next->folder.path = 0;
        judge_process_end(next);
        return;
    }
    device_alone.bench = device_alone.folder = "";
    device_alone.n_parameters = device_alone.n_settings = 0;
    memset(next->page->bench_case, 0, next->page->case_bytes);
    write_case(next, &device_alone);
    next->page->what = JUDGED_PARK;
    atomic_store(&next->page->go, next->order);
    parked = next;
}
