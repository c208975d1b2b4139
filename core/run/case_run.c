/* case_run.c - see case_state.h. */
#include "core/run/case_state.h"

#include "core/base/host_clock.h"
#include "core/run/judge.h"
#include "core/run/messages.h"
#include "core/store/store_table.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>

static void send_build(struct case_state *state, const struct session *session, uint32_t kind,
                       const struct plugin_info *info)
{
    link_send_fields(state->link, WIRE_BUILD, build_fields,
                     &(struct build){kind, session_build(session, info)});
}

static int32_t load(struct case_state *state, struct session *session,
                    const struct plugin_settings *settings, const struct gb_plugin **ret_plugin,
                    void **ret_params)
{
    struct gb_error error;
    if (!*session_build(session, settings->info)) /* loading it runs its code */
        link_phase(state->link, PHASE_LOAD);
    if (session_prepare(session, settings, &state->arena, ret_plugin, ret_params, &error) != GB_OK)
        return case_stop(state, CASE_FAILED, "%s", error.text);
    send_build(state, session, (*ret_plugin)->kind, settings->info);
    return GB_OK;
}

static void send_clocks(struct case_state *state)
{
    const struct open_device *device = state->device;
    struct clock_record clocks[GB_CLOCKS_MAX];
    for (uint32_t i = 0; i < device->n_clocks; i++)
        clocks[i] = (struct clock_record){device->clocks[i].name, device->clocks[i].tick_ns,
                                          device->clocks[i].overhead_ns};
    put_rows(link_begin(state->link, WIRE_OPENED), TABLE_CLOCK, clocks, device->n_clocks);
    link_send(state->link);
}

static int32_t choose_clock(struct case_state *state)
{
    CLEANUP(text_free) struct text offered = {0};
    const char *wanted = state->bench_case->common.clock;
    state->is_counted = state->device->counts && bench_case_is_counted(state->bench_case);
    if (state->is_counted)
        return GB_OK;
    for (uint32_t i = 0; i < state->device->n_clocks; i++) {
        const char *name = state->device->clocks[i].name;
        state->clock = i;
        if (text_equal(wanted, "auto") || text_equal(wanted, name))
            return GB_OK;
        text_printf(&offered, "%s%s", i ? ", " : "", name);
    }
    if (state->device->counts)
        text_add(&offered, ", " CLOCK_INSTRUCTIONS);
    return case_stop(state, CASE_FAILED,
                     "clock '%s' is not offered by device %s: expected one of %s", wanted,
                     state->device->name, text_get(&offered));
}

static int32_t open_device(struct case_state *state, struct session *session)
{
    struct process_state *process = state->process;
    struct gb_error error;
    const bool is_open = session_is_open(session);
    if (!is_open)
        link_phase(state->link, PHASE_OPEN);
    if (process && !is_open)
        process_state_pause(process);
    int32_t status = session_open(session, &state->bench_case->device, &state->device, &error);
    if (process && !is_open)
        process_state_resume(process);
    send_build(state, session, GB_PLUGIN_DEVICE, state->bench_case->device.settings->info);
    if (status != GB_OK) {
        state->outcome->is_poisoned = true;
        return case_stop(state, status == GB_DEVICE_ERROR ? CASE_DEVICE_ERROR : CASE_FAILED, "%s",
                         error.text);
    }
    *state->device->host->reason = 0;
    send_clocks(state);
    link_phase(state->link, PHASE_OPEN); /* where it was open, too: it is called from now on */
    if (choose_clock(state) != GB_OK)
        return GB_FAILED;
    /* What the device keeps for flushing is its own, and no trace of the benchmark. */
    if (state->bench_case->common.cache == GB_CACHE_COLD) {
        link_phase(state->link, PHASE_FLUSH);
        status = state->device->ops->flush_cache(state->device->device, state->device->queue);
        if (case_judge_device(state, "flushing the cache", status) != GB_OK)
            return GB_FAILED;
    }
    /* What the last case left is what there is, where nothing was opened or flushed since. */
    if (process && process->size.n_threads > 0 && is_open &&
        state->bench_case->common.cache != GB_CACHE_COLD)
        state->outcome->before = process->size;
    else if (process)
        process_size_take(&state->outcome->before);
    case_end_phase(state, &state->phases.open_ns);
    return GB_OK;
}

