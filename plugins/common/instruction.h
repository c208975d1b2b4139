/* instruction.h - what is special about an instruction where the processor traps after each
 * (x86-64). Plugin side. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A string instruction with a prefix that repeats it traps after each turn, and stays where it is
 * until the last: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, REP. */
static inline bool instruction_repeats(const uint8_t code[8])
{
    bool has_prefix = false;
    int i = 0;
    for (; i < 6; i++) {
        const bool is_repeat = code[i] == 0xF2 || code[i] == 0xF3;
        const bool is_other = code[i] == 0x66 || code[i] == 0x67 || (code[i] & 0xF0) == 0x40 ||
                              code[i] == 0x64 || code[i] == 0x65;
        if (!is_repeat && !is_other)
            break;
        has_prefix = has_prefix || is_repeat;
    }
    const uint8_t opcode = code[i];
    const bool is_string = (opcode >= 0xA4 && opcode <= 0xA7) || (opcode >= 0xAA && opcode <= 0xAF);
    const bool is_port = opcode >= 0x6C && opcode <= 0x6F;
    return has_prefix && (is_string || is_port);
}
