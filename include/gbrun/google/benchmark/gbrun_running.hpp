/*
 * gbrun_running.hpp - a benchmark whose loop stays open between samples, part of benchmark.h. Its
 * function has a stack of its own: where the loop asks for its next turns it is left, and entered
 * again by the next sample, so that nothing but turns of the loop is between the stamps of a clock.
 *
 * One call with a single turn comes first. It says what a turn does, and whether the loop has a
 * PauseTiming: then a sample is one turn, from ResumeTiming to the next PauseTiming.
 */
#ifndef GBRUN_GOOGLE_RUNNING_HPP
#define GBRUN_GOOGLE_RUNNING_HPP

#include <sys/mman.h>

/* Stores what a call must preserve on this stack and its end in *from; continues on the other. */
extern "C" __attribute__((visibility("hidden"))) void gbrun_google_switch(void **from, void *to);
#if defined(__x86_64__)
__asm__(".pushsection .text.gbrun_google_switch,\"axG\",@progbits,gbrun_google_switch,comdat\n"
        ".weak gbrun_google_switch\n.hidden gbrun_google_switch\n"
        ".type gbrun_google_switch,@function\n"
        "gbrun_google_switch:\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
        "movq %rsp, (%rdi)\nmovq %rsi, %rsp\n"
        "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\n"
        "popq %rcx\njmp *%rcx\n" /* a ret is predicted by the calls of the other stack */
        ".size gbrun_google_switch, .-gbrun_google_switch\n.popsection\n");
#elif defined(__aarch64__)
__asm__(".pushsection .text.gbrun_google_switch,\"axG\",@progbits,gbrun_google_switch,comdat\n"
        ".weak gbrun_google_switch\n.hidden gbrun_google_switch\n"
        ".type gbrun_google_switch,@function\n"
        "gbrun_google_switch:\n"
        "stp x29, x30, [sp, -160]!\nstp x19, x20, [sp, 16]\nstp x21, x22, [sp, 32]\n"
        "stp x23, x24, [sp, 48]\nstp x25, x26, [sp, 64]\nstp x27, x28, [sp, 80]\n"
        "stp d8, d9, [sp, 96]\nstp d10, d11, [sp, 112]\nstp d12, d13, [sp, 128]\n"
        "stp d14, d15, [sp, 144]\nmov x9, sp\nstr x9, [x0]\nmov sp, x1\n"
        "ldp x19, x20, [sp, 16]\nldp x21, x22, [sp, 32]\nldp x23, x24, [sp, 48]\n"
        "ldp x25, x26, [sp, 64]\nldp x27, x28, [sp, 80]\nldp d8, d9, [sp, 96]\n"
        "ldp d10, d11, [sp, 112]\nldp d12, d13, [sp, 128]\nldp d14, d15, [sp, 144]\n"
        "ldp x29, x30, [sp], 160\nret\n"
        ".size gbrun_google_switch, .-gbrun_google_switch\n.popsection\n");
#else
#error "benchmark.h of gbrun knows the stacks of x86-64 and AArch64 only"
#endif

namespace benchmark
{
namespace internal
{

#pragma GCC visibility push(hidden)

/* A function on a stack of its own. */
class Stack
{
  public:
    /* To be entered before another is made. */
    explicit Stack(std::function<void()> function) : function_(std::move(function))
    {
        entered() = this;
        memory_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory_ == MAP_FAILED)
            throw std::bad_alloc();
        mprotect(memory_, 4096, PROT_NONE);
        void **top = reinterpret_cast<void **>(static_cast<char *>(memory_) + bytes);
        void (*const first)() = begin;
#if defined(__x86_64__)
        top -= 2; /* a function begins 8 bytes behind a multiple of 16 */
        top[0] = reinterpret_cast<void *>(first);
        other_ = top - 6;
#else
        other_ = top - 20;
        top[-19] = reinterpret_cast<void *>(first); /* x30 */
#endif
    }
    Stack(const Stack &) = delete;
    Stack &operator=(const Stack &) = delete;
    ~Stack()
    {
        munmap(memory_, bytes);
    }
    /* From without: continues the function until it leaves; from within: leaves it. */
    void change()
    {
        void *to = other_;
        gbrun_google_switch(&other_, to);
    }
    bool is_over() const
    {
        return is_over_;
    }

