/*
 * stepping.c - see stepping.h. Plugin side.
 *
 * The trap flag makes the processor raise a debug exception after each instruction, which the
 * kernel turns into SIGTRAP for the thread. Unlike a debugger (ptrace) that needs no permission and
 * no other process. What the trap does not see as the processor does is put right here: turns of a
 * repeated string instruction are one; a system call traps together with what follows it.
 */
#define _GNU_SOURCE
#include "stepping.h"

#include <string.h>

#if defined(__x86_64__) && defined(__LP64__)

#include "plugins/common/instruction.h"

#include <signal.h>
#include <ucontext.h>

enum { TRAP_FLAG = 0x100, STACK_BYTES = 1 << 16, SYSTEM_CALL_BYTES = 2 };

static struct {
    uint64_t n, n_traps, limit;
    uintptr_t last; /* where the thread was going on before */
    bool was_system_call;
    char stack[STACK_BYTES]; /* of the handler, as that of what is counted may be small */
} stepping;

/* The way there and back is the same for all. */
int32_t stepping_call(int32_t (*run)(void *, const struct gb_queue *, uint64_t), void *bench,
                      const struct gb_queue *queue, uint64_t iterations)
    __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".p2align 6\n"
        ".hidden stepping_call\n"
        ".globl stepping_call\n"
        ".type stepping_call, @function\n"
        "stepping_call:\n"
        "    .cfi_startproc\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsi\n"
        "    movq %rcx, %rdx\n"
        "    pushfq\n"
        "    orl $0x100, (%rsp)\n"
        "    popfq\n"
        "    callq *%rax\n"
        "    pushfq\n"
        "    andl $0xfffffeff, (%rsp)\n"
        "    popfq\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        "    .size stepping_call, . - stepping_call\n");

static void on_trap(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uintptr_t at = (uintptr_t)registers[REG_RIP];
    const uintptr_t here = (uintptr_t)&info;
    const uintptr_t stack = (uintptr_t)stepping.stack;
    uint8_t code[8];
    (void)signal;
    if (here < stack || here >= stack + STACK_BYTES) { /* of a thread that inherited the flag */
        registers[REG_EFL] &= ~TRAP_FLAG;
        return;
    }
    memcpy(code, (const void *)at, sizeof code);
    stepping.n += at != stepping.last || !instruction_repeats(code);
    stepping.n += stepping.was_system_call && at != stepping.last + SYSTEM_CALL_BYTES;
    stepping.was_system_call = code[0] == 0x0F && code[1] == 0x05;
    stepping.last = at;
    if (++stepping.n_traps > stepping.limit)
        registers[REG_EFL] &= ~TRAP_FLAG;
}

bool stepping_is_known(void)
{
    return true;
}

int32_t stepping_run(const struct gb_bench_ops *ops, void *bench, const struct gb_queue *queue,
                     uint64_t iterations, uint64_t limit, uint64_t *ret_n)
{
    struct sigaction before;
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t stack_before;
    const stack_t stack = {.ss_sp = stepping.stack, .ss_size = STACK_BYTES};
    stepping.n = stepping.n_traps = 0;
    stepping.limit = limit;
    stepping.last = 0;
    stepping.was_system_call = false;
    action.sa_sigaction = on_trap;
    sigaltstack(&stack, &stack_before);
    sigaction(SIGTRAP, &action, &before);
    const int32_t status = stepping_call(ops->run, bench, queue, iterations);
    sigaction(SIGTRAP, &before, NULL);
    sigaltstack(&stack_before, NULL);
    *ret_n = stepping.n_traps > limit ? UINT64_MAX : stepping.n;
    return status;
}

#else

bool stepping_is_known(void)
{
    return false;
}

int32_t stepping_run(const struct gb_bench_ops *ops, void *bench, const struct gb_queue *queue,
                     uint64_t iterations, uint64_t limit, uint64_t *ret_n)
{
    (void)limit;
    *ret_n = UINT64_MAX;
    return ops->run(bench, queue, iterations);
}

#endif
