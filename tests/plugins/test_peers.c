/* test_peers.c - work on several GPUs, on a driver and an NCCL that are made for this test: copies
 * of `copy`, collectives of `nccl`. */
#include "plugins/common/cuda/with_cuda.h"
#include "tests/fake_cuda/fake_cuda.h"
#include "tests/fake_cuda/fake_nccl.h"
#include "tests/plugins/bench_fixture.h"

static char nccl_path[4096];
static struct fake_cuda *cuda;
static struct fake_nccl *nccl;

static void find_libraries(void)
{
    snprintf(nccl_path, sizeof nccl_path, "%s", fake_path("tests/fake_cuda/.libs/libnccl.so.2"));
    cuda = fake_symbol(fake_library("tests/fake_cuda/.libs/libcuda.so.1"), "fake_cuda");
    nccl = fake_symbol(fake_library("tests/fake_cuda/.libs/libnccl.so.2"), "fake_nccl");
}

static void load(const char *id, int n_devices)
{
    queue.native = cuda->queue;
    *cuda = (struct fake_cuda){.n_devices = n_devices, .queue = cuda->queue};
    *nccl = (struct fake_nccl){0};
    load_on("cuda", id);
}

/* With nothing left of what was done. */
static void end(void)
{
    unload();
    ck_assert_int_eq(cuda->n_live, 0);
    ck_assert_int_eq(cuda->n_access, 0);
    ck_assert_int_eq(cuda->n_wrong, 0);
    ck_assert_int_eq(nccl->n_live, 0);
    ck_assert_int_eq(nccl->n_wrong, 0);
}

TEST_FIXTURE(find_libraries, end)

/* --- copies --- */

#define CUDA(n) (strstr(PLUGIN_DEVICES, "cuda") != NULL ? (n) : 0)

static const struct {
    const char *from, *to, *directions;
    int n_devices, n_transfers;
} copies[] = {
    {"device", "peer", "one", 2, 1},  {"peer", "device", "one", 3, 1},
    {"peer", "peer", "one", 2, 1},    {"peer", "pinned", "one", 2, 1},
    {"device", "peer", "both", 2, 2}, {"pinned", "device", "both", 1, 2},
    {"peer", "pinned", "both", 2, 2}, {"device", "device", "both", 1, 2},
    {"device", "peer", "all", 2, 2},  {"device", "peer", "all", 4, 12},
};
enum { N_COPIES = N_OF(copies) };

static void load_copy(int i)
{
    load("copy", copies[i].n_devices);
    set("bytes = 10007; method = memcpy; from = %s; to = %s; directions = %s", copies[i].from,
        copies[i].to, copies[i].directions);
}

TEST_TIMES(copies_are_right_in_all_directions, CUDA(N_COPIES))
{
    load_copy(_i);
    ready();
    const int n = copies[_i].n_transfers;
    expect_n_wrong((uint64_t)n * 3);
    run_bench(3);
    ck_assert_int_eq(cuda->n_copies, 3 * n);
    ck_assert_int_eq(cuda->n_unjoined, 0);
    expect_right();
    ck_assert_uint_eq(fake->n_compared, (uint64_t)n * 3);
    const struct gb_work work = work_of();
    ck_assert_double_eq(work.bytes_read, 10007.0 * n);
    const bool is_within = strcmp(copies[_i].from, "device") == 0 &&
                           strcmp(copies[_i].to, "device") == 0;
    ck_assert_double_eq(work.items, is_within ? 0.0 : work.bytes_read);
}

TEST_TIMES(copies_that_are_short_are_found, CUDA(1))
{
    load_copy(9);
    cuda->is_short = 1;
    ready();
    run_bench(1);
    expect_n_wrong(12);
}

TEST_TIMES(copies_leave_nothing_after_any_failure, CUDA(N_COPIES))
{
    fail_each_call(load_copy, _i, &cuda->fail_at, &cuda->n_calls, GB_NO_MEMORY, end);
}