  private:
    static const size_t bytes = 8u << 20;

    static Stack *&entered()
    {
        static thread_local Stack *stack;
        return stack;
    }
    static void begin()
    {
        Stack *self = entered();
        self->function_();
        self->is_over_ = true;
        self->change();
    }

    std::function<void()> function_;
    void *memory_;
    void *other_ = nullptr; /* of the stack that is left */
    bool is_over_ = false;
};

/* Each function but the last three returns whether all went well; status() and why() if not. */
class Running : private Loop
{
  public:
    Running(Benchmark &family, const std::vector<int64_t> &args, bool is_empty = false)
        : family_(family), args_(args), first_(family.name_, args, this),
          state_(family.name_, args, this), is_empty_(is_empty)
    {
    }
    ~Running() override
    {
        if (stack_ && !stack_->is_over())
            end();
    }
    Running(const Running &) = delete;
    Running &operator=(const Running &) = delete;

    /* Calls it with one turn, and once more up to its loop. */
    bool begin()
    {
        if (family_.is_threaded_ && !family_.is_single_)
            first_.skip(GB_FAILED, "Threads: one thread is served");
        else
            call(first_);
        if (!is_well(first_))
            return false;
        is_first_ = is_paused_ = false;
        is_pausing_ = n_pauses_ > 0;
        stack_.reset(new Stack([this] { call(state_); }));
        stack_->change(); /* to the loop, before its first turn */
        n_turns_ = 1;
        if (is_pausing_ && is_well(state_) && !stack_->is_over())
            stack_->change(); /* to its first PauseTiming */
        if (!is_open() || is_empty_)
            return is_open();
        nothing_.reset(new FunctionBenchmark("", is_pausing_ ? only_pauses : only_turns));
        empty_.reset(new Running(*nothing_, args_, true));
        return empty_->begin();
    }
    /* Continues behind the ResumeTiming. */
    bool reset()
    {
        if (is_pausing_ && is_paused_ && is_open())
            stack_->change();
        return is_open();
    }
    bool run(uint64_t turns)
    {
        return self_->turn(turns);
    }
    /* The same of a loop with nothing in it, by the same way. */
    bool run_empty(uint64_t turns)
    {
        return empty_->turn(turns);
    }
    /* Leaves the loop, and with it the function. */
    bool end()
    {
        is_ending_ = true;
        while (!stack_->is_over())
            stack_->change();
        return status() == GB_OK;
    }

    /* A turn has one PauseTiming, so that a sample is one turn. */
    bool is_pausing() const
    {
        return is_pausing_;
    }
    bool is_manual() const
    {
        return family_.is_manual_;
    }
    const std::vector<std::string> &notes() const
    {
        return family_.notes_;
    }
    /* Iterations in a turn. */
    int64_t batch() const
    {
        return first_.batch_;
    }
    /* Of a turn. */
    double items() const
    {
        return static_cast<double>(first_.items_) / static_cast<double>(first_.done_);
    }
    double bytes() const
    {
        return static_cast<double>(first_.bytes_) / static_cast<double>(first_.done_);
    }
    const std::string &label() const
    {
        return state_.label_.empty() ? first_.label_ : state_.label_;
    }
    ComplexityN complexity_n() const
    {
        return first_.complexity_n_;
    }
    const UserCounters &counters() const
    {
        return state_.counters;
    }
    /* [after end] A counter's number. turn_s: what a turn took; 0: a rate is that of a turn. */
    double value(const Counter &counter, double turn_s) const
    {
        const double turns = static_cast<double>(state_.done_);
        const double n = turns * static_cast<double>(batch());
        double value = counter.value;
        if (counter.flags & Counter::kIsIterationInvariant)
            value *= n;
        if (counter.flags & Counter::kAvgIterations)
            value /= n;
        if (counter.flags & Counter::kIsRate)
            value /= turns * (turn_s > 0 ? turn_s : 1);
        return counter.flags & Counter::kInvert ? 1 / value : value;
    }

