/* test_session.c - core/run/session.c: what a device has made is given back, however far it came.
 */
#include "core/run/session.h"
#include "tests/check_main.h"

/* The device: it fails at one of its functions, and counts what it has to give back. */
enum { FAILS_NOWHERE, FAILS_TO_OPEN, FAILS_TO_MAKE_A_QUEUE, FAILS_TO_READ_ITS_CLOCK };
static int fails_at, n_devices, n_queues, n_opened;

static int32_t describe(const struct gb_host *host, const void *params, uint32_t index,
                        struct gb_device_info *info, gb_fact_fn *fact, void *context)
{
    return GB_OK;
}

/* It has nothing to remember, so its handle is NULL. */
static int32_t open_it(const struct gb_host *host, const void *params, uint32_t index,
                       void **ret_device)
{
    *ret_device = NULL;
    n_opened++;
    n_devices += fails_at != FAILS_TO_OPEN;
    return fails_at == FAILS_TO_OPEN ? GB_DEVICE_ERROR : GB_OK;
}

static void close_it(void *device)
{
    ck_assert_int_eq(n_queues, 0);
    n_devices--;
}

static int32_t queue_create(void *device, struct gb_queue **ret_queue)
{
    n_queues += fails_at != FAILS_TO_MAKE_A_QUEUE;
    return fails_at == FAILS_TO_MAKE_A_QUEUE ? GB_DEVICE_ERROR : GB_OK;
}

static void queue_destroy(void *device, struct gb_queue *queue)
{
    n_queues--;
}

static int32_t read_clock(void *device, uint32_t i, struct gb_clock *clock)
{
    return fails_at == FAILS_TO_READ_ITS_CLOCK ? GB_FAILED : i > 0 ? GB_NOT_FOUND : GB_OK;
}

static const struct gb_device_ops ops = {.size = sizeof ops,
                                         .describe = describe,
                                         .open = open_it,
                                         .close = close_it,
                                         .queue_create = queue_create,
                                         .queue_destroy = queue_destroy,
                                         .clock = read_clock};
static const struct gb_plugin plugin = {
    .size = sizeof plugin, .kind = GB_PLUGIN_DEVICE, .id = "own", .ops = &ops};
static const struct plugin_info info = {.path = "", .plugin = {.id = "own"}};
static const struct plugin_settings settings = {.name = "own", .info = &info};
static const struct device_choice choice = {.settings = &settings};

static void ignore(void *context, uint32_t type, const void *record)
{
}

static struct session *session;
static const struct open_device *device;
static struct gb_error error;

static void set_up(void)
{
    n_devices = n_queues = n_opened = 0;
    session = session_new(&(struct host_sink){.take = ignore});
    session_lend(session, &plugin);
}

static void tear_down(void)
{
    session_free(session);
}

TEST_FIXTURE(set_up, tear_down)

static const struct {
    int fails_at;
    const char *text;
} failures[] = {
    {FAILS_TO_OPEN, "device own: opening it: device error"},
    {FAILS_TO_MAKE_A_QUEUE, "device own: making a queue: device error"},
    {FAILS_TO_READ_ITS_CLOCK, "device own: reading its clocks: failed"},
};

TEST(a_device_that_cannot_be_opened_whole_is_closed_again)
{
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        fails_at = failures[i].fails_at;
        ck_assert_int_ne(session_open(session, &choice, &device, &error), GB_OK);
        ck_assert_str_eq(error.text, failures[i].text);
        ck_assert_int_eq(n_devices, 0);
        ck_assert_int_eq(n_queues, 0);
    }
}

TEST(a_device_is_opened_once_and_closed_with_its_session)
{
    fails_at = FAILS_NOWHERE;
    ck_assert_int_eq(session_open(session, &choice, &device, &error), GB_OK);
    ck_assert_int_eq(session_open(session, &choice, &device, &error), GB_OK);
    ck_assert_uint_eq(device->n_clocks, 1);
    ck_assert_int_eq(n_opened, 1);
    session_free(session);
    session = NULL;
    ck_assert_int_eq(n_devices, 0);
    ck_assert_int_eq(n_queues, 0);
}