/* --- collectives --- */

/* bus: its bytes for each byte of the size, times the number of ranks. */
static const struct {
    const char *collective, *op, *dtype, *in_place;
    int n_devices;
    double bus;
} collectives[] = {
    {"all_reduce", "sum", "fp32", "no", 2, 2},      {"all_reduce", "max", "int32", "no", 3, 4},
    {"all_reduce", "min", "fp32", "yes", 4, 6},     {"all_gather", "sum", "fp32", "no", 4, 3},
    {"all_gather", "sum", "int32", "yes", 2, 1},    {"reduce_scatter", "sum", "fp32", "no", 4, 3},
    {"reduce_scatter", "sum", "fp32", "yes", 3, 2}, {"all_to_all", "sum", "fp32", "no", 4, 3},
    {"all_to_all", "sum", "int32", "no", 2, 1},     {"broadcast", "sum", "fp32", "no", 3, 3},
    {"broadcast", "sum", "fp32", "yes", 2, 2},
};

/* 12 and 4 ranks' parts of elements: sizes in elements divide without a rest. */
static void load_collective(int i)
{
    load("nccl", collectives[i].n_devices);
    set("bytes = 48000; library = %s; collective = %s; op = %s; dtype = %s; in_place = %s",
        nccl_path, collectives[i].collective, collectives[i].op, collectives[i].dtype,
        collectives[i].in_place);
}

TEST_EACH(collectives_are_right, collectives)
{
    load_collective(_i);
    ready();
    const int n = collectives[_i].n_devices;
    run_bench(3);
    ck_assert_int_eq(nccl->n_groups, 4);
    ck_assert_int_eq(cuda->n_unjoined, 0);
    expect_right();
    ck_assert_uint_eq(fake->n_checks, (uint64_t)n);
    for (int i = 0; i < n; i++)
        ck_assert_int_eq(nccl->devices[i], i);
    const struct gb_work work = work_of();
    ck_assert_double_eq(work.items, 48000.0);
    ck_assert_double_eq_tol(work.bytes_read, 48000.0 * collectives[_i].bus / n, 1e-6);
    expect_metric("ranks", n);
    expect_metric("nccl_version", 22809.0);
}

/* What another device's context takes of the process is no trace of a case: it is there once,
 * before the case is looked at, and stays. */
TEST_TIMES(contexts_of_other_devices_are_made_once_and_stay, CUDA(3))
{
    static const struct {
        void (*load)(int);
        int i, n_contexts;
    } group_users[] = {{load_collective, 2, 3}, {load_copy, 0, 1}, {load_copy, 9, 3}};
    for (int time = 0; time < 2; time++) {
        group_users[_i].load(group_users[_i].i);
        ck_assert_int_eq(created(), GB_OK);
        ck_assert_int_eq(fake->keeps, 1);
        ck_assert_int_eq(cuda->n_contexts, time == 0 ? group_users[_i].n_contexts : 0);
        end();
    }
}

/* A wrong element; nothing done: what prepare's own call left cannot pass for the samples'. */
TEST_EACH(collectives_that_are_wrong_are_found, collectives)
{
    load_collective(_i);
    nccl->is_wrong = 1;
    ready();
    run_bench(1);
    expect_n_wrong(1);
    ck_assert_uint_eq(fake->n_checks, (uint64_t)collectives[_i].n_devices);
    end();
    load_collective(_i);
    nccl->is_idle = 1;
    ready();
    run_bench(1);
    expect_wrong();
}

TEST(sizes_are_rounded_down)
{
    load_collective(5); /* reduce_scatter on 4 */
    set("bytes = 1000");
    ready();
    ck_assert_double_eq(work_of().items, 992.0);
    run_bench(1);
    expect_right();
}

