#!/usr/bin/env bash
# test_call.sh - functions of a library measured from a configuration: every way to pass something,
# what is compared, what is refused before anything runs, what goes wrong in the function itself.
# The words of signatures, values and calls have their test in tests/plugins/test_call_parse.c.
. "$top_srcdir/tests/tap.sh"
mkdir "$TMPDIR/config" "$TMPDIR/elsewhere"
cp "$top_builddir/tests/modules/.libs/call_targets.so" "$TMPDIR/config/targets.so"
cd "$TMPDIR/elsewhere" || exit 1
config=$TMPDIR/config/bench.ini

# sections <<TABLE: of each line NAME|FUNCTION|SIGNATURE|ITEM; ITEM... a section about a function of the tests' library.
# An item with ` = ` is a line of its own, another one the next argument, `0 x 20` are twenty; @ is eight longs.
sections()
{
    sed -e :a -e '/\\$/N; s/\\\n */\x01/; ta' | awk -F '|' '{
        printf "[bench %s]\nplugin = call\nfunction = %s\nsignature = %s\n", $1, $2, $3
        if ($0 !~ /library = /) print "library = ./targets.so"
        n_items = split(substr($0, length($1 $2 $3) + 4), item, "; ")
        for (i = 1 + (n = 0); i <= n_items; i++) {
            sub(/^\001/, "", item[i])
            if (item[i] ~ / = /) {
                print item[i]
                continue
            }
            times = match(item[i], / x [0-9]+$/) ? substr(item[i], RSTART + 3) : 1
            sub(/ x [0-9]+$/, "", item[i])
            while (times-- > 0) print "arg." ++n " = " item[i]
        }
    }' | sed 's/@/long, long, long, long, long, long, long, long/g; s/\x01/\n  /g' >>"$config"
}

# begin [LINE]...
begin()
{
    few_samples 5 'device = cpu' 'iterations = 3' 'warmup = 0' "$@" >"$config"
}

# measure [LINE]... <<TABLE: with these lines, and the sections.
measure()
{
    begin "$@"
    sections
    rm -f results.gbr
    "$GBRUN" -c "$config" -o results.gbr >out.txt 2>err.txt
}

# --- What the right answer is to each way of passing something ------------------------------------

# `widened` is not a function of this type, which shows that all of the register has the sign.
measure <<'TABLE'
int8|difference_int8|int8(int8, int8)|-100; 13; expect = -126
uint8|difference_uint8|uint8(uint8, uint8)|250; 3; expect = 244
int16|difference_int16|short(int16, int16_t)|-30000; 384; expect = -30768
uint16|difference_uint16|uint16(ushort, u16)|0xffff; 1; expect = 65533
int32|difference_int32|int(int, int)|-2147483648; -1; expect = -2147483646
uint32|difference_uint32|uint(uint, uint)|4294967295; 1; expect = 4294967293
int64|difference_int64|int64(int64, int64)|2^40; -1; expect = {1099511627776 + 2}
uint64|difference_uint64|uint64(uint64, uint64)|64Ki; 1k; expect = 63536
char|difference_char|char(char, char)|9; 2; expect = 5
long|difference_long|long(long, long)|-9; 2; expect = -13
size|difference_size|size_t(size_t, size_t)|1e6; 2; expect = 999996
float|difference_float|float(float, float)|0.5; -1.25; expect = 3
double|difference_double|double(double, double)|.5; 1e-3; expect = 0.498
widened|status|int(int8)|-5; expect = -5
bool|negated|bool(bool)|1; expect = 0
fp16|bits|uint16(fp16)|1.5; expect = 0x3e00
bf16|bits|uint16(bf16)|-2; expect = 0xc000
nine|weigh_integers|int64(int8, int64, uint8, int16, int, int64, int8, int64, int)|\
    -1; 2; 3; -4; 5; 6; -7; 8; -9; expect = -9
twenty|weigh_all|double(int, double, int, float, int, double, int, float, int, double, int, \
    double, int, double, int, double, float, double, int8, float)|1; 0.5; 2; 1.5; 3; 2.5; 4; 3.5; 5; 4.5; \
    6; 5.5; 7; 6.5; 8; 7.5; 8.5; 9.5; -10; 10.5; expect = 1079.5