/* Said before anything is made, as it cannot come true later. */
static int32_t check_launch(struct case_state *state, const struct gb_plugin *bench,
                            const struct gb_bench_ops *ops)
{
    if (state->bench_case->common.launch != GB_LAUNCH_GRAPH)
        return GB_OK;
    if (!(state->device->ops->flags & GB_DEVICE_GRAPHS))
        return case_stop(state, CASE_FAILED, "launch = graph: device %s cannot launch graphs",
                         state->device->name);
    if (ops->flags & GB_BENCH_EVERY_CALL)
        return case_stop(state, CASE_FAILED,
                         "launch = graph: benchmark %s needs a call of run for every sample: "
                         "expected launch = stream",
                         bench->id);
    if (ops->flags & GB_BENCH_SYNCHRONIZES)
        return case_stop(state, CASE_FAILED,
                         "launch = graph: benchmark %s waits for the device inside run, which "
                         "cannot be captured: expected launch = stream",
                         bench->id);
    return GB_OK;
}

static bool is_device_spent(const struct case_state *state)
{
    const struct open_device *device = state->device; /* NULL: the case did not get to it */
    return !state->outcome->is_poisoned && device && GB_HAS(device->ops, is_spent) &&
           device->ops->is_spent && device->ops->is_spent(device->device) == 1;
}

/* The device may become slower by what processes do before run, as more and more code is loaded: of
 * a process that had other cases before, so that the same will be faster in a fresh one. */
static int32_t check_process(struct case_state *state, bool is_used)
{
    if (!is_used || !is_device_spent(state))
        return GB_OK;
    state->outcome->is_again = true;
    return case_stop(state, CASE_FAILED, "the process became slower before the first sample");
}

static int32_t prepare_bench(struct case_state *state, const struct gb_plugin *plugin)
{
    int32_t status = GB_OK;
    link_phase(state->link, PHASE_PREPARE);
    if (state->ops->prepare)
        CALL_BENCH(state, status, state->ops->prepare(state->bench, state->device->queue));
    if (case_judge_bench(state, "prepare", status) != GB_OK)
        return GB_FAILED;
    if (state->ops->prepare && case_wait(state, "prepare") != GB_OK)
        return GB_FAILED;
    if (state->host->replaced.size == 0)
        return GB_OK;
    state->ops = &state->host->replaced;
    return check_launch(state, plugin, state->ops);
}

/* Attributes that a judge gives the process stay; its files end with the case. */
static int32_t begin_judge(struct case_state *state, const struct gb_plugin *plugin,
                           const void *params)
{
    struct process_state *process = state->process;
    if (process)
        process_state_pause(process);
    const int32_t status = judge_begin(state, plugin, params);
    case_keep_process(state);
    if (process)
        process_state_resume(process);
    return status;
}

static int32_t make_bench(struct case_state *state, const struct gb_plugin *plugin,
                          const void *params)
{
    const struct bench_case *bench_case = state->bench_case;
    struct host_device device = {state->device->ops, state->device->device, &state->device->info,
                                 state->device->host, state->device->judging};
    struct host_checks checks = {bench_case->tolerances, bench_case->n_tolerances,
                                 &bench_case->common, bench_case->uid};
    state->host = host_new(bench_case->seed, &state->link->sink, &device, &checks);
    state->host->interface.folder = bench_case->folder;
    state->ops = plugin->ops;
    state->params = params;
    link_phase(state->link, PHASE_CREATE);
    if (bench_case->common.verify == VERIFY_JUDGE)
        return begin_judge(state, plugin, params);
    void *bench = NULL;
    int32_t status;
    CALL_BENCH(state, status, state->ops->create(&state->host->interface, params, &bench));
    if (case_judge_bench(state, "create", status) != GB_OK)
        return GB_FAILED;
    state->bench = bench;
    case_keep_process(state);
    if (state->host->wants_exclusive) {
        const double begin_ns = host_clock_ns();
        link_phase(state->link, PHASE_WAIT);
        link_wait_alone(state->link);
        state->waited_ns = host_clock_ns() - begin_ns;
        if (host_cancelled())
            return case_stop(state, CASE_CANCELLED, "%s", "");
    }
    return prepare_bench(state, plugin);
}

