/* sandbox.c - see sandbox.h: a filter of system calls, which the kernel interprets. */
#include "core/run/sandbox.h"

#include "core/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Refused whatever their arguments. */
static const int refused[] = {
#if defined(__x86_64__)
    SYS_fork,
    SYS_vfork,
    SYS_creat,
    SYS_rename,
    SYS_mkdir,
    SYS_rmdir,
    SYS_link,
    SYS_unlink,
    SYS_symlink,
    SYS_chmod,
    SYS_utime,
    SYS_utimes,
    SYS_chown,
    SYS_lchown,
    SYS_mknod,
#endif
    SYS_clone3, /* its flags are out of a filter's reach; the C library takes clone then */
    SYS_execve,
    SYS_execveat,
    SYS_setsid,
    SYS_setpgid,
    SYS_openat2,
    SYS_truncate,
    SYS_renameat2,
    SYS_renameat,
    SYS_mkdirat,
    SYS_linkat,
    SYS_unlinkat,
    SYS_symlinkat,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_flock,
    SYS_mknodat,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_setns,
    SYS_unshare,
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_pidfd_open,
    SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
    SYS_tkill,
    SYS_rt_tgsigqueueinfo,
    SYS_timer_create, /* its signal may be SIGCONT, which ends a stop */
    SYS_mq_open,
    SYS_shmget, /* what outlives the process */
    SYS_msgget,
    SYS_semget,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_kcmp,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at};

/* Refused where bits of an argument are SET or CLEAR; where it is the SAME number as `value`, or an
 * OTHER one; where it is neither 0 nor at least as large: an OLDER process. */
enum { SET, CLEAR, SAME, OTHER, OLDER };
struct rule {
    int call;
    unsigned argument, test, value;
};

enum { CHECK_INSTRUCTIONS = 6, RULES_MOST = 32 };

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
    static const unsigned short jumps[] = {BPF_JSET, BPF_JSET, BPF_JEQ, BPF_JEQ, BPF_JGE};
    const unsigned less = rule->test == OLDER ? 1 : 0; /* 0 becomes the largest number */
    const bool on_true = rule->test == SET || rule->test == SAME;
    *at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)rule->call, 0, 5);
    at = load(at, offsetof(struct seccomp_data, args) + rule->argument * sizeof(uint64_t));
    *at++ = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, less);
    *at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | jumps[rule->test] | BPF_K, rule->value - less,
                                         on_true ? 0 : 1, on_true ? 1 : 0);
    at = refuse(at);
    return load(at, offsetof(struct seccomp_data, nr));
}

static void drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {{0}};
    syscall(SYS_capset, &header, none);
}

int32_t sandbox_enter(struct gb_error *error)
{
#ifdef ARCHITECTURE
    const unsigned self = (unsigned)getpid(), writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    const struct rule rules[] = {
#if defined(__x86_64__)
        {SYS_open, 1, SET, writing},
#endif
        {SYS_openat, 2, SET, writing},
        {SYS_clone, 0, CLEAR, CLONE_THREAD},
        {SYS_kill, 0, OTHER, self},
        {SYS_tgkill, 0, OTHER, self},
        {SYS_prlimit64, 0, OTHER, 0},
        {SYS_rt_sigqueueinfo, 0, OTHER, self},
        {SYS_fcntl, 1, SET, F_SETOWN}, /* and F_SETSIG: signals to any process */
        {SYS_prctl, 0, SAME, PR_SET_PDEATHSIG},
        {SYS_ioctl, 1, SAME, TIOCSTI},
        {SYS_ioctl, 1, SAME, TIOCLINUX},
        {SYS_sched_setaffinity, 0, OLDER, self},
        {SYS_sched_setscheduler, 0, OLDER, self},
        {SYS_sched_setparam, 0, OLDER, self},
        {SYS_sched_setattr, 0, OLDER, self},
        {SYS_setpriority, 0, OTHER, PRIO_PROCESS},
        {SYS_setpriority, 1, OLDER, self},
        {SYS_ioprio_set, 0, OTHER, PRIO_PROCESS + 1},
        {SYS_ioprio_set, 1, OLDER, self}
    };
    _Static_assert(sizeof rules / sizeof *rules <= RULES_MOST, "room for the rules");
    enum { N_REFUSED = sizeof refused / sizeof *refused, N_RULES = sizeof rules / sizeof *rules };
    struct sock_filter filter[8 + 2 * N_REFUSED + CHECK_INSTRUCTIONS * RULES_MOST];
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
        at = add_refused(at, refused[i]);
    for (size_t i = 0; i < N_RULES; i++)
        at = add_rule(at, &rules[i]);
    *at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {(unsigned short)(at - filter), filter};
    drop_capabilities();
    setrlimit(RLIMIT_CORE, &(const struct rlimit){0, 0});
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0)
        return GB_OK;
    return error_set(error, GB_UNSUPPORTED, "seccomp: %s", reason_of(errno));
#else
    return error_set(error, GB_UNSUPPORTED, "seccomp: not known for this architecture");
#endif
}
