/* worker.c - see worker.h. */
#include "core/run/worker.h"

#include "core/run/case_state.h"
#include "core/run/messages.h"
#include "core/run/worker_fork.h"
#include "core/run/zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct worker {
    pid_t supervisor; /* this process's child; 0: its parent */
    struct worker_link link;
    struct session *session;
    struct process_wear wear;
    struct process_state state; /* that the last case has left, if nothing was done since */
    struct worker_fork fork;
};

/* Each function serve_... serves one message, whose texts and lists are the arena's. */

static void send_fields(struct worker *worker, uint32_t type, const struct wire_field *fields,
                        const void *object)
{
    link_send_fields(&worker->link, type, fields, object);
}

static void send_empty(struct worker *worker, uint32_t type)
{
    link_begin(&worker->link, type);
    link_send(&worker->link);
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
        const struct plugin_info info = describe_plugin(&module.plugins[i], module.sha256, &arena);
        send_fields(worker, WIRE_PLUGIN, description_fields, &info);
    }
    send_fields(worker, WIRE_MODULE_END, module_end_fields,
                &(struct module_end){index, {status, error.text}});
}

static void serve_probe(struct worker *worker, struct wire_reader *message, struct arena *arena)
{
    struct modules_order order;
    wire_get_fields(message, arena, modules_order_fields, &order);
    for (uint32_t i = 0; i < order.n; i++)
        send_module(worker, order.first + i, order.paths[i], order.hashes);
}

/* ---- questions about plugins; each answer ends with how it went ---- */

