#!/usr/bin/env bash
# Samples that a benchmark gives itself: stored, shown, measured; and plugins that give them wrongly.
. "$top_srcdir/tests/tap.sh"
with_modules

# of_series COLUMNS [NAME]: of the series in series.gbr with a name, a case a line.
of_series()
{
    sql series.gbr "select $1 from series as s join bench_case as c on c.id = s.case_id
        where s.name = '${2:-latency}' order by c.sequence" | tr '|' ' '
}

few_samples 12 'device = cpu' 'iterations = 1' >few
cat few - >series.ini <<INI
[bench giver]
$(section bench threads giver threads=4)
$(section bench in_collect giver collects=yes)
$(section bench background giver fault=background)
$(section bench millions giver n=4000000 min_samples=2 max_samples=3)
INI
"$GBRUN" -c series.ini -o series.gbr >series.txt 2>err.txt
equals "cases are fine" "ok ok ok ok ok" "$(values status series.gbr)"
equals "every value of a sample that counts is there, of each thread, and of no warm-up" \
    "giver 12000|threads 48000|in_collect 12000|millions 12000000" \
    "$(of_series 'c.bench, s.n' | grep -v background | paste -sd '|')"
equals "and those of a thread that does not stop" 1 "$(of_series 'c.bench, s.n >= 12000' | awk '/^background/ { print $2 }')"
equals "collect gives what was recorded elsewhere, once" "12 5.0 ns" "$(of_series 's.n, p50, unit' collected)"
equals "a few are exact" "1.0 1000.0 500.5 500.5 492.0 509.0 990.01 999.001 0.0 1000" \
    "$(of_series 'min, max, round(mean, 9), p50, p50_low, p50_high, round(p99, 9), round(p999, 9), error_ratio, n_bins' |
        head -n 1)"
equals "millions are counted in classes, within the error that is stored" "1 1 1 1 1 1" \
    "$(of_series 'error_ratio = 1.0 / 2048, abs(p50 / 500.5 - 1) <= error_ratio, abs(p90 / 900.1 - 1) <= error_ratio,
        abs(p99 / 990.01 - 1) <= error_ratio, abs(p999 / 999.001 - 1) <= error_ratio, p999_high <= 1000' | tail -n 1)"
equals "percentiles are metrics" "500.50 900.10 990.01 999.00" \
    "$(values metric.latency_p50,metric.latency_p90,metric.latency_p99,metric.latency_p999 series.gbr --where "bench = 'giver'" |
        awk -F , '{ printf "%.2f %.2f %.2f %.2f\n", $1, $2, $3, $4 }')"
equals "JSON has their intervals; one without an end is null" \
    '"p50":{"value":500.5,"low":492,"high":509} "p999":{"value":7,"low":7,"high":null}' \
    "$("$GBRUN" export series.gbr --format jsonl --where "bench = 'giver'" | tr -d ' ' |
        grep -oE '"p50":\{[^}]*509\}|"p999":\{[^}]*null\}' | paste -sd ' ')"

# ---- pictures ----
ecdf=$("$GBRUN" report series.gbr --chart ecdf --y latency --where "bench = 'giver'")
equals "ecdf shows a series" "giver 500.5 us 1.000 ms" "$(awk '/^giver  / { print $1, $10, $11, $18, $19 }' <<<"$ecdf")"
equals "one that is no time has its unit" "giver 7 7" \
    "$("$GBRUN" report series.gbr --chart ecdf --y depth --where "bench = 'giver'" |
        awk '/^giver  / { print $1, $2, $10 }')"
succeeds "as a picture" "$GBRUN" report series.gbr --chart ecdf --y latency -o ecdf.svg
succeeds "with its name at the axis" grep -q '>latency, us<' ecdf.svg
succeeds "box as well" "$GBRUN" report series.gbr --chart box --x bench --y latency
equals "a name that no case has is an error" "gbrun: error: --y nothing: no case that is ok has a series of this name" \
    "$("$GBRUN" report series.gbr --chart ecdf --y nothing 2>&1)"
