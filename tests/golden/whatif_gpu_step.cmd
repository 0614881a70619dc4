What would another GPU, another precision and twice the batch do to a step of one linear layer, and what was scaled how?

$ stepsim whatif tests/golden/data/gpu_step.json --set device.to=H100
With these changes, an iteration takes 5.451 ms, from 4.911 ms to 6.012 ms, instead of 17.000 ms (-67.9 %); the captured iteration of 17.000 ms is predicted with an error of +0.00 %.

Changes
- device.to=H100

Why it is a range
source             from        to  reason
steps          5.178 ms  5.724 ms  one captured step does not show how steps differ
usual error    5.386 ms  5.517 ms  models of measured runs were off by this much
extrapolation  5.268 ms  5.640 ms  models were off by this much more so far from what was captured
profiler       5.424 ms  5.451 ms  recording slows a job, here by up to 27.500 us a step; job.yaml's measured_step would say
device         5.015 ms  5.887 ms  kernels with other work or on another device may take less or more than roofline says

Where the difference comes from
of an iteration of the slowest rank    baseline    scenario  difference
iteration                             17.000 ms    5.451 ms  -11.549 ms
compute                               16.390 ms    4.841 ms  -11.549 ms
communication                        400.000 us  400.000 us        0 ns
- exposed                            400.000 us  400.000 us        0 ns
host                                 389.000 us  389.000 us        0 ns
idle                                   3.000 us    3.000 us        0 ns

Critical paths, by class
on the path      baseline    scenario  difference
length          17.000 ms    5.451 ms  -11.549 ms
compute         16.390 ms    4.841 ms  -11.549 ms
communication  400.000 us  400.000 us        0 ns
host           197.000 us  197.000 us        0 ns
wait            13.000 us   13.000 us        0 ns
- baseline: rank 0's step 3; scenario: rank 0's step 3

Device work under device.to=H100
scaled by                              pieces   share      before       after
its shapes: the matrix units bound it       1  95.3 %   16.000 ms    4.658 ms
its shapes: memory bounds it                2   2.3 %  390.000 us  183.089 us
left as it was                              1   2.4 %  400.000 us  400.000 us
- left as they were: collectives, whose time depends on the network, and copies of pageable memory

The same by class of kernel
class        pieces   share      before       after
gemm              1  95.3 %   16.000 ms    4.658 ms
elementwise       2   2.3 %  390.000 us  183.089 us
staged copy       1   2.4 %  400.000 us  400.000 us

Assumptions
- One rank alone sends no messages: nothing is said of a network.
- device work on H100 SXM is scaled by roofline (NVIDIA H100 datasheet (2023), 'Product Specifications', halved where it counts sparsity), with the limits that docs/models.md lists; host work and launches keep their recorded times
$ stepsim whatif tests/golden/data/gpu_step.json --set precision.to=bf16
With these changes, an iteration takes 2.043 ms, from 1.846 ms to 2.252 ms, instead of 17.000 ms (-88.0 %); the captured iteration of 17.000 ms is predicted with an error of +0.00 %.

Changes
- precision.to=bf16

Why it is a range
source             from        to  reason
steps          1.941 ms  2.145 ms  one captured step does not show how steps differ
usual error    2.019 ms  2.068 ms  models of measured runs were off by this much
extrapolation  1.917 ms  2.177 ms  models were off by this much more so far from what was captured
profiler       2.016 ms  2.043 ms  recording slows a job, here by up to 27.500 us a step; job.yaml's measured_step would say
device         1.930 ms  2.157 ms  kernels with other work or on another device may take less or more than roofline says

Where the difference comes from
of an iteration of the slowest rank    baseline    scenario  difference
iteration                             17.000 ms    2.043 ms  -14.957 ms
compute                               16.390 ms    1.433 ms  -14.957 ms
communication                        400.000 us  400.000 us        0 ns
- exposed                            400.000 us  400.000 us        0 ns
host                                 389.000 us  389.000 us        0 ns
idle                                   3.000 us    3.000 us        0 ns

Critical paths, by class
on the path      baseline    scenario  difference
length          17.000 ms    2.043 ms  -14.957 ms
compute         16.390 ms    1.433 ms  -14.957 ms
communication  400.000 us  400.000 us        0 ns
host           197.000 us  197.000 us        0 ns
wait            13.000 us   13.000 us        0 ns
- baseline: rank 0's step 3; scenario: rank 0's step 3

