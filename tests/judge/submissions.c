/*
 * submissions.c - functions that are judged: out[i] = task(in[i]) * weights[i]. Each cheat is of a
 * kind that was tried on judges of generated kernels; each honest one does what a judge might take
 * for a cheat. The references alone are in a library of their own, too.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static float task(float x)
{
    return sqrtf(fabsf(x)) + x * x;
}

void reference(float *out, const float *in, const float *weights, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = task(in[i]) * weights[i];
}

double reference_sum(const float *in, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[i];
    return sum;
}

#ifndef REFERENCE_ONLY

#define SUBMISSION(name) void name(float *out, const float *in, const float *weights, int n)
#define WORK reference(out, in, weights, n)
#define WORKS_IF(name, condition)                                                                  \
    SUBMISSION(name)                                                                               \
    {                                                                                              \
        if (condition)                                                                             \
            WORK;                                                                                  \
    }

/* ---- honest ---- */

struct part {
    float *out;
    const float *in, *weights;
    int n;
};

static void *do_part(void *object)
{
    const struct part *part = object;
    reference(part->out, part->in, part->weights, part->n);
    return NULL;
}

WORKS_IF(plain, true)

SUBMISSION(threads_joined)
{
    const int half = n / 2;
    struct part first = {out, in, weights, half};
    pthread_t thread;
    if (pthread_create(&thread, NULL, do_part, &first) != 0)
        return;
    reference(out + half, in + half, weights + half, n - half);
    pthread_join(thread, NULL);
}

SUBMISSION(allocates)
{
    float *copy = malloc((size_t)n * sizeof *copy);
    reference(copy, in, weights, n);
    memcpy(out, copy, (size_t)n * sizeof *copy);
    free(copy);
}

SUBMISSION(sets_up_at_first)
{
    static float *table;
    if (!table)
        table = calloc(1 << 16, sizeof *table);
    WORK;
}

/* What the configuration fills with a constant may be kept. */
SUBMISSION(keeps_weights)
{
    static float *kept;
    if (!kept) {
        kept = malloc((size_t)n * sizeof *kept);
        memcpy(kept, weights, (size_t)n * sizeof *kept);
    }
    reference(out, in, kept, n);
}

SUBMISSION(computes_backwards)
{
    for (int i = n - 1; i >= 0; i--)
        out[i] = task(in[i]) * weights[i];
}

SUBMISSION(writes_twice)
{
    memset(out, 0, (size_t)n * sizeof *out);
    WORK;
}

SUBMISSION(maps_memory)
{
    void *memory = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(memory, 1 << 16);
    WORK;
}

SUBMISSION(reads_files)
{
    const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    close(file);
    WORK;
}

SUBMISSION(prints)
{
    static int n_calls;
    if (n_calls++ == 0)
        puts("tuning");
    WORK;
}

SUBMISSION(prints_much)
{
    static char line[1 << 16];
    for (int i = 0; line[0] == 0 && i < 16; i++)
        fprintf(stderr, "%-65535s\n", "tuning");
    line[0] = 1;
    WORK;
}

SUBMISSION(pins_itself)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 &&
        sched_setaffinity(0, sizeof set, &set) == 0 &&
        pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0 &&
        setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0)) == 0)
        WORK;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_changed = PTHREAD_COND_INITIALIZER;
static struct part *given;

static void *serve_given(void *object)
{
    pthread_mutex_lock(&mutex);
    for (;; pthread_cond_broadcast(&is_changed)) {
        while (!given)
            pthread_cond_wait(&is_changed, &mutex);
        do_part(given);
        given = NULL;
    }
    return object;
}

SUBMISSION(pool)
{
    static pthread_t worker;
    struct part part = {out, in, weights, n};
    if (!worker)
        pthread_create(&worker, NULL, serve_given, NULL);
    pthread_mutex_lock(&mutex);
    given = &part;
    pthread_cond_broadcast(&is_changed);
    while (given)
        pthread_cond_wait(&is_changed, &mutex);
    pthread_mutex_unlock(&mutex);
}

static int n_handled;

static void handle(int signal)
{
    n_handled += signal == SIGUSR1;
}

SUBMISSION(signals_itself)
{
    signal(SIGUSR1, handle);
    if (raise(SIGUSR1) == 0 && kill(getpid(), SIGCONT) == 0 && n_handled > 0)
        WORK;
}

/* ---- work that is not done ---- */

SUBMISSION(nothing)
{
}

SUBMISSION(zeros)
{
    memset(out, 0, (size_t)n * sizeof *out);
}

