/*
 * command.c - the benchmark `command`: a whole program, without a shell. Plugin side.
 *
 * A sample is one run of it, from posix_spawn to the end of wait4. What the process itself did is
 * said by the kernel: processor times and memory.
 */
#define _GNU_SOURCE /* strsignal */
#include "disk_cache.h"
#include "expected.h"
#include "figure.h"
#include "plugins/common/bench_memory.h"
#include "plugins/common/process.h"
#include "plugins/common/validation.h"
#include "program_count.h"
#include "words.h"

#include <errno.h>
#include <fcntl.h>
#include <gbrun/gbrun.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct params {
    const char *argv, *name, *folder;
    const char *input, *output, *errors;
    struct gb_list exit_codes;
    int32_t ignore_failure;
    const char *expect_output, *expect_file;
    const char *setup, *prepare, *conclude, *cleanup;
    int32_t disk_cache; /* DISK_... */
    struct gb_list files;
    const char *figure, *figure_name, *figure_unit;
};

#define P struct params

static const char *const disk_caches[] = {"as_is", "warm", "cold", "dropped"};

static const struct gb_option options[] = {
    TEXT(argv, NULL,
         "The program and its arguments, separated by blanks; quotes and \\ as in a shell, which "
         "is not used: for pipes and the like, sh -c '...'"),
    GB_OPTION_OF(GB_TYPE_STRING, GB_OPTION_NOT_IDENTITY, P, name, "", NULL, 0, NULL, NULL,
                 "Its name in tables"),
    TEXT(folder, "", "The folder in which it is started; empty: that of the configuration"),
    TEXT(input, "", "The file that is its standard input; empty: nothing to read"),
    TEXT(output, "", "The file that its standard output goes to; empty: it is discarded"),
    TEXT(errors, "", "The file that its standard error goes to; empty: it is discarded"),
    GB_LIST(P, exit_codes, GB_TYPE_INT, "0", "0:255", NULL, "The exit codes that count as success"),
    GB_BOOL(P, ignore_failure, "no", "Whether other exit codes and signals are accepted"),
    TEXT(expect_output, "",
         "The output that it must print, with \\n, \\t and \\\\ as in C; the final newline may be "
         "left out"),
    TEXT(expect_file, "", "A file with the exact output that it must print"),
    TEXT(setup, "", "A command that is run once at the start"),
    TEXT(prepare, "", "A command that is run before each sample, untimed"),
    TEXT(conclude, "", "A command that is run after each sample, untimed"),
    TEXT(cleanup, "", "A command that is run once at the end"),
    GB_CHOICE(P, disk_cache, "as_is", disk_caches,
              "Before each sample: read the files (warm), evict them from the page cache (cold), "
              "or drop all that the kernel has cached (dropped), which needs root"),
    GB_LIST(P, files, GB_TYPE_STRING, "", NULL, NULL,
            "Files that are read for warm, evicted for cold"),
    GB_STRING(P, figure, "",
              "A number in the output of each run, kept as a series: the group of a regular "
              "expression (POSIX extended, first match), or a path in JSON, $.times[0].mean"),
    GB_STRING(P, figure_name, "figure",
              "Name of that series; measure = NAME makes it the time of the case"),
    GB_STRING(P, figure_unit, "", "Its unit: ns, us, ms or s for a time, otherwise any"),
};

/* Of how many of the last samples processor times are known. */
enum { USAGES = 4096 };

/* What is read of the output of a run. */
enum { PRINTED_MOST = 1 << 20 };

/* In the environment of the program, prepare and conclude. */
#define RUN_NUMBER "GBRUN_RUN"

enum { SETUP, PREPARE, CONCLUDE, CLEANUP, EXTRAS };

