/* call_debug.c - DWARF, read by libdw (elfutils), which is opened if it is there; see
 * call_library.h. Plugin side. */
#define _GNU_SOURCE /* dladdr1, dl_iterate_phdr */
#include "call_library.h"

#include "plugins/common/symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- libdw, as <elfutils/libdw.h> declares it --- */

struct dwarf; /* opaque */
struct die {
    void *address, *unit, *abbreviation;
    long padding;
};
struct attribute {
    unsigned code, form;
    unsigned char *value;
    void *unit;
};

/* Of the DWARF standard, version 5, section 7: the numbers of what is used here. */
enum {
    TAG_FORMAL_PARAMETER = 0x05,
    TAG_ENUMERATION = 0x04,
    TAG_ARRAY = 0x01,
    TAG_CLASS = 0x02,
    TAG_POINTER = 0x0f,
    TAG_REFERENCE = 0x10,
    TAG_STRUCTURE = 0x13,
    TAG_SUBROUTINE = 0x15,
    TAG_TYPEDEF = 0x16,
    TAG_UNION = 0x17,
    TAG_UNSPECIFIED_PARAMETERS = 0x18,
    TAG_BASE = 0x24,
    TAG_CONST = 0x26,
    TAG_SUBPROGRAM = 0x2e,
    TAG_VOLATILE = 0x35,
    TAG_RESTRICT = 0x37,
    TAG_RVALUE_REFERENCE = 0x42,
    TAG_ATOMIC = 0x47,
    AT_PROTOTYPED = 0x27,
    AT_ENCODING = 0x3e,
    AT_TYPE = 0x49,
    ENCODING_BOOLEAN = 0x02,
    ENCODING_FLOAT = 0x04,
    ENCODING_SIGNED = 0x05,
    ENCODING_SIGNED_CHAR = 0x06,
    ENCODING_UNSIGNED = 0x07,
    ENCODING_UNSIGNED_CHAR = 0x08,
    ENCODING_UTF = 0x10
};
/* DW_LANG_...: those whose functions are called as C's; C itself has some without prototypes. */
static const struct {
    int code;
    bool is_c;
} languages[] = {{0x01, true},  {0x02, true},  {0x0c, true},  {0x1d, true},  {0x2c, true},
                 {0x04, false}, {0x1a, false}, {0x21, false}, {0x2b, false}, {0x1c, false}};
enum { LANGUAGES = sizeof languages / sizeof languages[0] };

/* X(member, symbol, result, parameters) */
#define DW_FUNCTIONS(X)                                                                            \
    X(begin, dwarf_begin, struct dwarf *, (int file, int command))                                 \
    X(end, dwarf_end, int, (struct dwarf *))                                                       \
    X(units, dwarf_get_units, int,                                                                 \
      (struct dwarf *, void *unit, void **ret_next, unsigned short *version, unsigned char *type,  \
       struct die *ret_unit, struct die *ret_split))                                               \
    X(child, dwarf_child, int, (struct die *, struct die * ret))                                   \
    X(sibling, dwarf_siblingof, int, (struct die *, struct die * ret))                             \
    X(tag, dwarf_tag, int, (struct die *))                                                         \
    X(attribute, dwarf_attr_integrate, struct attribute *,                                         \
      (struct die *, unsigned name, struct attribute *ret))                                        \
    X(reference, dwarf_formref_die, struct die *, (struct attribute *, struct die * ret))          \
    X(number, dwarf_formudata, int, (struct attribute *, unsigned long *ret))                      \
    X(name, dwarf_diename, const char *, (struct die *))                                           \
    X(low_pc, dwarf_lowpc, int, (struct die *, unsigned long *ret))                                \
    X(has_pc, dwarf_haspc, int, (struct die *, unsigned long pc))                                  \
    X(bytes, dwarf_bytesize, int, (struct die *))                                                  \
    X(language, dwarf_srclang, int, (struct die *))

static struct dw {
    DW_FUNCTIONS(SYMBOL_FUNCTION)
} dw;

static bool open_libdw(void)
{
    struct dw *functions = &dw;
    const struct symbol symbols[] = {DW_FUNCTIONS(SYMBOL_LINE)};
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    return library != NULL && FIND_SYMBOLS(library, symbols) == NULL;
}

/* --- the function's entry --- */

/* The object that a function is in. */
struct object {
    unsigned long address, bias; /* of the function; what the loader has added to each address */
    char path[4096];
    unsigned char build_id[64];
    size_t n_build_id;
};