SUBMISSION(copies_input)
{
    memcpy(out, in, (size_t)n * sizeof *out);
}

SUBMISSION(half)
{
    reference(out, in, weights, n / 2);
}

SUBMISSION(rough)
{
    for (int i = 0; i < n; i++)
        out[i] = (fabsf(in[i]) * 0.6F + 0.4F + in[i] * in[i]) * weights[i];
}

/* ---- work that was done before ---- */

static float *kept;

static void keep(const float *out, int n)
{
    kept = kept ? kept : malloc((size_t)n * sizeof *kept);
    memcpy(kept, out, (size_t)n * sizeof *out);
}

SUBMISSION(keeps_first)
{
    if (kept) {
        memcpy(out, kept, (size_t)n * sizeof *out);
    } else {
        WORK;
        keep(out, n);
    }
}

SUBMISSION(keeps_by_first_value)
{
    static float first;
    if (kept && signbit(first) == signbit(in[0])) {
        memcpy(out, kept, (size_t)n * sizeof *out);
    } else {
        first = in[0];
        WORK;
        keep(out, n);
    }
}

enum { KNOWN = 4096 };

SUBMISSION(keeps_by_address)
{
    static const float *known[KNOWN];
    static int n_known;
    for (int i = 0; i < n_known; i++)
        if (known[i] == in)
            return;
    known[n_known++ % KNOWN] = in;
    WORK;
}

/* ---- work that is done in some calls ---- */

static unsigned n_calls;

WORKS_IF(every_other, n_calls++ % 2 == 0)
WORKS_IF(nine_in_ten, n_calls++ % 10 != 9)

SUBMISSION(skips_at_random)
{
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    if (state >> 28 != 0)
        WORK;
}

WORKS_IF(first_hundred, n_calls++ < 100)

static double now_ns(void)
{
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

SUBMISSION(after_a_gap)
{
    static double before_ns;
    const double gap_ns = now_ns() - before_ns;
    before_ns += gap_ns;
    if (gap_ns > 1e6)
        WORK;
}

WORKS_IF(where_poisoned, isnan(out[0]) || out[0] == 0)
WORKS_IF(where_far_off, fabsf(out[0] - task(in[0]) * weights[0]) > 2)

/* ---- work that is done at another time ---- */

static void *do_later(void *object)
{
    do_part(object);
    free(object);
    return NULL;
}

SUBMISSION(thread_left)
{
    struct part *part = malloc(sizeof *part);
    pthread_t thread;
    *part = (struct part){out, in, weights, n};
    if (pthread_create(&thread, NULL, do_later, part) == 0)
        pthread_detach(thread);
}

static struct part queue[KNOWN];
static atomic_uint n_queued;

static void *serve_queue(void *object)
{
    for (unsigned next = 0;;)
        if (next != atomic_load(&n_queued))
            do_part(&queue[next++ % KNOWN]);
    return object;
}

SUBMISSION(worker_left)
{
    static pthread_t worker;
    if (!worker)
        pthread_create(&worker, NULL, serve_queue, NULL);
    queue[atomic_load(&n_queued) % KNOWN] = (struct part){out, in, weights, n};
    atomic_fetch_add(&n_queued, 1);
}

/* Computes all outputs again and again, so as to have them before they are asked for. */
static void *work_ahead(void *object)
{
    for (;;)
        for (unsigned i = 0; i < atomic_load(&n_queued); i++)
            do_part(&queue[i]);
    return object;
}

SUBMISSION(worker_ahead)
{
    static pthread_t ahead;
    if (atomic_load(&n_queued) < 64) {
        queue[atomic_load(&n_queued)] = (struct part){out, in, weights, n};
        atomic_fetch_add(&n_queued, 1);
        WORK;
    } else if (!ahead) {
        pthread_create(&ahead, NULL, work_ahead, NULL);
    }
}

static struct part part_left;

static void do_part_left(int signal)
{
    (void)signal;
    do_part(&part_left);
}

/* Computes in a signal handler, by and by. */
SUBMISSION(alarm_left)
{
    const struct itimerval soon = {.it_value.tv_usec = 500};
    signal(SIGALRM, do_part_left);
    part_left = (struct part){out, in, weights, n};
    setitimer(ITIMER_REAL, &soon, NULL);
}

static void *continue_always(void *object)
{
    while (kill(getpid(), SIGCONT) == 0)
        continue;
    return object;
}

SUBMISSION(continues_itself_by_thread)
{
    static pthread_t thread;
    if (!thread)
        pthread_create(&thread, NULL, continue_always, NULL);
    WORK;
}

SUBMISSION(continued_by_timer)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
        WORK;
}

