#!/usr/bin/env bash
# test_call.sh - functions of a library measured from a configuration: every way to pass something,
# what is compared, what is refused before anything runs, what goes wrong in the function itself.
# shellcheck source=tests/tap.sh
. "$top_srcdir/tests/tap.sh"
mkdir "$TMPDIR/config" "$TMPDIR/elsewhere"
cp "$top_builddir/tests/modules/.libs/call_targets.so" "$TMPDIR/config/targets.so"
cd "$TMPDIR/elsewhere" || exit 1
config=$TMPDIR/config/bench.ini

begin()
{
    cat >"$config" <<EOF2
[defaults]
device = cpu
policy = fixed
iterations = 3
warmup = 0
EOF2
}

# bench NAME FUNCTION SIGNATURE LINE...: a section about a function of the tests' library.
bench()
{
    printf '[bench %s]\nplugin = call\nlibrary = ./targets.so\nfunction = %s\nsignature = %s\n' \
        "$1" "$2" "$3" >>"$config"
    shift 3
    printf '%s\n' "$@" >>"$config"
}

measure()
{
    rm -f results.gbr
    printf '[policy fixed]\nsamples = 5\n' >>"$config"
    "$GBRUN" -c "$config" -o results.gbr >stdout 2>stderr
}

# statuses: "NAME status" of each case, as one line each.
statuses()
{
    "$GBRUN" export --columns bench,status results.gbr | tr -d '\r' | tail -n +2 | tr ',' ' '
}

# --- What the right answer is to each way of passing something ------------------------------------

begin
bench int8 difference_int8 "int8(int8, int8)" "arg.1 = -100" "arg.2 = 13" "expect = -126"
bench uint8 difference_uint8 "uint8(uint8, uint8)" "arg.1 = 250" "arg.2 = 3" "expect = 244"
bench int16 difference_int16 "short(int16, int16_t)" "arg.1 = -30000" "arg.2 = 384" "expect = -30768"
bench uint16 difference_uint16 "uint16(ushort, u16)" "arg.1 = 0xffff" "arg.2 = 1" "expect = 65533"
bench int32 difference_int32 "int(int, int)" "arg.1 = -2147483648" "arg.2 = -1" "expect = -2147483646"
bench uint32 difference_uint32 "uint(uint, uint)" "arg.1 = 4294967295" "arg.2 = 1" "expect = 4294967293"
bench int64 difference_int64 "int64(int64, int64)" "arg.1 = 2^40" "arg.2 = -1" "expect = {1099511627776 + 2}"
bench uint64 difference_uint64 "uint64(uint64, uint64)" "arg.1 = 64Ki" "arg.2 = 1k" "expect = 63536"
bench char difference_char "char(char, char)" "arg.1 = 9" "arg.2 = 2" "expect = 5"
bench long difference_long "long(long, long)" "arg.1 = -9" "arg.2 = 2" "expect = -13"
bench size difference_size "size_t(size_t, size_t)" "arg.1 = 1e6" "arg.2 = 2" "expect = 999996"
bench float difference_float "float(float, float)" "arg.1 = 0.5" "arg.2 = -1.25" "expect = 3"
bench double difference_double "double(double, double)" "arg.1 = .5" "arg.2 = 1e-3" "expect = 0.498"
# Not a function of this type, which shows that all of the register has the sign.
bench widened status "int(int8)" "arg.1 = -5" "expect = -5"
bench bool negated "bool(bool)" "arg.1 = 1" "expect = 0"
bench fp16 bits "uint16(fp16)" "arg.1 = 1.5" "expect = 0x3e00"
bench bf16 bits "uint16(bf16)" "arg.1 = -2" "expect = 0xc000"
bench nine weigh_integers "int64(int8, int64, uint8, int16, int, int64, int8, int64, int)" \
    "arg.1 = -1" "arg.2 = 2" "arg.3 = 3" "arg.4 = -4" "arg.5 = 5" "arg.6 = 6" "arg.7 = -7" \
    "arg.8 = 8" "arg.9 = -9" "expect = -9"
