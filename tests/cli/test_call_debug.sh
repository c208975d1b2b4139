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

strip --strip-debug functions.so -o stripped.so 2>/dev/null
"${compiler[@]}" -w -g -gdwarf-4 -fPIC -shared functions.c -o four.so 2>/dev/null

# LIBRARY|SIGNATURE|ARGUMENT ARGUMENT...|what is said of the signature: a section each, of one configuration, by whose
# check the information of each library is looked at.
cat >table <<'LIST'
functions|double scale(double x, int n)|1 2|
functions|double scale(double, unsigned)|1 2|
functions|float scale(double x, int n)|1 2|what it returns is not float
functions|double scale(float x, int n)|1 2|argument 1 is not float
functions|double scale(double x)|1|it takes 2 arguments, not 1
functions|double scale(double, int, int)|1 2 3|it takes 2 arguments, not 3
functions|double scale(double x, long n)|1 2|argument 2 is not int64
functions|void scale(double, int)|1 2|
functions|size_t size(const char *s, int c)|"a" 0|
functions|long size(const char *s, int c)|"a" 0|what it returns is not int64
functions|size_t size(int s, int c)|1 0|argument 1 is not int32
functions|size_t size(long s, int c)|1 0|argument 1 is not int64
functions|struct(double, double, double) make(struct(float, float))|struct(1,2)|
functions|struct(double, double, double) make(struct(float, float, float))|struct(1,2,3)|argument 1 is not a struct of 12 bytes
functions|void make(struct(float, float))|struct(1,2)|a struct is returned
functions|int sum(int, ...)|1 2|
functions|int sum(int)|1|it is variadic: expected ...
functions|double scale(double, ...)|1 2|it is not variadic
functions|void take(void (*f)(int))|null|
functions|void take(long f)|1|argument 1 is not int64
functions|unsigned flags(pointer, bool, char, short, float)|null 1 2 3 4|
functions|unsigned flags(pointer, uint8, int8, ushort, float)|null 1 2 3 4|
functions|unsigned flags(pointer, bool, char, short, double)|null 1 2 3 4|argument 5 is not double
functions|int old(int, int, int)|1 2 3|
functions|long old(int, int)|1 2|what it returns is not int64
stripped|float scale(float)|1|
four|double scale(float x, int n)|1 2|argument 1 is not float
functions|int flags(pointer, bool, char, short, float)|null 1 2 3 4|what it returns is not int32
LIST
for library in stripped four; do
    [ -f $library.so ] || sed -i "/^$library|/d" table
done
awk -F '|' '{
    printf "[bench %d]\nplugin = call\ndevice = cpu\nlibrary = ./%s.so\nsignature = %s\n", NR, $1, $2
    n = split($3, argument, " ")
    for (i = 1; i <= n; i++) print "arg." i " = " argument[i]
}' table >table.ini
ran "$GBRUN" check -c table.ini
found=()
while read -r number _ said; do
    found[number]=${said#signature: }
done < <(errors_of table.ini err.txt)
n=0
while IFS='|' read -r library signature _ expected; do
    said=${found[++n]-}
    equals "$library: $signature" "$expected" "${said%%;*}"
done <table
equals "the prototype is printed" \
    "what it returns is not int32; by the library's debug information it is 'unsigned int flags(const volatile word *p, _Bool b, char c, short h, float f)'" \
    "$(sed 's/volatile const/const volatile/; s/short int h/short h/; s/ bool b/ _Bool b/' <<<"$said")"

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