many|weigh_many|long(@, @, @, @)|1; 0 x 20; 2; 3; 4; 0 x 7; -5; expect = {1 + 20 + 300 + 4000 - 50000}
many_doubles|weigh_doubles|double(double, @, @, @, double)|0.5; 0 x 21; 3; 4; 5; 2.5; \
    expect = {0.5 + 25 + 300 + 4000 + 50000}
struct_in|pair_difference|double(struct(double, double))|struct(5, 1.5); expect = 2
struct_mixed|mixed_sum|double(struct(int8, int64, float), int)|struct(-1, 2, 0.5); 2; expect = 3
struct_out|pair_swapped|struct(double, double)(struct(double, double))|struct(1, 2); expect = struct(2, 1)
struct_large|large_of|struct(double, double, double, double, double)(double)|1.5; expect = struct(1.5, 1.5, 1.5, 1.5, 1.5)
struct_halves|halves_of|struct(float, float, int64)(struct(short, short, short), struct(int8, \
    double), struct(f32, f32, i64))|struct(1, 2, 3); struct(4, 5.5); struct(6.5, 7, 8); expect = struct(9.5, -1.5, 7)
struct_ends|ends_of|struct(int8, double)(int, int, int, int, int, struct(int8, double), struct(i16, i16, i16))|\
    1; 2; 3; 4; 5; struct(6, 0.5); struct(7, 8, 9); expect = struct(14, 15.5)
struct_triple|triple_of|struct(int16, int16, int16)(struct(double, double, double, double, double), int8, \
    struct(int8, int64, float))|struct(1, 2, 3, 4, 5); -6; struct(7, 8, 9); expect = struct(4, -6, 15)
struct_foreign|triple_of|struct(int16, int16, int16)(struct(double, double, double, double, double), int8, \
    struct(int8, int64, float))|struct(1, 2, 3, 4, 5); -6; struct(7, 8, 9); reference = triple_of
nested|nested_of|struct(struct(int, int8), int8)(struct(struct(int, int8), int8), struct(double[12]))|\
    struct(1000, 2, 3); struct(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12); expect = struct(1026, 2, 3)
nested_foreign|nested_of|struct(struct(int, int8), int8)(struct(struct(int, int8), int8), struct(double[12]))|\
    struct(1000, 2, 3); struct(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12); reference = nested_of
struct_names|text_length|size_t(struct(pointer, size_t))|arg.text = "four"; arg.n = 5; struct(text, n); expect = 9
struct_null|text_length|size_t(struct(pointer, size_t))|struct(null, 3); expect = 3
struct_variable|text_length|size_t(struct(pointer, size_t))|before = pointer words = greeting(); struct(words, 0); \
    expect = 12
nan|quotient|double(double, double)|0; 0; expect = nan
infinity|quotient|double(double, double)|-1; 0; expect = -inf
zero|quotient|double(double, double)|0; 3; expect = 0
largest|largest|uint64()|expect = 18446744073709551615
longs|sum_of_longs|int64(int, ..., long, long, long)|3; 1; -2; 2^33; expect = 8589934591
doubles|sum_of_doubles|double(int, ..., double, double)|2; 0.25; 2; expect = 2.25
dots|sum_of_doubles|double sum_of_doubles(int n, ...);|3; 0.25; 2.0; 1e2; expect = 102.25
dots_long|sum_of_longs|int64_t sum_of_longs(int, ...)|1; 2^33; expect = 8589934592
prototype||extern unsigned long int difference_size(size_t a, const unsigned long b) __attribute__((pure));|\
    7; 2; expect = 3