bench twenty weigh_all "double(int, double, int, float, int, double, int, float, int, double, int,
  double, int, double, int, double, float, double, int8, float)" \
    "arg.1 = 1" "arg.2 = 0.5" "arg.3 = 2" "arg.4 = 1.5" "arg.5 = 3" "arg.6 = 2.5" "arg.7 = 4" \
    "arg.8 = 3.5" "arg.9 = 5" "arg.10 = 4.5" "arg.11 = 6" "arg.12 = 5.5" "arg.13 = 7" \
    "arg.14 = 6.5" "arg.15 = 8" "arg.16 = 7.5" "arg.17 = 8.5" "arg.18 = 9.5" "arg.19 = -10" \
    "arg.20 = 10.5" "expect = 1079.5"
longs8="long, long, long, long, long, long, long, long"
zeros()
{
    local i
    for ((i = $1; i <= $2; i++)); do printf 'arg.%d = 0\n' "$i"; done
}
bench many weigh_many "long($longs8, $longs8,
  $longs8, $longs8)" "arg.1 = 1" "$(zeros 2 21)" "arg.22 = 2" "arg.23 = 3" "arg.24 = 4" \
    "$(zeros 25 31)" "arg.32 = -5" "expect = {1 + 20 + 300 + 4000 - 50000}"
bench many_doubles weigh_doubles "double(double, $longs8,
  $longs8, $longs8, double)" "arg.1 = 0.5" "$(zeros 2 22)" "arg.23 = 3" "arg.24 = 4" "arg.25 = 5" \
    "arg.26 = 2.5" "expect = {0.5 + 25 + 300 + 4000 + 50000}"
bench struct_in pair_difference "double(struct(double, double))" "arg.1 = struct(5, 1.5)" "expect = 2"
bench struct_mixed mixed_sum "double(struct(int8, int64, float), int)" "arg.1 = struct(-1, 2, 0.5)" \
    "arg.2 = 2" "expect = 3"
bench struct_out pair_swapped "struct(double, double)(struct(double, double))" \
    "arg.1 = struct(1, 2)" "expect = struct(2, 1)"
bench struct_large large_of "struct(double, double, double, double, double)(double)" "arg.1 = 1.5" \
    "expect = struct(1.5, 1.5, 1.5, 1.5, 1.5)"
bench struct_halves halves_of "struct(float, float, int64)(struct(short, short, short), struct(int8,
  double), struct(f32, f32, i64))" "arg.1 = struct(1, 2, 3)" "arg.2 = struct(4, 5.5)" \
    "arg.3 = struct(6.5, 7, 8)" "expect = struct(9.5, -1.5, 7)"
bench struct_ends ends_of "struct(int8, double)(int, int, int, int, int, struct(int8, double),
  struct(i16, i16, i16))" "arg.1 = 1" "arg.2 = 2" "arg.3 = 3" "arg.4 = 4" "arg.5 = 5" \
    "arg.6 = struct(6, 0.5)" "arg.7 = struct(7, 8, 9)" "expect = struct(14, 15.5)"
bench struct_triple triple_of "struct(int16, int16, int16)(struct(double, double, double, double,
  double), int8, struct(int8, int64, float))" "arg.1 = struct(1, 2, 3, 4, 5)" "arg.2 = -6" \
    "arg.3 = struct(7, 8, 9)" "expect = struct(4, -6, 15)"
bench struct_foreign triple_of "struct(int16, int16, int16)(struct(double, double, double, double,
  double), int8, struct(int8, int64, float))" "arg.1 = struct(1, 2, 3, 4, 5)" "arg.2 = -6" \
    "arg.3 = struct(7, 8, 9)" "reference = triple_of"
bench nested nested_of "struct(struct(int, int8), int8)(struct(struct(int, int8), int8),
  struct(double[12]))" "arg.1 = struct(1000, 2, 3)" \
    "arg.2 = struct(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)" "expect = struct(1026, 2, 3)"