static void find_build_id(const ElfW(Phdr) * header, struct object *object)
{
    const unsigned char *note = (const unsigned char *)(object->bias + header->p_vaddr);
    const unsigned char *end = note + header->p_memsz;
    while (note + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *head = (const void *)note;
        const size_t n_name = (head->n_namesz + 3u) & ~3u, n = head->n_descsz;
        const unsigned char *words = note + sizeof *head + n_name;
        if (head->n_type == NT_GNU_BUILD_ID && n_name == 4 && n >= 2 &&
            n <= sizeof object->build_id && words + n <= end) {
            memcpy(object->build_id, words, n);
            object->n_build_id = n;
            return;
        }
        note = words + ((n + 3u) & ~(size_t)3);
    }
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct object *object = context;
    bool is_it = false;
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum && !is_it; i++)
        is_it = info->dlpi_phdr[i].p_type == PT_LOAD &&
                object->address - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr <
                    info->dlpi_phdr[i].p_memsz;
    if (!is_it)
        return 0;
    object->bias = info->dlpi_addr;
    snprintf(object->path, sizeof object->path, "%s",
             *info->dlpi_name != '\0' ? info->dlpi_name : "/proc/self/exe");
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE && object->n_build_id == 0)
            find_build_id(&info->dlpi_phdr[i], object);
    return 1;
}

/* A file that distributions install beside the library. */
static void path_of_build_id(struct object *object)
{
    size_t n = (size_t)snprintf(object->path, sizeof object->path, "/usr/lib/debug/.build-id/");
    for (size_t i = 0; i < object->n_build_id; i++)
        n += (size_t)snprintf(object->path + n, sizeof object->path - n, "%02x%s",
                              object->build_id[i], i == 0 ? "/" : "");
    snprintf(object->path + n, sizeof object->path - n, ".debug");
}

/* The entry in this unit of the function that begins at pc. */
static bool find_in_unit(struct die *unit, unsigned long pc, struct die *ret)
{
    unsigned long low = 0;
    for (int found = dw.child(unit, ret); found == 0; found = dw.sibling(ret, ret))
        if (dw.tag(ret) == TAG_SUBPROGRAM && dw.low_pc(ret, &low) == 0 && low == pc)
            return true;
    return false;
}

static bool find_function(struct dwarf *dwarf, unsigned long pc, struct die *ret, int *ret_language)
{
    void *unit = NULL;
    struct die entry, split;
    memset(&split, 0, sizeof split);
    while (dw.units(dwarf, unit, &unit, NULL, NULL, &entry, &split) == 0) {
        struct die *whole = split.address != NULL ? &split : &entry;
        if (dw.has_pc(&entry, pc) == 1 && find_in_unit(whole, pc, ret)) {
            *ret_language = dw.language(whole);
            return true;
        }
        memset(&split, 0, sizeof split);
    }
    return false;
}

/* --- types --- */

/* True with the type that an entry has; false: it has none, which is void. */
static bool type_of(struct die *entry, struct die *ret)
{
    struct attribute attribute;
    return dw.attribute(entry, AT_TYPE, &attribute) != NULL &&
           dw.reference(&attribute, ret) != NULL;
}

static bool is_qualifier(int tag)
{
    return tag == TAG_CONST || tag == TAG_VOLATILE || tag == TAG_RESTRICT || tag == TAG_ATOMIC;
}

static unsigned long encoding_of(struct die *type)
{
    struct attribute attribute;
    unsigned long encoding = 0;
    return dw.attribute(type, AT_ENCODING, &attribute) != NULL &&
                   dw.number(&attribute, &encoding) == 0
               ? encoding
               : 0;
}

/* How a value is passed. */
struct passed {
    bool is_known;
    enum type_kind kind;
    int bytes;
    bool has_sign, is_signed; /* of integers, where it says */
};

static struct passed base_passed(struct die *type)
{
    const unsigned long encoding = encoding_of(type);
    struct passed passed = {.is_known = true, .kind = KIND_INTEGER, .bytes = dw.bytes(type)};
    switch (encoding) {
    case ENCODING_FLOAT:
        passed.kind = KIND_FLOAT;
        passed.is_known = passed.bytes >= 4; /* shorter ones are bits here */
        break;
    case ENCODING_SIGNED:
    case ENCODING_UNSIGNED:
        passed.has_sign = true;
        passed.is_signed = encoding == ENCODING_SIGNED;
        break;
    case ENCODING_BOOLEAN:
    case ENCODING_SIGNED_CHAR:
    case ENCODING_UNSIGNED_CHAR:
    case ENCODING_UTF:
        break;
    default:
        passed.is_known = false;
    }
    return passed;
}

enum { DEEPEST = 64 }; /* in case types refer to themselves */