struct bench {
    const struct gb_host *host;
    const struct params *params;
    struct program program;
    struct program extras[EXTRAS]; /* file NULL: there is none */
    struct process_group group;    /* of all of them */
    struct expected expected;
    int streams[3];
    int nowhere; /* /dev/null */
    bool is_set_up, is_to_conclude;
    struct figure figure; /* where NULL: there is none */
    uint32_t series;      /* of it */
    bool is_unread;       /* what the last run printed */
    bool is_counted;      /* runs are no longer what they are by themselves */
    char *printed;        /* PRINTED_MOST + 1 bytes */
    char run_number[sizeof RUN_NUMBER + 24];
    double *user_ns, *system_ns; /* USAGES each */
    uint64_t n_runs, n_ignored;  /* n_ignored: of those that failed */
    int failed_status;           /* of the last of these */
    uint64_t peak_bytes;
};

/* ---- which program ---- */

/* A name is looked for in PATH, a path starts from the folder that the program is started in. */
static int32_t find_program(const struct gb_host *host, const char *name, const char *folder,
                            char **ret, struct words_problem *problem)
{
    struct stat facts;
    *problem = (struct words_problem){0};
    if (strchr(name, '/') == NULL) {
        *ret = process_find(host, name);
        if (*ret == NULL)
            snprintf(problem->text, sizeof problem->text, "program '%.100s' was not found in PATH",
                     name);
        return *ret != NULL ? GB_OK : GB_INVALID;
    }
    const size_t bytes = strlen(folder) + strlen(name) + 2;
    *ret = host->allocate(host, bytes);
    if (*ret == NULL)
        return GB_NO_MEMORY;
    snprintf(*ret, bytes, "%s%s%s", name[0] == '/' ? "" : folder, name[0] == '/' ? "" : "/", name);
    if (process_may_run(*ret))
        return GB_OK;
    const int code = stat(*ret, &facts) != 0 ? errno : S_ISDIR(facts.st_mode) ? EISDIR : EACCES;
    snprintf(problem->text, sizeof problem->text, "%.120s cannot be run: %s%s", *ret,
             strerror(code), code == EACCES ? ": it is not executable" : "");
    return GB_INVALID;
}

static int32_t make_program(const struct gb_host *host, const struct params *params,
                            const char *text, struct program *ret, struct words_problem *problem)
{
    char **arguments, *file;
    const char *folder = path_of(host, params->folder);
    if (folder == NULL)
        return GB_NO_MEMORY;
    int32_t status = words_split(host, text, &arguments, problem);
    if (status == GB_OK)
        status = find_program(host, arguments[0], folder, &file, problem);
    if (status == GB_OK)
        *ret = (struct program){arguments, file, folder, 0};
    return status;
}

/* The texts of commands: that which is measured, and the others. */
static const char *text_of(const struct params *params, size_t extra, const char **ret_name)
{
    static const char *const names[] = {"setup", "prepare", "conclude", "cleanup", "argv"};
    const char *const texts[] = {params->setup, params->prepare, params->conclude, params->cleanup,
                                 params->argv};
    *ret_name = names[extra];
    return texts[extra];
}

/* From one to another; the last is that which is measured. */
static int32_t make_programs(struct bench *bench, size_t first, size_t last)
{
    for (size_t i = first; i <= last; i++) {
        const char *name, *text = text_of(bench->params, i, &name);
        struct program *program = i < EXTRAS ? &bench->extras[i] : &bench->program;
        struct words_problem problem;
        int32_t status = GB_OK;
        if (i == EXTRAS || *text != '\0')
            status = make_program(bench->host, bench->params, text, program, &problem);
        if (status == GB_INVALID)
            return host_fail(bench->host, "%s: %s", name, problem.text);
        if (status != GB_OK)
            return status;
        program->group = bench->group.leader;
    }
    return GB_OK;
}

/* ---- running one ---- */

static bool is_cancelled(void *context)
{
    const struct gb_host *host = context;
    return host->cancelled(host) == 1;
}

static const int64_t zero = 0;
static const struct gb_list only_zero = {1, &zero};

