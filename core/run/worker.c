/* worker.c - see worker.h. */
#include "core/run/worker.h"

#include "core/run/case_run.h"
#include "core/run/messages.h"
#include "core/run/process_state.h"
#include "core/run/worker_link.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void send_fields(struct worker *worker, uint32_t type, const struct wire_field *fields,
                        const void *object)
{
    link_send_fields(&worker->link, type, fields, object);
}

static void send_module(struct worker *worker, uint32_t index, const char *path, bool hashes)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct module module;
    struct gb_error error = {0};
    wire_put_u32(link_begin(&worker->link, WIRE_MODULE_BEGIN), index);
    link_send(&worker->link);
    link_phase(&worker->link, PHASE_LOAD);
    int32_t status = module_load(path, hashes, &arena, &module, &error);
    for (uint32_t i = 0; status == GB_OK && i < module.n_plugins; i++) {
        struct wire_writer *plugin = link_begin(&worker->link, WIRE_PLUGIN);
        wire_put_text(plugin, module.sha256);
        put_plugin(plugin, &module.plugins[i]);
        link_send(&worker->link);
    }
    struct wire_writer *writer = link_begin(&worker->link, WIRE_MODULE_END);
    wire_put_u32(writer, index);
    wire_put_fields(writer, outcome_fields, &(struct outcome){status, error.text});
    link_send(&worker->link);
}

static void serve_probe(struct worker *worker, struct wire_reader *message, struct arena *arena)
{
    const bool hashes = wire_get_u32(message) != 0;
    uint32_t first = wire_get_u32(message), n = wire_get_count(message, 4);
    for (uint32_t i = 0; i < n; i++)
        send_module(worker, first + i, wire_get_path(message, arena), hashes);
}

/* ---- questions about plugins; each answer ends with how it went ---- */

static void send_outcome(struct worker *worker, uint32_t type, int32_t status, const char *reason,
                         const struct gb_error *error)
{
    link_phase(&worker->link, PHASE_IDLE);
    send_fields(worker, type, outcome_fields,
                &(struct outcome){status, status == GB_OK ? reason : error->text});
}

static void send_device(void *context, const struct gb_device_info *info)
{
    send_fields(context, WIRE_DEVICE, device_info_fields, info);
}

static void send_fact(void *context, const char *name, const char *value)
{
    send_fields(context, WIRE_FACT, fact_fields, &(struct fact){name, value});
}

static void serve_devices(struct worker *worker, struct wire_reader *message, struct arena *arena)
{
    struct plugin_settings settings;
    struct gb_error error = {0};
    const char *reason = "";
    get_plugin_settings(message, arena, GB_PLUGIN_DEVICE, &settings);
    link_phase(&worker->link, PHASE_DESCRIBE);
    int32_t status = session_devices(worker->session, &settings, send_device, send_fact, worker,
                                     &reason, &error);
    send_outcome(worker, WIRE_DEVICES_END, status, reason, &error);
}

static void send_finding(void *context, const char *device, const struct gb_finding *finding)
{
    const struct device_finding sent = {device,
                                        {.subject = finding->subject,
                                         .state = finding->state,
                                         .is_noisy = finding->is_noisy != 0,
                                         .why = finding->why,
                                         .fix = finding->cure}};
    send_fields(context, WIRE_FINDING, finding_fields, &sent);
}

static void serve_examine(struct worker *worker, struct wire_reader *message, struct arena *arena)
{
    struct plugin_settings settings;
    struct gb_error error = {0};
    const char *reason = "";
    get_plugin_settings(message, arena, GB_PLUGIN_DEVICE, &settings);
    link_phase(&worker->link, PHASE_EXAMINE);
    int32_t status = session_examine(worker->session, &settings, send_finding, worker, &reason,
                                     &error);
    send_outcome(worker, WIRE_EXAMINE_END, status, reason, &error);
}

static void send_problem(void *context, const char *option, uint64_t offset, const char *text)
{
    send_fields(context, WIRE_PROBLEM, problem_fields, &(struct problem){option, offset, text});
}

static void serve_validate(struct worker *worker, struct wire_reader *message, struct arena *arena)
{
    struct plugin_settings settings;
    struct gb_error error = {0};
    get_plugin_settings(message, arena, GB_PLUGIN_BENCH, &settings);
    const char *folder = wire_get_path(message, arena);
    const uint32_t bound_kind = wire_get_u32(message);
    link_phase(&worker->link, PHASE_VALIDATE);
    int32_t status = session_validate(worker->session, &settings, folder, bound_kind, send_problem,
                                      worker, &error);
    send_outcome(worker, WIRE_VALIDATE_END, status, "", &error);
}

static void send_counter(void *context, const struct gb_counter *counter)
{
    if (counter && GB_HAS(counter, help) && counter->name)
        send_fields(context, WIRE_COUNTER, counter_fields, counter);
}