static struct passed passed_as(struct die *entry)
{
    struct die type;
    bool has_type = type_of(entry, &type);
    for (int i = 0; has_type && i < DEEPEST; i++) {
        const int tag = dw.tag(&type);
        if (tag != TAG_TYPEDEF && !is_qualifier(tag))
            break;
        has_type = type_of(&type, &type);
    }
    if (!has_type)
        return (struct passed){.is_known = true, .kind = KIND_VOID};
    switch (dw.tag(&type)) {
    case TAG_POINTER:
    case TAG_REFERENCE:
    case TAG_RVALUE_REFERENCE:
        return (struct passed){.is_known = true, .kind = KIND_POINTER, .bytes = sizeof(void *)};
    case TAG_ENUMERATION:
        return (struct passed){.is_known = true, .kind = KIND_INTEGER, .bytes = dw.bytes(&type)};
    case TAG_STRUCTURE:
    case TAG_CLASS:
    case TAG_UNION:
        return (struct passed){.is_known = true, .kind = KIND_STRUCT, .bytes = dw.bytes(&type)};
    case TAG_BASE:
        return base_passed(&type);
    default:
        return (struct passed){0};
    }
}

/* --- in words --- */

struct words {
    char *text;
    size_t n, limit;
};

static void add(struct words *words, const char *text)
{
    const size_t n = strlen(text), left = words->limit - words->n;
    snprintf(words->text + words->n, left, "%s", text);
    words->n += n < left ? n : left - 1;
}

/* "const char *" */
static void add_type(struct words *words, struct die *entry, int depth)
{
    struct die type;
    if (!type_of(entry, &type)) {
        add(words, "void");
        return;
    }
    const int tag = dw.tag(&type);
    const char *name = dw.name(&type);
    if (depth == DEEPEST) {
        add(words, "...");
    } else if (is_qualifier(tag) && tag != TAG_RESTRICT) {
        add(words, tag == TAG_CONST ? "const " : tag == TAG_VOLATILE ? "volatile " : "_Atomic ");
        add_type(words, &type, depth + 1);
    } else if (tag == TAG_RESTRICT) {
        add_type(words, &type, depth + 1);
    } else if (tag == TAG_POINTER || tag == TAG_REFERENCE || tag == TAG_RVALUE_REFERENCE) {
        add_type(words, &type, depth + 1);
        add(words, tag == TAG_POINTER ? " *" : " &");
    } else if (tag == TAG_SUBROUTINE) {
        add(words, "function");
    } else {
        add(words, tag == TAG_STRUCTURE     ? "struct "
                   : tag == TAG_UNION       ? "union "
                   : tag == TAG_ENUMERATION ? "enum "
                                            : "");
        add(words, name != NULL ? name : tag == TAG_ARRAY ? "array" : "{}");
    }
}

static void add_named(struct words *words, struct die *entry, const char *name)
{
    add_type(words, entry, 0);
    if (words->n > 0 && words->text[words->n - 1] != '*' && *name != '\0')
        add(words, " ");
    add(words, name);
}

/* --- comparing --- */

/* A function of the debug information. */
struct function {
    struct die entry;
    struct die parameters[PARAMETERS_MAX];
    size_t n; /* parameters; at most PARAMETERS_MAX + 1 */
    bool is_variadic;
};

static void read_parameters(struct function *function)
{
    struct die child;
    for (int found = dw.child(&function->entry, &child); found == 0;
         found = dw.sibling(&child, &child)) {
        const int tag = dw.tag(&child);
        function->is_variadic |= tag == TAG_UNSPECIFIED_PARAMETERS;
        if (tag != TAG_FORMAL_PARAMETER || function->n > PARAMETERS_MAX)
            continue;
        if (function->n < PARAMETERS_MAX)
            function->parameters[function->n] = child;
        function->n++;
    }
}

static void add_prototype(struct words *words, struct function *function)
{
    const char *name = dw.name(&function->entry);
    add_named(words, &function->entry, name != NULL ? name : "");
    add(words, "(");
    for (size_t i = 0; i < function->n && i < PARAMETERS_MAX; i++) {
        const char *parameter = dw.name(&function->parameters[i]);
        add(words, i > 0 ? ", " : "");
        add_named(words, &function->parameters[i], parameter != NULL ? parameter : "");
    }
    add(words, function->is_variadic ? function->n > 0 ? ", ...)" : "...)"
               : function->n > 0     ? ")"
                                     : "void)");
}

static bool suits(const struct type *type, const struct passed *passed)
{
    const enum type_kind kind = type_kind(type);
    if (!passed->is_known || kind == KIND_VOID)
        return true;
    if (passed->kind == KIND_VOID || passed->bytes != (int)type_bytes(type))
        return false;
    return kind == passed->kind ||
           (kind == KIND_BITS && (passed->kind == KIND_INTEGER || passed->kind == KIND_STRUCT));
}