static int32_t say_end(const struct gb_host *host, const char *what, const char *text, int status,
                       const struct gb_list *codes)
{
    char expected[80] = "";
    size_t n = 0;
    for (uint64_t i = 0; i < codes->n && n + 8 < sizeof expected; i++)
        n += (size_t)snprintf(expected + n, sizeof expected - n, "%s%d", i > 0 ? " or " : "",
                              (int)((const int64_t *)codes->items)[i]);
    if (WIFSIGNALED(status))
        return host_fail(host, "%s: '%s' was killed by signal %d (%s)", what, text,
                         WTERMSIG(status), strsignal(WTERMSIG(status)));
    return host_fail(host, "%s: '%s' ended with exit code %d: expected %s", what, text,
                     WEXITSTATUS(status), expected);
}

static bool has_ended_with(int status, const struct gb_list *codes)
{
    for (uint64_t i = 0; i < codes->n; i++)
        if (WIFEXITED(status) && WEXITSTATUS(status) == ((const int64_t *)codes->items)[i])
            return true;
    return false;
}

static int32_t run_extra(const struct bench *bench, size_t extra)
{
    const struct program *program = &bench->extras[extra];
    const int streams[3] = {bench->nowhere, bench->nowhere, bench->nowhere};
    const char *name, *text = text_of(bench->params, extra, &name);
    struct outcome outcome;
    pid_t pid;
    if (program->file == NULL)
        return GB_OK;
    const int code = process_start(program, streams, &pid);
    if (code != 0)
        return host_fail(bench->host, "%s: %s cannot be started: %s", name, program->file,
                         strerror(code));
    if (!process_wait(pid, is_cancelled, (void *)bench->host, &outcome)) {
        process_kill(pid);
        return GB_CANCELLED;
    }
    return has_ended_with(outcome.status, &only_zero)
               ? GB_OK
               : say_end(bench->host, name, text, outcome.status, &only_zero);
}

static int32_t conclude(struct bench *bench)
{
    const bool is_wanted = bench->is_to_conclude;
    bench->is_to_conclude = false;
    return is_wanted ? run_extra(bench, CONCLUDE) : GB_OK;
}

/* ---- a figure of its own ---- */

static int32_t name_figure(struct bench *bench)
{
    const struct params *params = bench->params;
    int32_t status = GB_OK;
    if (*params->figure == '\0')
        return GB_OK;
    bench->printed = host_memory(bench->host, PRINTED_MOST + 1, &status);
    if (status == GB_OK)
        status = figure_init(bench->host, params->figure, &bench->figure);
    if (status == GB_OK)
        bench->series = bench->host->series(bench->host, params->figure_name, params->figure_unit);
    return status == GB_OK && bench->series == 0
               ? host_fail(bench->host, "figure_name, figure_unit: refused")
               : status;
}

/* Of the last run, once. */
static int32_t read_figure(struct bench *bench)
{
    double value;
    if (bench->figure.where == NULL || !bench->is_unread)
        return GB_OK;
    bench->is_unread = false;
    const ssize_t n = pread(bench->streams[1], bench->printed, PRINTED_MOST, 0);
    bench->printed[n < 0 ? 0 : n] = '\0';
    if (!figure_find(&bench->figure, bench->printed, &value))
        return host_fail(
            bench->host, "figure = %s: no such number in the %zd bytes of output: \"%.*s\"",
            bench->figure.where, n, expected_shown(bench->printed, (size_t)n, 0), bench->printed);
    bench->host->sample(bench->host, bench->series, value);
    return GB_OK;
}

static int32_t collect(void *object, const struct gb_queue *queue)
{
    (void)queue;
    return read_figure(object);
}

/* ---- the benchmark ---- */

static int32_t create(const struct gb_host *host, const void *object, void **ret_bench)
{
    const struct params *params = object;
    if (strcmp(host->device->backend, "cpu") != 0)
        return host_fail(host, "programs are measured by the clocks of the device cpu: expected "
                               "device = cpu");
    int32_t status = GB_OK;
    struct bench *bench = host_memory(host, sizeof *bench, &status);
    if (status != GB_OK)
        return status;
    bench->host = host;
    bench->params = params;
    bench->nowhere = -1;
    bench->group.pipe = -1;
    for (int i = 0; i < 3; i++)
        bench->streams[i] = -1;
    bench->user_ns = host_memory(host, USAGES * sizeof *bench->user_ns, &status);
    bench->system_ns = host_memory(host, USAGES * sizeof *bench->system_ns, &status);
    if (status == GB_OK)
        status = make_programs(bench, SETUP, SETUP);
    if (status == GB_OK)
        status = disk_cache_check(host, params->disk_cache, &params->files);
    if (status == GB_OK)
        status = expected_read(host, params->expect_output, params->expect_file, &bench->expected);
    if (status == GB_OK)
        status = name_figure(bench);
    if (status == GB_OK)
        *ret_bench = bench;
    return status;
}

