/* process_state.c - see process_state.h. */
#include "core/run/process_state.h"

#include "core/base/memory.h"
#include "core/base/number_text.h"
#include "core/base/text.h"

#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIGNALS = 65 };

extern char **environ;

struct process_state {
    char folder[PATH_MAX];
    char locale[512];
    sigset_t mask;
    void (*handlers[SIGNALS])(int);
    mode_t umask;
    int priority;
    uint64_t environment;
    uint64_t open_files;
    fenv_t floats;
};

static uint64_t hash_environment(void)
{
    uint64_t hash = HASH_START;
    for (char **variable = environ; variable && *variable; variable++)
        hash = hash_text(hash, *variable);
    return hash;
}

/* Which of the first 64 descriptors are open, as bits. */
static uint64_t open_files(void)
{
    uint64_t bits = 0;
    for (int descriptor = 0; descriptor < 64; descriptor++)
        if (fcntl(descriptor, F_GETFD) != -1)
            bits |= (uint64_t)1 << descriptor;
    return bits;
}

static void look(struct process_state *state)
{
    if (!getcwd(state->folder, sizeof state->folder))
        state->folder[0] = 0;
    const char *locale = setlocale(LC_ALL, NULL);
    snprintf(state->locale, sizeof state->locale, "%s", locale ? locale : "");
    sigprocmask(SIG_BLOCK, NULL, &state->mask);
    for (int signal = 1; signal < SIGNALS; signal++) {
        struct sigaction action;
        bool known = sigaction(signal, NULL, &action) == 0;
        state->handlers[signal] = known ? action.sa_handler : SIG_DFL;
    }
    state->umask = umask(0);
    umask(state->umask);
    state->priority = getpriority(PRIO_PROCESS, 0);
    state->environment = hash_environment();
    state->open_files = open_files();
    fegetenv(&state->floats);
}

struct process_state *process_state_take(void)
{
    struct process_state *state = memory_allocate(sizeof *state);
    look(state);
    return state;
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
    look(&now);
    CLEANUP(text_free) struct text found = {0};
    bool handlers = false, mask = false;
    for (int signal = 1; signal < SIGNALS; signal++) {
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
    add(&found, floats_differ(&now.floats, &state->floats), "floating-point mode");
    text_add(out, text_get(&found));
    return found.length > 0;
}

void process_state_free(struct process_state *state)
{
    free(state);
}

void plugin_mode_begin(struct plugin_mode *mode)
{
    fesetenv(FE_DFL_ENV);
    fegetenv(&mode->floats);
    number_locale_c();
}

void plugin_mode_enter(const struct plugin_mode *mode)
{
    uselocale(LC_GLOBAL_LOCALE); /* the one that setlocale changes */
    fesetenv(&mode->floats);
}

void plugin_mode_leave(struct plugin_mode *mode)
{
    fegetenv(&mode->floats);
    fesetenv(FE_DFL_ENV);
    number_locale_c();
}

uint64_t process_resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long total = 0, resident = 0, of_files = 0;
    int n = file ? fscanf(file, "%lu %lu %lu", &total, &resident, &of_files) : 0;
    if (file)
        fclose(file);
    return n == 3 && resident > of_files
               ? (uint64_t)(resident - of_files) * (uint64_t)sysconf(_SC_PAGESIZE)
               : 0;
}