bench nested_foreign nested_of "struct(struct(int, int8), int8)(struct(struct(int, int8), int8),
  struct(double[12]))" "arg.1 = struct(1000, 2, 3)" \
    "arg.2 = struct(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)" "reference = nested_of"
bench struct_names text_length "size_t(struct(pointer, size_t))" 'arg.text = "four"' "arg.n = 5" \
    "arg.1 = struct(text, n)" "expect = 9"
bench struct_null text_length "size_t(struct(pointer, size_t))" "arg.1 = struct(null, 3)" "expect = 3"
bench struct_variable text_length "size_t(struct(pointer, size_t))" \
    "before = pointer words = greeting()" "arg.1 = struct(words, 0)" "expect = 12"
bench nan quotient "double(double, double)" "arg.1 = 0" "arg.2 = 0" "expect = nan"
bench infinity quotient "double(double, double)" "arg.1 = -1" "arg.2 = 0" "expect = -inf"
bench zero quotient "double(double, double)" "arg.1 = 0" "arg.2 = 3" "expect = 0"
bench largest largest "uint64()" "expect = 18446744073709551615"
bench longs sum_of_longs "int64(int, ..., long, long, long)" "arg.1 = 3" "arg.2 = 1" "arg.3 = -2" \
    "arg.4 = 2^33" "expect = 8589934591"
bench doubles sum_of_doubles "double(int, ..., double, double)" "arg.1 = 2" "arg.2 = 0.25" \
    "arg.3 = 2" "expect = 2.25"
bench dots sum_of_doubles "double sum_of_doubles(int n, ...);" "arg.1 = 3" "arg.2 = 0.25" \
    "arg.3 = 2.0" "arg.4 = 1e2" "expect = 102.25"
bench dots_long sum_of_longs "int64_t sum_of_longs(int, ...)" "arg.1 = 1" "arg.2 = 2^33" \
    "expect = 8589934592"
bench prototype "" "extern unsigned long int difference_size(size_t a, const unsigned long b) __attribute__((pure));" \
    "arg.1 = 7" "arg.2 = 2" "expect = 3"
bench address greeting "const char *greeting(void)" 'expect = "hello, \"you\""'
bench constant sum_of "double(pointer, size_t)" "arg.1 = constant(f64, 1, 2.5, -1)" "arg.2 = 3" \
    "expect = 2.5"
bench callback apply "int(pointer, int)" "arg.1 = callback(int(int, double), -7)" "arg.2 = 3" \
    "expect = -7"
bench symbol apply "int(pointer, int)" "arg.1 = symbol(larger)" "arg.2 = 3" "expect = 4"
bench string greeting "string()" 'expect = "hello, \"you\""'
bench offset distance "ptrdiff_t(pointer, pointer)" "arg.pool = buffer(100)" "arg.1 = pool + 20" \
    "arg.2 = arg.1 + 64" "expect = 64"
bench back distance "ptrdiff_t(pointer, pointer)" "arg.1 = buffer(100)" "arg.2 = arg.1 - 8" \
    "expect = -8"
bench pointer nothing "pointer(void)" "expect = null"
bench variables handle_get "int(pointer)" "arg.1 = handle" "ok = 0" \
    "before = handle_open(out handle), handle_set(handle, 0)" "after = handle_close(handle)" \
    "expect = 0"
bench result handle_get "int(pointer)" "arg.1 = handle" "expect = 41" \
    "before = pointer handle = handle_new(int 41)" "after = int handle_close(handle)"
bench closed handles_open "int(void)" "expect = 0"
bench sum sum_of "double(pointer, size_t)" "arg.1 = buffer(f64[{n}], count)" "arg.2 = {n}" \
    "expect = {n * (n - 1) / 2}" "sweep.n = 1, 100"
bench random scale "void(pointer, pointer, float, size_t)" "arg.1 = buffer(f32[1000], out)" \
    "arg.2 = buffer(f32[1000], uniform=-1:1)" "arg.3 = 0.1" "arg.4 = 1000" \
    "reference = scale_reference" "reference_signature = void(double, size_t, pointer, pointer)" \
    "ref.1 = 0.1" "ref.2 = 1000" "ref.3 = arg.2" "ref.4 = arg.1"