/* What it prints must not destroy results, nor what it reads. */
static int32_t check_output_file(const struct bench *bench, int file, const char *path)
{
    static const char database[16] = "SQLite format 3";
    char head[sizeof database], self[32];
    struct stat output, other;
    snprintf(self, sizeof self, "/proc/self/fd/%d", file);
    if (fstat(file, &output) != 0 || !S_ISREG(output.st_mode))
        return GB_OK;
    const int again = open(self, O_RDONLY | O_CLOEXEC);
    const ssize_t n = again < 0 ? 0 : read(again, head, sizeof head);
    if (again >= 0)
        close(again);
    if (n == sizeof head && memcmp(head, database, sizeof head) == 0)
        return host_fail(bench->host,
                         "%s: an SQLite file, such as a results file, which is not "
                         "overwritten: name another file",
                         path);
    const char *expected = path_of(bench->host, bench->params->expect_file);
    const bool is_input = fstat(bench->streams[0], &other) == 0 && other.st_ino == output.st_ino &&
                          other.st_dev == output.st_dev;
    const bool is_expected = expected != NULL && stat(expected, &other) == 0 &&
                             other.st_ino == output.st_ino && other.st_dev == output.st_dev;
    return is_input || is_expected
               ? host_fail(bench->host,
                           "%s: also given as 'input' or 'expect_file': name another file", path)
               : GB_OK;
}

/* Each of them a descriptor above those of standard streams, so that one cannot take another's
 * place. */
static int32_t open_streams(struct bench *bench)
{
    enum { ALL_MAY_READ = 0644, FIRST = 3 };
    const struct params *params = bench->params;
    const char *const names[] = {params->input, params->output, params->errors};
    bench->nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (bench->nowhere < FIRST)
        return host_fail(bench->host, "/dev/null cannot be opened: %s", strerror(errno));
    for (int i = 0; i < 3; i++) {
        const char *path = path_of(bench->host, names[i]);
        if (path == NULL)
            return GB_NO_MEMORY;
        const bool is_figure = i == 1 && bench->figure.where != NULL;
        bench->streams[i] = *names[i] == '\0' && is_figure ? memfd_create("output", MFD_CLOEXEC)
                            : *names[i] == '\0'            ? bench->nowhere
                            : i == 0
                                ? open(path, O_RDONLY | O_CLOEXEC)
                                : open(path, (is_figure ? O_RDWR : O_WRONLY) | O_CREAT | O_CLOEXEC,
                                       ALL_MAY_READ);
        if (bench->streams[i] < 0)
            return host_fail(bench->host, "%s cannot be opened: %s", path, strerror(errno));
        const int32_t status = i == 0 ? GB_OK : check_output_file(bench, bench->streams[i], path);
        if (status != GB_OK)
            return status;
    }
    return GB_OK;
}

/* Programs end with this process, also where that is killed. */
static int32_t begin_group(struct bench *bench)
{
    const int code = process_group_begin(&bench->group);
    bench->extras[SETUP].group = bench->group.leader;
    return code == 0 ? GB_OK
                     : host_fail(bench->host, "/bin/sh cannot be started: %s", strerror(code));
}

static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct bench *bench = object;
    (void)queue;
    int32_t status = open_streams(bench);
    if (status == GB_OK)
        status = begin_group(bench);
    if (status == GB_OK) {
        bench->is_set_up = true;
        status = run_extra(bench, SETUP);
    }
    if (status == GB_OK) /* which may have built them */
        status = make_programs(bench, SETUP + 1, EXTRAS);
    if (status == GB_OK)
        bench->host->metric(bench->host, "spawn_overhead_ns",
                            process_overhead_ns(&bench->program, bench->streams), "ns");
    return status;
}