Device work under precision.to=bf16
scaled by                              pieces   share      before       after
its shapes: the matrix units bound it       1  95.3 %   16.000 ms    1.152 ms
its shapes: memory bounds it                1   1.3 %  220.000 us  110.948 us
left as it was                              2   3.4 %  570.000 us  570.000 us
- left as they were: the optimizer, collectives, memsets, copies between host and device, integers, kernels of unknown kind, and work of unknown precision or already in this one

The same by class of kernel
class        pieces   share      before       after
gemm              1  95.3 %   16.000 ms    1.152 ms
elementwise       2   2.3 %  390.000 us  280.948 us
staged copy       1   2.4 %  400.000 us  400.000 us

Assumptions
- One rank alone sends no messages: nothing is said of a network.
- products are done in bf16 and activations kept in bf16; no casts are added, and the optimizer keeps its precision
$ stepsim whatif tests/golden/data/gpu_step.json --set batch.scale=2
With these changes, an iteration takes 33.616 ms, from 30.070 ms to 37.278 ms, instead of 17.000 ms (+97.7 %); the captured iteration of 17.000 ms is predicted with an error of +0.00 %.

Changes
- batch.scale=2

Why it is a range
source              from         to  reason
steps          31.936 ms  35.297 ms  one captured step does not show how steps differ
usual error    32.951 ms  34.295 ms  models of measured runs were off by this much
extrapolation  32.936 ms  34.311 ms  models were off by this much more so far from what was captured
profiler       33.589 ms  33.616 ms  recording slows a job, here by up to 27.500 us a step; job.yaml's measured_step would say
device         30.577 ms  36.656 ms  kernels with other work or on another device may take less or more than roofline says

Where the difference comes from
of an iteration of the slowest rank    baseline    scenario   difference
iteration                             17.000 ms   33.616 ms   +16.616 ms
compute                               16.390 ms   32.606 ms   +16.216 ms
communication                        400.000 us  800.000 us  +400.000 us
- exposed                            400.000 us  800.000 us  +400.000 us
host                                 389.000 us  389.000 us         0 ns
idle                                   3.000 us    3.000 us         0 ns

Critical paths, by class
on the path      baseline    scenario   difference
length          17.000 ms   33.616 ms   +16.616 ms
compute         16.390 ms   32.606 ms   +16.216 ms
communication  400.000 us  800.000 us  +400.000 us
host           197.000 us  197.000 us         0 ns
wait            13.000 us   13.000 us         0 ns
- baseline: rank 0's step 3; scenario: rank 0's step 3

Device work under batch.scale=2
scaled by                              pieces   share      before       after
its shapes: the matrix units bound it       1  95.3 %   16.000 ms   31.998 ms
its shapes: memory bounds it                1   1.3 %  220.000 us  438.105 us
its class of kernel, without shapes         1   2.4 %  400.000 us  800.000 us
left as it was                              1   1.0 %  170.000 us  170.000 us
- left as they were: the optimizer, operators on parameters and gradients alone, and collectives

The same by class of kernel
class        pieces   share      before       after
gemm              1  95.3 %   16.000 ms   31.998 ms
elementwise       2   2.3 %  390.000 us  608.105 us
staged copy       1   2.4 %  400.000 us  800.000 us

Assumptions
- One rank alone sends no messages: nothing is said of a network.
- a tensor carries samples if it has two dimensions or more and no parameter has its sizes (1 were found); what works on such tensors grows by roofline, and the host takes the time it took
$ stepsim sweep tests/golden/data/gpu_step.json -s scenarios/library/which-gpu.yaml
Of 6 points the best is device.to=MI300X: an iteration takes 2.640 ms, from 2.376 ms to 2.920 ms, instead of 17.000 ms (-84.5 %); there is no knee: each axis buys 5 % or more up to its last value; the measured iteration of 17.000 ms is predicted with an error of +0.00 %.

Iteration times and their ranges; * is the best
   device.to  iteration       from         to    change
    recorded  17.000 ms  16.127 ms  17.876 ms    0.00 %
        A100  17.000 ms  16.127 ms  17.876 ms    0.00 %
        H100   5.451 ms   4.911 ms   6.012 ms  -67.94 %
        H200   5.397 ms   4.862 ms   5.953 ms  -68.25 %
        B200   4.853 ms   4.371 ms   5.355 ms  -71.45 %
*     MI300X   2.640 ms   2.376 ms   2.920 ms  -84.47 %

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
