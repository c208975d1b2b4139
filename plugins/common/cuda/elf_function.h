/* elf_function.h - functions in a cubin, which is an ELF file of 64 bits. Plugin side. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How large the code of a function is; -1: it is not in the file. *ret_is_elf: is it such a file?
 */
int64_t elf_function_bytes(const void *file, size_t bytes, const char *name, bool *ret_is_elf);
