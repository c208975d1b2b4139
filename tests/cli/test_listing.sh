#!/usr/bin/env bash
# listing: what a device lists of a sample, from its plugin to tables and exports. The device is
# tests/modules/device_fake.c with the lists of fake_activities.h.
. "$top_srcdir/tests/tap.sh"
with_modules

# run LISTING [OPTION]...: measures one case; code, out.txt, err.txt
run()
{
    local listing=$1
    shift
    rm -f results.gbr
    "$GBRUN" run "$@" -c - >out.txt 2>err.txt <<INI
$(few_samples 12 'device = lists' 'iterations = 1')
$(section device lists fake time=30us "listing=$listing")
[bench good]
size = 1Mi
INI
    code=$?
}

# activities MEMBER: its value in each activity, blanks between
activities()
{
    "$GBRUN" export --format jsonl results.gbr | sed 's/.*"activities"://' |
        grep -o "\"$1\":[^,}]*" | sed 's/[^:]*://' | tr -d '"' | paste -sd ' '
}

# ---- listed, and timed where that is asked for ----
run several
equals "a case whose activities are listed is fine" "0 ok,ok" "$code $(column status,verified)"
equals "its kernels are counted" 2 "$(column kernels)"
equals "the one with most threads stands for them" "66,16x16,40,49152,0.5" \
    "$(column grid,block,registers,shared_bytes,occupancy)"
equals "they are in order" "fill kernel kernel" "$(activities kind)"
equals "and are not timed" "null null null" "$(activities time_ns)"
equals "nothing is said of it" "0 0" "$(said 'warning') $(said 'breakdown of')"

# One run at least warms up, 12 are samples, one more is listed.
runs=$(column runs)
run none
equals "listing is one run more" "$runs" "$(($(column runs) + 1))"
equals "where there is no list nothing is known" "," "$(column kernels,kernel)"
equals "and nothing is said, as nobody asked" 0 "$(said 'there is no list')"

run several --breakdown
equals "timed ones have times" "1000 20000 2000" "$(activities time_ns)"
equals "and intervals" "990 19800 1980" "$(activities low_ns)"
equals "the longest stands for them" 66 "$(column grid)"
equals "run --breakdown shows them, with their sum and what is beyond it" "1 1 1" \
    "$(said 'breakdown of good, one sample') $(said 'sum  *24.00 us  *100.0 %') $(said '6.035 us more than the sum')"
run several -s good.breakdown=yes
equals "the key times them as well" "1000 20000 2000" "$(activities time_ns)"
"$GBRUN" show --breakdown results.gbr >out.txt
equals "show --breakdown shows them later" 1 "$(said '^3  finish  *2.000 us')"
run one --breakdown
times=$(activities time_ns) # fewer where the machine was busy
succeeds "a short sample is timed often, up to 256 times ($times)" test "$times" -gt 3 -a "$times" -le 256

run parallel --breakdown
equals "parallel ones are marked, with one time for the section, which counts once" "1 1 1" \
    "$(said '^1|  left  *10.00 us') $(said '^2|  right   *8x2 x 16x16') $(said 'sum  *13.00 us')"

# ---- too many, and what makes no sense ----
run many --breakdown
equals "too many are kept as far as there is room" 1024 "$(activities kind | wc -w)"
equals "their kernels are all counted" 2000 "$(column kernels)"
equals "the rest is one" "1977 more" "$(activities name | grep -o '1977 more')"
equals "with the sum of its times, sections counted once" 1644000 "$(activities time_ns | awk '{ print $NF }')"
equals "and that is said" 1 "$(said 'a sample has 3000 activities: those from number 1024 on')"

run hostile --breakdown
equals "a hostile list costs nothing but a message" "0 ok 1" \
    "$code $(column status) $("$GBRUN" show --notes | grep -c 'plugin bug: the device listed 4 activities with invalid values')"
equals "numbers that are none are not kept" "null 1000" "$(activities time_ns | cut -d' ' -f1-2)"
equals "nor intervals that are upside down" "null null" "$(activities low_ns | cut -d' ' -f1-2)"
equals "nor kinds that there are not" "other" "$(activities kind | cut -d' ' -f1)"
equals "a name without an end is ended" 255 "$(activities name | awk '{ print length($3) }')"
equals "control characters are not kept" 0 "$("$GBRUN" show --breakdown results.gbr | grep -c $'\033')"

run late --breakdown
equals "a list that goes on after its end is no part of it" "0 1 1" \
    "$code $(column kernels) $(said 'plugin bug: the device listed an activity after it had')"
run wrong --breakdown
equals "a list that fails is not kept" "0 ok " "$code $(column status) $(column kernels)"
equals "and the reason is said" 1 "$(said 'warning: no breakdown: the list is lost')"
run none --breakdown
equals "so is that of a device that has none" 1 "$(said 'warning: no breakdown: there is no list')"
run several --breakdown -s good.device=cpu -p "$top_builddir/plugins/device_cpu/.libs"
equals "and that the device does not list" 1 "$(said 'no breakdown: this device does not list what is put on it')"

# ---- a device that is lost ----
run error
equals "a broken device ends the case" "1 device error" "$code $(column status)"
run crash
equals "a crash is placed" "1 1" "$code $(said 'SIGABRT, while listing its kernels')"

finish
