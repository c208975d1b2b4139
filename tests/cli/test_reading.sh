#!/usr/bin/env bash
# How a device reads samples, and what follows: results that are wrong after a graph only, what the clock
# subtracts, dithered samples, processes that are spent. On the device `fake`, whose time is arithmetic.
. "$top_srcdir/tests/tap.sh"
with_modules
defaults=$(few_samples 12 'iterations = 2' 'warmup = 0')

# replayed POLICY COLUMNS: of each case.
replayed()
{
    ran "$GBRUN" replay -P "$1" --format csv results.gbr
    cells "$2"
}

# ---- a result that is wrong after a graph, and right in the stream ----
# A graph's samples take half as long as the stream's, which take 500 ns and more an iteration.
measured <<INI
$defaults
$(section policy many fixed samples=140000)
$(section device replaying fake replays=yes 'as_graph=300 ns' 'note=read as a graph')
$(section bench counting wrong_result device=replaying fault=replayed)
$(section bench long wrong_result device=replaying fault=replayed policy=many)
$(section bench asked wrong_result device=replaying fault=replayed launch=graph)
$(section bench wrong wrong_result device=replaying fault=value)
$(section bench right wrong_result device=replaying fault=none)
INI
stream='launched in the stream: the result is wrong if run is captured once and launched many times, and right if every sample calls it'
equals "it is measured again in the stream, and right there, with the reason" \
    "0,ok,ok,auto,stream,12,0,1000,1060,\"$stream\"" \
    "$(of counting check_value,status,verified,launch,launched,n_samples,n_lost,min_ns,max_ns,reading_note)"
"$GBRUN" show --notes >notes.txt
has "which the notes give" notes.txt "  $stream (2 of 5 cases: counting, long)"
equals "nothing is said of a graph's time, which the wrong result took" "" "$(of counting graph_ns)"
equals "what was compared after the graph is forgotten" "256 values equal" \
    "$("$GBRUN" export --format jsonl --where "bench = 'counting'" | grep -o '[0-9]* values equal')"
equals "so are samples that were in the file already" "ok,stream,140000,1000,1060,1030" \
    "$(of long status,launched,n_samples,min_ns,max_ns,median_ns)"
equals "and none is left of them" 140000 \
    "$("$GBRUN" export --rows sample --columns bench --where "bench = 'long'" | grep -c '^long,')"
equals "a graph that was asked for stays one, and the result is wrong" "wrong result,graph,read as a graph,300" \
    "$(of asked status,launched,reading_note,graph_ns)"
equals "a result that is wrong in the stream, too, is that of the graph" "wrong result,graph,12,500,530" \
    "$(of wrong status,launched,n_samples,min_ns,max_ns)"
equals "a right one is measured once" "ok,graph,12,500,530" "$(of right status,launched,n_samples,min_ns,max_ns)"
equals "a wrong result is one" 1 "$code"

# ---- what the clock subtracts ----
measured <<INI
$defaults
$(section policy interval median_ci precision=10%)
$(section device corrected fake 'offset=100 ns' 'offset_error=40 ns' 'as_graph=900 ns' 'note=two stamps')
$(section bench good good policy=interval rounds=1 'sweep.device=fake, corrected')
INI
equals "it is stored, per sample" "stream,0,0,0,,
stream,100,40,0,900,two stamps" "$(column launched,offset_ns,offset_error_ns,dithered,graph_ns,reading_note)"
"$GBRUN" show --notes >notes.txt
has "what a graph would save is in a note, and how samples were read" notes.txt \
    '    good device=corrected: 1.03 us, as a graph 900 ns' '  two stamps (good device=corrected)'
equals "the interval is wider by what an iteration does not know of it" "20 0 20" \
    "$(column low_ns,estimate_ns,high_ns | awk -F, '
        NR == 1 { low = $1; value = $2; high = $3 }
        NR == 2 { print low - $1, $2 - value, $3 - high }')"
columns=estimate_ns,low_ns,high_ns
equals "also in a replay" "$(column $columns)" "$(replayed 'median_ci precision=10%' $columns)"

# ---- dithered samples ----
measured <<INI
$defaults
$(section policy interval median_ci precision=2%)
$(section device plain fake 'tick=32 ns' 'step=8 ns')
$(section device dithered fake 'tick=32 ns' 'step=8 ns' is_dithered=yes)
$(section bench good good policy=interval rounds=1 iterations=1 'sweep.device=plain, dithered')
INI
equals "they are said to be, and estimated by their mean" "0,32,median
1,32,mean" "$(column dithered,tick_ns,statistic)"
columns=verdict,statistic,estimate_ns,low_ns,high_ns,n_effective
equals "a replay knows that they are" "$(column n_samples,$columns)" \
    "$(replayed 'median_ci precision=2%' "stopped_at,$columns")"

# ---- a process that is spent ----
# Each case runs 15 samples, of which three find out how long one takes.
measured <<INI
$defaults
$(section device spends fake spent_from=20)
$(section bench process process device=spends let.number=0 sweep.number=1:5)
INI
equals "a case that leaves its process changed is fine" "0 5" "$code $(column status | grep -c ok)"
equals "the next one gets a fresh one, and only that" "1 2 1 2 1" "$(column metric.made | paste -sd ' ')"
equals "which is another" 3 "$(column metric.pid | sort -u | wc -l)"
equals "nothing is said of it" "" "$(grep -E 'messages|warning' out.txt)"
measured <<INI
$defaults
$(section device spends fake spent_asked=4)
$(section bench process process device=spends let.number=0 sweep.number=1:5)
INI
equals "one that is spent before its first sample has another case in a fresh one" "0 5 1 2 1 2 1" \
    "$code $(column status | grep -c ok) $(column metric.made | paste -sd ' ')"
equals "nothing is said of that, and each case is stored once" " 5" \
    "$(grep -E 'messages|warning|slower' out.txt) $(column uuid | sort -u | wc -l)"
measured <<INI
[gbrun]
devices = all
jobs = 2
$defaults
$(section device spends fake n_devices=2 models=Same spent_from=20)
$(section bench wrong_result wrong_result device=spends:all let.number=0 sweep.number=1:8)
INI
equals "wrong results in spent processes: each is one, and no device is given up for them" "8 " \
    "$(column status | grep -c 'wrong result') $(grep '^gbrun' err.txt)"
finish
