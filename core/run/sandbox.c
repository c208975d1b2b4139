/* sandbox.c - see sandbox.h: Landlock for files, and a filter of system calls (seccomp). */
#include "core/run/sandbox.h"

#include "core/base/memory.h"
#include "core/base/output_file.h"
#include "plugins/common/system/system_file.h"

#include <asm/ioctls.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define FOLDER "gbrun-judged-" /* how names of folders begin */

/* Landlock: not in the headers of older systems. */
enum {
    WRITE_FILE = 1 << 1,
    READING = 1 << 0 | 1 << 2 | 1 << 3, /* and executing */
    REFER = 1 << 13,
    TRUNCATE = 1 << 14,
    WITH_REFER = 2, /* from this version on */
    WITH_TRUNCATE = 3,
    WITH_SCOPES = 6,
    SCOPES = 1 << 0 | 1 << 1 /* abstract sockets, signals */
};
struct ruleset {
    uint64_t files, network, scopes;
};

/* Which of the rules below are wanted. */
enum {
    ALWAYS = 0,
    STAGE_TWO = 1,
    NO_LANDLOCK = 2, /* which would see to it */
    NO_SCOPES = 4
};

/* Refused whatever their arguments. */
struct refused {
    int call;
    unsigned wanted; /* where one of these is */
};
static const struct refused refused[] = {
#if defined(__x86_64__)
    {SYS_fork, STAGE_TWO},
    {SYS_vfork, STAGE_TWO},
    {SYS_creat, NO_LANDLOCK},
    {SYS_rename, NO_LANDLOCK},
    {SYS_mkdir, NO_LANDLOCK},
    {SYS_rmdir, NO_LANDLOCK},
    {SYS_link, NO_LANDLOCK},
    {SYS_unlink, NO_LANDLOCK},
    {SYS_symlink, NO_LANDLOCK},
    {SYS_mknod, NO_LANDLOCK},
    {SYS_utime, STAGE_TWO},
    {SYS_utimes, STAGE_TWO},
    {SYS_chmod, ALWAYS},
    {SYS_chown, ALWAYS},
    {SYS_lchown, ALWAYS},
#endif
    {SYS_clone3,
     ALWAYS}, /* its flags are out of a filter's reach; the C library takes clone then */
    {SYS_execve, STAGE_TWO},
    {SYS_execveat, STAGE_TWO},
    {SYS_setsid, STAGE_TWO},
    {SYS_setpgid, STAGE_TWO},
    {SYS_socketpair, STAGE_TWO},
    {SYS_renameat2, NO_LANDLOCK},
    {SYS_renameat, NO_LANDLOCK},
    {SYS_mkdirat, NO_LANDLOCK},
    {SYS_linkat, NO_LANDLOCK},
    {SYS_unlinkat, NO_LANDLOCK},
    {SYS_symlinkat, NO_LANDLOCK},
    {SYS_mknodat, NO_LANDLOCK},
    {SYS_openat2, ALWAYS},
    {SYS_truncate, ALWAYS},
    {SYS_fchmodat, ALWAYS},
    {SYS_fchmod, ALWAYS},
    {SYS_fchownat, ALWAYS},
    {SYS_fchown, ALWAYS},
    {SYS_setxattr, ALWAYS},
    {SYS_lsetxattr, ALWAYS},
    {SYS_fsetxattr, ALWAYS},
    {SYS_utimensat, STAGE_TWO},
    {SYS_flock, STAGE_TWO},
    {SYS_mq_open, ALWAYS}, /* what outlives the process */
    {SYS_shmget, ALWAYS},
    {SYS_msgget, ALWAYS},
    {SYS_semget, ALWAYS},
    {SYS_timer_create, STAGE_TWO}, /* its signal may be SIGCONT, which ends a stop */
    {SYS_mount, ALWAYS},
    {SYS_umount2, ALWAYS},
    {SYS_pivot_root, ALWAYS},
    {SYS_chroot, ALWAYS},
    {SYS_setns, ALWAYS},
    {SYS_unshare, ALWAYS},
    {SYS_socket, ALWAYS},
    {SYS_connect, ALWAYS},
    {SYS_bind, ALWAYS},
    {SYS_ptrace, ALWAYS},
    {SYS_process_vm_readv, ALWAYS},
    {SYS_process_vm_writev, ALWAYS},
    {SYS_pidfd_open, ALWAYS},
    {SYS_pidfd_getfd, ALWAYS},
    {SYS_pidfd_send_signal, ALWAYS},
    {SYS_tkill, STAGE_TWO | NO_SCOPES},
    {SYS_rt_tgsigqueueinfo, STAGE_TWO | NO_SCOPES},
    {SYS_sched_setattr, ALWAYS}, /* which may ask for a faster processor */
    {SYS_bpf, ALWAYS},
    {SYS_perf_event_open, ALWAYS},
    {SYS_userfaultfd, ALWAYS},
    {SYS_io_uring_setup, ALWAYS},
    {SYS_keyctl, ALWAYS},
    {SYS_add_key, ALWAYS},
    {SYS_request_key, ALWAYS},
    {SYS_kcmp, ALWAYS},
    {SYS_name_to_handle_at, ALWAYS},
    {SYS_open_by_handle_at, ALWAYS}};