address|greeting|const char *greeting(void)|expect = "hello, \"you\""
constant|sum_of|double(pointer, size_t)|constant(f64, 1, 2.5, -1); 3; expect = 2.5
callback|apply|int(pointer, int)|callback(int(int, double), -7); 3; expect = -7
symbol|apply|int(pointer, int)|symbol(larger); 3; expect = 4
string|greeting|string()|expect = "hello, \"you\""
offset|distance|ptrdiff_t(pointer, pointer)|arg.pool = buffer(100); pool + 20; arg.1 + 64; expect = 64
back|distance|ptrdiff_t(pointer, pointer)|buffer(100); arg.1 - 8; expect = -8
pointer|nothing|pointer(void)|expect = null
variables|handle_get|int(pointer)|handle; ok = 0; before = handle_open(out handle), handle_set(handle, 0); \
    after = handle_close(handle); expect = 0
result|handle_get|int(pointer)|handle; expect = 41; before = pointer handle = handle_new(int 41); \
    after = int handle_close(handle)
closed|handles_open|int(void)|expect = 0
sum|sum_of|double(pointer, size_t)|buffer(f64[{n}], count); {n}; expect = {n * (n - 1) / 2}; sweep.n = 1, 100
random|scale|void(pointer, pointer, float, size_t)|buffer(f32[1000], out); buffer(f32[1000], uniform=-1:1); 0.1; 1000; \
    reference = scale_reference; reference_signature = void(double, size_t, pointer, pointer); \
    ref.1 = 0.1; ref.2 = 1000; ref.3 = arg.2; ref.4 = arg.1
same|scale|void(pointer, pointer, float, size_t)|buffer(f32[1000], out); buffer(f32[1000], uniform=1:9, integral); \
    2; 1000; reference = scale; reference_memory = host; check.abs = 0
sorted|sort_shorts|void(pointer, size_t, pointer)|arg.sorted = buffer(u16[1000], count); \
    buffer(u16[1000], shuffle, restore, out, expect=sorted); 1000; compare(u16)
shorts|increment_short|void(pointer, size_t)|buffer(i16[50], fill=-5, restore, out, expect=-4); 50
large|large_integers|void(pointer, size_t, uint64)|buffer(u64[9], out); 9; 0; reference = large_integers_reference
TABLE
equals "all that is right passes" 0 $?
equals "each case is right" "" "$(statuses | grep -v ' ok$')"
equals "and there are as many as sections, one twice" "$(grep -c '^\[bench' "$config")" "$(($(statuses | wc -l) - 1))"
equals "what was compared is recorded" "" "$("$GBRUN" show --verbose results.gbr | grep 'unchecked')"
succeeds "the cost of a call is measured" grep -qE ',[0-9.e-]+' <(column bench,call_overhead_ns results.gbr | grep '^int8,')

# --- Each comparison can fail -----------------------------------------------------------------------

measure <<'TABLE'
number|difference_int32|int(int, int)|5; 1; expect = 4
float|difference_float|float(float, float)|0.5; 0.125; expect = 0.2501
text|greeting|string()|expect = "hello"
null|nothing|pointer(void)|arg.b = buffer(1); expect = b
constant|scale|void(pointer, pointer, float, size_t)|buffer(f32[10], out, expect=4); buffer(f32[10], fill=1); 2; 10
reference|scale_short|void(pointer, pointer, float, size_t)|buffer(f32[1000], out); buffer(f32[1000], uniform=1:2); 2; \
    1000; reference = scale
buffer|scale|void(pointer, pointer, float, size_t)|arg.2 = buffer(f32[10], uniform=1:2); \
    buffer(f32[10], out, expect=arg.2); arg.3 = 2; arg.4 = 10
large|large_integers|void(pointer, size_t, uint64)|buffer(u64[9], out); 9; 1; reference = large_integers_reference
member|pair_swapped|struct(double, double)(struct(double, double))|struct(1, 2); expect = struct(2, 2)
largest|largest|uint64()|expect = 18446744073709551614
fraction|status|int(int)|2; reference = quotient; reference_signature = double(double, double); ref.1 = 5; ref.2 = 2
zero|quotient|double(double, double)|1; 1e9; expect = 0
nan|quotient|double(double, double)|1; 2; expect = nan
infinity|quotient|double(double, double)|1; 0; expect = -inf
nested|nested_of|struct(struct(int, int8), int8)(struct(struct(int, int8), int8), struct(double[12]))|\
    struct(1000, 2, 3); struct(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12); expect = struct(1026, 2, 4)