static void send_device(void *context, const struct described_device *device)
{
    send_fields(context, WIRE_DEVICE, device_fields, device);
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

static void send_problem(void *context, const char *option, uint64_t offset, const char *text)
{
    send_fields(context, WIRE_PROBLEM, problem_fields, &(struct problem){option, offset, text});
}

static void send_counter(void *context, const struct gb_counter *counter)
{
    if (counter && GB_HAS(counter, help) && counter->name)
        send_fields(context, WIRE_COUNTER, counter_fields, counter);
}

/* *ret_reason: why there is nothing, "" if there is. */
static int32_t ask(struct worker *worker, uint32_t type, const struct question *asked,
                   const char **ret_reason, struct gb_error *error)
{
    struct session *session = worker->session;
    const struct plugin_settings *plugin = &asked->plugin;
    switch (type) {
    case WIRE_DEVICES:
        return session_devices(session, plugin, send_device, worker, ret_reason, error);
    case WIRE_EXAMINE:
        return session_examine(session, plugin, send_finding, worker, ret_reason, error);
    case WIRE_COUNTERS:
        return session_counters(session, plugin, asked->index, asked->model, asked->whole,
                                send_counter, worker, ret_reason, error);
    default:
        return session_validate(session, plugin, asked->folder, asked->bound_kind, asked->is_judged,
                                send_problem, worker, error);
    }
}

/* False: it is no question. */
static bool serve_question(struct worker *worker, uint32_t type, struct wire_reader *message,
                           struct arena *arena)
{
    static const struct {
        uint32_t type, phase, end;
    } questions[] = {{WIRE_DEVICES, PHASE_DESCRIBE, WIRE_DEVICES_END},
                     {WIRE_EXAMINE, PHASE_EXAMINE, WIRE_EXAMINE_END},
                     {WIRE_COUNTERS, PHASE_LIST, WIRE_COUNTERS_END},
                     {WIRE_VALIDATE, PHASE_VALIDATE, WIRE_VALIDATE_END}};
    enum { QUESTIONS = sizeof questions / sizeof *questions };
    struct question asked;
    struct gb_error error = {0};
    const char *reason = "";
    size_t i = 0;
    while (i < QUESTIONS && questions[i].type != type)
        i++;
    if (i == QUESTIONS)
        return false;
    wire_get_fields(message, arena, question_fields, &asked);
    link_phase(&worker->link, questions[i].phase);
    const int32_t status = ask(worker, type, &asked, &reason, &error);
    link_phase(&worker->link, PHASE_IDLE);
    send_fields(worker, questions[i].end, outcome_fields,
                &(struct outcome){status, status == GB_OK ? reason : error.text});
    return true;
}

/* ---- cases ---- */

/* The exit code: that of a child that has to have the last word. */
static int end_of_supervisor(struct worker *worker)
{
    enum { EXIT_LOST = 4 };
    int wait_status = 0;
    if (!worker->supervisor)
        return 0;
    close(worker->link.socket);
    pid_t ended;
    do
        ended = waitpid(worker->supervisor, &wait_status, 0);
    while (ended < 0 && errno == EINTR);
    return ended > 0 && WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : EXIT_LOST;
}

static void end_process(struct worker *worker)
{
    worker_fork_leave(&worker->fork, &worker->link);
    _exit(end_of_supervisor(worker));
}

/* WIRE_RENEW. Where a forked process has ended since, there is none to make room. */
static void serve_renewal(struct worker *worker, struct wire_reader *message, struct arena *arena)
{
    (void)message, (void)arena;
    if (worker->fork.is_forked)
        end_process(worker);
}

/* False: a forked process has had the case, and has ended. */
static bool find_place(struct worker *worker, const struct case_order *order)
{
    struct worker_fork *fork = &worker->fork;
    const int place = worker->supervisor ? PLACE_HERE
                                         : worker_fork_place(fork, worker->session, &worker->link,
                                                             &order->bench_case);
    if (place != PLACE_DONE && fork->is_forked)
        send_fields(worker, WIRE_FORKED, forked_fields,
                    &(struct forked){(int32_t)getpid(), fork->load_ns});
    fork->load_ns = 0;
    if (place == PLACE_FRESH) {
        send_fields(worker, WIRE_CASE_END, case_end_fields,
                    &(struct case_end){.record = order->record,
                                       .status = CASE_FAILED,
                                       .text = "what it needs was not loaded",
                                       .is_spent = true,
                                       .is_again = true,
                                       .traces = ""});
        end_process(worker);
    }
    return place == PLACE_HERE;
}

static void serve_case(struct worker *worker, struct wire_reader *message, struct arena *arena)
{
    struct case_order order;
    struct case_outcome outcome;
    wire_get_fields(message, arena, case_order_fields, &order);
    if (!find_place(worker, &order))
        return;
    link_repeat_warnings(&worker->link);
    struct process_state *state = &worker->state;
    if (!state->is_known) {
        *state = (struct process_state){0};
        process_state_take(state);
    }
    case_run(worker->session, &worker->link, &order.bench_case, state, &outcome);
    fflush(NULL); /* what the plugin printed belongs to this case */
    /* What the case left behind in this process. */
    CLEANUP(text_free) struct text traces = {0}, changed = {0};
    if (process_state_differs(state, &changed))
        text_printf(&traces, "changed the process's %s", text_get(&changed));
    const bool is_worn = process_size_compare(&outcome.before, &worker->wear,
                                              !worker->supervisor && !zygote_is_there(),
                                              &state->size, &traces);
    bool is_spent = outcome.is_poisoned || outcome.is_spent || is_worn || traces.length > 0;
    /* A supervisor may end as soon as it has read the next message: where a plugin ignored the end
     * of children, nothing would be left to wait for. */
    if (worker->supervisor)
        signal(SIGCHLD, SIG_DFL);
    send_fields(worker, WIRE_CASE_END, case_end_fields,
                &(struct case_end){order.record, outcome.status, outcome.text, is_spent,
                                   outcome.is_again, text_get(&traces)});
    link_phase(&worker->link, PHASE_IDLE);
    if (is_spent)
        end_process(worker);
}

/* ---- a case is built before its turn ---- */

/* The plugin's words count; the error's are of a module that cannot be loaded. */
static int32_t build(struct worker *worker, struct host *host, const struct case_order *order,
                     struct arena *arena, struct gb_error *error)
{
    struct worker_link *link = &worker->link;
    const struct bench_case *bench_case = &order->bench_case;
    const struct plugin_settings settings = bench_case_plugin(bench_case);
    const struct gb_plugin *plugin = NULL;
    void *params = NULL;
    link_phase(link, PHASE_LOAD);
    int32_t status = session_prepare(worker->session, &settings, arena, &plugin, &params, error);
    if (status != GB_OK)
        return status;
    send_fields(worker, WIRE_BUILD, build_fields,
                &(struct build){plugin->kind, session_build(worker->session, bench_case->info)});
    const struct gb_bench_ops *ops = plugin->ops;
    link_phase(link, PHASE_BUILD);
    status = GB_HAS(ops, build) && ops->build ? ops->build(&host->interface, params) : GB_OK;
    if (status != GB_OK && *host->reason)
        error_set(error, status, "%s", host->reason);
    else if (status != GB_OK)
        error_set(error, status, "build: %s", status_words(status));
    return status;
}

/* WIRE_BUILD_AHEAD: builds a case without its device (`build` of bench.h). Answers with BUILT; or
 * with CASE_END where that is how the case ends. */
static void serve_lane(struct worker *worker, struct wire_reader *message, struct arena *arena)
{
    struct case_order order;
    struct gb_error error = {0};
    wire_get_fields(message, arena, lane_order_fields, &order);
    const struct host_device device = {.info = &order.device.info};
    struct host *host = host_new(order.bench_case.seed, &worker->link.sink, &device, NULL);
    host->interface.folder = order.bench_case.folder;
    host->facts = order.device.facts;
    host->n_facts = order.device.n_facts;
    const int32_t status = build(worker, host, &order, arena, &error);
    host_free(host);
    fflush(NULL); /* what the plugin printed belongs to this case */
    const int ended = status == GB_SKIPPED ? CASE_SKIPPED : CASE_FAILED;
    if (status == GB_OK)
        send_empty(worker, WIRE_BUILT);
    else
        send_fields(worker, WIRE_CASE_END, case_end_fields,
                    &(struct case_end){
                        .record = order.record, .status = ended, .text = error.text, .traces = ""});
    link_phase(&worker->link, PHASE_IDLE);
}

/* ---- a policy is given recorded samples ---- */

struct replay {
    struct worker *worker;
    struct replay_order order;
    const struct gb_plugin *plugin;
    void *params;
    struct host *host;
    struct policy_run *run;
    bool is_whole; /* there are no more samples */
};

/* A column as it was sent: n values, or one that stands for all. */
static const double *take_column(struct wire_reader *message, struct arena *arena, uint64_t n)
{
    uint64_t n_sent;
    const double *sent = wire_get_f64s(message, arena, &n_sent);
    if (n_sent == n || message->failed)
        return sent;
    double *all = ARENA_ARRAY(arena, double, n);
    for (uint64_t i = 0; i < n; i++)
        all[i] = n_sent > 0 ? sent[0] : 0;
    return all;
}

static uint64_t as_integer(double value)
{
    return value > 0 && value < 0x1p63 ? (uint64_t)value : 0;
}

static const uint64_t *take_integers(struct wire_reader *message, struct arena *arena, uint64_t n)
{
    const double *column = take_column(message, arena, n);
    uint64_t *integers = ARENA_ARRAY(arena, uint64_t, n);
    for (uint64_t i = 0; column && i < n; i++)
        integers[i] = as_integer(column[i]);
    return integers;
}

static int32_t take_samples(struct replay *replay, struct wire_reader *message,
                            struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct gb_samples samples = {.size = sizeof samples,
                                 .traits = replay->order.is_dithered ? GB_SAMPLES_DITHERED : 0,
                                 .tick_ns = replay->order.tick_ns};
    samples.n = wire_get_count(message, sizeof(double));
    if (samples.n == 0) {
        replay->is_whole = true;
        return GB_OK;
    }
    samples.time_ns = take_column(message, &arena, samples.n);
    samples.elapsed_ns = take_column(message, &arena, samples.n);
    samples.iterations = take_integers(message, &arena, samples.n);
    samples.clock_hz = take_column(message, &arena, samples.n);
    samples.throttle = take_integers(message, &arena, samples.n);
    const uint64_t *flags = take_integers(message, &arena, samples.n);
    uint32_t *narrow = ARENA_ARRAY(&arena, uint32_t, samples.n);
    for (uint64_t i = 0; i < samples.n; i++)
        narrow[i] = (uint32_t)flags[i];
    samples.flags = narrow;
    if (!wire_complete(message))
        return error_set(error, GB_CORRUPT, "samples arrived in a form that cannot be read");
    uint64_t n_taken;
    return policy_run_feed(replay->run, &samples, &n_taken, error);
}

static int32_t ask_for_samples(struct replay *replay, struct gb_error *error)
{
    struct wire_reader message;
    uint32_t type;
    send_empty(replay->worker, WIRE_TRACE_WANTED);
    if (!link_receive(&replay->worker->link, &type, &message))
        _exit(0);
    return type == WIRE_TRACE ? take_samples(replay, &message, error)
                              : error_set(error, GB_CORRUPT, "expected samples");
}

static int32_t send_estimate(struct replay *replay, struct gb_error *error)
{
    struct gb_estimate estimate;
    if (replay->run->count == 0)
        return GB_OK;
    int32_t status = policy_run_report(replay->run, &estimate, error);
    if (status != GB_OK)
        return status;
    struct worker_link *link = &replay->worker->link;
    put_estimate(link_begin(link, WIRE_ESTIMATE), &estimate, replay->run->reason, 0);
    link_send(link);
    return GB_OK;
}

static int32_t replay_all(struct replay *replay, struct gb_error *error)
{
    int32_t status = policy_run_new(replay->plugin, replay->params, replay->host,
                                    &replay->order.guards, &replay->run, error);
    if (status == GB_OK)
        replay->run->error_ns = replay->order.error_ns;
    while (status == GB_OK && !replay->is_whole && !replay->run->ended)
        status = ask_for_samples(replay, error);
    return status == GB_OK ? send_estimate(replay, error) : status;
}

/* WIRE_REPLAY: asks for samples (TRACE_WANTED) until the policy or a guard ends it or there are no
 * more, then answers with ESTIMATE, if there is one, and REPLAYED. */
static void serve_replay(struct worker *worker, struct wire_reader *message, struct arena *arena)
{
    struct worker_link *link = &worker->link;
    struct replay replay = {.worker = worker};
    struct gb_error error = {0};
    wire_get_fields(message, arena, replay_order_fields, &replay.order);
    replay.host = host_new(replay.order.seed, &link->sink, NULL, NULL);
    replay.host->interface.share = replay.order.is_part ? PART_SHARE : 1;
    replay.host->interface.load_ns = replay.order.load_ns;
    link_phase(link, PHASE_LOAD);
    int32_t status = session_prepare(worker->session, &replay.order.policy, arena, &replay.plugin,
                                     &replay.params, &error);
    link_phase(link, PHASE_POLICY);
    if (status == GB_OK)
        status = replay_all(&replay, &error);
    struct replay_end end = {.outcome = {status, error.text}};
    if (replay.run) {
        end.has_ended = replay.run->ended;
        end.n = replay.run->count;
        end.elapsed_ns = replay.run->elapsed_ns;
    }
    policy_run_free(replay.run);
    host_free(replay.host);
    fflush(NULL); /* what the policy printed belongs to this replay */
    link_phase(link, PHASE_IDLE);
    send_fields(worker, WIRE_REPLAYED, replay_end_fields, &end);
}

/* ---- the engine of a search is asked for visits ---- */

struct searching {
    struct worker *worker;
    struct search_order order;
    struct space *space;
    struct engine *engine;
};

/* The supervisor's next message, which must be of that type. Ends the process if the supervisor is
 * gone. */
static int32_t receive(struct searching *searching, uint32_t wanted, struct wire_reader *ret,
                       struct gb_error *error)
{
    uint32_t type;
    if (!link_receive(&searching->worker->link, &type, ret))
        _exit(0);
    return type == wanted ? GB_OK : error_set(error, GB_CORRUPT, "expected another message");
}

/* A part of the cases: their values, one axis after the other. */
static int32_t take_cases(struct searching *searching, uint64_t *ret_n, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    const size_t n_axes = space_axes(searching->space);
    struct wire_reader message;
    int32_t status = receive(searching, WIRE_SEARCH_CASES, &message, error);
    if (status != GB_OK)
        return status;
    const uint32_t n = wire_get_count(&message, n_axes * sizeof(uint32_t));
    const char **texts = ARENA_ARRAY(&arena, const char *, n_axes + 1);
    for (uint32_t i = 0; i < n; i++) {
        for (size_t axis = 0; axis < n_axes; axis++)
            texts[axis] = wire_get_text(&message, &arena);
        if (!message.failed)
            space_add(searching->space, texts);
    }
    *ret_n = n;
    return n > 0 && wire_complete(&message)
               ? GB_OK
               : error_set(error, GB_CORRUPT, "cases arrived in a form that cannot be read");
}

static int32_t take_space(struct searching *searching, struct gb_error *error)
{
    int32_t status = GB_OK;
    uint64_t n = 0;
    for (uint64_t done = 0; done < searching->order.n_cases && status == GB_OK; done += n)
        status = take_cases(searching, &n, error);
    return status == GB_OK ? space_finish(searching->space, error) : status;
}

static int32_t take_observation(struct searching *searching, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct gb_observation observation = {0};
    struct wire_reader message;
    int32_t status = receive(searching, WIRE_SEARCH_OBSERVED, &message, error);
    if (status != GB_OK)
        return status;
    wire_get_fields(&message, &arena, observation_fields, &observation);
    if (!wire_complete(&message))
        return error_set(error, GB_CORRUPT, "an observation arrived that cannot be read");
    return engine_observe(searching->engine, &observation, error);
}

static int32_t search_all(struct searching *searching, struct gb_error *error)
{
    struct engine_step step;
    const bool has_lanes = searching->order.limits.lanes > 1;
    int32_t status = GB_OK;
    for (engine_next(searching->engine, &step); step.action != ENGINE_END && status == GB_OK;
         engine_next(searching->engine, &step)) {
        if (step.action == ENGINE_MEASURE || has_lanes)
            send_fields(searching->worker, WIRE_SEARCH_STEP, step_fields, &step);
        if (step.action == ENGINE_WAIT || !has_lanes)
            status = take_observation(searching, error);
    }
    return status;
}

/* WIRE_SEARCH and the SEARCH_CASES that follow it: the engine of core/search, asked by the
 * supervisor, which gives it observations. Answers with SEARCH_STEP for each visit that is wanted
 * and takes its SEARCH_OBSERVED; with several lanes a step says when it waits for one. Ends with
 * SEARCHED. */
static void serve_search(struct worker *worker, struct wire_reader *message, struct arena *arena)
{
    struct worker_link *link = &worker->link;
    struct searching searching = {.worker = worker};
    const struct search_order *order = &searching.order;
    const struct gb_plugin *plugin = NULL;
    struct gb_error error = {0};
    void *params = NULL;
    wire_get_fields(message, arena, search_order_fields, &searching.order);
    searching.space = space_new(order->axes, order->n_axes);
    struct host *host = host_new(order->seed, &link->sink, NULL, NULL);
    int32_t status = take_space(&searching, &error);
    link_phase(link, PHASE_LOAD);
    if (status == GB_OK)
        status = session_prepare(worker->session, &order->plugin, arena, &plugin, &params, &error);
    link_phase(link, PHASE_SEARCH);
    if (status == GB_OK)
        status = engine_new(plugin->ops, params, &host->interface, searching.space, &order->limits,
                            &searching.engine, &error);
    if (status != GB_OK && *host->reason)
        error_set(&error, status, "%s", host->reason);
    if (status == GB_OK)
        status = search_all(&searching, &error);
    struct search_end end = {{status, error.text}, {.best = GB_NO_CASE}};
    if (searching.engine)
        engine_report(searching.engine, &end.report);
    send_fields(worker, WIRE_SEARCHED, search_end_fields, &end);
    engine_free(searching.engine);
    host_free(host);
    space_free(searching.space);
    fflush(NULL); /* what the search printed belongs to it */
    link_phase(link, PHASE_IDLE);
}

/* ---- the process ---- */

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

/* Addresses that depend on chance change what code does: the process begins again without. Where
 * that is not permitted, records of cases say so. */
static void fix_addresses(void)
{
    const int now = personality(0xffffffff);
    if (!getenv(WORKER_FIXED))
        return;
    if (now >= 0 && !(now & ADDR_NO_RANDOMIZE) &&
        personality((unsigned long)now | ADDR_NO_RANDOMIZE) >= 0)
        execv(program_image(), (char *const[]){"gbrun", WORKER_ARGUMENT, NULL});
    unsetenv(WORKER_FIXED);
}

int worker_main(void)
{
    fix_addresses();
    /* Programs that a benchmark starts must have neither. */
    fcntl(WORKER_SOCKET, F_SETFD, FD_CLOEXEC);
    fcntl(WORKER_PAGE, F_SETFD, FD_CLOEXEC);
    return worker_serve(WORKER_SOCKET, WORKER_PAGE, 0);
}

int worker_serve(int socket, int page_descriptor, pid_t supervisor)
{
    static void (*const serve[WIRE_TYPES])(struct worker *, struct wire_reader *,
                                           struct arena *) = {
        [WIRE_PROBE] = serve_probe,   [WIRE_CASE] = serve_case,
        [WIRE_RENEW] = serve_renewal, [WIRE_BUILD_AHEAD] = serve_lane,
        [WIRE_REPLAY] = serve_replay, [WIRE_SEARCH] = serve_search};
    struct worker worker = {.supervisor = supervisor};
    struct wire_reader message;
    uint32_t type;
    set_up_process(supervisor > 0);
    link_open(&worker.link, socket, page_descriptor);
    worker.session = session_new(&worker.link.sink);
    while (link_receive(&worker.link, &type, &message)) {
        CLEANUP(arena_free) struct arena arena = {0};
        worker.state.is_known = worker.state.is_known && type == WIRE_CASE;
        worker.fork.is_used = worker.fork.is_used || type != WIRE_CASE;
        if (!serve_question(&worker, type, &message, &arena) && serve[type])
            serve[type](&worker, &message, &arena);
    }
    session_free(worker.session);
    link_free(&worker.link);
    return end_of_supervisor(&worker);
}