/* Refused where these bits of an argument are the value, or (OTHER) where they are not; where they
 * are less, but not 0 (OLDER, of a process). */
enum { EQUAL, OTHER, OLDER };
struct rule {
    int call;
    unsigned wanted, argument, bits, test, value;
};

enum { RULE_INSTRUCTIONS = 7, RULES_MOST = 28 };

static struct sock_filter *refuse(struct sock_filter *at)
{
    *at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    return at;
}

static struct sock_filter *load(struct sock_filter *at, size_t offset)
{
    *at++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset);
    return at;
}

/* The number of the call is in the accumulator, before and after. */
static struct sock_filter *add_refused(struct sock_filter *at, int call)
{
    const unsigned code = call == SYS_clone3 ? ENOSYS : EPERM;
    *at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1);
    *at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | code);
    return at;
}

static struct sock_filter *add_rule(struct sock_filter *at, const struct rule *rule)
{
    const unsigned char on_true = rule->test == EQUAL ? 0 : 1, on_false = 1 - on_true;
    const unsigned less = rule->test == OLDER ? 1 : 0; /* so 0 is the largest number */
    *at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)rule->call, 0, 6);
    at = load(at, offsetof(struct seccomp_data, args) + rule->argument * sizeof(uint64_t));
    *at++ = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, rule->bits);
    *at++ = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, less);
    *at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | (less ? BPF_JGE : BPF_JEQ) | BPF_K,
                                         rule->value - less, on_true, on_false);
    at = refuse(at);
    return load(at, offsetof(struct seccomp_data, nr));
}

static void drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {{0}};
    syscall(SYS_capset, &header, none);
}

