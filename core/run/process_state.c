/* process_state.c - see process_state.h. */
#include "core/run/process_state.h"

#include "core/base/memory.h"
#include "core/base/number_text.h"
#include "core/base/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { IOPRIO_OF_PROCESS = 1 };

extern char **environ;

/* ---- what is a number, or a hash of several ---- */

static uint64_t hash_cpus(void)
{
    enum { WORDS = 1024 }; /* for 65536 processors */
    static unsigned long words[WORDS];
    long bytes = syscall(SYS_sched_getaffinity, 0, sizeof words, words);
    uint64_t hash = HASH_START;
    for (long i = 0; i < bytes / (long)sizeof *words; i++)
        hash = hash_number(hash, words[i]);
    return hash;
}

static uint64_t hash_scheduler(void)
{
    struct sched_param param = {0};
    sched_getparam(0, &param);
    uint64_t hash = hash_number(HASH_START, (uint64_t)sched_getscheduler(0));
    hash = hash_number(hash, (uint64_t)param.sched_priority);
    hash = hash_number(hash, (uint64_t)syscall(SYS_ioprio_get, IOPRIO_OF_PROCESS, 0));
    return hash_number(hash, (uint64_t)prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0));
}

static uint64_t hash_limits(void)
{
    uint64_t hash = HASH_START;
    for (int resource = 0; resource < (int)RLIMIT_NLIMITS; resource++) {
        struct rlimit limit = {0};
        getrlimit((__rlimit_resource_t)resource, &limit);
        hash = hash_number(hash_number(hash, limit.rlim_cur), limit.rlim_max);
    }
    return hash;
}

/* Those that the kernel lists (CONFIG_CHECKPOINT_RESTORE). */
static uint64_t count_posix_timers(void)
{
    char line[128];
    uint64_t n = 0;
    FILE *file = fopen("/proc/self/timers", "re");
    while (file && fgets(line, sizeof line, file))
        n += text_starts_with(line, "ID:");
    if (file)
        fclose(file);
    return n;
}

static uint64_t count_timers(void)
{
    uint64_t n = 0;
    for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++) {
        struct itimerval timer = {0};
        getitimer((__itimer_which_t)which, &timer);
        n += timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0;
    }
    return n + count_posix_timers();
}

static uint64_t hash_ids(void)
{
    uint64_t hash = HASH_START;
    uid_t uids[3];
    gid_t gids[3];
    getresuid(&uids[0], &uids[1], &uids[2]);
    getresgid(&gids[0], &gids[1], &gids[2]);
    for (int i = 0; i < 3; i++)
        hash = hash_number(hash_number(hash, uids[i]), gids[i]);
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = {{0}};
    syscall(SYS_capget, &header, caps);
    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
        hash = hash_number(hash_number(hash, caps[i].effective), caps[i].permitted);
    return hash;
}

static uint64_t hash_memory_policy(void)
{
    enum { WORDS = 1024 / LONG_BIT }; /* for as many nodes as there may be */
    unsigned long nodes[WORDS] = {0};
    int mode = 0;
    syscall(SYS_get_mempolicy, &mode, nodes, (unsigned long)WORDS * LONG_BIT, NULL, 0);
    uint64_t hash = hash_number(HASH_START, (uint64_t)mode);
    for (int i = 0; i < WORDS; i++)
        hash = hash_number(hash, nodes[i]);
    return hash_number(hash, (uint64_t)prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0));
}

static uint64_t get_personality(void)
{
    return (uint64_t)personality(0xFFFFFFFF);
}

static const struct {
    uint64_t (*get)(void);
    const char *words;
} numbers[PROCESS_NUMBERS] = {{hash_cpus, "CPU affinity"},
                              {hash_scheduler, "scheduling"},
                              {hash_limits, "resource limits"},
                              {count_timers, "timers"},
                              {hash_ids, "user, group or capabilities"},
                              {hash_memory_policy, "memory policy"},
                              {get_personality, "personality"}};