bench same scale "void(pointer, pointer, float, size_t)" "arg.1 = buffer(f32[1000], out)" \
    "arg.2 = buffer(f32[1000], uniform=1:9, integral)" "arg.3 = 2" "arg.4 = 1000" \
    "reference = scale" "reference_memory = host" "check.abs = 0"
bench sorted sort_shorts "void(pointer, size_t, pointer)" "arg.sorted = buffer(u16[1000], count)" \
    "arg.1 = buffer(u16[1000], shuffle, restore, out, expect=sorted)" "arg.2 = 1000" \
    "arg.3 = compare(u16)"
bench shorts increment_short "void(pointer, size_t)" \
    "arg.1 = buffer(i16[50], fill=-5, restore, out, expect=-4)" "arg.2 = 50"
bench large large_integers "void(pointer, size_t, uint64)" "arg.1 = buffer(u64[9], out)" \
    "arg.2 = 9" "arg.3 = 0" "reference = large_integers_reference"
measure
equals "all that is right passes" 0 $?
equals "each case is right" "" "$(statuses | grep -v ' ok$')"
equals "and there are as many as sections, one twice" "$(grep -c '^\[bench' "$config")" \
    "$(($(statuses | wc -l) - 1))"
equals "what was compared is recorded" "" \
    "$("$GBRUN" show --verbose results.gbr | grep 'unchecked')"
succeeds "the cost of a call is measured" \
    grep -qE ',[0-9.e-]+' <("$GBRUN" export --columns bench,call_overhead_ns results.gbr | grep '^int8,')

# --- Each comparison can fail -----------------------------------------------------------------------

begin
bench number difference_int32 "int(int, int)" "arg.1 = 5" "arg.2 = 1" "expect = 4"
bench float difference_float "float(float, float)" "arg.1 = 0.5" "arg.2 = 0.125" "expect = 0.2501"
bench text greeting "string()" 'expect = "hello"'
bench null nothing "pointer(void)" "arg.b = buffer(1)" "expect = b"
bench constant scale "void(pointer, pointer, float, size_t)" "arg.1 = buffer(f32[10], out, expect=4)" \
    "arg.2 = buffer(f32[10], fill=1)" "arg.3 = 2" "arg.4 = 10"
bench reference scale_short "void(pointer, pointer, float, size_t)" \
    "arg.1 = buffer(f32[1000], out)" "arg.2 = buffer(f32[1000], uniform=1:2)" "arg.3 = 2" \
    "arg.4 = 1000" "reference = scale"
bench buffer scale "void(pointer, pointer, float, size_t)" "arg.2 = buffer(f32[10], uniform=1:2)" \
    "arg.1 = buffer(f32[10], out, expect=arg.2)" "arg.3 = 2" "arg.4 = 10"
bench large large_integers "void(pointer, size_t, uint64)" "arg.1 = buffer(u64[9], out)" \
    "arg.2 = 9" "arg.3 = 1" "reference = large_integers_reference"
bench member pair_swapped "struct(double, double)(struct(double, double))" \
    "arg.1 = struct(1, 2)" "expect = struct(2, 2)"
bench largest largest "uint64()" "expect = 18446744073709551614"
bench fraction status "int(int)" "arg.1 = 2" "reference = quotient" \
    "reference_signature = double(double, double)" "ref.1 = 5" "ref.2 = 2"
bench zero quotient "double(double, double)" "arg.1 = 1" "arg.2 = 1e9" "expect = 0"
bench nan quotient "double(double, double)" "arg.1 = 1" "arg.2 = 2" "expect = nan"
bench infinity quotient "double(double, double)" "arg.1 = 1" "arg.2 = 0" "expect = -inf"
bench nested nested_of "struct(struct(int, int8), int8)(struct(struct(int, int8), int8),
  struct(double[12]))" "arg.1 = struct(1000, 2, 3)" \
    "arg.2 = struct(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)" "expect = struct(1026, 2, 4)"