/* Up to `last`, which are then read or written from their beginning. */
static int32_t make_ready(struct bench *bench, int last)
{
    int32_t status = read_figure(bench);
    if (status == GB_OK)
        status = conclude(bench);
    snprintf(bench->run_number, sizeof bench->run_number, RUN_NUMBER "=%llu",
             (unsigned long long)bench->n_runs + 1);
    putenv(bench->run_number);
    if (status == GB_OK)
        status = run_extra(bench, PREPARE);
    for (int i = 0; i <= last; i++) {
        if (bench->streams[i] == bench->nowhere)
            continue;
        lseek(bench->streams[i], 0, SEEK_SET);
        if (i > 0 && ftruncate(bench->streams[i], 0) != 0 && errno != EINVAL)
            return host_fail(bench->host, "output: %s", strerror(errno));
    }
    return status == GB_OK
               ? disk_cache_set(bench->host, bench->params->disk_cache, &bench->params->files)
               : status;
}

static int32_t reset(void *object, const struct gb_queue *queue)
{
    (void)queue;
    return make_ready(object, STDERR_FILENO);
}

static int32_t judge_end(struct bench *bench, int status)
{
    char which[40];
    bench->n_runs++;
    bench->is_to_conclude = bench->is_unread = true;
    snprintf(which, sizeof which, "argv, run %llu", (unsigned long long)bench->n_runs);
    if (has_ended_with(status, &bench->params->exit_codes))
        return GB_OK;
    bench->n_ignored++;
    bench->failed_status = status;
    return bench->params->ignore_failure ? GB_OK
                                         : say_end(bench->host, which, bench->params->argv, status,
                                                   &bench->params->exit_codes);
}

static int32_t count(void *object, const struct gb_queue *queue, struct gb_counting *counting)
{
    struct bench *bench = object;
    int status = 0;
    (void)queue;
    bench->is_counted = true;
    const int32_t counted = program_count(bench->host, &bench->program, bench->streams, counting,
                                          &status);
    return counted == GB_OK ? judge_end(bench, status) : counted;
}

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    struct bench *bench = object;
    struct outcome outcome;
    pid_t pid;
    (void)queue;
    (void)iterations; /* one: GB_BENCH_SINGLE */
    const int code = process_start(&bench->program, bench->streams, &pid);
    if (code != 0)
        return host_fail(bench->host, "%s cannot be started: %s", bench->program.file,
                         strerror(code));
    if (!process_wait(pid, is_cancelled, (void *)bench->host, &outcome)) {
        process_kill(pid);
        return GB_CANCELLED;
    }
    const size_t place = bench->n_runs % USAGES;
    bench->user_ns[place] = outcome.user_ns;
    bench->system_ns[place] = outcome.system_ns;
    if (outcome.peak_bytes > bench->peak_bytes)
        bench->peak_bytes = outcome.peak_bytes;
    return judge_end(bench, outcome.status);
}

/* ---- what is known at the end ---- */

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare_doubles);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* A process begins as a copy of the one that made it, which counts as its peak. */
static void report_memory(const struct bench *bench)
{
    struct rusage own;
    getrusage(RUSAGE_SELF, &own);
    const uint64_t floor_bytes = (uint64_t)own.ru_maxrss * 1024;
    char words[160];
    if (bench->peak_bytes > floor_bytes) {
        bench->host->metric(bench->host, "peak_memory", (double)bench->peak_bytes, "bytes");
        return;
    }
    snprintf(
        words, sizeof words,
        "peak memory is unknown: it is below the %.1f MiB of the process that starts the program",
        (double)floor_bytes / (1 << 20));
    bench->host->log(bench->host, GB_LOG_INFO, words);
}

