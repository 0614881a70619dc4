What does a network four times as fast save where an all-reduce makes the kernels beside it take 1.5 times as long? In each step 4.5 ms of all-reduce lengthen 3 of 14 kernels of 1 ms to 1.5 ms; 1.125 ms of it lengthen one by 0.375 ms: 14.375 ms of kernels instead of 15.5.

$ stepsim whatif tests/golden/data/gpu_overlap.json --set network.bandwidth=4x
Step time 14.43 ms (14.19 to 16.05 ms), 7.2 % less than the baseline's 15.56 ms. The captured step of 15.56 ms is reproduced exactly because no part of it was modelled; see the self-check of 'stepsim replay'.
Nothing of this kind was measured (another network, captured step, several hosts, training): the range is half as wide again. Other answers about another network were 4.8 % off on average in 24 comparisons with measured runs, from 2 sources that no constant was fitted to; 100 % were in range.

Why
- Largest difference: compute, 15.50 ms to 14.38 ms (-1.125 ms).
- The step is limited by the GPU, before and after.
- A change of -7.2 % is within the uncertainty of this prediction (-8.5 % to +3.1 %): 'transfers': it is unknown how much of the recorded transfer times depends on bandwidth (anything from all to none).

Where the difference comes from
per step of the slowest rank   baseline   scenario  difference
step time                     15.557 ms  14.432 ms   -1.125 ms
compute                       15.500 ms  14.375 ms   -1.125 ms
communication                  4.500 ms   1.125 ms   -3.375 ms
- overlapped with compute      4.500 ms   1.125 ms   -3.375 ms
CPU                            0.153 ms   0.153 ms           0

Changes
- network.bandwidth=4x
  applies to 3 tasks, 13.50 ms of 13.50 ms of communication (100.0 %)

Uncertainty by source
source                    from         to  reason
steps                14.432 ms  14.432 ms  the 3 captured steps vary, and other steps may vary more
typical model error  14.259 ms  14.606 ms  usual error of the models in comparisons with measured runs
extrapolation        14.399 ms  14.464 ms  additional model error for a change this large
profiler             14.426 ms  14.435 ms  the profiler may have added nothing, or up to 4.5 us of CPU time per event; set measured_step or profiler_cost in job.yaml if you know it
transfers            14.432 ms  15.557 ms  it is unknown how much of the recorded transfer times depends on bandwidth (anything from all to none)
interference         14.432 ms  14.432 ms  communication may slow kernels as little as the 10th percentile of those compared, or as much as the 90th
missing ranks        14.432 ms  14.432 ms  3 collectives captured on one rank only: recorded times include waits for other ranks, which may change

In the long run
- limited by rank 0 stream 7 (15.50 ms) (baseline) and rank 0 stream 7 (14.38 ms) (scenario)

Assumptions
- The input has 1 of 2 ranks; the others are assumed to arrive at collectives when these do.
- 3 of 3 collectives do not record how much they transfer; they keep their recorded durations under every network model.
- The network is unknown: no transfer in the capture records its size.
- Kernels are slower during communication, as in the captured steps: gemm 1.50x (9 compared). Their durations change where communication moves; those of other kernels stay as captured.
- The profiler is assumed to have added 1.680 us of CPU time per event, as in jobs that were measured with and without it; it may be 0 to 4.5 us. measured_step or profiler_cost in job.yaml replaces this.
- No network model times 3 transfers: their recorded times, including waits for other ranks, are divided by 4.

Critical paths by class
class     baseline   scenario  difference
length   15.557 ms  14.432 ms   -1.125 ms
compute  15.500 ms  14.375 ms   -1.125 ms
CPU       0.032 ms   0.032 ms           0
waiting   0.025 ms   0.025 ms           0
- baseline: rank 0's step 3; scenario: rank 0's step 3

Kernel slowdown during communication
kernels  compared  slowdown  10th percentile  90th percentile  tasks  as captured  scenario
gemm            9     1.50x            1.50x            1.50x     42     46.50 ms  43.13 ms
- kernel time per step and rank: -1.125 ms (turn this off with --no-interference)
$ stepsim whatif tests/golden/data/gpu_overlap.json --set network.bandwidth=4x --no-interference
Step time 15.56 ms (15.37 to 15.74 ms), the same as the baseline's 15.56 ms. The captured step of 15.56 ms is reproduced exactly because no part of it was modelled; see the self-check of 'stepsim replay'.
Nothing of this kind was measured (another network, captured step, several hosts, training): the range is half as wide again. Other answers about another network were 4.8 % off on average in 24 comparisons with measured runs, from 2 sources that no constant was fitted to; 100 % were in range.

Why
- The step is limited by the GPU, before and after.
- None of the tasks whose duration changes (3) is on the critical path. Largest part of the critical path: compute (100 %).

Where the difference comes from
per step of the slowest rank   baseline   scenario  difference
step time                     15.557 ms  15.557 ms           0
compute                       15.500 ms  15.500 ms           0
communication                  4.500 ms   1.125 ms   -3.375 ms
- overlapped with compute      4.500 ms   1.125 ms   -3.375 ms
CPU                            0.153 ms   0.153 ms           0

Changes
- network.bandwidth=4x
  applies to 3 tasks, 13.50 ms of 13.50 ms of communication (100.0 %)

