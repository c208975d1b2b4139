#!/usr/bin/env bash
# gbrun stands still itself (Ctrl-Z, a slow disk: an hour in which it asks no clock): that is charged to no case.
. "$top_srcdir/tests/tap.sh"
with_modules

few_samples 3 'device = cpu' 'iterations = 1' 'time_limit = 60 s' '[bench slow]' 'where = prepare' 'sweep.time = 1 h, 2 h' >paused.ini
exits "cases that waited for gbrun are fine" 0 hurry "$GBRUN" -c paused.ini
equals "all of them" 2 "$(grep -c "^[12]/2  slow time=[0-9]*ns  .* 3 samples$" err.txt)"
finish
