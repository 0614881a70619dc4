What would another GPU, another precision and twice the batch do to a step of one linear layer, and what was scaled how?

$ stepsim whatif tests/golden/data/gpu_step.json --set device.to=H100
With these changes, an iteration takes 6.241 ms, from 5.432 ms to 7.177 ms, instead of 17 ms (-63.3 %); the captured iteration of 17 ms is reproduced exactly, because nothing was modelled; this does not test the prediction (stepsim replay does).

Changes
- device.to=H100
  applies to 3 tasks, 16.39 ms of 16.39 ms of compute (100.0 %); 1 task, 400 us of 400 us of copy (100.0 %)

Uncertainty by source
source             from        to  reason
steps          5.929 ms  6.553 ms  one captured step does not show how steps differ
usual error    6.167 ms  6.317 ms  models of measured runs were off by this much
extrapolation  6.056 ms  6.432 ms  models were off by this much more so far from what was captured
profiler       6.214 ms  6.241 ms  recording slows a job, here by up to 27.5 us a step; job.yaml's measured_step would say
device         5.511 ms  7.081 ms  kernels with other work or on another device may take less or more than roofline says
host           6.182 ms  6.320 ms  another machine's processor may be faster or slower, from 0.7 to 1.4 of the captured times; host.scale says how much

Where the difference comes from
of an iteration of the slowest rank   baseline  scenario  difference
iteration                            17.000 ms  6.241 ms  -10.759 ms
compute                              16.390 ms  5.631 ms  -10.759 ms
copies                                0.400 ms  0.400 ms           0
host                                  0.389 ms  0.389 ms           0
idle                                      3 us      3 us           0

Critical paths, by class
on the path   baseline  scenario  difference
length       17.000 ms  6.241 ms  -10.759 ms
compute      16.390 ms  5.631 ms  -10.759 ms
copy          0.400 ms  0.400 ms           0
host          0.197 ms  0.197 ms           0
wait          0.013 ms  0.013 ms           0
- baseline: rank 0's step 3; scenario: rank 0's step 3

Device work under device.to=H100
scaled by                              tasks   share     before     after
its shapes: the matrix units bound it      1  95.3 %  16.000 ms  5.456 ms
its shapes: memory bounds it               2   2.3 %   0.390 ms  0.175 ms
left as it was                             1   2.4 %   0.400 ms  0.400 ms
- left as they were: collectives, whose time depends on the network, and copies of pageable memory

The same by class of kernel
class        tasks   share     before     after
gemm             1  95.3 %  16.000 ms  5.456 ms
elementwise      2   2.3 %   0.390 ms  0.175 ms
staged copy      1   2.4 %   0.400 ms  0.400 ms

Assumptions
- One rank alone sends no messages: nothing is said of a network.
- device work on H100 SXM is scaled by roofline (NVIDIA H100 datasheet (2023), 'Product Specifications', halved where it counts sparsity), with the limits that docs/models.md lists; host work and launches keep their recorded times
$ stepsim whatif tests/golden/data/gpu_step.json --set precision.to=bf16
With these changes, an iteration takes 1.955 ms, from 1.563 ms to 2.534 ms, instead of 17 ms (-88.5 %); the captured iteration of 17 ms is reproduced exactly, because nothing was modelled; this does not test the prediction (stepsim replay does).

Changes
- precision.to=bf16
  applies to 3 tasks, 16.39 ms of 16.39 ms of compute (100.0 %); 1 task, 400 us of 400 us of copy (100.0 %)

Uncertainty by source
source             from        to  reason
steps          1.858 ms  2.053 ms  one captured step does not show how steps differ
usual error    1.932 ms  1.979 ms  models of measured runs were off by this much
extrapolation  1.833 ms  2.086 ms  models were off by this much more so far from what was captured
profiler       1.928 ms  1.955 ms  recording slows a job, here by up to 27.5 us a step; job.yaml's measured_step would say
device         1.589 ms  2.501 ms  kernels with other work or on another device may take less or more than roofline says

Where the difference comes from
of an iteration of the slowest rank   baseline  scenario  difference
iteration                            17.000 ms  1.955 ms  -15.045 ms
compute                              16.390 ms  1.345 ms  -15.045 ms
copies                                0.400 ms  0.400 ms           0
host                                  0.389 ms  0.389 ms           0
idle                                      3 us      3 us           0

Critical paths, by class
on the path   baseline  scenario  difference
length       17.000 ms  1.955 ms  -15.045 ms
compute      16.390 ms  1.345 ms  -15.045 ms
copy          0.400 ms  0.400 ms           0
host          0.197 ms  0.197 ms           0
wait          0.013 ms  0.013 ms           0
- baseline: rank 0's step 3; scenario: rank 0's step 3

Device work under precision.to=bf16
scaled by                              tasks   share     before     after
its shapes: the matrix units bound it      1  95.3 %  16.000 ms  1.064 ms
its shapes: memory bounds it               1   1.3 %   0.220 ms  0.111 ms
left as it was                             2   3.4 %   0.570 ms  0.570 ms
- left as they were: the optimizer, collectives, memsets, copies between host and device, integers, kernels of unknown kind, and work of unknown precision or already in this one

The same by class of kernel
class        tasks   share     before     after
gemm             1  95.3 %  16.000 ms  1.064 ms
elementwise      2   2.3 %   0.390 ms  0.281 ms
staged copy      1   2.4 %   0.400 ms  0.400 ms

