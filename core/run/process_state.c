/* process_state.c - see process_state.h. */
#include "core/run/process_state.h"

#include "core/base/memory.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/run/worker_link.h"
#include "plugins/common/system/system_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
    enum { WORDS = 8, NICE = 2 /* also the priority; has words of its own */ };
    uint64_t words[WORDS] = {0}; /* struct sched_attr, with what clamps the frequency */
    syscall(SYS_sched_getattr, 0, words, sizeof words, 0);
    words[NICE] &= ~(uint64_t)UINT32_MAX;
    uint64_t hash = HASH_START;
    for (int i = 0; i < WORDS; i++)
        hash = hash_number(hash, words[i]);
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

/* Is memory that is mapped from now on there before it is touched, as after mlockall(MCL_FUTURE)?
 */
static bool maps_at_once(void)
{
    unsigned char is_there = 0;
    const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return false;
    mincore(page, bytes, &is_there);
    munmap(page, bytes);
    return is_there & 1;
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
    hash = hash_number(hash, maps_at_once());
    return hash_number(hash, (uint64_t)prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0));
}

static uint64_t get_personality(void)
{
    return (uint64_t)personality(0xFFFFFFFF);
}

/* Of what can be seen of it by others, and of the rest of the system by it. */
static uint64_t hash_namespaces(void)
{
    static const char *const names[] = {
        "cgroup", "ipc", "mnt", "net", "pid_for_children", "time_for_children", "user", "uts"};
    uint64_t hash = HASH_START;
    const int folder = open("/proc/thread-self/ns", O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char link[64] = "";
        if (readlinkat(folder, names[i], link, sizeof link - 1) > 0)
            hash = hash_text(hash, link);
    }
    close(folder);
    return hash;
}

static uint64_t hash_place(void)
{
    struct stat root = {0};
    stat("/", &root);
    uint64_t hash = hash_number(hash_number(HASH_START, root.st_dev), root.st_ino);
    return hash_number(hash_number(hash, (uint64_t)getsid(0)), (uint64_t)getpgrp());
}

static uint64_t hash_attributes(void)
{
    enum { GET_MEMORY_MERGE = 68 };
    static const struct {
        int which;
        unsigned long of;
    } plain[] = {{PR_GET_DUMPABLE, 0},
                 {PR_GET_KEEPCAPS, 0},
                 {PR_GET_NO_NEW_PRIVS, 0},
                 {PR_GET_SECCOMP, 0},
                 {PR_MCE_KILL_GET, 0},
                 {GET_MEMORY_MERGE, 0},
                 {PR_GET_SPECULATION_CTRL, PR_SPEC_STORE_BYPASS},
                 {PR_GET_SPECULATION_CTRL, PR_SPEC_INDIRECT_BRANCH}};
    static const int stored[] = {PR_GET_PDEATHSIG, PR_GET_CHILD_SUBREAPER, PR_GET_TSC};
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        hash = hash_number(hash, (uint64_t)prctl(plain[i].which, plain[i].of, 0, 0, 0));
    for (size_t i = 0; i < sizeof stored / sizeof *stored; i++) {
        int value = 0;
        prctl(stored[i], &value, 0, 0, 0);
        hash = hash_number(hash, (uint64_t)value);
    }
    return hash;
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
                              {get_personality, "personality"},
                              {hash_namespaces, "namespaces"},
                              {hash_place, "root folder, session or process group"},
                              {hash_attributes, "attributes (prctl)"}};

/* Which of the first descriptors are open, as bits: all, where none is left to look with. How many
 * there are. */
static uint64_t find_files(uint64_t open[PROCESS_FILES / 64])
{
    uint64_t n = 0;
    DIR *files = opendir("/proc/self/fd");
    memset(open, files ? 0 : 0xff, PROCESS_FILES / 8);
    if (!files)
        return errno == EMFILE || errno == ENFILE ? (uint64_t)sysconf(_SC_OPEN_MAX) : 0;
    for (struct dirent *file; (file = readdir(files)) != NULL;) {
        const long descriptor = strtol(file->d_name, NULL, 10);
        if (*file->d_name == '.' || descriptor == dirfd(files))
            continue;
        n++;
        if (descriptor < PROCESS_FILES)
            open[descriptor / 64] |= (uint64_t)1 << descriptor % 64;
    }
    closedir(files);
    return n;
}

/* Input, output, and the way to the supervisor: which files these are. */
static uint64_t hash_own_files(void)
{
    uint64_t hash = HASH_START;
    for (int descriptor = 0; descriptor <= WORKER_SOCKET; descriptor++) {
        struct stat info = {0};
        fstat(descriptor, &info);
        hash = hash_number(hash_number(hash, info.st_dev), info.st_ino);
    }
    return hash;
}

