Does a job fit in memory with another batch or on another device? By formula: 30 GiB that stay, and 256 MiB that grow with the samples.

$ stepsim whatif tests/golden/data/gpu_memory.json --set batch.scale=8
Step time 65.58 ms (60.60 to 70.96 ms), 681.7 % more than the baseline's 8.390 ms; 122 batches/s instead of 119.2 (+2.3 %). The captured step of 8.4 ms is reproduced exactly because no part of it was modelled; see the self-check of 'stepsim replay'.
Answers of this kind (another batch, captured step, one host, inference) were 3.1 % off on average in 10 comparisons with measured runs, from 1 source that constants were fitted to; 100 % were in range.

Why
- Largest difference: compute, 8.180 ms to 65.37 ms (+57.19 ms).
- The step is limited by the GPU, before and after.

Where the difference comes from
per step of the slowest rank  baseline   scenario  difference
step time                     8.390 ms  65.585 ms  +57.194 ms
compute                       8.180 ms  65.374 ms  +57.194 ms
CPU                           0.360 ms   0.360 ms           0
nothing running               0.001 ms   0.001 ms           0

Changes
- batch.scale=8

Throughput
          workers  devices  batches/s  per device  efficiency
baseline        1        1      119.2       119.2     100.0 %
scenario        1        1        122         122     102.3 %

Memory
- rank 0 allocates at most 32.0 GiB (30.2 GiB to 33.9 GiB); the 40.0 GiB of NVIDIA A100-SXM4-40GB suffice

Uncertainty by source
source                   from        to  reason
steps                62.31 ms  68.86 ms  a single captured step does not show how steps vary
typical model error  64.29 ms  66.91 ms  usual error of the models in comparisons with measured runs
extrapolation        61.66 ms  69.76 ms  additional model error for a change this large
profiler             65.58 ms  65.59 ms  the profiler may have added nothing, or up to 4.5 us of CPU time per event; set measured_step or profiler_cost in job.yaml if you know it
device               57.09 ms  75.35 ms  kernels with other work or on another device may take less or more time than the roofline model predicts

In the long run
- limited by rank 0 stream 7 (8.180 ms) (baseline) and rank 0 stream 7 (65.37 ms) (scenario)

Assumptions
- The capture shows no network: a single rank sends no messages.
- The profiler is assumed to have added 2.4 us of CPU time per event, as in jobs that were measured with and without it; it may be 0 to 4.5 us. measured_step or profiler_cost in job.yaml replaces this.
- Tensors with two dimensions or more hold samples, unless a parameter has the same sizes (1 parameter found); work on them grows by roofline, and CPU time stays the same.

Critical paths by class
class    baseline   scenario  difference
length   8.390 ms  65.585 ms  +57.194 ms
compute  8.180 ms  65.374 ms  +57.194 ms
CPU      0.195 ms   0.195 ms           0
waiting  0.015 ms   0.015 ms           0
- baseline: rank 0's step 3; scenario: rank 0's step 3

Device work with batch.scale=8
scaled by                        tasks   share    before      after
shapes: limited by matrix units      1  97.8 %  8.000 ms  63.945 ms
shapes: limited by memory            1   2.2 %  0.180 ms   1.430 ms

Device work with batch.scale=8, by kernel class
class        tasks   share    before      after
gemm             1  97.8 %  8.000 ms  63.945 ms
elementwise      1   2.2 %  0.180 ms   1.430 ms
$ stepsim whatif tests/golden/data/gpu_memory.json --set batch.scale=64 --set device.to=H100 --brief
Step time 177.2 ms (133.9 to 234.2 ms), 21x the baseline's 8.390 ms; 361.3 batches/s instead of 119.2 (+203.1 %). The captured step of 8.4 ms is reproduced exactly because no part of it was modelled; see the self-check of 'stepsim replay'.
Answers of this kind (another GPU, captured step, one host, inference) were 4.1 % off on average in 162 comparisons with measured runs, from 6 sources that constants were fitted to; 98 % were in range.

Why
- Largest difference: compute, 8.180 ms to 176.9 ms (+168.8 ms).
- The step is limited by the GPU, before and after.
$ stepsim sweep tests/golden/data/gpu_memory.json --set batch.scale=1,8,24,64
Best of 4 points: batch.scale=24: 122.2 batches/s, 122.2 per device (102.6 % of the baseline's 119.2), step time 196.3 ms (180.0 to 214.0 ms), 23x the baseline's 8.390 ms; 1 point does not fit in memory; the best may not fit in memory (36.0 GiB allocated, NVIDIA A100-SXM4-40GB has 40.0 GiB); batch.scale hardly matters from 1 to 64 (under 5 %). The captured step of 8.4 ms is reproduced exactly because no part of it was modelled; see the self-check of 'stepsim replay'.
Answers of this kind (another batch, captured step, one host, inference) were 3.1 % off on average in 10 comparisons with measured runs, from 1 source that constants were fitted to; 100 % were in range.

Step times and their ranges (* = best)
   batch.scale  step time      from        to       change  batches/s  per device  efficiency  peak memory  fits
             1     8.4 ms    8.0 ms    8.8 ms        0.0 %      119.2       119.2     100.0 %     30.2 GiB  yes
             8    65.6 ms   60.6 ms   71.0 ms     +681.7 %        122         122     102.3 %     32.0 GiB  yes
*           24   196.3 ms  180.0 ms  214.0 ms  23x as much      122.2       122.2     102.6 %     36.0 GiB  unsure
            64   522.8 ms  475.3 ms  574.8 ms  62x as much      122.4       122.4     102.7 %     46.0 GiB  no

Assumptions
- The capture shows no network: a single rank sends no messages.
- The profiler is assumed to have added 2.4 us of CPU time per event, as in jobs that were measured with and without it; it may be 0 to 4.5 us. measured_step or profiler_cost in job.yaml replaces this.
- Tensors with two dimensions or more hold samples, unless a parameter has the same sizes (1 parameter found); work on them grows by roofline, and CPU time stays the same.
$ stepsim sweep tests/golden/data/gpu_memory.json --set batch.scale=64 --set device.to=recorded,H100 -o -.csv
device.to,iteration_ns,low_ns,high_ns,baseline_ns,ratio,per_second,efficiency,peak_bytes,capacity_bytes,fits,problem,made by
recorded,522758369,435494356,627137114,8390400,62.304344131388255,122.42749957772557,1.0272156924569484,49392123904,42949672960,no,,"stepsim 0.1.0 (COMMIT): stepsim sweep tests/golden/data/gpu_memory.json --set batch.scale=64 --set device.to=recorded,H100; 1 input, crc64 e88d96c575c0cad5"
H100,177150344,133944508,234235127,8390400,21.113456331045004,361.275053465321,3.0312422085954287,49392123904,85899345920,yes,,"stepsim 0.1.0 (COMMIT): stepsim sweep tests/golden/data/gpu_memory.json --set batch.scale=64 --set device.to=recorded,H100; 1 input, crc64 e88d96c575c0cad5"