/* Which of the first 64 descriptors are open, as bits. */
static uint64_t open_files(void)
{
    uint64_t bits = 0;
    for (int descriptor = 0; descriptor < 64; descriptor++)
        if (fcntl(descriptor, F_GETFD) != -1)
            bits |= (uint64_t)1 << descriptor;
    return bits;
}

/* ---- all of it ---- */

void process_state_take(struct process_state *state)
{
    if (!getcwd(state->folder, sizeof state->folder))
        state->folder[0] = 0;
    const char *locale = setlocale(LC_ALL, NULL);
    snprintf(state->locale, sizeof state->locale, "%s", locale ? locale : "");
    sigprocmask(SIG_BLOCK, NULL, &state->mask);
    for (int signal = 1; signal < PROCESS_SIGNALS; signal++) {
        struct sigaction action;
        bool known = sigaction(signal, NULL, &action) == 0;
        state->handlers[signal] = known ? action.sa_handler : SIG_DFL;
    }
    state->umask = umask(0);
    umask(state->umask);
    state->priority = getpriority(PRIO_PROCESS, 0);
    state->environment = HASH_START;
    for (char **variable = environ; variable && *variable; variable++)
        state->environment = hash_text(state->environment, *variable);
    state->open_files = open_files();
    for (int i = 0; i < PROCESS_NUMBERS; i++)
        state->numbers[i] = numbers[i].get();
    fegetenv(&state->floats);
}

void process_state_pause(struct process_state *state)
{
    for (int i = 0; i < PROCESS_NUMBERS; i++)
        state->paused[i] = numbers[i].get();
}

void process_state_resume(struct process_state *state)
{
    for (int i = 0; i < PROCESS_NUMBERS; i++) {
        uint64_t now = numbers[i].get();
        if (now != state->paused[i])
            state->numbers[i] = now;
    }
}

/* Only the control bits: the exception flags change with every inexact result. */
static bool floats_differ(const fenv_t *a, const fenv_t *b)
{
#if defined(__x86_64__)
    enum { MXCSR_FLAGS = 0x3F };
    return a->__control_word != b->__control_word ||
           (a->__mxcsr & ~(unsigned)MXCSR_FLAGS) != (b->__mxcsr & ~(unsigned)MXCSR_FLAGS);
#elif defined(__aarch64__)
    return a->__fpcr != b->__fpcr;
#else
    (void)a;
    (void)b;
    return fegetround() != FE_TONEAREST;
#endif
}

static void add(struct text *out, bool differs, const char *what)
{
    if (differs)
        text_printf(out, "%s%s", out->length ? ", " : "", what);
}

bool process_state_differs(const struct process_state *state, struct text *out)
{
    struct process_state now = {0};
    process_state_take(&now);
    CLEANUP(text_free) struct text found = {0};
    bool handlers = false, mask = false;
    for (int signal = 1; signal < PROCESS_SIGNALS; signal++) {
        handlers = handlers || now.handlers[signal] != state->handlers[signal];
        mask = mask || sigismember(&now.mask, signal) != sigismember(&state->mask, signal);
    }
    add(&found, !text_equal(now.folder, state->folder), "working directory");
    add(&found, !text_equal(now.locale, state->locale), "locale");
    add(&found, mask, "signal mask");
    add(&found, handlers, "signal handlers");
    add(&found, now.umask != state->umask, "umask");
    add(&found, now.priority != state->priority, "priority");
    add(&found, now.environment != state->environment, "environment");
    add(&found, (state->open_files & ~now.open_files) != 0, "open files");
    for (int i = 0; i < PROCESS_NUMBERS; i++)
        add(&found, now.numbers[i] != state->numbers[i], numbers[i].words);
    add(&found, floats_differ(&now.floats, &state->floats), "floating-point mode");
    text_add(out, text_get(&found));
    return found.length > 0;
}

/* ---- what it has beside its state ---- */

/* More than these are reported: the next case must find the memory that it needs, and what is
 * mapped may be touched any time. */
static const uint64_t resident_left_bytes = (uint64_t)256 << 20;
static const uint64_t mapped_left_bytes = (uint64_t)4 << 30;