/* ---- all of it ---- */

void process_state_take(struct process_state *state)
{
    if (!getcwd(state->folder, sizeof state->folder))
        state->folder[0] = 0;
    const char *locale = setlocale(LC_ALL, NULL);
    snprintf(state->locale, sizeof state->locale, "%s", locale ? locale : "");
    sigprocmask(SIG_BLOCK, NULL, &state->mask);
    process_size_take(&state->size);
    for (int signal = 1; signal < PROCESS_SIGNALS; signal++) {
        struct sigaction action;
        const bool is_plain = signal != SIGCHLD && !(state->size.handled >> (signal - 1) & 1);
        const bool known = !is_plain && sigaction(signal, NULL, &action) == 0;
        state->handlers[signal] = known ? action.sa_handler : SIG_DFL;
        if (known && signal == SIGCHLD) /* children cannot be waited for then */
            state->reaps = (action.sa_flags & SA_NOCLDWAIT) != 0;
    }
    state->umask = umask(0);
    umask(state->umask);
    state->priority = getpriority(PRIO_PROCESS, 0);
    state->environment = HASH_START;
    for (char **variable = environ; variable && *variable; variable++)
        state->environment = hash_text(state->environment, *variable);
    state->own_files = hash_own_files();
    for (int i = 0; i < PROCESS_NUMBERS; i++)
        state->numbers[i] = numbers[i].get();
    fegetenv(&state->floats);
    state->is_known = true;
}

void process_state_forget_files(struct process_state *state)
{
    memset(state->size.open_files, 0, sizeof state->size.open_files);
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

bool process_state_differs(struct process_state *state, struct text *out)
{
    struct process_state now = {0};
    process_state_take(&now);
    CLEANUP(text_free) struct text found = {0};
    bool handlers = now.reaps != state->reaps, mask = false,
         files = now.own_files != state->own_files;
    for (int i = 0; i < PROCESS_FILES / 64; i++)
        files = files || (state->size.open_files[i] & ~now.size.open_files[i]) != 0;
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
    add(&found, files, "open files");
    for (int i = 0; i < PROCESS_NUMBERS; i++)
        add(&found, now.numbers[i] != state->numbers[i], numbers[i].words);
    add(&found, floats_differ(&now.floats, &state->floats), "floating-point mode");
    text_add(out, text_get(&found));
    *state = now;
    return found.length > 0;
}

/* ---- what it has beside its state ---- */

/* More than these are reported: the next case must find the memory and the descriptors that it
 * needs, and what is mapped may be touched any time. Descriptors: 1024 are a usual limit; regions:
 * 65530. */
static const struct {
    double most;
    bool is_bytes;
    const char *words;
} sizes[PROCESS_SIZES] = {[SIZE_RESIDENT] = {(double)((uint64_t)256 << 20), true, "memory"},
                          [SIZE_MAPPED] = {(double)((uint64_t)4 << 30), true, "mapped memory"},
                          [SIZE_LOCKED] = {(double)((uint64_t)256 << 20), true, "locked memory"},
                          [SIZE_REGIONS] = {8192, false, "regions of memory"},
                          [SIZE_FILES] = {128, false, "open files"}};

static char block[1 << 16]; /* of a file */

static uint64_t count_regions(void)
{
    uint64_t n = 0;
    const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    for (ssize_t bytes; file >= 0 && (bytes = read(file, block, sizeof block)) > 0;)
        for (const char *at = block; (at = memchr(at, '\n', (size_t)(block + bytes - at))) != NULL;
             at++)
            n++;
    close(file);
    return n;
}

/* The threads of this process, one after the other: false where they end. */
static struct dirent *next_thread(DIR *tasks)
{
    struct dirent *task = tasks ? readdir(tasks) : NULL;
    while (task && *task->d_name == '.')
        task = readdir(tasks);
    return task;
}

static long find_last_thread(void)
{
    long last = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; (task = next_thread(tasks)) != NULL;) {
        const long number = strtol(task->d_name, NULL, 10);
        last = number > last ? number : last;
    }
    if (tasks)
        closedir(tasks);
    return last;
}

/* Of the block's line "NAME:\tNUMBER ...": 0 where there is none. `name` begins with a new line. */
static uint64_t status_number(const char *name, int base)
{
    const char *line = strstr(block, name);
    return line ? strtoull(line + strlen(name), NULL, base) : 0;
}

