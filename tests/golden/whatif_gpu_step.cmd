What would another GPU, another precision and twice the batch do to a step of one linear layer, and what was scaled how?

$ stepsim whatif tests/golden/data/gpu_step.json --set device.to=H100
Step time 6.234 ms (5.471 to 7.109 ms), 63.3 % less than the baseline's 16.99 ms. The captured step of 17 ms is reproduced exactly because no part of it was modelled; see the self-check of 'stepsim replay'.
Answers of this kind (another GPU, captured step, one host, inference) were 4.1 % off on average in 162 comparisons with measured runs, from 6 sources that constants were fitted to; 98 % were in range.

Why
- Largest difference: compute, 16.39 ms to 5.631 ms (-10.76 ms).
- The step is limited by the GPU, before and after.

Where the difference comes from
per step of the slowest rank   baseline  scenario  difference
step time                     16.993 ms  6.234 ms  -10.759 ms
compute                       16.390 ms  5.631 ms  -10.759 ms
copies                         0.400 ms  0.400 ms           0
CPU                            0.361 ms  0.361 ms           0
nothing running                0.003 ms  0.003 ms           0

Changes
- device.to=H100
  applies to 3 tasks, 16.39 ms of 16.39 ms of compute (100.0 %); 1 task, 400 us of 400 us of copy (100.0 %)

Memory
- whether the job fits in memory is not known: the capture has no allocations; record with profile_memory=True and record_shapes=True

Uncertainty by source
source                   from        to  reason
steps                5.922 ms  6.546 ms  a single captured step does not show how steps vary
typical model error  6.160 ms  6.309 ms  usual error of the models in comparisons with measured runs
extrapolation        6.049 ms  6.424 ms  additional model error for a change this large
profiler             6.228 ms  6.241 ms  the profiler may have added nothing, or up to 4.5 us of CPU time per event; set measured_step or profiler_cost in job.yaml if you know it
device               5.504 ms  7.073 ms  kernels with other work or on another device may take less or more time than the roofline model predicts
host                 6.177 ms  6.310 ms  the CPU of the other machine may be faster or slower (0.7 to 1.4 times the captured times); set host.scale if you know it

In the long run
- limited by rank 0 stream 7 (16.79 ms) (baseline) and rank 0 stream 7 (6.031 ms) (scenario)

Assumptions
- The capture shows no network: a single rank sends no messages.
- The profiler is assumed to have added 2.4 us of CPU time per event, as in jobs that were measured with and without it; it may be 0 to 4.5 us. measured_step or profiler_cost in job.yaml replaces this.
- Device work on H100 SXM is scaled by roofline (NVIDIA H100 datasheet (2023), 'Product Specifications', halved where it counts sparsity), with the limits listed in docs/internals/models.md; CPU work and launches keep their recorded times.

Critical paths by class
class     baseline  scenario  difference
length   16.993 ms  6.234 ms  -10.759 ms
compute  16.390 ms  5.631 ms  -10.759 ms
copies    0.400 ms  0.400 ms           0
CPU       0.190 ms  0.190 ms           0
waiting   0.013 ms  0.013 ms           0
- baseline: rank 0's step 3; scenario: rank 0's step 3

Device work with device.to=H100
scaled by                        tasks   share     before     after
shapes: limited by matrix units      1  95.3 %  16.000 ms  5.456 ms
shapes: limited by memory            2   2.3 %   0.390 ms  0.175 ms
unchanged                            1   2.4 %   0.400 ms  0.400 ms
- unchanged: collectives, whose time depends on the network, and copies of pageable memory

Device work with device.to=H100, by kernel class
class        tasks   share     before     after
gemm             1  95.3 %  16.000 ms  5.456 ms
elementwise      2   2.3 %   0.390 ms  0.175 ms
staged copy      1   2.4 %   0.400 ms  0.400 ms
$ stepsim whatif tests/golden/data/gpu_step.json --set precision.to=bf16
Step time 1.948 ms (1.592 to 2.462 ms), 88.5 % less than the baseline's 16.99 ms. The captured step of 17 ms is reproduced exactly because no part of it was modelled; see the self-check of 'stepsim replay'.
Answers of this kind are unreliable: half of those with a measured run were more than 22 % off.
Answers of this kind (another precision, captured step, one host) were 22.4 % off on average in 29 comparisons with measured runs, from 22 sources that no constant was fitted to; 91 % were in range.

Why
- Largest difference: compute, 16.39 ms to 1.345 ms (-15.04 ms).
- The step is limited by the GPU, before and after.