#ifdef ARCHITECTURE
static int32_t set_filter(unsigned wanted, struct gb_error *error)
{
    const unsigned self = (unsigned)getpid(), all = UINT32_MAX;
    const unsigned writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, cutting = O_ACCMODE | O_TRUNC;
    const unsigned spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                            CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
    const struct rule rules[] = {
#if defined(__x86_64__)
        {SYS_open, NO_LANDLOCK, 1, writing, OTHER, 0},
        {SYS_open, ALWAYS, 1, cutting, EQUAL, O_TRUNC},
#endif
        {SYS_openat, NO_LANDLOCK, 2, writing, OTHER, 0},
        {SYS_openat, ALWAYS, 2, cutting, EQUAL, O_TRUNC},
        {SYS_clone, STAGE_TWO, 0, CLONE_THREAD, EQUAL, 0},
        {SYS_clone, ALWAYS, 0, spaces, OTHER, 0},
        {SYS_kill, STAGE_TWO | NO_SCOPES, 0, all, OTHER, self},
        {SYS_tgkill, STAGE_TWO | NO_SCOPES, 0, all, OTHER, self},
        {SYS_rt_sigqueueinfo, STAGE_TWO | NO_SCOPES, 0, all, OTHER, self},
        {SYS_prlimit64, ALWAYS, 0, all, OTHER, 0},
        {SYS_prctl, ALWAYS, 0, all, EQUAL, PR_SET_PDEATHSIG},
        {SYS_fcntl, ALWAYS, 1, all, EQUAL, F_SETOWN},
        {SYS_fcntl, ALWAYS, 1, all, EQUAL, F_SETOWN_EX},
        {SYS_ioctl, ALWAYS, 1, all, EQUAL, TIOCSTI},
        {SYS_ioctl, ALWAYS, 1, all, EQUAL, TIOCLINUX},
        {SYS_sched_setaffinity, ALWAYS, 0, all, OLDER, self},
        {SYS_sched_setscheduler, ALWAYS, 0, all, OLDER, self},
        {SYS_sched_setparam, ALWAYS, 0, all, OLDER, self},
        {SYS_setpriority, ALWAYS, 0, all, OTHER, PRIO_PROCESS},
        {SYS_setpriority, ALWAYS, 1, all, OLDER, self},
        {SYS_ioprio_set, ALWAYS, 0, all, OTHER, PRIO_PROCESS + 1},
        {SYS_ioprio_set, ALWAYS, 1, all, OLDER, self},
    };
    enum { N_REFUSED = sizeof refused / sizeof *refused };
    const size_t n_rules = sizeof rules / sizeof *rules;
    struct sock_filter filter[8 + 2 * N_REFUSED + RULE_INSTRUCTIONS * RULES_MOST];
    _Static_assert(sizeof rules / sizeof *rules <= RULES_MOST, "room for all");
    struct sock_filter *at = load(filter, offsetof(struct seccomp_data, arch));
    *at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    at = refuse(at);
    at = load(at, offsetof(struct seccomp_data, nr));
#if defined(__x86_64__)
    /* Numbers from 2^30 on are of the x32 ABI, which has calls of its own. */
    *at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    at = refuse(at);
#endif
    for (size_t i = 0; i < N_REFUSED; i++)
        if (refused[i].wanted == ALWAYS || refused[i].wanted & wanted)
            at = add_refused(at, refused[i].call);
    for (size_t i = 0; i < n_rules; i++)
        if (rules[i].wanted == ALWAYS || rules[i].wanted & wanted)
            at = add_rule(at, &rules[i]);
    *at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {(unsigned short)(at - filter), filter};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0)
        return GB_OK;
    return error_set(error, GB_UNSUPPORTED, "seccomp: %s", reason_of(errno));
}
#else
static int32_t set_filter(unsigned wanted, struct gb_error *error)
{
    (void)wanted;
    return error_set(error, GB_UNSUPPORTED, "seccomp: not known for this architecture");
}
#endif

/* ---- Landlock ---- */

static bool may_write(int ruleset, const char *path, uint64_t access)
{
    const int file = open(path, O_PATH | O_CLOEXEC);
    const struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = file};
    const bool is_added = file >= 0 && syscall(SYS_landlock_add_rule, ruleset,
                                               LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    if (file >= 0)
        close(file);
    return is_added;
}

/* To what a GPU is used by; what is not there is left out. */
static void may_write_devices(int ruleset, uint64_t access)
{
    static const char *const patterns[] = {"/dev/null", "/dev/nvidia*", "/dev/nvidia-caps/*"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found;
        if (glob(patterns[i], GLOB_NOSORT, NULL, &found) != 0)
            continue;
        for (size_t j = 0; j < found.gl_pathc; j++)
            may_write(ruleset, found.gl_pathv[j], access);
        globfree(&found);
    }
}