returned|status|int(int)|3; reference = status; ref.1 = 4
TABLE
equals "wrong results end with exit code 1" 1 $?
equals "each comparison finds what is wrong" "" "$(statuses | grep -v ' wrong result$')"
equals "each is reported as a check that failed" "" \
    "$("$GBRUN" show results.gbr | grep 'wrong result$' | grep -v ' FAIL ')"
succeeds "what is not 0 is reported with the difference" grep -q 'return: abs 1e-09 > 0 at' out.txt err.txt
succeeds "a text that differs is shown" grep -q 'return is "hello, .*": expected "hello"' out.txt err.txt

# --- What goes wrong in a function fails its case ------------------------------------------------

measure <<'TABLE'
crash|crash|int()|
quit|quit|int(int)|3
status|status|int(int)|5; ok = 0
later|fails_at|int(int)|4; ok = 0
before|status|int(int)|0; ok = 0; before = status(9)
nothing|status|int(int)|0; before = pointer p = nothing()
huge|status|int(int)|arg.a = buffer(1TiB, host); 0
good|status|int(int)|0; ok = 0
closing|status|int(int)|0; ok = 0; after = int status(int 3)
TABLE
equals "faults end with exit code 1" 1 $?
equals "only the good ones are left" "crash crashed
quit crashed
status failed
later failed
before failed
nothing failed
huge failed
good ok
closing ok" "$(statuses)"
succeeds "how much memory was wanted is reported" \
    grep -q 'arg.a: out of memory for a buffer of 1024 GiB' out.txt err.txt
succeeds "a status is reported" grep -q 'returned a status other than ok = 0; the last was 5' out.txt err.txt
succeeds "so is that of a call before" grep -q 'before: status returned 9: expected 0' out.txt err.txt
succeeds "a call of 'after' that fails is a warning, which the table shows" grep -q "a call of 'after' failed" out.txt

# --- What is found before anything runs ---------------------------------------------------------

# Sections, and what is said of each: all of them are looked at by one run.
sed -e :a -e '/\\$/N; s/\\\n *//; ta' >refused.txt <<'TABLE'
an unknown function|no_such|int()| => 12 function: the library has no function 'no_such'
a missing argument|status|int(int, int)|0 => 13 signature: it has 2 parameters, but arg.2 is missing
too many arguments|status|int(int)|0; 0 => 9 arg.2: the signature has 1 parameter only
a number that does not fit|status|int(int8)|128 => 9 arg.1: 128 does not fit the parameter, which is int8
a number that a sweep makes too large|status|int(int8)|{n * 2}; sweep.n = 1, 50, 100 => \
  9 arg.1: 200 does not fit the parameter, which is int8
a number for an address|handle_get|int(pointer)|3 => \
  9 arg.1: a number where pointer is needed: expected an address, such as buffer(...), constant(...) or null
a buffer for a number|status|int(int)|buffer(3) => 9 arg.1: a buffer where int32 is needed
a struct of another size|pair_difference|double(struct(double, double))|struct(1, 2, 3) => \
  9 arg.1: a struct of 3 numbers: expected 2, as the signature says
a mistake behind a value that was put in|handle_get|int(pointer)|buffer({n * 4}, fil=3); sweep.n = 1000000 => \
  25 arg.1: 'fil' is not a key of a buffer: expected fill=, uniform=, expect=, integral, count, shuffle, zero_end, device, host, pinned, out or restore
a name that nothing has|handle_get|int(pointer)|handel; before = handle_open(out handle) => \
  9 arg.1: unknown name 'handel': expected arg.N, a key of arg, or a name that 'before' sets
names in a circle|distance|long(pointer, pointer)|arg.2; arg.1 => 9 arg.1: arg.2 is given later: move it up
an unknown function of before|status|int(int)|0; before = status(3), no_such() => \
  21 before: the library has no function 'no_such'
an address in place of a number|status|int(int)|0; expect = arg.1 => \
  10 expect: an address can only be expected of a function that returns a pointer
a reference that compares nothing|scale|void(pointer, pointer, float, size_t)|buffer(4); reference = scale; buffer(4); 1; 1 => \
  13 reference: there is nothing to compare: mark the buffers that the function writes with 'out'