succeeds "a page" "$GBRUN" report series.gbr -o page.html
equals "has them with each case" 5 "$(grep -c '>Samples reported by the benchmark<' page.html)"
succeeds "with intervals" grep -qF '<td class="n">500.5 [492, 509]</td>' page.html
equals "and so are the ends of their intervals" "492,509" \
    "$(values metric.latency_p50_low,metric.latency_p50_high series.gbr --where "bench = 'giver'")"
equals "a table shows the first percentiles" "latency_p50 latency_p90 latency_p99" \
    "$("$GBRUN" show series.gbr --where "bench = 'giver'" | grep -o 'latency_p[0-9a-z_]*' | head -n 3 | paste -sd ' ')"
cp series.gbr copy.gbr
succeeds "they are merged" "$GBRUN" merge -o merged.gbr series.gbr copy.gbr
equals "into the same" "$(sql series.gbr 'select name, n, hex(bins) from series order by 3' | cksum)" \
    "$(sql merged.gbr 'select name, n, hex(bins) from series order by 3' | cksum)"

# ---- a policy that is pointed at them ----
cat few - >measure.ini <<INI
$(section bench giver giver measure=latency policy=quantiles max_samples=20000)
$(section bench threads giver threads=3 n=10 measure=latency)
$(section bench in_collect giver collects=yes measure=collected)
$(section bench time giver measure=time)
INI
"$GBRUN" -c measure.ini -o measure.gbr >measure.txt 2>err.txt
equals "cases of series are fine" "ok ok ok ok" "$(values status measure.gbr)"
equals "what counts is the series" "latency latency collected wall" "$(values clock measure.gbr)"
equals "values are samples: as many as the policy wants, not all of a run" "20000 12 12 12" \
    "$(values n_samples measure.gbr)"
equals "in ns" "500500 5" "$(values median_ns measure.gbr | cut -d ' ' -f 1,3)"
equals "a case of a series is another case" 2 \
    "$(column uid --where "bench in ('giver', 'time')" measure.gbr | sort -u | wc -l)"
succeeds "they are replayed" "$GBRUN" replay measure.gbr --policy steady

# ---- what is wrong ----
cat few - >wrong.ini <<'INI'
max_time = 100 ms
[bench giver]
sweep.measure = nothing, depth
[bench empty]
plugin = giver
measure = latency
fault = nothing
[bench good]
measure = latency
INI
"$GBRUN" -c wrong.ini -o wrong.gbr >wrong.txt 2>err.txt
equals "what cannot be measured fails" "failed failed failed failed" "$(values status wrong.gbr)"
equals "and says why" 'measure = nothing: the benchmark has no such series: expected time or latency or depth
"measure = depth: its unit is ""1"": expected ns, us, ms or s"
measure = latency: the benchmark recorded no value of it within max_time (100 ms)
measure = latency: the benchmark has no such series: expected time' "$(column status_text wrong.gbr)"

# A time below 0 would be the fastest of all.
cat few - >below.ini <<'INI'
[bench giver]
fault = negative
measure = latency
INI
"$GBRUN" -q -c below.ini -o below.gbr >/dev/null 2>&1
equals "a time below 0 fails" "failed,measure = latency: the value -1 is not a time: expected 0 or more" \
    "$(column status,status_text below.gbr | tr -d '"')"

cat few - >faults.ini <<'INI'
[bench giver]
sweep.fault = nan, negative, name, unit, many, number, late
INI
"$GBRUN" -c faults.ini -o faults.gbr >faults.txt 2>err.txt
"$GBRUN" show --notes faults.gbr >faults.txt
equals "wrong samples do not cost the case" "ok ok ok ok ok ok ok" "$(values status faults.gbr)"
has "values that are not finite are counted, wrong names and units reported, what is given to them, and what comes too late" \
    faults.txt 'warning: series latency: 1200 values were left out: expected finite ones below 2^64' \
    'plugin bug: series "Laten cy": expected a name as [a-z][a-z0-9_]*, of at most 40 bytes' \
    'samples were given to no series: expected a number that host->series returned' \
    'plugin bug: series latency: the unit "ms": expected "us" as before' \
    'plugin bug: series z: expected at most 16 of a benchmark' \
    'warning: 1000 samples of series were given after the last batch'
finish
