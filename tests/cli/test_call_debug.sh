#!/usr/bin/env bash
# test_call_debug.sh - signatures beside the debug information of the library.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99
cat >functions.c <<'C'
#include <stddef.h>
enum choice { FIRST };
typedef unsigned long word;
struct pair { float x, y; };
struct three { double a, b, c; };
double scale(double x, int n) { return x * n; }
size_t size(const char *restrict s, enum choice c) { return (size_t)s[0] + c; }
struct three make(struct pair v) { struct three r = {v.x, v.y, 0}; return r; }
int sum(int n, ...) { return n; }
void take(void (*f)(int)) { f(1); }
unsigned flags(const volatile word *p, _Bool b, char c, short h, float f) { return (unsigned)(*p + b + c + h + f); }
int old(a, b) int a; float b; { return a + (int)b; }
static int hidden(short a) { return a; }
int (*address_of_hidden(void))(short) { return hidden; }
C
read -ra compiler <<<"${CC:-cc}"
if ! "${compiler[@]}" -w -g -fPIC -shared functions.c -o functions.so 2>/dev/null; then
    echo "there is no compiler"
    exit 77
fi
if ! { ldconfig -p || /sbin/ldconfig -p || find /usr/lib* /lib* -name 'libdw.so.1'; } 2>/dev/null | grep -q 'libdw\.so\.1'; then
    echo "there is no libdw"
    exit 77
fi

# said LIBRARY SIGNATURE ARGUMENTS: what is said of the signature, or of something else.
said()
{
    local argument i=0
    printf '[bench b]\nplugin = call\ndevice = cpu\nlibrary = %s\nsignature = %s\n' "$1" "$2" >b.ini
    for argument in $3; do
        printf 'arg.%d = %s\n' $((++i)) "$argument" >>b.ini
    done
    "$GBRUN" check -c b.ini 2>&1 | sed -n 's/^b.ini:[0-9:]*: error: \(signature: \)*//p'
}

while IFS='|' read -r signature arguments expected; do
    found=$(said ./functions.so "$signature" "$arguments")
    equals "$signature" "${expected:-}" "${found%%;*}"
done <<'LIST'
double scale(double x, int n)|1 2|
double scale(double, unsigned)|1 2|
float scale(double x, int n)|1 2|what it returns is not float
double scale(float x, int n)|1 2|argument 1 is not float
double scale(double x)|1|it takes 2 arguments, not 1
double scale(double, int, int)|1 2 3|it takes 2 arguments, not 3
double scale(double x, long n)|1 2|argument 2 is not int64
void scale(double, int)|1 2|
size_t size(const char *s, int c)|"a" 0|
long size(const char *s, int c)|"a" 0|what it returns is not int64
size_t size(int s, int c)|1 0|argument 1 is not int32
size_t size(long s, int c)|1 0|argument 1 is not int64
struct(double, double, double) make(struct(float, float))|struct(1,2)|
struct(double, double, double) make(struct(float, float, float))|struct(1,2,3)|argument 1 is not a struct of 12 bytes
void make(struct(float, float))|struct(1,2)|a struct is returned
int sum(int, ...)|1 2|
int sum(int)|1|it is variadic: expected ...
double scale(double, ...)|1 2|it is not variadic
void take(void (*f)(int))|null|
void take(long f)|1|argument 1 is not int64
unsigned flags(pointer, bool, char, short, float)|null 1 2 3 4|
unsigned flags(pointer, uint8, int8, ushort, float)|null 1 2 3 4|
int flags(pointer, bool, char, short, float)|null 1 2 3 4|what it returns is not int32
unsigned flags(pointer, bool, char, short, double)|null 1 2 3 4|argument 5 is not double
int old(int, int, int)|1 2 3|
long old(int, int)|1 2|what it returns is not int64
LIST
equals "the prototype is printed" \
    "what it returns is not int32; by the library's debug information it is 'unsigned int flags(const volatile word *p, _Bool b, char c, short h, float f)'" \
    "$(said ./functions.so 'int flags(pointer, bool, char, short, float)' 'null 1 2 3 4' |
        sed 's/volatile const/const volatile/; s/short int h/short h/; s/ bool b/ _Bool b/')"

strip --strip-debug functions.so -o stripped.so 2>/dev/null &&
    equals "nothing is known of a library without it" "" "$(said ./stripped.so 'float scale(float)' 1)"
"${compiler[@]}" -w -g -gdwarf-4 -fPIC -shared functions.c -o four.so 2>/dev/null &&
    equals "version 4" "argument 1 is not float" "$(said ./four.so 'double scale(float x, int n)' '1 2' | sed 's/;.*//')"

# Debug information that was damaged costs no more than the check.
# Behind the symbols and the code, which the loader needs.
at=$((16#$(readelf -SW functions.so | sed 's/^.*] //' | awk '$1 == ".debug_info" { print $4 }')))
section bench b call device=cpu library=./damaged.so 'signature=double scale(double, int)' arg.1=1 arg.2=2 >damaged.ini
for ((i = 1; i <= 12; i++)); do
    cp functions.so damaged.so
    printf '\xff\xfe\x81\x17' | dd of=damaged.so bs=1 seek=$((at + i * 7)) conv=notrunc status=none
    ran "$GBRUN" check -c damaged.ini
    succeeds "damage $i ends" test "$code" -le 2
done
finish