void process_size_take(struct process_size *ret)
{
    char line[256];
    FILE *file = fopen("/proc/self/status", "re");
    *ret = (struct process_size){0};
    while (file && fgets(line, sizeof line, file)) {
        char *value = strchr(line, ':');
        const uint64_t number = value ? strtoull(value + 1, NULL, 10) : 0;
        if (text_starts_with(line, "RssAnon:") || text_starts_with(line, "RssShmem:"))
            ret->resident_bytes += number << 10;
        else if (text_starts_with(line, "VmData:"))
            ret->mapped_bytes = number << 10;
        else if (text_starts_with(line, "TracerPid:"))
            ret->is_traced = number != 0 && number == (uint64_t)getppid();
        else if (text_starts_with(line, "Threads:"))
            ret->n_threads = (uint32_t)number;
    }
    if (file)
        fclose(file);
}

/* Of a line of /proc/PID/stat: the state follows the name, which may hold anything. */
static bool is_running(const char *task)
{
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", task);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = read(file, line, sizeof line - 1);
    close(file);
    line[n > 0 ? n : 0] = 0;
    const char *state = strrchr(line, ')');
    return state && text_starts_with(state, ") R");
}

static bool is_any_other_running(void)
{
    char own[32];
    bool is_any = false;
    snprintf(own, sizeof own, "%ld", (long)gettid());
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && !is_any && (task = readdir(tasks)) != NULL;)
        is_any = *task->d_name != '.' && !text_equal(task->d_name, own) && is_running(task->d_name);
    if (tasks)
        closedir(tasks);
    return is_any;
}

/* Do other threads compute, and continue for a quarter of a second? Those of a pool that wait for
 * work in a loop soon sleep. */
static bool has_busy_threads(void)
{
    enum { LOOKS = 250 }; /* a millisecond apart */
    int n = 0;
    while (n < LOOKS && is_any_other_running()) {
        poll(NULL, 0, 1);
        n++;
    }
    return n == LOOKS;
}

static void add_bytes(struct text *out, uint64_t before, uint64_t now, uint64_t most,
                      const char *what)
{
    char bytes[NUMBER_TEXT_MAX];
    if (now > before + most)
        text_printf(out, "%sleft %s of %s behind", out->length ? ", " : "",
                    format_bytes((double)(now - before), bytes), what);
}

void process_size_compare(const struct process_size *before, uint32_t n_threads, bool has_children,
                          struct text *out)
{
    struct process_size now;
    siginfo_t info;
    process_size_take(&now);
    /* Running, or not waited for. */
    const bool has_any = waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0;
    add(out, has_children && has_any, "left child processes behind");
    add(out, now.n_threads != 1 && has_busy_threads(), "left threads behind that compute");
    if (before->n_threads == 0) /* it was not reached */
        return;
    const uint32_t allowed = THREADS_LEFT + 2 * (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (now.n_threads > before->n_threads && now.n_threads > n_threads + allowed)
        text_printf(out, "%sleft threads behind: %u more than when the device was opened",
                    out->length ? ", " : "", now.n_threads - n_threads);
    add(out, now.is_traced && !before->is_traced, "left the process traced");
    add_bytes(out, before->resident_bytes, now.resident_bytes, resident_left_bytes, "memory");
    add_bytes(out, before->mapped_bytes, now.mapped_bytes, mapped_left_bytes, "mapped memory");
}

/* ---- what a benchmark keeps for itself ---- */

void plugin_mode_begin(struct plugin_mode *mode)
{
    fesetenv(FE_DFL_ENV);
    fegetenv(&mode->floats);
    mode->locale = LC_GLOBAL_LOCALE; /* the one that setlocale changes */
    number_locale_c();
}

void plugin_mode_adopt(struct plugin_mode *mode)
{
    fegetenv(&mode->floats);
    mode->locale = uselocale((locale_t)0);
    fesetenv(FE_DFL_ENV);
    number_locale_c();
}

void plugin_mode_enter(const struct plugin_mode *mode)
{
    uselocale(mode->locale);
    fesetenv(&mode->floats);
}

void plugin_mode_leave(struct plugin_mode *mode)
{
    fegetenv(&mode->floats);
    fesetenv(FE_DFL_ENV);
    number_locale_c();
}