    /* Is given each SetIterationTime, in nanoseconds. */
    std::function<void(double)> on_time;

    int32_t status() const
    {
        return first_.status_ != GB_OK ? first_.status_ : state_.status_;
    }
    const std::string &why() const
    {
        return first_.status_ != GB_OK ? first_.why_ : state_.why_;
    }

  private:
    static const char *irregular()
    {
        return "PauseTiming is served once in each turn of the loop, or never";
    }
    __attribute__((noinline)) bool turn(uint64_t turns)
    {
        if (!is_open())
            return false;
        n_turns_ = static_cast<int64_t>(turns);
        n_steps_ = 0;
        stack_->change();
        if (!stack_->is_over() && is_pausing_ && n_steps_ != 1)
            state_.skip(GB_FAILED, irregular());
        return is_open();
    }
    static void only_turns(State &state)
    {
        for (auto _ : state)
            continue;
    }
    static void only_pauses(State &state)
    {
        for (auto _ : state)
            state.PauseTiming();
    }
    void call(State &state)
    {
        try {
            if (family_.setup_)
                family_.setup_(state);
            family_.Run(state);
            if (family_.teardown_)
                family_.teardown_(state);
        } catch (const std::exception &thrown) {
            state.skip(GB_FAILED, thrown.what());
        } catch (...) {
            state.skip(GB_FAILED, "an exception that is not a std::exception");
        }
    }
    bool is_well(State &state)
    {
        if (state.max_iterations.is_used)
            state.skip(GB_FAILED, "max_iterations is not served: a loop has no last turn here");
        else if (is_first_ && state.done_ == 0)
            state.skip(GB_FAILED, "it has no loop over its state, or left it at once");
        else if (n_pauses_ > 1)
            state.skip(GB_FAILED, irregular());
        return state.status_ == GB_OK;
    }
    bool is_open()
    {
        if (stack_->is_over() && !is_ending_)
            state_.skip(GB_FAILED, "it left its loop");
        return status() == GB_OK;
    }

    int64_t next() override
    {
        if (is_ending_ || (is_first_ && first_.done_ > 0))
            return 0;
        if (is_first_)
            return 1;
        n_steps_++;
        if (!is_pausing_ || !is_started_ || n_steps_ > 1) { /* > 1: a turn had no pause */
            is_started_ = true;
            stack_->change();
        }
        if (is_ending_)
            return state_.done_ == 0; /* no file expects to have had no iteration */
        return is_pausing_ ? 1 : n_turns_;
    }
    void pause() override
    {
        if (is_first_)
            n_pauses_++;
        else if (!is_pausing_)
            state_.skip(GB_FAILED, irregular());
        leave(true);
    }
    void resume() override
    {
        leave(false);
    }
    /* The way back from a pause and from its end is one, as that of nothing is subtracted. */
    __attribute__((noinline)) void leave(bool is_paused)
    {
        is_paused_ = is_paused;
        if (is_pausing_ && !is_ending_)
            stack_->change();
    }
    void took(double seconds) override
    {
        if (!is_first_ && on_time)
            on_time(seconds * 1e9);
    }

    Benchmark &family_;
    std::vector<int64_t> args_;
    State first_, state_;
    std::unique_ptr<Stack> stack_;
    bool is_first_ = true, is_pausing_ = false, is_paused_ = false, is_started_ = false,
         is_ending_ = false;
    int64_t n_pauses_ = 0, n_turns_ = 0;
    int64_t n_steps_ = 0; /* of a run: how often the loop continued */
    const bool is_empty_;
    std::unique_ptr<Benchmark> nothing_;
    std::unique_ptr<Running> empty_;
    Running *self_ = this;
};

#pragma GCC visibility pop

} // namespace internal
} // namespace benchmark

#endif