a variable for a function|variable|int()| => 12 function: 'variable' is a variable of the library: expected a function
a name that only 'after' sets|handle_get|int(pointer)|handle; after = handle_open(out handle) => \
  9 arg.1: unknown name 'handle': expected arg.N, a key of arg, or a name that 'before' sets
a value that a later call sets|status|int(int)|arg.mine = handle; 0; before = handle_set(mine, 1), handle_open(out handle) => \
  21 before: 'mine' stands for 'handle', which no earlier call sets
names in a circle that a call follows|distance|long(pointer)|arg.a; arg.a = arg.1; before = handle_get(pointer a) => \
  9 arg.1: arg.a is given later: move it up
a status that nothing returns|crash|void()|ok = 0 => 6 ok: no function here returns an integer, as a status must be
a status that does not fit|status|uint8(int)|0; ok = 256 => \
  6 ok: 256 cannot be a status of a function that returns uint8
null in place of a number|status|int(int)|0; expect = null => \
  10 expect: an address can only be expected of a function that returns a pointer
a number too large for a float|difference_float|float(float, float)|1e40; 0 => \
  9 arg.1: 1e+40 does not fit the parameter, which is float
a number for an address in a struct|text_length|size_t(struct(pointer, size_t))|struct(0, 3) => \
  9 arg.1: member 1, 0, does not fit pointer
an address for a number in a struct|text_length|size_t(struct(pointer, size_t))|arg.a = buffer(3); struct(a, a) => \
  9 arg.1: a buffer where uint64 is needed
an unknown name in a struct|text_length|size_t(struct(pointer, size_t))|struct(b, 3) => \
  9 arg.1: unknown name 'b': expected null, arg.N, a key of arg, or a name that 'before' sets
an address that a struct is to have|text_length|struct(pointer, size_t)()|expect = struct(null, 3) => \
  10 expect: member 1, 'null', cannot be compared: expected numbers only
too few types behind the ellipsis|sum_of_doubles|double(int, ..., double)|1; 0.5; 0.5 => \
  9 arg.3: the signature has 2 parameters only: write the types of all variadic arguments after '...'
an argument that is left out behind the ellipsis|sum_of_doubles|double(int, ...)|1; arg.3 = 0.5 => \
  13 signature: it has 3 parameters, but arg.2 is missing
a prototype of another function|status|int larger(int)|0 => \
  17 signature: it is that of 'larger': expected the function's, 'status'
a signature without a name, and no other||int(int)|0 => \
  11 function: it is empty: expected the name of a function, here or in the signature
the prototype of what the library has not||void *no_such(int);|0 => 19 signature: the library has no function 'no_such'
work that is not finite|status|int(int)|0; work.flops = inf => 14 work.flops: inf is out of range: expected 0 or more
an unknown kind of work|status|int(int)|0; work.flop = 3 => \
  13 work.flop: unknown kind of work: expected work.flops, work.math, work.bytes_read, work.bytes_written, work.items or work.item
an unknown unit behind a value that was put in|status|int(int)|0; work.math = {type} fma; sweep.type = fp32, fp64 => \
  20 work.math: unknown word 'fma': expected scalar, vector or tensor
TABLE
begin
awk -F '|' -v OFS='|' '{ sub(/ => .*/, ""); $1 = "c" NR; print }' refused.txt | sections
exits "mistakes" 2 "$GBRUN" check -c "$config"
errors_of "$config" err.txt >said.txt
n_refused=0
while IFS= read -r line; do
    n_refused=$((n_refused + 1))
    equals "${line%%|*}" "${line##* => }" "$(sed -n "s/^c$n_refused //p" said.txt)"
done <refused.txt
equals "and nothing else is said" "$n_refused" "$(grep -c . err.txt)"

# A name without a folder is the loader's to find.
begin
sections <<<'case|status|int(int)|0'
sed -i 's|^library = ./|library = |' "$config"
ran "$GBRUN" check -c "$config"
succeeds "a library beside the configuration is pointed to" grep -qF \
    '; one of that name beside the configuration is written ./NAME' err.txt