Where the difference comes from
per step of the slowest rank   baseline  scenario  difference
step time                     16.993 ms  1.948 ms  -15.045 ms
compute                       16.390 ms  1.345 ms  -15.045 ms
copies                         0.400 ms  0.400 ms           0
CPU                            0.361 ms  0.361 ms           0
nothing running                0.003 ms  0.003 ms           0

Changes
- precision.to=bf16
  applies to 3 tasks, 16.39 ms of 16.39 ms of compute (100.0 %); 1 task, 400 us of 400 us of copy (100.0 %)

Memory
- whether the job fits in memory is not known: the capture has no allocations; record with profile_memory=True and record_shapes=True

Uncertainty by source
source                   from        to  reason
steps                1.851 ms  2.046 ms  a single captured step does not show how steps vary
typical model error  1.925 ms  1.972 ms  usual error of the models in comparisons with measured runs
extrapolation        1.826 ms  2.079 ms  additional model error for a change this large
profiler             1.942 ms  1.955 ms  the profiler may have added nothing, or up to 4.5 us of CPU time per event; set measured_step or profiler_cost in job.yaml if you know it
device               1.582 ms  2.494 ms  kernels with other work or on another device may take less or more time than the roofline model predicts

In the long run
- limited by rank 0 stream 7 (16.79 ms) (baseline) and rank 0 stream 7 (1.745 ms), rank 0 thread 2 (189.8 us) (scenario)

Assumptions
- The capture shows no network: a single rank sends no messages.
- The profiler is assumed to have added 2.4 us of CPU time per event, as in jobs that were measured with and without it; it may be 0 to 4.5 us. measured_step or profiler_cost in job.yaml replaces this.
- Matrix products run in bf16 and activations are kept in bf16; no casts are added, and the optimizer keeps its precision.

Critical paths by class
class     baseline  scenario  difference
length   16.993 ms  1.948 ms  -15.045 ms
compute  16.390 ms  1.345 ms  -15.045 ms
copies    0.400 ms  0.400 ms           0
CPU       0.190 ms  0.190 ms           0
waiting   0.013 ms  0.013 ms           0
- baseline: rank 0's step 3; scenario: rank 0's step 3

Device work with precision.to=bf16
scaled by                        tasks   share     before     after
shapes: limited by matrix units      1  95.3 %  16.000 ms  1.064 ms
shapes: limited by memory            1   1.3 %   0.220 ms  0.111 ms
unchanged                            2   3.4 %   0.570 ms  0.570 ms
- unchanged: the optimizer, collectives, memsets, copies between host and device, integers, kernels of unknown kind, and work of unknown precision or already in this one

Device work with precision.to=bf16, by kernel class
class        tasks   share     before     after
gemm             1  95.3 %  16.000 ms  1.064 ms
elementwise      2   2.3 %   0.390 ms  0.281 ms
staged copy      1   2.4 %   0.400 ms  0.400 ms
$ stepsim whatif tests/golden/data/gpu_step.json --set batch.scale=2
Step time 33.59 ms (31.17 to 36.18 ms), 97.7 % more than the baseline's 16.99 ms; 59.55 batches/s instead of 58.85 (+1.2 %). The captured step of 17 ms is reproduced exactly because no part of it was modelled; see the self-check of 'stepsim replay'.
Answers of this kind (another batch, captured step, one host, inference) were 3.1 % off on average in 10 comparisons with measured runs, from 1 source that constants were fitted to; 100 % were in range.

Why
- Largest difference: compute, 16.39 ms to 32.58 ms (+16.19 ms).
- The step is limited by the GPU, before and after.

Where the difference comes from
per step of the slowest rank   baseline   scenario  difference
step time                     16.993 ms  33.587 ms  +16.594 ms
compute                       16.390 ms  32.584 ms  +16.194 ms
copies                         0.400 ms   0.800 ms   +0.400 ms
CPU                            0.361 ms   0.361 ms           0
nothing running                0.003 ms   0.003 ms           0

Changes
- batch.scale=2

Throughput
          workers  devices  batches/s  per device  efficiency
baseline        1        1      58.85       58.85     100.0 %
scenario        1        1      59.55       59.55     101.2 %

Uncertainty by source
source                   from        to  reason
steps                31.91 ms  35.27 ms  a single captured step does not show how steps vary
typical model error  32.92 ms  34.27 ms  usual error of the models in comparisons with measured runs
extrapolation        32.91 ms  34.28 ms  additional model error for a change this large
profiler             33.58 ms  33.59 ms  the profiler may have added nothing, or up to 4.5 us of CPU time per event; set measured_step or profiler_cost in job.yaml if you know it
device               29.19 ms  38.67 ms  kernels with other work or on another device may take less or more time than the roofline model predicts