bench returned status "int(int)" "arg.1 = 3" "reference = status" "ref.1 = 4"
measure
equals "wrong results end with exit code 1" 1 $?
equals "each comparison finds what is wrong" "" "$(statuses | grep -v ' wrong result$')"
equals "each is reported as a check that failed" "" \
    "$("$GBRUN" show results.gbr | grep 'wrong result$' | grep -v ' FAIL ')"
succeeds "what is not 0 is reported with the difference" grep -q 'return: abs 1e-09 > 0 at' stdout stderr
succeeds "a text that differs is shown" grep -q 'return is "hello, .*": expected "hello"' stdout stderr

# --- What goes wrong in a function costs its case ------------------------------------------------

begin
bench crash crash "int()"
bench quit quit "int(int)" "arg.1 = 3"
bench status status "int(int)" "arg.1 = 5" "ok = 0"
bench later fails_at "int(int)" "arg.1 = 4" "ok = 0"
bench before status "int(int)" "arg.1 = 0" "ok = 0" "before = status(9)"
bench nothing status "int(int)" "arg.1 = 0" "before = pointer p = nothing()"
bench huge status "int(int)" "arg.a = buffer(1TiB, host)" "arg.1 = 0"
bench good status "int(int)" "arg.1 = 0" "ok = 0"
measure
equals "faults end with exit code 1" 1 $?
equals "only the good one is left" "crash crashed
quit crashed
status failed
later failed
before failed
nothing failed
huge failed
good ok" "$(statuses)"
succeeds "how much memory was wanted is reported" \
    grep -q 'arg.a: there is not enough memory for a buffer of 1024 GiB' stdout stderr
succeeds "a status is reported" grep -q 'returned another status than ok = 0; the last was 5' stdout stderr
succeeds "so is that of a call before" grep -q 'before: status returned 9: expected 0' stdout stderr

# --- What is found before anything runs ---------------------------------------------------------

# refused NAME EXPECTED FUNCTION SIGNATURE LINE...: the words about the one section, with their place.
refused()
{
    local name=$1 expected=$2
    shift 2
    begin
    bench case "$@"
    "$GBRUN" check -c "$config" >stdout 2>stderr
    equals "$name" "2 $expected" "$? $(sed "s|^$config:||" stderr)"
}

refused "an unknown function" "9:12: error: function: the library has no function 'no_such'" \
    no_such "int()"
refused "a malformed signature" "10:22: error: signature: unknown type 'imt': expected a type such as int, size_t, double, pointer" \
    status "int(int, imt)" "arg.1 = 0"
refused "a missing argument" "10:13: error: signature: it has 2 parameters, but arg.2 is missing" \
    status "int(int, int)" "arg.1 = 0"
refused "too many arguments" "12:9: error: arg.2: the signature has 1 parameter only" \
    status "int(int)" "arg.1 = 0" "arg.2 = 0"
refused "a number that does not fit" "11:9: error: arg.1: 128 does not fit the parameter, which is int8" \
    status "int(int8)" "arg.1 = 128"
refused "a number that a sweep makes too large" \
    "11:9: error: arg.1: 200 does not fit the parameter, which is int8" \
    status "int(int8)" "arg.1 = {n * 2}" "sweep.n = 1, 50, 100"
refused "a number for an address" "11:9: error: arg.1: a number where pointer is needed: expected an address, such as buffer(...), constant(...) or null" \
    handle_get "int(pointer)" "arg.1 = 3"
refused "a buffer for a number" "11:9: error: arg.1: a buffer where int32 is needed" \
    status "int(int)" "arg.1 = buffer(3)"
refused "a struct of another size" "11:9: error: arg.1: a struct of 3 numbers: expected 2, as the signature says" \
    pair_difference "double(struct(double, double))" "arg.1 = struct(1, 2, 3)"
