/*
 * fuzz_npy.c - any bytes as a file of an array for the benchmark `kernel`. The first byte says of
 * which type its elements are, the second how many there are to be. What is read lies in the file.
 */
#include "plugins/bench_kernel/files.h"
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

static uint64_t sum; /* so that all elements are read */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { CHOICES = 2 };
    static const enum type_id types[] = {TYPE_FLOAT, TYPE_DOUBLE, TYPE_F16, TYPE_INT8, TYPE_UINT64};
    struct array_file array;
    char reason[FILE_REASON_BYTES] = "", path[40];
    const int file = memfd_create("array", 0);
    if (size < CHOICES || file < 0)
        return close(file), 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    REQUIRE(write(file, data + CHOICES, size - CHOICES) == (ssize_t)(size - CHOICES));
    if (array_file_read(path, types[data[0] % 5], data[1], &array, reason)) {
        REQUIRE(array.n == data[1]);
        REQUIRE(array.n * type_info(array.element)->bytes <= size - CHOICES);
        for (uint64_t i = 0; i < array.n * type_info(array.element)->bytes; i++)
            sum += array.elements[i];
        array_file_free(&array);
    } else {
        REQUIRE(reason[0] && memchr(reason, 0, sizeof reason));
    }
    close(file);
    return 0;
}