static int32_t make_policy(struct case_state *state, const struct gb_plugin *plugin,
                           const void *params)
{
    const struct common_params *common = &state->bench_case->common;
    const double share = state->bench_case->is_part ? PART_SHARE : 1;
    struct guards guards = {(uint64_t)ceil(share * (double)common->min_samples),
                            (uint64_t)ceil(share * (double)common->max_samples),
                            share * common->max_time_ns, share * common->max_time_undecided_ns};
    struct gb_error error;
    state->policy_host = host_new(state->bench_case->seed, &state->link->sink, NULL, NULL);
    state->policy_host->interface.share = share;
    link_phase(state->link, PHASE_POLICY);
    if (policy_run_new(plugin, params, state->policy_host, &guards, &state->policy, &error) !=
        GB_OK)
        return case_stop(state, CASE_FAILED, "%s", error.text);
    return GB_OK;
}

static int32_t send_work(struct case_state *state)
{
    if (!state->ops->work)
        return GB_OK;
    struct gb_work work = {.size = sizeof work};
    int32_t status;
    link_phase(state->link, PHASE_WORK);
    CALL_BENCH(state, status, state->ops->work(state->bench, &work));
    if (case_judge_bench(state, "work", status) != GB_OK)
        return GB_FAILED;
    case_threads_add_up(state, &work);
    link_send_record(state->link, WIRE_WORK, &work);
    state->work = work;
    return GB_OK;
}

static int32_t verify_once(struct case_state *state, int32_t *ret_status)
{
    link_phase(state->link, PHASE_VERIFY);
    if (case_wait(state, "verify") != GB_OK)
        return GB_FAILED;
    series_discard();
    CALL_BENCH(state, *ret_status, state->ops->verify(state->bench, state->device->queue));
    /* Those of calls that are no samples are left out without a word; verify has none to give. */
    const unsigned long long n_late = series_discard();
    if (n_late > 0)
        link_say(state->link, GB_LOG_WARNING,
                 "%llu samples of series were given after the last batch: expected in run or "
                 "collect",
                 n_late);
    return GB_OK;
}

/* A result that is wrong after run was captured, and what it enqueued launched many times, may be
 * right where it is called anew each time: a benchmark counts its calls, or swaps its buffers. */
static bool may_be_right_in_stream(const struct case_state *state)
{
    return state->launch == GB_LAUNCH_AUTO && state->device->ops->flags & GB_DEVICE_GRAPHS &&
           !(state->ops->flags & (GB_BENCH_EVERY_CALL | GB_BENCH_SYNCHRONIZES)) &&
           !host_cancelled();
}

static bool is_right_in_stream(struct case_state *state)
{
    int32_t status = GB_FAILED;
    state->launch = GB_LAUNCH_STREAM;
    state->host->is_muted = true;
    bool is_tried = case_run_unseen(state) == GB_OK && verify_once(state, &status) == GB_OK;
    state->host->is_muted = false;
    return is_tried && status == GB_OK;
}

static int32_t measure_again(struct case_state *state, const struct gb_plugin *policy,
                             const void *params)
{
    link_begin(state->link, WIRE_AGAIN);
    link_send(state->link);
    state->why_stream = "launched in the stream: the result is wrong if run is captured once and "
                        "launched many times, and right if every sample calls it";
    policy_run_free(state->policy);
    state->policy = NULL;
    host_free(state->policy_host);
    state->policy_host = NULL;
    return make_policy(state, policy, params) == GB_OK && case_sample(state) == GB_OK
               ? case_count(state)
               : GB_FAILED;
}