Assumptions
- One rank alone sends no messages: nothing is said of a network.
- products are done in bf16 and activations kept in bf16; no casts are added, and the optimizer keeps its precision
$ stepsim whatif tests/golden/data/gpu_step.json --set batch.scale=2
With these changes, an iteration takes 33.594 ms, from 28.854 ms to 39.102 ms, instead of 17 ms (+97.6 %); 59.53 batches/s instead of 58.82 (+1.2 %); the captured iteration of 17 ms is reproduced exactly, because nothing was modelled; this does not test the prediction (stepsim replay does).

Changes
- batch.scale=2

Throughput
          workers  devices  batches/s  a device  efficiency
baseline        1        1      58.82     58.82     100.0 %
scenario        1        1      59.53     59.53     101.2 %

Uncertainty by source
source             from        to  reason
steps          31.91 ms  35.27 ms  one captured step does not show how steps differ
usual error    32.93 ms  34.27 ms  models of measured runs were off by this much
extrapolation  32.91 ms  34.29 ms  models were off by this much more so far from what was captured
profiler       33.57 ms  33.59 ms  recording slows a job, here by up to 27.5 us a step; job.yaml's measured_step would say
device         29.20 ms  38.68 ms  kernels with other work or on another device may take less or more than roofline says

Where the difference comes from
of an iteration of the slowest rank  baseline  scenario  difference
iteration                            17.00 ms  33.59 ms   +16.59 ms
compute                              16.39 ms  32.58 ms   +16.19 ms
copies                                0.40 ms   0.80 ms    +0.40 ms
host                                  0.39 ms   0.39 ms           0
idle                                     3 us      3 us           0

Critical paths, by class
on the path   baseline   scenario  difference
length       17.000 ms  33.594 ms  +16.594 ms
compute      16.390 ms  32.584 ms  +16.194 ms
copy          0.400 ms   0.800 ms   +0.400 ms
host          0.197 ms   0.197 ms           0
wait          0.013 ms   0.013 ms           0
- baseline: rank 0's step 3; scenario: rank 0's step 3

Device work under batch.scale=2
scaled by                              tasks   share    before     after
its shapes: the matrix units bound it      1  95.3 %  16.00 ms  31.98 ms
its shapes: memory bounds it               1   1.3 %   0.22 ms   0.44 ms
its class of kernel, without shapes        1   2.4 %   0.40 ms   0.80 ms
left as it was                             1   1.0 %   0.17 ms   0.17 ms
- left as they were: the optimizer, operators on parameters and gradients alone, and collectives

The same by class of kernel
class        tasks   share    before     after
gemm             1  95.3 %  16.00 ms  31.98 ms
elementwise      2   2.3 %   0.39 ms   0.61 ms
staged copy      1   2.4 %   0.40 ms   0.80 ms

Assumptions
- One rank alone sends no messages: nothing is said of a network.
- a tensor carries samples if it has two dimensions or more and no parameter has its sizes (1 were found); what works on such tensors grows by roofline, and the host takes the time it took
$ stepsim sweep tests/golden/data/gpu_step.json -s scenarios/library/which-gpu.yaml
Of 6 points the best is device.to=MI300X: an iteration takes 3.227 ms, from 2.522 ms to 4.182 ms, instead of 17 ms (-81.0 %); the captured iteration of 17 ms is reproduced exactly, because nothing was modelled; this does not test the prediction (stepsim replay does).

Iteration times and their ranges; * is the best
   device.to  iteration      from        to    change
    recorded   17.00 ms  16.13 ms  17.88 ms    0.00 %
        A100   17.00 ms  16.13 ms  17.88 ms    0.00 %
        H100    6.24 ms   5.43 ms   7.18 ms  -63.29 %
        H200    6.19 ms   5.03 ms   7.64 ms  -63.60 %
        B200    5.52 ms   4.49 ms   6.80 ms  -67.56 %
*     MI300X    3.23 ms   2.52 ms   4.18 ms  -81.02 %

Assumptions
- One rank alone sends no messages: nothing is said of a network.
- device work on A100 SXM 40GB is scaled by roofline (NVIDIA A100 datasheet 1758950-r4 (2022), 'Specifications'), with the limits that docs/models.md lists; host work and launches keep their recorded times
- device work on H100 SXM is scaled by roofline (NVIDIA H100 datasheet (2023), 'Product Specifications', halved where it counts sparsity), with the limits that docs/models.md lists; host work and launches keep their recorded times
- device work on H200 is scaled by roofline (NVIDIA H200 datasheet (2024), 'Specifications', halved where it counts sparsity), with the limits that docs/models.md lists; host work and launches keep their recorded times
- device work on B200 is scaled by roofline (NVIDIA Blackwell datasheet (2025), 'Technical Specifications', HGX B200, halved where it counts sparsity), with the limits that docs/models.md lists; host work and launches keep their recorded times
- device work on MI300X is scaled by roofline (AMD Instinct MI300A, MI300X, MI325X data sheets (2023, 2024), 'Specifications'), with the limits that docs/models.md lists; host work and launches keep their recorded times
$ stepsim whatif tests/golden/data/gpu_step.json --set precision.to=fp8
error: --set 'precision.to=fp8': A100 SXM 40GB has no units for fp8; expected another precision, or a 'device' change before it
[exit 2]