static void serve_counters(struct worker *worker, struct wire_reader *message, struct arena *arena)
{
    struct plugin_settings settings;
    struct gb_error error = {0};
    const char *reason = "";
    get_plugin_settings(message, arena, GB_PLUGIN_DEVICE, &settings);
    const uint32_t index = wire_get_u32(message);
    const char *model = wire_get_text(message, arena);
    const char *whole = wire_get_text(message, arena);
    link_phase(&worker->link, PHASE_LIST);
    int32_t status = session_counters(worker->session, &settings, index, model, whole, send_counter,
                                      worker, &reason, &error);
    send_outcome(worker, WIRE_COUNTERS_END, status, reason, &error);
}

/* ---- cases ---- */

/* What the case left behind in this process; "" if nothing that matters. */
static void find_traces(struct worker *worker, const struct process_state *state,
                        const struct process_size *before, struct text *out)
{
    CLEANUP(text_free) struct text changed = {0};
    if (worker->n_threads == 0)
        worker->n_threads = before->n_threads;
    if (process_state_differs(state, &changed))
        text_printf(out, "changed the process's %s", text_get(&changed));
    process_size_compare(before, worker->n_threads, !worker->supervisor, out);
}

/* The exit code: that of a child that has to have the last word. */
static int end_of_supervisor(struct worker *worker)
{
    enum { EXIT_LOST = 4 };
    int wait_status = 0;
    if (!worker->supervisor)
        return 0;
    close(worker->link.socket);
    /* Where a plugin had it ignored there would be nothing to wait for. */
    signal(SIGCHLD, SIG_DFL);
    pid_t ended;
    do
        ended = waitpid(worker->supervisor, &wait_status, 0);
    while (ended < 0 && errno == EINTR);
    return ended > 0 && WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : EXIT_LOST;
}

static void serve_case(struct worker *worker, struct wire_reader *message, struct arena *arena)
{
    struct bench_case bench_case;
    struct case_outcome outcome;
    const char *label, *record;
    get_case(message, arena, &bench_case, &label, &record);
    link_repeat_warnings(&worker->link);
    struct process_state *state = process_state_take();
    case_run(worker->session, &worker->link, &bench_case, state, &outcome);
    fflush(NULL); /* what the plugin printed belongs to this case */
    CLEANUP(text_free) struct text traces = {0};
    find_traces(worker, state, &outcome.before, &traces);
    process_state_free(state);
    bool is_spent = outcome.is_poisoned || outcome.is_spent || traces.length > 0;
    send_fields(
        worker, WIRE_CASE_END, case_end_fields,
        &(struct case_end){record, outcome.status, outcome.text, is_spent, text_get(&traces)});
    link_phase(&worker->link, PHASE_IDLE);
    if (is_spent)
        _exit(end_of_supervisor(worker));
}

static void on_cancel(int signal)
{
    (void)signal;
    host_cancel();
}

/* The supervisor's death must not leave workers behind; a terminal's signals go to it alone. Where
 * it is the child, both get them, and the second one ends this process at once. */
static void set_up_process(bool is_parent)
{
    struct sigaction action = {.sa_handler = on_cancel, .sa_flags = SA_RESTART};
    signal(SIGPIPE, SIG_IGN);
    sigaction(SIGTERM, &action, NULL);
    if (!is_parent) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_CHILD_SUBREAPER, 1); /* to know of children that their parents have left */
    }
    action.sa_flags |= (int)SA_RESETHAND;
    if (is_parent)
        sigaction(SIGINT, &action, NULL);
}

int worker_main(void)
{
    /* Programs that a benchmark starts must have neither. */
    fcntl(WORKER_SOCKET, F_SETFD, FD_CLOEXEC);
    fcntl(WORKER_PAGE, F_SETFD, FD_CLOEXEC);
    return worker_serve(WORKER_SOCKET, WORKER_PAGE, 0);
}

int worker_serve(int socket, int page_descriptor, pid_t supervisor)
{
    static void (*const serve[WIRE_TYPES])(struct worker *, struct wire_reader *,
                                           struct arena *) = {
        [WIRE_PROBE] = serve_probe,       [WIRE_DEVICES] = serve_devices,
        [WIRE_EXAMINE] = serve_examine,   [WIRE_COUNTERS] = serve_counters,
        [WIRE_VALIDATE] = serve_validate, [WIRE_CASE] = serve_case,
        [WIRE_REPLAY] = replay_serve,     [WIRE_SEARCH] = search_serve,
        [WIRE_BUILD_AHEAD] = lane_serve};
    struct worker worker = {.supervisor = supervisor};
    struct wire_reader message;
    uint32_t type;
    set_up_process(supervisor > 0);
    link_open(&worker.link, socket, page_descriptor);
    worker.session = session_new(&worker.link.sink);
    while (link_receive(&worker.link, &type, &message)) {
        CLEANUP(arena_free) struct arena arena = {0};
        if (serve[type])
            serve[type](&worker, &message, &arena);
    }
    session_free(worker.session);
    link_free(&worker.link);
    return end_of_supervisor(&worker);
}
