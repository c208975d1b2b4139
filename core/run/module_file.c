/* module_file.c - see module.h: what is wrong with a file that cannot be a module, before the
 * dynamic linker says so in its own words. */
#include "core/run/module.h"

#include "core/base/text.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The beginning of an ELF file, the same in both classes. */
struct elf_head {
    unsigned char ident[EI_NIDENT];
    uint16_t type, machine;
};

static bool read_head(const char *path, struct elf_head *ret)
{
    *ret = (struct elf_head){.type = 0};
    FILE *file = fopen(path, "re");
    bool is_whole = file && fread(ret, sizeof *ret, 1, file) == 1;
    if (file)
        fclose(file);
    return is_whole && memcmp(ret->ident, ELFMAG, SELFMAG) == 0;
}

static const char *machine_words(const struct elf_head *head, char buffer[32])
{
    static const struct {
        uint16_t machine;
        const char *words;
    } known[] = {{EM_X86_64, "x86-64"}, {EM_386, "x86"},     {EM_AARCH64, "AArch64"},
                 {EM_ARM, "Arm"},       {EM_PPC64, "POWER"}, {EM_S390, "z"},
                 {EM_RISCV, "RISC-V"},  {EM_CUDA, "a GPU"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].machine == head->machine)
            return known[i].words;
    snprintf(buffer, 32, "machine %u", head->machine);
    return buffer;
}

static bool is_source(const char *path)
{
    static const char *const suffixes[] = {".c", ".cc", ".cpp", ".cxx", ".cu", ".rs", ".h"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (text_ends_with(path, suffixes[i]))
            return true;
    return false;
}

int32_t module_file_check(const char *path, struct gb_error *error)
{
    struct stat info;
    struct elf_head head, own;
    char buffer[32], own_buffer[32];
    if (stat(path, &info) != 0)
        return error_set(error, GB_NOT_FOUND, "cannot be opened: %s", reason_of(errno));
    if (S_ISDIR(info.st_mode))
        return error_set(error, GB_NOT_FOUND,
                         "is a folder: expected a shared object in it, or plugin_path in [gbrun]");
    if (!read_head(path, &head))
        return error_set(error, GB_NOT_FOUND, "%s",
                         is_source(path) ? "is source code: expected the shared object compiled of "
                                           "it, as by cc -shared -fPIC"
                                         : "is not a shared object (.so)");
    if (!read_head(program_image(), &own))
        return GB_OK;
    if (head.ident[EI_CLASS] != own.ident[EI_CLASS] || head.ident[EI_DATA] != own.ident[EI_DATA] ||
        head.machine != own.machine)
        return error_set(error, GB_NOT_FOUND, "was built for %s, %d bits: gbrun is for %s, %d bits",
                         machine_words(&head, buffer), head.ident[EI_CLASS] == ELFCLASS32 ? 32 : 64,
                         machine_words(&own, own_buffer),
                         own.ident[EI_CLASS] == ELFCLASS32 ? 32 : 64);
    if (head.type == ET_REL)
        return error_set(error, GB_NOT_FOUND,
                         "is an object file: expected a shared object, linked with -shared");
    return GB_OK;
}
