/* test_memory.c - core/base/memory.c: arenas, and the end of the program when there is no memory.
 */
#include "core/base/memory.h"
#include "tests/check_main.h"

enum { EXIT_INTERNAL = 4 };

static struct arena arena;

static void tear_down(void)
{
    arena_free(&arena);
}

static bool all_zero(const void *block, size_t bytes)
{
    const unsigned char *byte = block;
    for (size_t i = 0; i < bytes; i++) {
        if (byte[i])
            return false;
    }
    return true;
}

TEST_FIXTURE(NULL, tear_down)

TEST(allocations_are_zeroed)
{
    void *block = memory_allocate(1000);
    ck_assert(all_zero(block, 1000));
    block = memory_resize(block, 2000);
    memset(block, 1, 2000);
    free(block);
    void *nothing = memory_allocate(0);
    ck_assert_ptr_nonnull(nothing);
    nothing = memory_resize(nothing, 0);
    ck_assert_ptr_nonnull(nothing);
    free(nothing);
}

TEST(texts_are_copied)
{
    char original[] = "abc";
    char *copy = memory_copy_text(original);
    original[0] = 'x';
    ck_assert_str_eq(copy, "abc");
    free(copy);
}

TEST(pointers_are_freed_at_the_end_of_their_scope)
{
    char *text = memory_copy_text("x");
    free_pointer(&text);
    ck_assert_ptr_null(text);
    free_pointer(&text);
    CLEANUP(free_pointer) char *scoped = memory_copy_text("y");
    ck_assert_str_eq(scoped, "y");
}

TEST(arrays_grow_by_one_and_keep_what_they_hold)
{
    enum { N = 1000 };
    size_t *heap = NULL, *in_arena = NULL, n_moves = 0;
    for (size_t i = 0; i < N; i++) {
        size_t *before = in_arena;
        heap = memory_grow(heap, i, sizeof *heap);
        in_arena = arena_grow(&arena, in_arena, i, sizeof *in_arena);
        n_moves += in_arena != before;
        heap[i] = in_arena[i] = i;
    }
    for (size_t i = 0; i < N; i++) {
        ck_assert_uint_eq(heap[i], i);
        ck_assert_uint_eq(in_arena[i], i);
    }
    ck_assert_uint_eq(n_moves, 8); /* 8, 16 ... 1024 */
    free(heap);
}

TEST(arena_blocks_are_zeroed_aligned_and_apart)
{
    unsigned char *blocks[500];
    for (size_t i = 0; i < 500; i++) {
        blocks[i] = arena_allocate(&arena, i);
        ck_assert_uint_eq((uintptr_t)blocks[i] % 16, 0);
        ck_assert(all_zero(blocks[i], i));
        memset(blocks[i], (int)i % 255 + 1, i);
    }
    for (size_t i = 0; i < 500; i++) {
        for (size_t j = 0; j < i; j++)
            ck_assert_uint_eq(blocks[i][j], i % 255 + 1);
    }
    ck_assert_uint_ge(arena.bytes, 499 * 500 / 2);
    arena_free(&arena);
    ck_assert_uint_eq(arena.bytes, 0);
    ck_assert_str_eq(arena_text(&arena, "again"), "again");
}

TEST(arena_keeps_filling_its_block_after_a_large_one)
{
    char *before = arena_allocate(&arena, 16);
    char *large = arena_allocate(&arena, 1 << 20);
    char *after = arena_allocate(&arena, 16);
    memset(large, 1, 1 << 20);
    ck_assert_ptr_eq(after, before + 16);
}

TEST(arena_texts_and_arrays)
{
    ck_assert_str_eq(arena_text_n(&arena, "abcdef", 3), "abc");
    ck_assert_str_eq(arena_text_n(&arena, "", 0), "");
    ck_assert_str_eq(arena_printf(&arena, "%s-%d", "x", 7), "x-7");
    char *padded = arena_printf(&arena, "%40000d", 1);
    ck_assert_uint_eq(strlen(padded), 40000);
    uint64_t *numbers = ARENA_ARRAY(&arena, uint64_t, 10);
    int *number = ARENA_NEW(&arena, int);
    ck_assert(all_zero(numbers, 80) && *number == 0);
}

/* A sanitizer ends the program itself, with a code of its own. */
#if !defined(__SANITIZE_ADDRESS__)
START_TEST(too_much_memory_ends_the_program)
{
    if (_i < 80)
        arena_allocate(&arena, SIZE_MAX - (size_t)_i);
    else if (_i == 80)
        memory_allocate(SIZE_MAX / 2);
    else
        memory_resize(NULL, SIZE_MAX / 2);
}
END_TEST

TEST_SUITE(ends)
{
    Suite *suite = suite_create("test_memory.c");
    TCase *ends = tcase_create("ends");
    tcase_add_loop_exit_test(ends, too_much_memory_ends_the_program, EXIT_INTERNAL, 0, 82);
    suite_add_tcase(suite, ends);
    return suite;
}
#endif