In the long run
- limited by rank 0 stream 7 (16.79 ms) (baseline) and rank 0 stream 7 (33.38 ms) (scenario)

Assumptions
- The capture shows no network: a single rank sends no messages.
- The profiler is assumed to have added 2.4 us of CPU time per event, as in jobs that were measured with and without it; it may be 0 to 4.5 us. measured_step or profiler_cost in job.yaml replaces this.
- Tensors with two dimensions or more hold samples, unless a parameter has the same sizes (1 parameter found); work on them grows by roofline, and CPU time stays the same.
- No allocations were recorded: the batch is assumed to fit in memory, with activations 2 times as large.

Critical paths by class
class     baseline   scenario  difference
length   16.993 ms  33.587 ms  +16.594 ms
compute  16.390 ms  32.584 ms  +16.194 ms
copies    0.400 ms   0.800 ms   +0.400 ms
CPU       0.190 ms   0.190 ms           0
waiting   0.013 ms   0.013 ms           0
- baseline: rank 0's step 3; scenario: rank 0's step 3

Device work with batch.scale=2
scaled by                        tasks   share    before     after
shapes: limited by matrix units      1  95.3 %  16.00 ms  31.98 ms
shapes: limited by memory            1   1.3 %   0.22 ms   0.44 ms
kernel class (no shapes)             1   2.4 %   0.40 ms   0.80 ms
unchanged                            1   1.0 %   0.17 ms   0.17 ms
- unchanged: the optimizer, operators on parameters and gradients alone, and collectives

Device work with batch.scale=2, by kernel class
class        tasks   share    before     after
gemm             1  95.3 %  16.00 ms  31.98 ms
elementwise      2   2.3 %   0.39 ms   0.61 ms
staged copy      1   2.4 %   0.40 ms   0.80 ms
$ stepsim sweep tests/golden/data/gpu_step.json -s scenarios/library/which-gpu.yaml
Best of 6 points: device.to=MI300X: step time 3.219 ms (2.553 to 4.110 ms), 81.1 % less than the baseline's 16.99 ms. The captured step of 17 ms is reproduced exactly because no part of it was modelled; see the self-check of 'stepsim replay'.
Answers of this kind (another GPU, captured step, one host, inference) were 4.1 % off on average in 162 comparisons with measured runs, from 6 sources that constants were fitted to; 98 % were in range.

Step times and their ranges (* = best)
   device.to  step time      from        to   change
    recorded   16.99 ms  16.12 ms  17.87 ms    0.0 %
        A100   16.99 ms  16.12 ms  17.87 ms    0.0 %
        H100    6.23 ms   5.47 ms   7.11 ms  -63.3 %
        H200    6.18 ms   5.09 ms   7.54 ms  -63.6 %
        B200    5.51 ms   4.84 ms   6.28 ms  -67.6 %
*     MI300X    3.22 ms   2.55 ms   4.11 ms  -81.1 %

Assumptions
- The capture shows no network: a single rank sends no messages.
- The profiler is assumed to have added 2.4 us of CPU time per event, as in jobs that were measured with and without it; it may be 0 to 4.5 us. measured_step or profiler_cost in job.yaml replaces this.
- Device work on A100 SXM 40GB is scaled by roofline (NVIDIA A100 datasheet 1758950-r4 (2022), 'Specifications'), with the limits listed in docs/internals/models.md; CPU work and launches keep their recorded times.
- Device work on H100 SXM is scaled by roofline (NVIDIA H100 datasheet (2023), 'Product Specifications', halved where it counts sparsity), with the limits listed in docs/internals/models.md; CPU work and launches keep their recorded times.
- Device work on H200 is scaled by roofline (NVIDIA H200 datasheet (2024), 'Specifications', halved where it counts sparsity), with the limits listed in docs/internals/models.md; CPU work and launches keep their recorded times.
- Device work on B200 is scaled by roofline (NVIDIA Blackwell datasheet (2025), 'Technical Specifications', HGX B200, halved where it counts sparsity), with the limits listed in docs/internals/models.md; CPU work and launches keep their recorded times.
- Device work on MI300X is scaled by roofline (AMD Instinct MI300A, MI300X, MI325X data sheets (2023, 2024), 'Specifications'), with the limits listed in docs/internals/models.md; CPU work and launches keep their recorded times.
$ stepsim whatif tests/golden/data/gpu_step.json --set precision.to=fp8
error: --set 'precision.to=fp8': A100 SXM 40GB has no units for fp8; expected one of fp32, tf32, bf16, fp16, or another device (device.to)
[exit 2]