refused "a mistake behind a value that was put in" \
    "11:25: error: arg.1: 'fil' is no key of a buffer: expected fill=, uniform=, expect=, integral, count, shuffle, zero_end, device, host, pinned, out or restore" \
    handle_get "int(pointer)" "arg.1 = buffer({n * 4}, fil=3)" "sweep.n = 1000000"
refused "a name that nothing has" "11:9: error: arg.1: unknown name 'handel': expected arg.N, a key of arg, or a name that 'before' sets" \
    handle_get "int(pointer)" "arg.1 = handel" "before = handle_open(out handle)"
refused "names in a circle" "11:9: error: arg.1: arg.2 is given later: move it up" \
    distance "long(pointer, pointer)" "arg.1 = arg.2" "arg.2 = arg.1"
refused "an unknown function of before" "12:21: error: before: the library has no function 'no_such'" \
    status "int(int)" "arg.1 = 0" "before = status(3), no_such()"
refused "a mistake in before" "12:21: error: before: unknown value 'bufer(...)': expected buffer, constant, struct, compare, callback or symbol" \
    status "int(int)" "arg.1 = 0" "before = handle_set(bufer(3), 1)"
refused "an address in place of a number" "12:10: error: expect: an address is expected of functions that return a pointer only" \
    status "int(int)" "arg.1 = 0" "expect = arg.1"
refused "a reference that compares nothing" "12:13: error: reference: there is nothing to compare: mark the buffers that the function writes with 'out'" \
    scale "void(pointer, pointer, float, size_t)" "arg.1 = buffer(4)" "reference = scale" "arg.2 = buffer(4)" "arg.3 = 1" "arg.4 = 1"
refused "a variable for a function" "9:12: error: function: 'variable' is a variable of the library: expected a function" \
    variable "int()"
refused "a name that only 'after' sets" "11:9: error: arg.1: unknown name 'handle': expected arg.N, a key of arg, or a name that 'before' sets" \
    handle_get "int(pointer)" "arg.1 = handle" "after = handle_open(out handle)"
refused "a value that a later call sets" "13:21: error: before: 'mine' stands for 'handle', which no earlier call sets" \
    status "int(int)" "arg.mine = handle" "arg.1 = 0" "before = handle_set(mine, 1), handle_open(out handle)"
refused "names in a circle that a call follows" "11:9: error: arg.1: arg.a is given later: move it up" \
    distance "long(pointer)" "arg.1 = arg.a" "arg.a = arg.1" "before = handle_get(pointer a)"
refused "a status that nothing returns" "11:6: error: ok: no function here returns an integer, which a status is" \
    crash "void()" "ok = 0"
refused "a status that does not fit" "12:6: error: ok: 256 cannot be a status of a function that returns uint8" \
    status "uint8(int)" "arg.1 = 0" "ok = 256"
refused "null in place of a number" "12:10: error: expect: an address is expected of functions that return a pointer only" \
    status "int(int)" "arg.1 = 0" "expect = null"
refused "a number too large for a float" "11:9: error: arg.1: 1e+40 does not fit the parameter, which is float" \
    difference_float "float(float, float)" "arg.1 = 1e40" "arg.2 = 0"
refused "a number for an address in a struct" "11:9: error: arg.1: member 1, 0, does not fit pointer" \
    text_length "size_t(struct(pointer, size_t))" "arg.1 = struct(0, 3)"
refused "an address for a number in a struct" "12:9: error: arg.1: a buffer where uint64 is needed" \
    text_length "size_t(struct(pointer, size_t))" "arg.a = buffer(3)" "arg.1 = struct(a, a)"
refused "an unknown name in a struct" "11:9: error: arg.1: unknown name 'b': expected null, arg.N, a key of arg, or a name that 'before' sets" \
    text_length "size_t(struct(pointer, size_t))" "arg.1 = struct(b, 3)"
refused "an address that a struct is to have" "11:10: error: expect: member 1, 'null', cannot be compared: expected numbers only" \
    text_length "struct(pointer, size_t)()" "expect = struct(null, 3)"
