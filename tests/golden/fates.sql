-- fates.sql - what becomes of the cases of views_make_file in tests/view/views_fixture.h.
INSERT INTO metric SELECT id, 0, 'threads', id, '' FROM bench_case WHERE id < 9 AND id != 4;
INSERT INTO metric SELECT id, 1, 'switches', 10 * (id - 1), '1/s' FROM bench_case WHERE id < 9 AND id != 4;
UPDATE bench_case SET low_ns = -9e999, high_ns = 9e999, note = 'still falling by 0.4 % a second',
    verdict = 'unconverged', stop_reason = 'max_time 15 s' WHERE id = 3;
UPDATE bench_case SET status = 'wrong result' WHERE id = 5;
UPDATE check_result SET passed = 0, value = 0.5, text = 'abs 0.5 > 1e-06 at [17]: expected 1.5, got 2'
    WHERE case_id = 5;
INSERT INTO check_worst VALUES (5, 0, 'C', 17, 1.5, 2, 4194304), (5, 1, 'C', 5, -0.1, -0.100000008, 1);
UPDATE bench_case SET verdict = 'multimodal', n_lost = 3 WHERE id = 6;
INSERT INTO mode VALUES (6, 0, 160e3, 159e3, 161e3, 0.61), (6, 1, 190e3, 189e3, 191e3, 0.39);

-- Two seconds in which 500 J were used, at 250 W, by 20 iterations; one device was throttled in the end.
UPDATE bench_case SET open_ns = 1e6, prepare_ns = 2e6, warmup_ns = 3e6, measure_ns = 2e9, count_ns = 4e6,
    verify_ns = 5e6 WHERE id BETWEEN 6 AND 8;
INSERT INTO telemetry SELECT id, column1, column2, column3, column4, 2.619e9, column5, column6, column7, 0, '', 0
    FROM bench_case, (VALUES ('before', 0, 0, 1.98e9, 35, 90, 1e6), ('begin', 0, 0, 1.98e9, 40, 90, 1e6),
                             ('end', 2e9, 20, 1.5e9, 61.5, 300, 1000500)) WHERE id BETWEEN 6 AND 8;
UPDATE telemetry SET throttle = 4, throttle_text = 'power' || char(10) || 'limit' WHERE case_id = 7 AND moment = 'end';

-- The first four of five samples were throttled, and all of twenty: one double that stands for all.
UPDATE samples SET n = 5, data = substr(data, 1, 40) WHERE case_id = 7;
INSERT INTO samples VALUES (8, 'flags', 0, 20, x'000000000000F03F'), (7, 'flags', 0, 5,
    x'000000000000F03F000000000000F03F000000000000F03F000000000000F03F0000000000000000');
UPDATE bench_case SET n_samples = 5, n_throttled = 4 WHERE id = 7;
UPDATE bench_case SET n_throttled = 20 WHERE id = 8;
INSERT INTO message SELECT id, 0, 2, 'the governor is' || char(10) || 'powersave' FROM bench_case WHERE id IN (7, 8);
INSERT INTO message VALUES (7, 1, 1, 'warmed up'), (8, 1, 1, 'warmed up');

UPDATE parameter SET value = 'a|b, "c"' WHERE value = 'quoted';
DELETE FROM check_result WHERE case_id = 9;
UPDATE samples SET n = 4, data = substr(data, 1, 32) WHERE case_id = 9;
UPDATE bench_case SET n_samples = 4, iterations = 10, flops = 0, bytes_read = 0, items = 100, item = 'call',
    verdict = 'none', low_ns = NULL, high_ns = NULL, stop_reason = '20 samples' WHERE id = 9;
UPDATE bench_case SET status_text = 'needs 4 cores' WHERE id = 10;