Uncertainty by source
source                    from         to  reason
steps                15.557 ms  15.557 ms  the 3 captured steps vary, and other steps may vary more
typical model error  15.371 ms  15.744 ms  usual error of the models in comparisons with measured runs
profiler             15.551 ms  15.560 ms  the profiler may have added nothing, or up to 4.5 us of CPU time per event; set measured_step or profiler_cost in job.yaml if you know it
transfers            15.557 ms  15.557 ms  it is unknown how much of the recorded transfer times depends on bandwidth (anything from all to none)
missing ranks        15.557 ms  15.557 ms  3 collectives captured on one rank only: recorded times include waits for other ranks, which may change

In the long run
- limited by rank 0 stream 7 (15.50 ms) (baseline) and rank 0 stream 7 (15.50 ms) (scenario)

Assumptions
- The input has 1 of 2 ranks; the others are assumed to arrive at collectives when these do.
- 3 of 3 collectives do not record how much they transfer; they keep their recorded durations under every network model.
- The network is unknown: no transfer in the capture records its size.
- Kernels keep their captured durations, whatever communication overlaps them (--no-interference).
- The profiler is assumed to have added 1.680 us of CPU time per event, as in jobs that were measured with and without it; it may be 0 to 4.5 us. measured_step or profiler_cost in job.yaml replaces this.
- No network model times 3 transfers: their recorded times, including waits for other ranks, are divided by 4.

Critical paths by class
class     baseline   scenario  difference
length   15.557 ms  15.557 ms           0
compute  15.500 ms  15.500 ms           0
CPU       0.032 ms   0.032 ms           0
waiting   0.025 ms   0.025 ms           0
- baseline: rank 0's step 3; scenario: rank 0's step 3
$ stepsim sweep tests/golden/data/gpu_overlap.json -s tests/golden/data/overlap_grid.yaml
Best of 3 points: network.bandwidth=16x: step time 14.15 ms (13.89 to 16.33 ms), 9.0 % less than the baseline's 15.56 ms; increasing network.bandwidth beyond 4x (1x to 4x within the uncertainty) saves less than 5 %. The captured step of 15.56 ms is reproduced exactly because no part of it was modelled; see the self-check of 'stepsim replay'.
Nothing of this kind was measured (another network, captured step, several hosts, training): the range is half as wide again. Other answers about another network were 4.8 % off on average in 24 comparisons with measured runs, from 2 sources that no constant was fitted to; 100 % were in range.

Step times and their ranges (* = best)
   network.bandwidth  step time      from        to  change
                  1x   15.56 ms  15.37 ms  15.74 ms   0.0 %
                  4x   14.43 ms  14.19 ms  16.05 ms  -7.2 %
*                16x   14.15 ms  13.89 ms  16.33 ms  -9.0 %

Assumptions
- The input has 1 of 2 ranks; the others are assumed to arrive at collectives when these do.
- 3 of 3 collectives do not record how much they transfer; they keep their recorded durations under every network model.
- The network is unknown: no transfer in the capture records its size.
- Kernels are slower during communication, as in the captured steps: gemm 1.50x (9 compared). Their durations change where communication moves; those of other kernels stay as captured.
- The profiler is assumed to have added 1.680 us of CPU time per event, as in jobs that were measured with and without it; it may be 0 to 4.5 us. measured_step or profiler_cost in job.yaml replaces this.
- No network model times 3 transfers: their recorded times, including waits for other ranks, are divided by 4.
- No network model times 3 transfers: their recorded times, including waits for other ranks, are divided by 16.
$ stepsim sweep tests/golden/data/gpu_overlap.json -s tests/golden/data/overlap_grid.yaml --no-interference
None of 3 points changes the step time of 15.56 ms (15.37 to 15.74 ms) by 0.1 % or more; network.bandwidth hardly matters from 1x to 16x (under 5 %). The captured step of 15.56 ms is reproduced exactly because no part of it was modelled; see the self-check of 'stepsim replay'.
Nothing of this kind was measured (another network, captured step, several hosts, training): the range is half as wide again. Other answers about another network were 4.8 % off on average in 24 comparisons with measured runs, from 2 sources that no constant was fitted to; 100 % were in range.

Step times and their ranges (* = best)
   network.bandwidth  step time      from        to  change
*                 1x   15.56 ms  15.37 ms  15.74 ms   0.0 %
                  4x   15.56 ms  15.37 ms  15.74 ms   0.0 %
                 16x   15.56 ms  15.37 ms  15.74 ms   0.0 %

Assumptions
- The input has 1 of 2 ranks; the others are assumed to arrive at collectives when these do.
- 3 of 3 collectives do not record how much they transfer; they keep their recorded durations under every network model.
- The network is unknown: no transfer in the capture records its size.
- Kernels keep their captured durations, whatever communication overlaps them (--no-interference).
- The profiler is assumed to have added 1.680 us of CPU time per event, as in jobs that were measured with and without it; it may be 0 to 4.5 us. measured_step or profiler_cost in job.yaml replaces this.
- No network model times 3 transfers: their recorded times, including waits for other ranks, are divided by 4.
- No network model times 3 transfers: their recorded times, including waits for other ranks, are divided by 16.