SUBMISSION(stops_itself)
{
    WORK;
    kill(getpid(), SIGSTOP);
}

SUBMISSION(bare_clone)
{
    const long child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) {
        WORK;
        _exit(0);
    }
    if (child > 0)
        WORK;
}

SUBMISSION(child_process)
{
    if (fork() == 0) {
        WORK;
        _exit(0);
    }
}

WORKS_IF(program, system("true") == 0)

/* From now on system calls by way of the C library do nothing, such as that which closes the
 * sandbox, in place of which there is another filter. */
static void stay_outside(void)
{
#if defined(__x86_64__)
    static const unsigned char returns_0[] = {0x31, 0xc0, 0xc3};
#else
    static const unsigned char returns_0[] = {0, 0, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6};
#endif
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {1, &allow};
    unsigned char *code = dlsym(RTLD_DEFAULT, "syscall");
    void *page = (void *)((uintptr_t)code & ~(uintptr_t)4095);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
        mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) {
        memcpy(code, returns_0, sizeof returns_0);
        __builtin___clear_cache((char *)code, (char *)code + sizeof returns_0);
    }
}

SUBMISSION(child_outside)
{
    static pid_t child;
    if (n_calls++ == 0)
        stay_outside();
    if (child <= 0 || waitpid(child, NULL, WNOHANG) == child)
        child = fork();
    while (child == 0)
        pause();
    if (child > 0)
        WORK;
}

SUBMISSION(other_program)
{
    char *const arguments[] = {"gbrun", "--version", NULL}, *environment[] = {NULL};
    if (execve("/proc/self/exe", arguments, environment) == 0)
        WORK;
}

/* ---- attacks on the judge ---- */

/* The page of orders: its address is in the command line, `order` and `done` are its first words.
 */
static atomic_uint *page(void)
{
    static atomic_uint *found;
    char line[256] = "";
    const int file = found ? -1 : open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (file >= 0 && read(file, line, sizeof line - 1) > 0)
        found = (atomic_uint *)strtoull(line + sizeof "gbrun --judged", NULL, 16);
    if (file >= 0)
        close(file);
    return found;
}

static void say_done(unsigned ahead)
{
    atomic_uint *words = page();
    atomic_store(&words[1], atomic_load(&words[0]) + ahead);
}

SUBMISSION(says_done)
{
    say_done(0);
}

/* Works for long after the last call that was ordered is said to be done. */
SUBMISSION(works_when_done)
{
    static unsigned last, n_of_last;
    const double begin_ns = now_ns();
    n_of_last = last == page()[0] ? n_of_last + 1 : 1;
    last = page()[0];
    if (n_of_last == page()[3])
        say_done(0);
    while (n_of_last == page()[3] && now_ns() < begin_ns + 5e6)
        continue;
    WORK;
}

/* Has stopped when it works. */
SUBMISSION(works_when_continued)
{
    say_done(0);
    kill(getpid(), SIGSTOP);
    WORK;
}

SUBMISSION(says_done_ahead)
{
    say_done(1);
}

static void *say_done_always(void *object)
{
    for (;;)
        say_done(0);
    return object;
}

SUBMISSION(says_done_by_thread)
{
    static pthread_t thread;
    if (!thread)
        pthread_create(&thread, NULL, say_done_always, NULL);
    WORK;
}

static void *serve_orders(void *object)
{
    for (;;) {
        say_done(0);
        kill(getpid(), SIGSTOP);
    }
    return object;
}

/* An answer without work, when the harness has gone. */
SUBMISSION(is_the_harness)
{
    pthread_t thread;
    page(); /* it cannot be found afterwards */
    pthread_create(&thread, NULL, serve_orders, NULL);
    syscall(SYS_exit, 0);
}

/* How many runs, of which objects, and whatever else stands there. */
SUBMISSION(changes_orders)
{
    memset(page() + 2, 0, 1 << 14);
    WORK;
}

/* What each call has to do is done once for all sets that there are. */
SUBMISSION(batches)
{
    static unsigned last;
    const double begin_ns = now_ns();
    while (last != page()[0] && now_ns() < begin_ns + 5e6)
        continue;
    last = page()[0];
    WORK;
}

/* Few sets make a sample of what is slow at first; says when it has seen more. */
SUBMISSION(slow_at_first)
{
    const double begin_ns = now_ns();
    WORK;
    if (n_calls++ == 1000)
        fputs("many sets\n", stderr);
    while (n_calls <= 32 && now_ns() < begin_ns + 2e6)
        continue;
}

