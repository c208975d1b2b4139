#!/usr/bin/env bash
# Benchmarks that are classes and lambdas (gbrun/bench.hpp): options have their values, help and checks, and an
# exception from any function is the status of its case, with its words.
. "$top_srcdir/tests/tap.sh"
modules=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 99
[ -f "$modules/exceptions.so" ] || skip_rest "benchmarks in C++" "no C++ compiler"

"$GBRUN" help --plugin-path "$modules" options >help.txt
has "help says all of the options" help.txt 'benchmark options, version 2.5' 'A paragraph.' 'whole = 3' 'an integer' \
    'integer (pieces), 1:9' 'real = 0.5' 'yes = on' 'word = abc' 'size = 2 KiB' 'wait = 1 us' 'several = 4, 5' \
    'ratios = 0.25' 'needed (required)'
succeeds "a choice has its words, the first of them by default" \
    grep -qxF '  where = nowhere' <("$GBRUN" help --plugin-path "$modules" thrower)

{
    few_samples 3 'warmup = 0' 'iterations = 1'
    section bench options "$modules/exceptions.so:options" 'needed=this text' whole=7
    section bench bare "$modules/exceptions.so:bare"
    section bench thrower "$modules/exceptions.so:thrower" 'sweep.where=nowhere, prepare, reset, run, verify' \
        'sweep.what=error, memory, skip, number, status'
    section bench refresh "$modules/exceptions.so:thrower" where=refresh verify=strict
} >exceptions.ini
exits "cases failed" 1 "$GBRUN" -q -c exceptions.ini -o exceptions.gbr

column bench,where,what,status,status_text exceptions.gbr | tr -d '"' >cases.txt
said=''
for where in prepare reset run verify; do
    at=${where/reset/run}
    said+="$where,error,failed,thrown in so many words
$where,memory,failed,$at: out of memory
$where,skip,skipped,not on this machine
$where,number,failed,an exception that is not a std::exception
$where,status,failed,$at: not supported
"
done
equals "what functions throw is the status of the case" "$said" \
    "$(sed -n 's/^thrower,//p' cases.txt | grep -v '^nowhere')"$'\n'
equals "nothing thrown, and a status" "error,ok, status,wrong result,second: the second is wrong" \
    "$(sed -n 's/^thrower,nowhere,\(error\|status\)/\1/p' cases.txt | paste -sd ' ')"
equals "refresh throws" "refresh,refresh,error,failed,thrown in so many words" "$(grep ^refresh, cases.txt)"

equals "options have their values, and declared work is stored" "ok,7,3054.75,1" \
    "$(column 'status,whole,sum,items_per_s > 0' exceptions.gbr --where "bench = 'options'")"
notes exceptions.gbr
has "text arrives" out.txt 'warning: abc' 'warning: this text'
equals "a lambda alone is a benchmark" "bare,ok" "$(column bench,status exceptions.gbr --where "bench = 'bare'")"

exits "values are checked by the table" 2 "$GBRUN" check -c exceptions.ini -s options.whole=10 -s options.ratios=2
succeeds "with the range" grep -q '10.*1:9' err.txt

# ---- fresh inputs and samples of its own ----
cat >fresh.cc <<'CC'
#include <gbrun/bench.hpp>
struct fresh : gbrun::bench {
    gbrun::series latency{this, "latency", "us"}, collected{this, "collected"};
    std::vector<int> inputs;
    void reset()
    {
        inputs.assign(static_cast<size_t>(iterations()), 1);
    }
    void run(const gb_queue &, uint64_t n)
    {
        if (n != inputs.size())
            throw gbrun::stop(GB_INVALID);
        for (; n > 0; n--)
            latency(3 * inputs[n - 1]--);
    }
    void collect()
    {
        collected(7);
    }
    void verify()
    {
        expect("inputs", inputs[0] == 0, "not used up");
    }
};
GB_BENCHMARKS(list)
{
    list.add<fresh>("fresh", "a class");
    list.add<fresh>("fresh_lambda", "its run as a lambda", [](fresh &a, const gb_queue &queue, uint64_t n) { a.run(queue, n); });
}
CC
succeeds "a class with samples compiles" "${CXX:-c++}" -std=c++17 -O2 -Wall -Wextra -Werror -fPIC -shared \
    -Wl,-z,defs -I"$top_srcdir/include" fresh.cc -o fresh.so
few_samples 3 'warmup = 0' 'device = cpu' >fresh.ini
printf '[bench fresh]\nplugin = ./fresh.so:fresh\niterations = 5\n' >>fresh.ini
printf '[bench lambda]\nplugin = ./fresh.so:fresh_lambda\nmeasure = latency\n' >>fresh.ini
"$GBRUN" -q -c fresh.ini -o fresh.gbr >fresh.txt 2>&1
equals "reset prepares as many inputs as there will be iterations, and samples arrive" \
    "fresh,ok,ok,wall,3,7 lambda,ok,ok,latency,3,7" \
    "$(column bench,status,verified,clock,metric.latency_p50,metric.collected_p50 fresh.gbr | paste -sd ' ')"
finish
