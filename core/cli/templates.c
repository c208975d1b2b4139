/* templates.c - embeds the templates by the assembler. */
#include "core/cli/templates.h"

#include "core/base/text.h"

/* Where the sources are, with a slash, if the build is elsewhere. */
#ifndef GBRUN_SOURCES
#define GBRUN_SOURCES ""
#endif

/* X(symbol, file) */
#define TEMPLATE_MAP(X)                                                                            \
    X(cmakelists, "CMakeLists.txt")                                                                \
    X(makefile, "Makefile")                                                                        \
    X(bench_c, "bench.c")                                                                          \
    X(bench_cc, "bench.cc")                                                                        \
    X(bench_cu, "bench.cu")                                                                        \
    X(bench_ini, "bench.ini")                                                                      \
    X(device_c, "device.c")                                                                        \
    X(device_ini, "device.ini")                                                                    \
    X(policy_c, "policy.c")                                                                        \
    X(policy_ini, "policy.ini")

/* Global symbols, as with link-time optimization the table may be assembled elsewhere. */
#define EMBED(symbol, file)                                                                        \
    __asm__(".pushsection .rodata\n"                                                               \
            ".globl template_" #symbol ", template_" #symbol "_end\n"                              \
            ".hidden template_" #symbol ", template_" #symbol "_end\n"                             \
            "template_" #symbol ":\n"                                                              \
            ".incbin \"" GBRUN_SOURCES "plugins/templates/" file "\"\n"                            \
            "template_" #symbol "_end:\n"                                                          \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char template_##symbol[] __attribute__((visibility("hidden")));                   \
    extern const char template_##symbol##_end[] __attribute__((visibility("hidden")));
TEMPLATE_MAP(EMBED)

const struct template *template_named(const char *name)
{
#define TEMPLATE_ROW(symbol, file) {file, template_##symbol, template_##symbol##_end},
    static const struct template templates[] = {TEMPLATE_MAP(TEMPLATE_ROW)};
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++)
        if (text_equal(templates[i].name, name))
            return &templates[i];
    return NULL;
}
