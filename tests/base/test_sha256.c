/* test_sha256.c - core/base/sha256.c against the vectors of FIPS 180-4's examples, and files. */
#include "core/base/sha256.h"
#include "tests/check_main.h"

#include <sys/stat.h>

static const struct {
    const char *message, *digest;
} vectors[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnop"
     "qrsmnopqrstnopqrstu",
     "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
};

static const char million_a[] = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

static struct sha256 hash;
static char text[SHA256_TEXT];
static struct gb_error error;

static void begin(void)
{
    sha256_begin(&hash);
}

static const char *finish(void)
{
    uint8_t digest[SHA256_BYTES];
    sha256_end(&hash, digest);
    sha256_text(digest, text);
    return text;
}

TEST_FIXTURE(begin, NULL)

TEST_EACH(known_messages, vectors)
{
    sha256_add(&hash, vectors[_i].message, strlen(vectors[_i].message));
    ck_assert_str_eq(finish(), vectors[_i].digest);
}

TEST(million_letters_in_uneven_pieces)
{
    char letters[200];
    memset(letters, 'a', sizeof letters);
    size_t left = 1000000;
    for (size_t piece = 1; left > 0; piece = piece % 199 + 1) {
        size_t n = piece < left ? piece : left;
        sha256_add(&hash, letters, n);
        left -= n;
    }
    ck_assert_str_eq(finish(), million_a);
}

/* Around the length where the padding needs a block of its own: bytewise equals at once. */
TEST(pieces_do_not_matter)
{
    uint8_t message[130];
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (uint8_t)(7 * i);
    for (size_t length = 0; length <= sizeof message; length++) {
        char whole[SHA256_TEXT];
        begin();
        sha256_add(&hash, message, length);
        strcpy(whole, finish());
        begin();
        for (size_t i = 0; i < length; i++)
            sha256_add(&hash, &message[i], 1);
        ck_assert_str_eq(finish(), whole);
    }
}

TEST(texts_keep_their_borders)
{
    char first[SHA256_TEXT];
    sha256_add_text(&hash, "ab");
    sha256_add_text(&hash, "c");
    strcpy(first, finish());
    begin();
    sha256_add_text(&hash, "a");
    sha256_add_text(&hash, "bc");
    ck_assert_str_ne(finish(), first);
}

static void temporary_path(char path[256])
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, 256, "%s/gbrun-sha256-XXXXXX", folder ? folder : P_tmpdir);
}

TEST(file_of_a_million_letters)
{
    char path[256];
    temporary_path(path);
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    FILE *stream = fdopen(file, "w");
    for (int i = 0; i < 1000000; i++)
        fputc('a', stream);
    fclose(stream);
    int32_t status = sha256_file(path, text, &error);
    unlink(path);
    ck_assert_int_eq(status, GB_OK);
    ck_assert_str_eq(text, million_a);
}

TEST(no_file_and_a_folder)
{
    strcpy(text, "untouched");
    ck_assert_int_eq(sha256_file("/nowhere/at/all.so", text, &error), GB_NOT_FOUND);
    ck_assert_int_eq(error.status, GB_NOT_FOUND);
    ck_assert_str_eq(error.text, "/nowhere/at/all.so: cannot be read: No such file or directory");
    ck_assert_int_eq(sha256_file("/nowhere/at/all.so", text, NULL), GB_NOT_FOUND);
    ck_assert_int_eq(sha256_file("/", text, &error), GB_IO);
    ck_assert_str_eq(error.text, "/: cannot be read: Is a directory");
    ck_assert_str_eq(text, "untouched");
}

TEST(pipe_without_a_writer_does_not_hang)
{
    char folder[256], path[300];
    temporary_path(folder);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/pipe", folder);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    int32_t status = sha256_file(path, text, &error);
    unlink(path);
    rmdir(folder);
    ck_assert_int_eq(status, GB_OK);
    ck_assert_str_eq(text, vectors[0].digest);
}
