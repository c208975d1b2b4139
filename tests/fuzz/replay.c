/*
 * replay.c - runs a fuzzer's function over its corpus without a fuzzing engine, for make check.
 * The program fuzz_NAME reads the files of tests/fuzz/corpus/NAME, or those given as arguments.
 */
#include "tests/fuzz/fuzz.h"

#include <glob.h>

static int n_inputs;

/* The input is a block of exactly its size, so that reading past its end is seen. */
static void replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    uint8_t *data = size >= 0 ? malloc(size ? (size_t)size : 1) : NULL;
    if (!data) {
        printf("Bail out! %s cannot be read\n", path);
        exit(EXIT_FAILURE);
    }
    rewind(file);
    size_t n = fread(data, 1, (size_t)size, file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, n);
    free(data);
    printf("ok %d - %s\n", ++n_inputs, path);
    fflush(stdout); /* the lines so far must survive a crash in the next input */
}

static void replay_corpus(const char *program)
{
    const char *slash = strrchr(program, '/'), *base = slash ? slash + 1 : program;
    const char *name = strncmp(base, "fuzz_", 5) == 0 ? base + 5 : base;
    const char *top = getenv("top_srcdir");
    char pattern[2048];
    glob_t files = {0};
    snprintf(pattern, sizeof pattern, "%s/tests/fuzz/corpus/%s/*", top ? top : ".", name);
    if (glob(pattern, 0, NULL, &files) != 0)
        printf("not ok 1 - there is no %s\n", pattern);
    for (size_t i = 0; i < files.gl_pathc; i++)
        replay_file(files.gl_pathv[i]);
    globfree(&files);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        replay_file(argv[i]);
    if (argc == 1)
        replay_corpus(argv[0]);
    printf("1..%d\n", n_inputs ? n_inputs : 1);
    return n_inputs ? EXIT_SUCCESS : EXIT_FAILURE;
}