void process_size_take(struct process_size *ret)
{
    const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    const ssize_t n = read(file, block, sizeof block - 1);
    close(file);
    block[n > 0 ? n : 0] = 0;
    const uint64_t tracer = status_number("\nTracerPid:", 10);
    *ret = (struct process_size){
        .sizes = {[SIZE_RESIDENT] =
                      (status_number("\nRssAnon:", 10) + status_number("\nRssShmem:", 10)) << 10,
                  [SIZE_MAPPED] = status_number("\nVmData:", 10) << 10,
                  [SIZE_LOCKED] = status_number("\nVmLck:", 10) << 10},
        .n_threads = (uint32_t)status_number("\nThreads:", 10),
        .is_traced = tracer != 0 && tracer == (uint64_t)getppid(),
        .handled = n > 0 ? status_number("\nSigIgn:", 16) | status_number("\nSigCgt:", 16)
                         : UINT64_MAX};
    ret->sizes[SIZE_FILES] = find_files(ret->open_files);
    ret->sizes[SIZE_REGIONS] = count_regions();
    ret->last_thread = ret->n_threads > 1 ? find_last_thread() : (long)getpid();
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

/* How often it has had a processor; 0: not known. */
static uint64_t count_turns(const char *task)
{
    char path[64], line[96] = "";
    unsigned long long n = 0;
    snprintf(path, sizeof path, "/proc/self/task/%.20s/schedstat", task);
    system_file_line(line, sizeof line, "%s", path);
    sscanf(line, "%*s %*s %llu", &n);
    return n;
}

/* Does another thread run, or has one that is newer than `last` run since *turns was counted? */
static bool is_any_other_at_work(long last, uint64_t *turns)
{
    bool is_any = false;
    const uint64_t before = *turns;
    const long own = (long)gettid();
    DIR *tasks = opendir("/proc/self/task");
    *turns = 0;
    for (struct dirent *task; (task = next_thread(tasks)) != NULL;) {
        const long number = strtol(task->d_name, NULL, 10);
        is_any = is_any || (number != own && is_running(task->d_name));
        *turns += number > last ? count_turns(task->d_name) : 0;
    }
    if (tasks)
        closedir(tasks);
    return is_any || *turns != before;
}

/* Do other threads compute, and continue for a quarter of a second? Those of a pool that wait for
 * work in a loop soon sleep. Threads that the case began must sleep for a while, too: one that
 * wakes up again and again is at work. */
static bool has_busy_threads(const struct process_size *before, const struct process_size *now)
{
    enum { LOOKS = 250, QUIET = 50 }; /* a millisecond apart */
    const long last = before->n_threads > 0 ? before->last_thread : LONG_MAX;
    const int n_wanted = now->last_thread > last ? QUIET : 1;
    uint64_t turns = 0;
    int n_quiet = 0;
    for (int i = 0; i < LOOKS && n_quiet < n_wanted; i++) {
        n_quiet = is_any_other_at_work(last, &turns) ? 0 : n_quiet + 1;
        if (n_quiet < n_wanted)
            poll(NULL, 0, 1);
    }
    return n_quiet < n_wanted;
}

static void add_left(struct text *out, int i, double n)
{
    char bytes[NUMBER_TEXT_MAX];
    text_add(out, out->length ? ", left " : "left ");
    if (sizes[i].is_bytes)
        text_printf(out, "%s of ", format_bytes(n, bytes));
    else
        text_printf(out, "%.0f ", n);
    text_printf(out, "%s behind", sizes[i].words);
}

bool process_has_children(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0;
}

bool process_size_compare(const struct process_size *before, struct process_wear *wear,
                          bool has_children, const struct process_size *now, struct text *out)
{
    static const double worn = 4; /* cases that leave a little less than is reported */
    bool is_worn = false;
    wear->n_threads = wear->n_threads > 0 ? wear->n_threads : before->n_threads;
    add(out, has_children && process_has_children(), "left child processes behind");
    add(out, now->n_threads != 1 && has_busy_threads(before, now),
        "left threads behind that are still computing");
    if (before->n_threads == 0) /* it was not reached */
        return false;
    if (now->n_threads > before->n_threads &&
        now->n_threads >
            wear->n_threads + THREADS_LEFT + 2 * (uint32_t)sysconf(_SC_NPROCESSORS_ONLN))
        text_printf(out, "%sleft threads behind: %u more than when the device was opened",
                    out->length ? ", " : "", now->n_threads - wear->n_threads);
    add(out, now->is_traced && !before->is_traced, "left the process traced");
    for (int i = 0; i < PROCESS_SIZES; i++) {
        const double more = (double)now->sizes[i] - (double)before->sizes[i];
        if (more > sizes[i].most)
            add_left(out, i, more);
        wear->left[i] = fmax(0, wear->left[i] + more);
        is_worn = is_worn || wear->left[i] > worn * sizes[i].most;
    }
    return is_worn;
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
