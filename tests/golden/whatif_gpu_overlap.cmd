What does a network four times as fast save where an all-reduce makes the kernels beside it take 1.5 times as long? In each step 4.5 ms of all-reduce lengthen 3 of 14 kernels of 1 ms to 1.5 ms; 1.125 ms of it lengthen one by 0.375 ms: 14.375 ms of kernels instead of 15.5.

$ stepsim whatif tests/golden/data/gpu_overlap.json --set network.bandwidth=4x
With these changes, an iteration takes 14.435 ms, from 14.26 ms to 15.575 ms, instead of 15.56 ms (-7.2 %); the captured iteration of 15.56 ms is reproduced exactly, because nothing was modelled; this does not test the prediction (stepsim replay does).

Changes
- network.bandwidth=4x
  applies to 3 tasks, 13.5 ms of 13.5 ms of communication (100.0 %)

Why
- -7.2 % is no more than what is not known of such a change, mostly because it is unknown how much of the recorded times of transfers was bandwidth: from all of it to none.

Uncertainty by source
source             from        to  reason
steps          14.44 ms  14.44 ms  the 3 captured steps differ, and so few may differ from others
usual error    14.26 ms  14.61 ms  models of measured runs were off by this much
extrapolation  14.40 ms  14.47 ms  models were off by this much more so far from what was captured
profiler       14.43 ms  14.44 ms  recording slows a job, here by up to 3.75 us a step; job.yaml's measured_step would say
transfers      14.44 ms  15.56 ms  it is unknown how much of the recorded times of transfers was bandwidth: from all of it to none
interference   14.44 ms  14.44 ms  communication beside them may slow kernels as little as a tenth of those compared, or as much
missing ranks  14.44 ms  14.44 ms  3 collectives were captured on one rank only: their recorded times, including waits, may change

Where the difference comes from
of an iteration of the slowest rank   baseline   scenario  difference
iteration                            15.560 ms  14.435 ms   -1.125 ms
compute                              15.500 ms  14.375 ms   -1.125 ms
communication                         4.500 ms   1.125 ms   -3.375 ms
- hidden behind compute               4.500 ms   1.125 ms   -3.375 ms
host                                  0.182 ms   0.182 ms           0

Critical paths, by class
on the path   baseline   scenario  difference
length       15.560 ms  14.435 ms   -1.125 ms
compute      15.500 ms  14.375 ms   -1.125 ms
host          0.035 ms   0.035 ms           0
wait          0.025 ms   0.025 ms           0
- baseline: rank 0's step 4; scenario: rank 0's step 4

Kernels beside communication
kernels of  seen both ways  slowdown  10th percentile  90th percentile  kernels  as captured      here
gemm                     9     1.50x            1.50x            1.50x       42     46.50 ms  43.13 ms
- kernels beside communication: -1.125 ms an iteration of a rank (without: --no-interference)

Assumptions
- the input has 1 of 2 ranks: the others are assumed to arrive at collectives when these do
- 3 of 3 collectives do not say what they transfer, or have members that were not read: a network model keeps their recorded durations
- Nothing is said of a network: no transfer of the capture says its bytes.
- Beside communication kernels take longer than alone, as the captured steps show: gemm 1.50 times as long (9 compared). Those follow where communication moves; others stay as captured.
- 3 parts of collectives do not say what they transfer, or lack too many members: their recorded times, including waits for other ranks, are divided by 4, as transfers over links are
$ stepsim whatif tests/golden/data/gpu_overlap.json --set network.bandwidth=4x --no-interference
With these changes, an iteration takes 15.56 ms, from 15.374 ms to 15.748 ms, instead of 15.56 ms (0.0 %); the captured iteration of 15.56 ms is reproduced exactly, because nothing was modelled; this does not test the prediction (stepsim replay does).

Changes
- network.bandwidth=4x
  applies to 3 tasks, 13.5 ms of 13.5 ms of communication (100.0 %)

Why
- None of the tasks that take a different time (3) is on the critical path. What sets the length of an iteration is compute, 100 % of it.

Uncertainty by source
source              from         to  reason
steps          15.560 ms  15.560 ms  the 3 captured steps differ, and so few may differ from others
usual error    15.374 ms  15.748 ms  models of measured runs were off by this much
profiler       15.556 ms  15.560 ms  recording slows a job, here by up to 3.75 us a step; job.yaml's measured_step would say
transfers      15.560 ms  15.560 ms  it is unknown how much of the recorded times of transfers was bandwidth: from all of it to none
missing ranks  15.560 ms  15.560 ms  3 collectives were captured on one rank only: their recorded times, including waits, may change

