/* pause.h - for loops that wait for another thread without sleeping. Plugin side. */
#pragma once

/* Tells the processor that this is such a loop, so that the other thread of the core gets more. */
static inline void pause_a_moment(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}