static void add_what_is_said(struct words *words, const struct type *type)
{
    char text[64];
    if (type->id != TYPE_STRUCT)
        add(words, type_info(type->id)->name);
    if (type->id == TYPE_STRUCT) {
        snprintf(text, sizeof text, "a struct of %zu bytes", type->struct_bytes);
        add(words, text);
    }
}

static bool result_differs(struct function *function, const struct signature *signature,
                           struct words *words)
{
    const struct type *result = &signature->result;
    const struct passed passed = passed_as(&function->entry);
    if (type_kind(result) == KIND_VOID && passed.kind == KIND_STRUCT && passed.bytes > 16)
        add(words, "a struct is returned");
    else if (!suits(result, &passed) ||
             (type_kind(result) == KIND_INTEGER && passed.kind == KIND_INTEGER && passed.has_sign &&
              passed.is_signed != type_info(result->id)->is_signed)) {
        add(words, "what it returns is not ");
        add_what_is_said(words, result);
    }
    return words->n > 0;
}

static bool parameters_differ(struct function *function, const struct signature *signature,
                              struct words *words)
{
    char text[96];
    const size_t n = signature->is_variadic ? signature->n_fixed : signature->n;
    if (function->is_variadic != signature->is_variadic) {
        add(words, function->is_variadic ? "it is variadic: expected ..." : "it is not variadic");
    } else if (function->n != n) {
        snprintf(text, sizeof text, "it takes %zu argument%s, not %zu", function->n,
                 function->n == 1 ? "" : "s", n);
        add(words, text);
    }
    for (size_t i = 0; i < n && words->n == 0; i++) {
        const struct passed passed = passed_as(&function->parameters[i]);
        if (suits(&signature->parameters[i], &passed))
            continue;
        snprintf(text, sizeof text, "argument %zu is not ", i + 1);
        add(words, text);
        add_what_is_said(words, &signature->parameters[i]);
    }
    return words->n > 0;
}

static bool differs(struct function *function, int language, const struct signature *signature,
                    char reason[DEBUG_REASON_BYTES])
{
    char what[160] = "", prototype[240] = "";
    struct words words = {what, 0, sizeof what}, whole = {prototype, 0, sizeof prototype};
    struct attribute attribute;
    size_t i = 0;
    while (i < LANGUAGES && languages[i].code != language)
        i++;
    if (i == LANGUAGES)
        return false;
    const bool has_prototype = !languages[i].is_c ||
                               dw.attribute(&function->entry, AT_PROTOTYPED, &attribute) != NULL;
    read_parameters(function);
    if (!result_differs(function, signature, &words) &&
        (!has_prototype || !parameters_differ(function, signature, &words)))
        return false;
    add_prototype(&whole, function);
    snprintf(reason, DEBUG_REASON_BYTES, "%s; by the library's debug information it is '%s'", what,
             prototype);
    return true;
}

/* Of the file of that path; NULL: none. Opening takes long, as such information is often
 * compressed: each of the two places keeps it for the other cases, and the process ends soon. */
static struct dwarf *open_dwarf(int place, const char *path)
{
    static struct {
        char path[sizeof((struct object *)0)->path];
        struct dwarf *dwarf;
        int file;
    } kept[2], *last;
    last = &kept[place];
    if (strcmp(last->path, path) == 0)
        return last->dwarf;
    if (last->dwarf != NULL) {
        dw.end(last->dwarf);
        close(last->file);
    }
    snprintf(last->path, sizeof last->path, "%s", path);
    last->file = open(path, O_RDONLY | O_CLOEXEC);
    last->dwarf = last->file >= 0 ? dw.begin(last->file, 0) : NULL;
    if (last->file >= 0 && last->dwarf == NULL)
        close(last->file);
    return last->dwarf;
}

bool debug_contradicts(void *address, const struct signature *signature,
                       char reason[DEBUG_REASON_BYTES])
{
    struct object object = {.address = (unsigned long)(uintptr_t)address};
    bool is_found = false, contradicts = false;
    if (dl_iterate_phdr(look_at_object, &object) == 0 || !open_libdw())
        return false;
    for (int i = 0; i < 2 && !is_found; i++) {
        struct function function = {0};
        int language;
        if (i == 1)
            path_of_build_id(&object);
        struct dwarf *dwarf = open_dwarf(i, object.path);
        is_found = dwarf != NULL &&
                   find_function(dwarf, object.address - object.bias, &function.entry, &language);
        contradicts = is_found && differs(&function, language, signature, reason);
        if (object.n_build_id == 0)
            break;
    }
    return contradicts;
}