/* What fails at once would seem to be fast. */
static void report_failures(const struct bench *bench)
{
    char words[120];
    const bool is_signal = WIFSIGNALED(bench->failed_status);
    snprintf(words, sizeof words,
             "ignore_failure: of %llu runs %llu failed, the last one with %s %d",
             (unsigned long long)bench->n_runs, (unsigned long long)bench->n_ignored,
             is_signal ? "signal" : "exit code",
             is_signal ? WTERMSIG(bench->failed_status) : WEXITSTATUS(bench->failed_status));
    if (bench->n_ignored > 0)
        bench->host->log(bench->host, GB_LOG_WARNING, words);
}

static int32_t verify(void *object, const struct gb_queue *queue)
{
    struct bench *bench = object;
    const struct gb_host *host = bench->host;
    (void)queue;
    const size_t n = bench->n_runs < USAGES ? (size_t)bench->n_runs : USAGES;
    if (n > 0 && !bench->is_counted) {
        host->metric(host, "user_time", median(bench->user_ns, n), "ns");
        host->metric(host, "system_time", median(bench->system_ns, n), "ns");
        report_memory(bench);
    }
    report_failures(bench);
    if (!bench->params->ignore_failure)
        host->checked(host, "exit_code", 1, "");
    if (!bench->expected.is_given)
        return GB_OK;
    int32_t status = make_ready(bench, STDIN_FILENO);
    if (status == GB_OK) {
        bench->is_to_conclude = true;
        status = expected_check(host, &bench->expected, &bench->program, bench->streams);
    }
    return status;
}

static void destroy(void *object)
{
    struct bench *bench = object;
    if (bench == NULL)
        return;
    if (bench->is_set_up && (conclude(bench) != GB_OK || run_extra(bench, CLEANUP) != GB_OK))
        bench->host->log(bench->host, GB_LOG_WARNING,
                         "a command of 'conclude' or 'cleanup' failed");
    unsetenv(RUN_NUMBER);
    figure_release(&bench->figure);
    process_group_end(&bench->group);
    for (int i = 0; i < 3; i++)
        if (bench->streams[i] >= 0 && bench->streams[i] != bench->nowhere)
            close(bench->streams[i]);
    if (bench->nowhere >= 0)
        close(bench->nowhere);
}

static int32_t validate(const struct gb_host *host, const void *object, gb_problem_fn *problem,
                        void *context)
{
    const struct params *params = object;
    for (size_t i = 0; i <= EXTRAS; i++) {
        const char *name, *text = text_of(params, i, &name);
        struct program program;
        struct words_problem found;
        char **words;
        if (i < EXTRAS && *text == '\0')
            continue;
        /* setup may build what the others run. */
        const int32_t status = i != SETUP && *params->setup != '\0'
                                   ? words_split(host, text, &words, &found)
                                   : make_program(host, params, text, &program, &found);
        if (status == GB_NO_MEMORY)
            return status;
        if (status != GB_OK)
            problem(context, name, found.at, found.text);
    }
    if (params->exit_codes.n == 0)
        problem(context, "exit_codes", 0,
                "no exit code would be accepted: expected at least one, such as 0");
    return GB_OK;
}

static const struct gb_bench_ops ops = {.size = sizeof ops,
                                        .flags = GB_BENCH_SINGLE,
                                        .create = create,
                                        .prepare = prepare,
                                        .run = run,
                                        .reset = reset,
                                        .verify = verify,
                                        .destroy = destroy,
                                        .collect = collect,
                                        .count = count};

VALIDATION_EXTENSION(.validate = validate);

static const char help_text[] =
    "The time runs from the call that creates the process until the wait for its end returns. No "
    "memory is copied for it (posix_spawn). env.NAME sets its environment. spawn_overhead_ns is "
    "the time to create a process without a program, which is included in each time; user_time and "
    "system_time are medians, peak_memory is the largest of all runs. GBRUN_RUN in the environment "
    "is the number of the run. Paths are relative to the folder of the configuration.";

static const struct gb_plugin plugin = {.size = sizeof(struct gb_plugin),
                                        .kind = GB_PLUGIN_BENCH,
                                        .id = "command",
                                        .version = "1.0",
                                        .summary = "A whole program, without a shell",
                                        .help = help_text,
                                        GB_OPTIONS(options, struct params),
                                        .ops = &ops,
                                        .extension = extension};

GB_MODULE(&plugin)