measure <<'TABLE'
a|f|void()|library = ./missing.so, libmissing.so.7
b|f|voids()|
TABLE
equals "run refuses as well, and reports all sections" "2 a 11 b 12 b 13" "$? $(errors_of "$config" err.txt | cut -d ' ' -f 1,2 | xargs)"

begin
sections <<TABLE
fatal|f|void()|library = $top_builddir/tests/modules/.libs/crash_on_load.so
there|no_such|int()|
TABLE
ran "$GBRUN" check -c "$config"
equals "a library that crashes as it is loaded is an error" \
    "2 6:1: error: in case 'fatal': plugin 'call' crashed (SIGSEGV) while checking the settings" \
    "$code $(sed -n "1s|^$config:[0-9]*|6|p" err.txt)"
succeeds "and the other sections are looked at" grep -q "no function 'no_such'" err.txt

measure <<'TABLE'
missing|f|void()|library = libmissing.so.7; optional = yes
no_function|no_such|int()|optional = yes
there|status|int(int)|0; optional = yes
first|handles_open|int()|library = ./targets.so, libc.so.6; expect = 0
second|handles_open|int()|library = ./missing.so, ./targets.so; expect = 0
TABLE
equals "what is optional and missing is skipped; of several libraries the first that is there counts" "0 missing skipped
no_function skipped
there ok
first ok
second ok" "$? $(statuses)"

# --- Work and roofs -----------------------------------------------------------------------------

measure "[bench bandwidths]" "plugin = ceilings" "bytes = 64KiB" "sweep.roof = dram_copy, l3_copy, l2_copy" \
    "[bench rates]" "plugin = ceilings" "roof = fp64_fma" <<'TABLE'
of_math|status|int(int)|0; work.flops = 1e9; work.bytes_read = 8; work.math = {type} {unit}; \
    zip.kind = type, unit: fp64, vector | fp64, tensor
of_memory|status|int(int)|0; work.flops = 1; work.bytes_read = 1e9; work.math = fp64 vector
unsaid|status|int(int)|0; work.flops = 1e9; work.bytes_read = 8
TABLE
equals "work.math names the rate that flops are compared with" "of_math,fp64,vector,math-bound,fp64_fma
of_math,fp64,tensor,,a bandwidth
of_memory,fp64,vector,memory-bound,a bandwidth
unsaid,,,,a bandwidth" "$(column bench,math_format,math_unit,bound,roof_name --where "plugin = 'call'" results.gbr |
        sed 's/[a-z0-9]*_copy$/a bandwidth/')"

measure <<'TABLE'
work|status|int(int)|0; work.flops = 0; work.bytes_read = 3; work.bytes_written = 5; work.items = 7; work.item = call
words|status|int(int)|0; work.math = {format} {unit}; sweep.unit = scalar, vector, tensor; \
    sweep.format = fp64, fp32, fp16, bf16, tf32, e4m3, e5m2, int8, int32, int64, uint8, uint32, uint64
TABLE
equals "each kind of work is stored as its own" "0 0,3,5,7,call" \
    "$? $(column flops,bytes_read,bytes_written,items,item --where "bench = 'work'" results.gbr)"
equals "the words of work.math are those of results" 39 \
    "$(column format,unit,math_format,math_unit results.gbr | awk -F, '$1 != "" && $1 == $3 && $2 == $4' | grep -c .)"

# --- The examples --------------------------------------------------------------------------------

rm -f results.gbr
"$GBRUN" -q -c "$top_srcdir/conf/call.ini" -s defaults.policy=fixed -s defaults.max_samples=5 \
    -s defaults.min_samples=1 -s defaults.warmup=0 -o results.gbr >out.txt 2>err.txt
equals "conf/call.ini is measured, and right" "0 " "$? $(statuses | grep -vE ' (ok|skipped)$')"
equals "in it only a BLAS may be missing" "" "$(statuses | grep skipped | grep -v '^dgemm ')"
succeeds "conf/call_cublas.ini is read" "$GBRUN" check -c "$top_srcdir/conf/call_cublas.ini" -s defaults.device=cpu
finish