long sandbox_landlock_version(void)
{
    const long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
                                 LANDLOCK_CREATE_RULESET_VERSION);
    return version > 0 ? version : 0;
}

/* This thread writes files in its folder alone. */
static bool restrict_files(const char *folder, long version)
{
    const uint64_t cutting = version >= WITH_TRUNCATE ? TRUNCATE : 0;
    const uint64_t files = ((REFER - 1) & ~(uint64_t)READING) | cutting |
                           (version >= WITH_REFER ? REFER : 0);
    const struct ruleset rules = {.files = files, .scopes = version >= WITH_SCOPES ? SCOPES : 0};
    const int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
    if (ruleset < 0)
        return false;
    may_write_devices(ruleset, WRITE_FILE | cutting);
    const bool is_done = may_write(ruleset, folder, files) &&
                         syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    close(ruleset);
    return is_done;
}

static unsigned missing; /* NO_...: of what the kernel has */

int32_t sandbox_prepare(const char *folder, struct gb_error *error)
{
    const long version = sandbox_landlock_version();
    drop_capabilities();
    setrlimit(RLIMIT_CORE, &(const struct rlimit){0, 0});
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return error_set(error, GB_UNSUPPORTED, "no_new_privs: %s", reason_of(errno));
    if (version == 0 || !restrict_files(folder, version))
        missing |= STAGE_TWO | NO_LANDLOCK;
    if (version < WITH_SCOPES)
        missing |= NO_SCOPES;
    return set_filter(missing, error);
}

int32_t sandbox_enter(struct gb_error *error)
{
    return set_filter(missing | STAGE_TWO, error);
}

/* More than this process has. False: there are none, or they are not known, as before Linux 5.9. */
static bool find_filters(pid_t pid, long *ret)
{
    char path[64], own[32], its[32];
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    if (!system_file_value("/proc/self/status", "Seccomp_filters", own, sizeof own) ||
        !system_file_value(path, "Seccomp_filters", its, sizeof its))
        return false;
    *ret = strtol(its, NULL, 10) - strtol(own, NULL, 10);
    return true;
}

bool sandbox_is_entered(pid_t pid)
{
    enum { STAGES = 2 };
    long n = 0;
    return !find_filters(getpid(), &n) || (find_filters(pid, &n) && n >= STAGES);
}

/* ---- its folder, and the processes that it leaves ---- */

static int remove_one(const char *path, const struct stat *facts, int type, struct FTW *place)
{
    (void)facts, (void)type, (void)place;
    remove(path);
    return 0;
}

static void remove_all(const char *folder)
{
    enum { FILES_OPEN = 16 };
    nftw(folder, remove_one, FILES_OPEN, FTW_DEPTH | FTW_PHYS);
}

/* A descriptor by which the folder is locked as long as the process lives. -1 with errno:
 * EWOULDBLOCK, another has it; ENOENT, it has been removed; else there are no such locks. */
static int lock_folder(const char *path)
{
    struct stat facts = {0};
    const int file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int code = file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &facts) == 0 ? 0
                                                                                            : errno;
    if (code == 0 && facts.st_nlink == 0)
        code = ENOENT;
    if (code == 0 && facts.st_uid != geteuid())
        code = EPERM;
    if (code == 0)
        return file;
    if (file >= 0)
        close(file);
    errno = code;
    return -1;
}

/* What processes have left that were killed: nothing has locked it. */
static void remove_left(const char *base)
{
    char pattern[SANDBOX_FOLDER_BYTES];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%.200s/" FOLDER "*", base);
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const int lock = lock_folder(found.gl_pathv[i]);
        if (lock < 0)
            continue;
        remove_all(found.gl_pathv[i]);
        close(lock);
    }
    globfree(&found);
}

