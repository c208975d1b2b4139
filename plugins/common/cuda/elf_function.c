/* elf_function.c - see elf_function.h. Plugin side. */
#include "elf_function.h"

#include <elf.h>
#include <string.h>

/* Bytes of the function; -1: the table does not have it. */
static int64_t size_in(const char *file, size_t bytes, const Elf64_Shdr *table,
                       const Elf64_Shdr *strings, const char *name)
{
    const size_t length = strlen(name) + 1;
    if (table->sh_offset > bytes || table->sh_size > bytes - table->sh_offset ||
        strings->sh_offset > bytes || strings->sh_size > bytes - strings->sh_offset)
        return -1;
    for (uint64_t i = 0; i + sizeof(Elf64_Sym) <= table->sh_size; i += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, file + table->sh_offset + i, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_name < strings->sh_size &&
            length <= strings->sh_size - symbol.st_name &&
            memcmp(file + strings->sh_offset + symbol.st_name, name, length) == 0)
            return (int64_t)symbol.st_size;
    }
    return -1;
}

int64_t elf_function_bytes(const void *file, size_t bytes, const char *name, bool *ret_is_elf)
{
    const char *begin = file;
    Elf64_Ehdr head;
    int64_t size = -1;
    *ret_is_elf = bytes >= sizeof head && memcmp(file, ELFMAG, SELFMAG) == 0 &&
                  begin[EI_CLASS] == ELFCLASS64;
    if (!*ret_is_elf)
        return -1;
    memcpy(&head, file, sizeof head);
    if (head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shoff > bytes ||
        (uint64_t)head.e_shnum * sizeof(Elf64_Shdr) > bytes - head.e_shoff)
        return -1;
    for (uint32_t i = 0; i < head.e_shnum && size < 0; i++) {
        Elf64_Shdr section, strings;
        memcpy(&section, begin + head.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_SYMTAB || section.sh_link >= head.e_shnum)
            continue;
        memcpy(&strings, begin + head.e_shoff + section.sh_link * sizeof strings, sizeof strings);
        size = size_in(begin, bytes, &section, &strings, name);
    }
    return size;
}