static void verify(struct case_state *state, const struct gb_plugin *policy, const void *params)
{
    int32_t status;
    if (!state->ops->verify || verify_once(state, &status) != GB_OK)
        return;
    const bool is_wrong = status == GB_WRONG_RESULT || *state->wrong;
    if (is_wrong && may_be_right_in_stream(state) && is_right_in_stream(state) &&
        (measure_again(state, policy, params) != GB_OK || verify_once(state, &status) != GB_OK))
        return;
    case_judge_bench(state, "verify", status);
    case_checks_end(state);
}

/* On a poisoned device or after a failed plugin nothing may be called any more that could hang. A
 * process that continues keeps no memory of it. */
static void clean_up(struct case_state *state)
{
    if (!state->outcome->is_poisoned) {
        link_phase(state->link, PHASE_DESTROY);
        if (state->bench && state->ops->destroy) {
            plugin_mode_enter(&state->mode);
            state->ops->destroy(state->bench);
            plugin_mode_leave(&state->mode);
        }
        policy_run_free(state->policy);
        case_threads_end(state);
        if (state->host)
            case_wait(state, "destroy");
    } else if (!state->process) {
        policy_run_free(state->policy); /* knows of no device */
    }
    state->outcome->is_spent = is_device_spent(state);
    /* Code that may have changed the process. */
    state->outcome->is_spent |= state->bench_case->common.verify == VERIFY_STRICT;
    if (!state->outcome->is_poisoned || !state->process) {
        host_free(state->host);
        host_free(state->policy_host);
    }
    if (state->bench_case->common.verify == VERIFY_JUDGE)
        malloc_trim(0); /* of so many objects, or it looks like a leak */
    arena_free(&state->arena);
}

void case_run(struct session *session, struct worker_link *link,
              const struct bench_case *bench_case, struct process_state *process,
              struct case_outcome *ret)
{
    struct case_state state = {.link = link,
                               .process = process,
                               .bench_case = bench_case,
                               .outcome = ret,
                               .launch = bench_case->common.launch,
                               .measure = bench_case->common.measure,
                               .phase_begin_ns = host_clock_ns()};
    const struct plugin_settings settings = bench_case_plugin(bench_case);
    const struct gb_plugin *bench = NULL, *policy = NULL;
    void *bench_params = NULL, *policy_params = NULL;
    *ret = (struct case_outcome){.status = CASE_OK};
    if (process)
        plugin_mode_begin(&state.mode);
    else
        plugin_mode_adopt(&state.mode);
    const bool is_used = process && session_is_open(session);
    link_phase(link, PHASE_LOAD);
    link_hold(link);
    bool is_ready = load(&state, session, &settings, &bench, &bench_params) == GB_OK &&
                    load(&state, session, bench_case->policy, &policy, &policy_params) == GB_OK &&
                    open_device(&state, session) == GB_OK &&
                    check_launch(&state, bench, bench->ops) == GB_OK &&
                    case_threads_begin(&state, bench) == GB_OK &&
                    make_bench(&state, bench, bench_params) == GB_OK &&
                    check_process(&state, is_used) == GB_OK && case_checks_begin(&state) == GB_OK &&
                    make_policy(&state, policy, policy_params) == GB_OK &&
                    send_work(&state) == GB_OK;
    if (is_ready)
        case_end_phase(&state, &state.phases.prepare_ns);
    if (is_ready &&
        (state.is_counted ? case_count_exactly(&state) : case_sample(&state)) == GB_OK &&
        case_list_activities(&state) == GB_OK && case_count(&state) == GB_OK) {
        case_end_phase(&state, &state.phases.count_ns);
        verify(&state, policy, policy_params);
        case_end_phase(&state, &state.phases.verify_ns);
    }
    link_send_record(link, WIRE_PHASES, &state.phases);
    clean_up(&state);
    if (!process)
        plugin_mode_enter(&state.mode);
}