refused "too few types behind the ellipsis" "13:9: error: arg.3: the signature has 2 parameters only: behind '...' stand the types of all that is passed" \
    sum_of_doubles "double(int, ..., double)" "arg.1 = 1" "arg.2 = 0.5" "arg.3 = 0.5"
refused "an argument that is left out behind the ellipsis" "10:13: error: signature: it has 3 parameters, but arg.2 is missing" \
    sum_of_doubles "double(int, ...)" "arg.1 = 1" "arg.3 = 0.5"
refused "a prototype of another function" "10:17: error: signature: it is that of 'larger': expected the function's, 'status'" \
    status "int larger(int)" "arg.1 = 0"
refused "a signature without a name, and no other" "9:11: error: function: it is empty: expected the name of a function, here or in the signature" \
    "" "int(int)" "arg.1 = 0"
refused "the prototype of what the library has not" "10:19: error: signature: the library has no function 'no_such'" \
    "" "void *no_such(int);" "arg.1 = 0"
refused "a pointer to a function" "10:20: error: signature: this declares or returns a pointer to a function: expected the prototype of the function itself, such as double f(double), and 'pointer' for an address that it returns" \
    "" "double (*f)(double)" "arg.1 = 0"
refused "work that is not finite" "12:14: error: work.flops: inf is out of range: expected 0 or more" \
    status "int(int)" "arg.1 = 0" "work.flops = inf"
# A name without a folder is the loader's to find.
begin
bench case status "int(int)" "arg.1 = 0"
sed -i 's|^library = ./|library = |' "$config"
"$GBRUN" check -c "$config" >stdout 2>stderr
succeeds "a library beside the configuration is pointed to" grep -qF \
    '; one of that name beside the configuration is written ./NAME' stderr

refused "an unknown kind of work" "12:13: error: work.flop: unknown kind of work: expected work.flops, work.math, work.bytes_read, work.bytes_written, work.items or work.item" \
    status "int(int)" "arg.1 = 0" "work.flop = 3"
refused "an unknown format of arithmetic" \
    "12:13: error: work.math: unknown word 'fp31': expected a format and a unit, such as fp32 vector: fp64, fp32, fp16, bf16, tf32, e4m3, e5m2, int8, int32, int64, uint8, uint32 or uint64" \
    status "int(int)" "arg.1 = 0" "work.math = fp31 vector"
refused "an unknown unit behind a value that was put in" \
    "12:20: error: work.math: unknown word 'fma': expected scalar, vector or tensor" \
    status "int(int)" "arg.1 = 0" "work.math = {type} fma" "sweep.type = fp32, fp64"
begin
printf '%s\n' "[bench a]" "plugin = call" "library = ./missing.so, libmissing.so.7" "function = f" \
    "signature = void()" "[bench b]" "plugin = call" "library = ./targets.so" "function = f" \
    "signature = voids()" >>"$config"
"$GBRUN" -c "$config" >stdout 2>stderr
equals "run refuses as well, and reports all sections" "2 8:11 14:12 15:13" \
    "$? $(grep -oE ':[0-9]+:[0-9]+: error' stderr | sed 's/^://; s/: error//' | xargs)"

begin
printf '%s\n' "[bench fatal]" "plugin = call" "library = $top_builddir/tests/modules/.libs/crash_on_load.so" \
    "function = f" "signature = void()" >>"$config"
bench there no_such "int()"
"$GBRUN" check -c "$config" >stdout 2>stderr
equals "a library that crashes as it is loaded is an error" \
    "2 6:1: error: in case 'fatal': plugin 'call' crashed (SIGSEGV) while checking the settings" \
    "$? $(sed -n "1s|^$config:||p" stderr)"
succeeds "and the other sections are looked at" grep -q "no function 'no_such'" stderr

begin
printf '%s\n' "[bench missing]" "plugin = call" "library = libmissing.so.7" "function = f" \
    "signature = void()" "optional = yes" >>"$config"