Where the difference comes from
of an iteration of the slowest rank   baseline   scenario  difference
iteration                            15.560 ms  15.560 ms           0
compute                              15.500 ms  15.500 ms           0
communication                         4.500 ms   1.125 ms   -3.375 ms
- hidden behind compute               4.500 ms   1.125 ms   -3.375 ms
host                                  0.182 ms   0.182 ms           0

Critical paths, by class
on the path   baseline   scenario  difference
length       15.560 ms  15.560 ms           0
compute      15.500 ms  15.500 ms           0
host          0.035 ms   0.035 ms           0
wait          0.025 ms   0.025 ms           0
- baseline: rank 0's step 4; scenario: rank 0's step 4

Assumptions
- the input has 1 of 2 ranks: the others are assumed to arrive at collectives when these do
- 3 of 3 collectives do not say what they transfer, or have members that were not read: a network model keeps their recorded durations
- Nothing is said of a network: no transfer of the capture says its bytes.
- Kernels take as long as captured, whatever communication runs beside them (--no-interference).
- 3 parts of collectives do not say what they transfer, or lack too many members: their recorded times, including waits for other ranks, are divided by 4, as transfers over links are
$ stepsim sweep tests/golden/data/gpu_overlap.json -s tests/golden/data/overlap_grid.yaml
Of 3 points the best is network.bandwidth=16x: an iteration takes 14.154 ms, from 13.98 ms to 15.572 ms, instead of 15.56 ms (-9.0 %); beyond network.bandwidth=4x (the knee, from 1x to 4x) more buys less than 5 %; the captured iteration of 15.56 ms is reproduced exactly, because nothing was modelled; this does not test the prediction (stepsim replay does).

Iteration times and their ranges; * is the best
   network.bandwidth  iteration      from        to   change
                  1x   15.56 ms  15.37 ms  15.75 ms   0.00 %
                  4x   14.44 ms  14.26 ms  15.58 ms  -7.23 %
*                16x   14.15 ms  13.98 ms  15.57 ms  -9.04 %

Assumptions
- the input has 1 of 2 ranks: the others are assumed to arrive at collectives when these do
- 3 of 3 collectives do not say what they transfer, or have members that were not read: a network model keeps their recorded durations
- Nothing is said of a network: no transfer of the capture says its bytes.
- Beside communication kernels take longer than alone, as the captured steps show: gemm 1.50 times as long (9 compared). Those follow where communication moves; others stay as captured.
- 3 parts of collectives do not say what they transfer, or lack too many members: their recorded times, including waits for other ranks, are divided by 4, as transfers over links are
- 3 parts of collectives do not say what they transfer, or lack too many members: their recorded times, including waits for other ranks, are divided by 16, as transfers over links are
$ stepsim sweep tests/golden/data/gpu_overlap.json -s tests/golden/data/overlap_grid.yaml --no-interference
Of 3 points the best is network.bandwidth=1x: an iteration takes 15.56 ms, from 15.374 ms to 15.748 ms, instead of 15.56 ms (0.0 %); no point is faster than the job as captured; no value of network.bandwidth buys 5 %; the captured iteration of 15.56 ms is reproduced exactly, because nothing was modelled; this does not test the prediction (stepsim replay does).

Iteration times and their ranges; * is the best
   network.bandwidth  iteration      from        to  change
*                 1x   15.56 ms  15.37 ms  15.75 ms  0.00 %
                  4x   15.56 ms  15.37 ms  15.75 ms  0.00 %
                 16x   15.56 ms  15.37 ms  15.75 ms  0.00 %

Assumptions
- the input has 1 of 2 ranks: the others are assumed to arrive at collectives when these do
- 3 of 3 collectives do not say what they transfer, or have members that were not read: a network model keeps their recorded durations
- Nothing is said of a network: no transfer of the capture says its bytes.
- Kernels take as long as captured, whatever communication runs beside them (--no-interference).
- 3 parts of collectives do not say what they transfer, or lack too many members: their recorded times, including waits for other ranks, are divided by 4, as transfers over links are
- 3 parts of collectives do not say what they transfer, or lack too many members: their recorded times, including waits for other ranks, are divided by 16, as transfers over links are
