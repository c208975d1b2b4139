/* test_peers.c - work on several GPUs, on a driver and an NCCL that are made for this test: copies
 * of `copy`, collectives of `nccl`. */
#include "plugins/common/cuda/with_cuda.h"
#include "tests/check_main.h"
#include "tests/fake_cuda/fake_cuda.h"
#include "tests/fake_host.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fake_cuda *cuda;
static struct fake_host *fake;
static const struct gb_plugin *plugin;
static const struct gb_bench_ops *ops;
static void *params;
static void *bench;
static struct gb_queue queue = {.size = sizeof queue};

static void set(const char *name, const char *text)
{
    fake_params_set(plugin, params, name, text);
}

static void *open_fake(const char *file, const char *variable)
{
    char path[2048];
    const char *build = getenv("top_builddir");
    snprintf(path, sizeof path, "%s/tests/fake_cuda/.libs/%s", build != NULL ? build : ".", file);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(library != NULL, "%s", dlerror());
    void *found = dlsym(library, variable);
    ck_assert_ptr_nonnull(found);
    return found;
}

static void load(const char *folder, const char *id, int n_devices)
{
    if (cuda == NULL) {
        cuda = open_fake("libcuda.so.1", "fake_cuda");
    }
    queue.native = cuda->queue;
    *cuda = (struct fake_cuda){.n_devices = n_devices, .queue = cuda->queue};
    fake = fake_host_new();
    snprintf(fake->device.backend, sizeof fake->device.backend, "cuda");
    plugin = fake_plugin(folder, GB_PLUGIN_BENCH, id);
    ops = plugin->ops;
    params = fake_params_new(plugin);
    bench = NULL;
}

static void unload(void)
{
    ops->destroy(bench);
    ops->destroy(NULL);
    fake_params_free(plugin, params);
    fake_host_free(fake);
}

static int32_t create_and_prepare(void)
{
    const int32_t status = ops->create(&fake->host, params, &bench);
    return status == GB_OK ? ops->prepare(bench, &queue) : status;
}

static void ready(void)
{
    ck_assert_msg(create_and_prepare() == GB_OK, "%s", fake->reason);
}

static struct gb_work work_of(void)
{
    struct gb_work work = {.size = sizeof work};
    ck_assert_int_eq(ops->work(bench, &work), GB_OK);
    return work;
}

static void expect_nothing_left(void)
{
    ck_assert_int_eq(cuda->n_live, 0);
    ck_assert_int_eq(cuda->n_access, 0);
    ck_assert_int_eq(cuda->n_wrong, 0);
}

/* --- copies --- */

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
enum { N_COPIES = sizeof copies / sizeof copies[0] };

static void load_copy(size_t i)
{
    load("bench_copy", "copy", copies[i].n_devices);
    set("bytes", "10007");
    set("method", "memcpy");
    set("from", copies[i].from);
    set("to", copies[i].to);
    set("directions", copies[i].directions);
}

START_TEST(copies_are_right_in_all_directions)
{
    load_copy((size_t)_i);
    ready();
    const int n = copies[_i].n_transfers;
    ck_assert_int_eq(ops->verify(bench, &queue), GB_WRONG_RESULT);
    ck_assert_uint_eq(fake->n_wrong, (uint64_t)n * 3);
    ck_assert_int_eq(ops->run(bench, &queue, 3), GB_OK);
    ck_assert_int_eq(cuda->n_copies, 3 * n);
    ck_assert_int_eq(cuda->n_unjoined, 0);
    ck_assert_int_eq(ops->verify(bench, &queue), GB_OK);
    ck_assert_uint_eq(fake->n_compared, (uint64_t)n * 3);
    const struct gb_work work = work_of();
    ck_assert_double_eq(work.bytes_read, 10007.0 * n);
    ck_assert_double_eq(work.items, strcmp(copies[_i].to, copies[_i].from) == 0 &&
                                            strcmp(copies[_i].to, "device") == 0
                                        ? 0.0
                                        : work.bytes_read);
    unload();
    expect_nothing_left();
}
END_TEST

START_TEST(copies_that_are_short_are_found)
{
    load_copy(9);
    cuda->is_short = 1;
    ready();
    ck_assert_int_eq(ops->run(bench, &queue, 1), GB_OK);
    ck_assert_int_eq(ops->verify(bench, &queue), GB_WRONG_RESULT);
    ck_assert_uint_eq(fake->n_wrong, 12);
    unload();
    expect_nothing_left();
}
END_TEST

START_TEST(copies_leave_nothing_after_any_failure)
{
    int32_t status = GB_FAILED;
    for (int i = 1; status != GB_OK; i++) {
        load_copy((size_t)_i);
        cuda->fail_at = i;
        status = create_and_prepare();
        ck_assert_int_eq(status, cuda->n_calls < i ? GB_OK : GB_NO_MEMORY);
        ck_assert_int_lt(i, 100);
        unload();
        expect_nothing_left();
    }
}
END_TEST

static const struct {
    const char *from, *to, *directions, *method, *reason;
    int n_devices, has_no_access, status;
} refused_copies[] = {
    {"device", "peer", "one", "auto", "there is one GPU, and it takes 2", 1, 0, GB_SKIPPED},
    {"device", "peer", "all", "auto", "there is one GPU, and it takes 2", 1, 0, GB_SKIPPED},
    {"peer", "device", "both", "auto", "GPU 0 does not reach the memory of GPU 1", 2, 1,
     GB_SKIPPED},
    {"device", "peer", "both", "kernel",
     "method = kernel is for directions = one: the others are for memcpy", 2, 0, GB_SKIPPED},
    {"device", "device", "all", "auto", "directions = all: expected from = device and to = peer", 2,
     0, GB_FAILED},
};

START_TEST(copies_that_cannot_be_are_refused)
{
    load("bench_copy", "copy", refused_copies[_i].n_devices);
    cuda->has_no_access = refused_copies[_i].has_no_access;
    set("from", refused_copies[_i].from);
    set("to", refused_copies[_i].to);
    set("directions", refused_copies[_i].directions);
    set("method", refused_copies[_i].method);
    ck_assert_int_eq(create_and_prepare(), refused_copies[_i].status);
    ck_assert_str_eq(fake->reason, refused_copies[_i].reason);
    unload();
    expect_nothing_left();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("peers");
    if (strstr(PLUGIN_DEVICES, "cuda") == NULL)
        return suite;
    TCase *copy = tcase_create("copy");
    tcase_add_loop_test(copy, copies_are_right_in_all_directions, 0, N_COPIES);
    tcase_add_test(copy, copies_that_are_short_are_found);
    tcase_add_loop_test(copy, copies_leave_nothing_after_any_failure, 0, N_COPIES);
    tcase_add_loop_test(copy, copies_that_cannot_be_are_refused, 0,
                        sizeof refused_copies / sizeof refused_copies[0]);
    suite_add_tcase(suite, copy);
    return suite;
}