void sandbox_folder_name(struct sandbox_folder *ret)
{
    uint64_t drawn = 0;
    while (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
        continue;
    snprintf(ret->path, sizeof ret->path, "%.200s/" FOLDER "%016llx", temporary_folder(),
             (unsigned long long)drawn);
}

/* Its process may have made it, for files of its driver. */
static int32_t make_named(struct sandbox_folder *ret, struct gb_error *error)
{
    const bool is_made = mkdir(ret->path, S_IRWXU) == 0;
    const int code = errno;
    ret->lock = lock_folder(ret->path);
    if (ret->lock >= 0 || is_made)
        return GB_OK;
    error_set(error, GB_IO, "%s: cannot be made: %s", ret->path, reason_of(code));
    *ret->path = 0;
    return GB_IO;
}

/* Another process may take it for one that was left, before it is locked: then there is a next. */
int32_t sandbox_folder_new(struct sandbox_folder *ret, struct gb_error *error)
{
    enum { TRIES = 10 };
    const char *base = temporary_folder();
    remove_left(base);
    if (*ret->path)
        return make_named(ret, error);
    ret->lock = -1;
    for (int i = 0; i < TRIES; i++) {
        snprintf(ret->path, sizeof ret->path, "%.200s/" FOLDER "XXXXXX", base);
        if (!mkdtemp(ret->path))
            break;
        ret->lock = lock_folder(ret->path);
        if (ret->lock >= 0 || (errno != EWOULDBLOCK && errno != ENOENT))
            return GB_OK;
    }
    error_set(error, GB_IO, "%s: cannot be made: %s", ret->path, reason_of(errno));
    *ret->path = 0;
    return GB_IO;
}

void sandbox_folder_free(struct sandbox_folder *folder)
{
    if (!*folder->path)
        return;
    remove_all(folder->path);
    if (folder->lock >= 0)
        close(folder->lock);
    *folder->path = 0;
}

struct facts {
    char state;
    pid_t parent;
    unsigned long long began; /* in ticks since the machine's start */
};

static bool find_facts(pid_t pid, struct facts *ret)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        close(file);
    text[n > 0 ? n : 0] = 0;
    const char *end = strrchr(text, ')'); /* of its name, which may have any characters */
    return end && sscanf(end + 1,
                         " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
                         "%*d %llu",
                         &ret->state, &ret->parent, &ret->began) == 3;
}

/* Those below them are this process's own, or kept's, once they have ended. is_look: says no more
 * than whether any of them is in the sandbox. */
static bool kill_children(pid_t kept, unsigned long long since, bool is_look)
{
    bool has_any = false;
    long n_filters = 0;
    const struct dirent *entry;
    DIR *all = opendir("/proc");
    while (all && (entry = readdir(all))) {
        const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        struct facts facts;
        if (pid <= 0 || pid == kept || !find_facts(pid, &facts) || facts.began < since)
            continue;
        const bool is_own = facts.parent == getpid();
        if (!is_own && (facts.parent != kept || facts.state == 'Z'))
            continue;
        has_any = has_any || !is_look || (find_filters(pid, &n_filters) && n_filters > 0);
        if (is_look)
            continue;
        kill(pid, SIGKILL);
        if (is_own)
            waitpid(pid, NULL, 0);
    }
    if (all)
        closedir(all);
    return has_any;
}

unsigned long long sandbox_began(pid_t pid)
{
    struct facts facts = {0};
    find_facts(pid, &facts);
    return facts.began;
}

bool sandbox_kill_others(pid_t kept, unsigned long long since)
{
    enum { ROUNDS = 1000, QUIET = 2 }; /* one may start others while they are looked for */
    int n_quiet = 0;
    for (int i = 0; i < ROUNDS && n_quiet < QUIET; i++)
        n_quiet = kill_children(kept, since, false) ? 0 : n_quiet + 1;
    return n_quiet == QUIET;
}

bool sandbox_has_others(pid_t kept, unsigned long long since)
{
    return kill_children(kept, since, true);
}