bench no_function no_such "int()" "optional = yes"
bench there status "int(int)" "arg.1 = 0" "optional = yes"
measure
equals "what is optional and missing is skipped" "0 missing skipped
no_function skipped
there ok" "$? $(statuses)"

begin
printf '%s\n' "[bench first]" "plugin = call" "library = ./targets.so, libc.so.6" \
    "function = handles_open" "signature = int()" "expect = 0" >>"$config"
bench second handles_open "int()" "expect = 0"
sed -i 's|^library = ./targets.so$|library = ./missing.so, ./targets.so|' "$config"
measure
equals "of several libraries the first that is there counts" "0 first ok
second ok" "$? $(statuses)"

begin
bench work status "int(int)" "arg.1 = 0" "work.flops = 0" "work.bytes_read = 3" \
    "work.bytes_written = 5" "work.items = 7" "work.item = call"
measure
equals "each kind of work is stored as its own" "0,3,5,7,call" \
    "$("$GBRUN" export --columns flops,bytes_read,bytes_written,items,item results.gbr | tr -d '\r' | tail -n 1)"

begin
bench closing status "int(int)" "arg.1 = 0" "ok = 0" "after = int status(int 3)"
measure
equals "a call of 'after' that fails is a warning" "0 closing ok" "$? $(statuses)"
succeeds "which the table shows" grep -q "a call of 'after' failed" stdout

# --- Work and roofs -----------------------------------------------------------------------------

begin
bench of_math status "int(int)" "arg.1 = 0" "work.flops = 1e9" "work.bytes_read = 8" \
    "work.math = {type} {unit}" "zip.kind = type, unit: fp64, vector | fp64, tensor"
bench of_memory status "int(int)" "arg.1 = 0" "work.flops = 1" "work.bytes_read = 1e9" \
    "work.math = fp64 vector"
bench unsaid status "int(int)" "arg.1 = 0" "work.flops = 1e9" "work.bytes_read = 8"
printf '%s\n' "[bench bandwidths]" "plugin = ceilings" "bytes = 64KiB" \
    "sweep.roof = dram_copy, l3_copy, l2_copy" "[bench rates]" "plugin = ceilings" \
    "roof = fp64_fma" >>"$config"
measure
equals "work.math names the rate that flops are compared with" \
    "of_math,fp64,vector,math-bound,fp64_fma
of_math,fp64,tensor,,a bandwidth
of_memory,fp64,vector,memory-bound,a bandwidth
unsaid,,,,a bandwidth" \
    "$("$GBRUN" export --where "plugin = 'call'" --columns bench,math_format,math_unit,bound,roof_name \
        results.gbr | tr -d '\r' | sed '1d; s/[a-z0-9]*_copy$/a bandwidth/')"

begin
bench words status "int(int)" "arg.1 = 0" "work.math = {format} {unit}" \
    "sweep.format = fp64, fp32, fp16, bf16, tf32, e4m3, e5m2, int8, int32, int64, uint8, uint32, uint64" \
    "sweep.unit = scalar, vector, tensor"
measure
equals "the words of work.math are those of results" "0 39" \
    "$? $("$GBRUN" export --columns format,unit,math_format,math_unit results.gbr | tr -d '\r' |
        awk -F, 'NR > 1 && $1 == $3 && $2 == $4' | grep -c .)"

# --- The examples --------------------------------------------------------------------------------

rm -f results.gbr
"$GBRUN" -q -c "$top_srcdir/conf/call.ini" -s defaults.policy=fixed -s defaults.max_samples=5 \
    -s defaults.min_samples=1 -s defaults.warmup=0 -o results.gbr >stdout 2>stderr
equals "conf/call.ini is measured, and right" "0 " "$? $(statuses | grep -vE ' (ok|skipped)$')"
equals "in it only a BLAS may be missing" "" "$(statuses | grep skipped | grep -v '^dgemm ')"
succeeds "conf/call_cublas.ini is read" \
    "$GBRUN" check -c "$top_srcdir/conf/call_cublas.ini" -s defaults.device=cpu
finish