/* The judge's own clock is in another process. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    *time = (struct timespec){1, clock};
    return 0;
}

SUBMISSION(stops_the_clock)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
}

WORKS_IF(kills_the_judge, kill(getppid(), SIGKILL) == 0)
WORKS_IF(stops_the_judge, kill(getppid(), SIGSTOP) == 0 || kill(0, SIGSTOP) == 0)

SUBMISSION(looks_into_the_judge)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)getppid());
    if (open(path, O_RDONLY | O_CLOEXEC) >= 0)
        WORK;
}

WORKS_IF(traces_the_judge, ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) == 0)

SUBMISSION(slows_the_judge)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 &&
        (sched_setaffinity(getppid(), sizeof set, &set) == 0 ||
         setpriority(PRIO_PROCESS, (id_t)getppid(), 19) == 0 || setpriority(PRIO_USER, 0, 19) == 0))
        WORK;
}

SUBMISSION(signals_by_descriptor)
{
    int ends[2];
    if (pipe(ends) == 0 && fcntl(ends[0], F_SETOWN, getppid()) == 0)
        WORK;
    close(ends[0]), close(ends[1]);
}

WORKS_IF(outlives_the_judge, prctl(PR_SET_PDEATHSIG, 0) == 0)
WORKS_IF(types_into_the_terminal, ioctl(STDIN_FILENO, TIOCSTI, "x") == 0 || errno != EPERM)
WORKS_IF(uses_the_network,
         socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0)
WORKS_IF(writes_to_what_it_inherits, write(9, "x", 1) == 1)
WORKS_IF(leaves_something, open("/tmp/left", O_WRONLY | O_CREAT, 0600) >= 0 ||
                               mkdir("left", 0700) == 0 ||
                               shmget(1234, 4096, IPC_CREAT | 0600) >= 0)

SUBMISSION(changes_the_reference)
{
    const int file = open("reference.so", O_RDONLY | O_CLOEXEC);
    if (open("reference.so", O_RDWR) >= 0 || fchmod(file, 0) == 0 || futimens(file, NULL) == 0 ||
        rename("submissions.so", "reference.so") == 0)
        WORK;
    close(file);
}

SUBMISSION(changes_results)
{
    const int file = open("results.gbr", O_WRONLY | O_CLOEXEC);
    if (file >= 0 && ftruncate(file, 0) == 0)
        WORK;
}

SUBMISSION(makes_inputs_easy)
{
    memset((void *)(uintptr_t)in, 0, (size_t)n * sizeof *in);
    memset(out, 0, (size_t)n * sizeof *out);
}

SUBMISSION(makes_inputs_easy_and_is_right)
{
    WORK;
    memset((void *)(uintptr_t)in, 0, (size_t)n * sizeof *in);
}

/* Of both processes. */
SUBMISSION(removes_pages)
{
    madvise((void *)((uintptr_t)in & ~(uintptr_t)4095), 8192, MADV_REMOVE);
}

/* Of the results in this process, the judge knows nothing. */
SUBMISSION(maps_over)
{
    void *at = (void *)((uintptr_t)out & ~(uintptr_t)4095);
    mmap(at, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    WORK;
}

static void do_part_touched(int signal)
{
    mprotect((void *)((uintptr_t)part_left.out & ~(uintptr_t)4095), 4096, PROT_READ | PROT_WRITE);
    do_part_left(signal);
}

SUBMISSION(computes_when_touched)
{
    signal(SIGSEGV, do_part_touched);
    part_left = (struct part){out, in, weights, n};
    mprotect((void *)((uintptr_t)out & ~(uintptr_t)4095), 4096, PROT_NONE);
}

SUBMISSION(takes_memory_away)
{
    munmap((void *)((uintptr_t)in & ~(uintptr_t)4095), 4096);
    (void)*(const volatile float *)in;
}

SUBMISSION(exits)
{
    exit(0);
}

SUBMISSION(crashes)
{
    abort();
}

SUBMISSION(smashes_the_stack)
{
    volatile char *here = (volatile char *)&n;
    for (int i = 0; i < 1 << 24; i++)
        here[i] = 1;
}

/* Loading is running: in the judged process, and in no other; so is leaving. */
__attribute__((constructor, destructor)) static void write_where_loaded(void)
{
    const int file = open("loaded", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0)
        close(file);
}

/* ---- what is returned ---- */

double sums(const float *in, int n)
{
    return reference_sum(in, n);
}

double keeps_sum(const float *in, int n)
{
    static double sum;
    return sum != 0 ? sum : (sum = reference_sum(in, n));
}

double returns_zero(const float *in, int n)
{
    return 0 * in[n - 1];
}

#endif