/* What failed NCCL's fake takes for wrong. */
static void end_failed_nccl(void)
{
    ck_assert(nccl->n_calls < nccl->fail_at ||
              strstr(fake->reason, "NCCL: internal error while ") != NULL);
    unload();
    ck_assert_int_eq(cuda->n_live + nccl->n_live + cuda->n_wrong, 0);
    *nccl = (struct fake_nccl){0};
}

TEST_EACH(collectives_leave_nothing_after_any_failure, collectives)
{
    fail_each_call(load_collective, _i, &cuda->fail_at, &cuda->n_calls, GB_NO_MEMORY, end);
    fail_each_call(load_collective, _i, &nccl->fail_at, &nccl->n_calls, GB_FAILED, end_failed_nccl);
}

/* --- what cannot be --- */

static const struct {
    const char *id;
    int status, n_devices, has_no_access;
    const char *options, *reason;
} refused[] = {
    {"copy", GB_SKIPPED, 1, 0, "to = peer; directions = one",
     "there is one GPU: expected at least 2"},
    {"copy", GB_SKIPPED, 1, 0, "to = peer; directions = all",
     "there is one GPU: expected at least 2"},
    {"copy", GB_SKIPPED, 2, 1, "from = peer; directions = both",
     "GPU 0 cannot access the memory of GPU 1"},
    {"copy", GB_SKIPPED, 2, 0, "to = peer; directions = both; method = kernel",
     "method = kernel is for directions = one: the others are for memcpy"},
    {"copy", GB_FAILED, 2, 0, "directions = all",
     "directions = all: expected from = device and to = peer"},
    {"nccl", GB_SKIPPED, 1, 0, "ranks = 0", "there is one GPU: expected at least 2"},
    {"nccl", GB_SKIPPED, 3, 0, "ranks = 4", "there are 3 GPUs: expected at least 4"},
    {"nccl", GB_SKIPPED, 2, 0, "library = libno_such_nccl.so.2",
     "libno_such_nccl.so.2 was not found, neither in the loader's path nor in the CUDA Toolkit: "
     "expected its path as option library"},
    {"nccl", GB_SKIPPED, 4, 0, "bytes = 15", "bytes = 15: 4 ranks need an element of 4 bytes each"},
};

static void expect_end(int32_t status, const char *reason)
{
    ck_assert_int_eq(create_and_prepare(), status);
    ck_assert_str_eq(fake->reason, reason);
}

TEST_EACH(what_cannot_be_is_refused, refused)
{
    if (strcmp(refused[_i].id, "nccl") == 0)
        load_collective(5);
    else if (CUDA(1))
        load("copy", 0);
    else
        return;
    cuda->n_devices = refused[_i].n_devices;
    cuda->has_no_access = refused[_i].has_no_access;
    set("%s", refused[_i].options);
    expect_end(refused[_i].status, refused[_i].reason);
}

TEST_TIMES(libraries_without_nccl_are_skipped, 2)
{
    static const char *const words[] = {"library: /dev/null/libnccl.so.2: ",
                                        "/libcuda.so.1 has no ncclGetVersion"};
    load_collective(0);
    *strrchr(nccl_path, '/') = '\0';
    set("library = %s/%s", _i == 0 ? "/dev/null" : nccl_path,
        _i == 0 ? "libnccl.so.2" : "libcuda.so.1");
    ck_assert_int_eq(create_and_prepare(), GB_SKIPPED);
    ck_assert_ptr_nonnull(strstr(fake->reason, words[_i]));
}

TEST(problems_of_options_are_reported)
{
    load_collective(7);
    validate(params);
    ck_assert_uint_eq(first_problem.n, 0);
    set("in_place = yes");
    expect_end(GB_FAILED, "in_place: all_to_all of NCCL needs two buffers: expected no");
    set("ranks = 1");
    expect_end(GB_FAILED, "ranks: expected 0, for all GPUs, or at least 2");
    set("library = ");
    validate(params);
    ck_assert_uint_eq(first_problem.n, 3);
    ck_assert_uint_eq(first_problem.all_offsets, 0);
}
