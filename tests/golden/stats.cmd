What takes how long, as measured, by name, stage and module, of one input and of two?
$ stepsim stats scenarios/samples/byteps-even --by stage --head 3
900.9 ms compute, 78.47 s communication (1,926 events on 2 ranks in the whole capture; steps 5-7 are whole).

By stage
stage   count     total                    share       mean     median       min        max  deviation  per step
PULL      288  48.640 s  62.0 % of communication  168.89 ms  190.36 ms  44.03 ms  197.92 ms   43.13 ms   8.107 s
PUSH      288  29.619 s  37.7 % of communication  102.84 ms  101.90 ms  14.03 ms  190.87 ms   52.60 ms   4.937 s
(none)    198   0.901 s       100.0 % of compute    4.55 ms    3.25 ms   0.68 ms    6.37 ms    1.64 ms   0.150 s
- 4 more: --head 7 or --head all

Most expensive of each part
part           stage      self    share      mean
compute        (none)   0.90 s  100.0 %    4.6 ms
communication  PULL    48.64 s   62.0 %  168.9 ms

Overlap by device (from its first to its last work)
rank  device         span     compute  exposed comm.  hidden comm.  exposed copies  hidden copies      idle  idle share
   0       0  1601.262 ms  450.513 ms    1150.481 ms    278.260 ms               0              0  0.268 ms       0.0 %
   1       0  1595.007 ms  450.430 ms    1144.072 ms    277.461 ms               0              0  0.505 ms       0.0 %
- span = compute + exposed communication + exposed copies + idle; hidden communication runs at the same time as compute, hidden copies at the same time as compute or communication; memsets count as copies

Streams (hidden: at the same time as work of any stream of the device)
stream     rank  device  events  compute  exposed comm.  hidden comm.  exposed copies  hidden copies        idle  idle share
BROADCAST     0       0     144        0       16.69 ms       0.69 ms               0              0  1583.88 ms      98.9 %
COPYD2H       0       0     288        0        2.60 ms      38.62 ms               0              0  1560.05 ms      97.4 %
COPYH2D       0       0     144        0       30.80 ms       2.12 ms               0              0  1568.35 ms      97.9 %
- 13 more: --head 16 or --head all

Stages of partitions
stage      partitions      queued      mean   longest    worked        mean     longest   in line  waiting for workers
REDUCE            288   38.740 ms  134.5 us  0.360 ms   0.037 s    0.129 ms    0.298 ms   0.024 s                    -
COPYD2H           288  107.081 ms  371.8 us  0.912 ms   0.069 s    0.241 ms    0.408 ms         0                    -
PUSH              288   34.962 ms  121.4 us  0.327 ms  29.619 s  102.844 ms  190.872 ms  26.242 s                    -
PULL              288   42.663 ms  148.1 us  1.103 ms  48.640 s  168.890 ms  197.915 ms  44.824 s           925.422 ms
COPYH2D           288   45.151 ms  156.8 us  0.523 ms   0.067 s    0.232 ms    0.460 ms         0                    -
BROADCAST         288   32.460 ms  112.7 us  0.316 ms   0.035 s    0.122 ms    0.324 ms   0.001 s                    -
- queued: from the end of the previous stage (for the first stage: of the tensor's last operator) until the stage takes the partition; worked: in the stage, as recorded; in line: the part of worked in which other messages use the link; waiting for workers: the part of a pull before the last worker has pushed
$ stepsim stats tests/golden/data/stats_step.json --head 30
GPU busy 100.0 % of the capture: 1.5 ms compute, 800 us communication, 850 us copies, 2.411 ms CPU work (13 events on 1 rank in the whole capture; step 7 is whole).

By name
name                                           kind        count    total     self                     share     mean   median      min      max  deviation  per step
cudaDeviceSynchronize                          runtime         1  2200 us  2200 us        91.2 % of CPU work  2200 us  2200 us  2200 us  2200 us          0   2200 us
ampere_h16816gemm_256x128_ldg8_stages_64x3_tn  kernel          1  1200 us  1200 us         80.0 % of compute  1200 us  1200 us  1200 us  1200 us          0   1200 us
Memcpy DtoH (Device -> Pinned)                 copy            1   850 us   850 us         100.0 % of copies   850 us   850 us   850 us   850 us          0    850 us
ncclDevKernel_AllReduce_Sum_f16_RING_LL        collective      1   800 us   800 us  100.0 % of communication   800 us   800 us   800 us   800 us          0    800 us
vectorized_elementwise_kernel<relu>            kernel          1   300 us   300 us         20.0 % of compute   300 us   300 us   300 us   300 us          0    300 us
aten::addmm                                    operator        1   110 us   100 us         4.1 % of CPU work   110 us   110 us   110 us   110 us          0    100 us
aten::relu                                     operator        1    60 us    52 us         2.2 % of CPU work    60 us    60 us    60 us    60 us          0     52 us
aten::linear                                   operator        1   130 us    20 us         0.8 % of CPU work   130 us   130 us   130 us   130 us          0     20 us
cudaLaunchKernel                               runtime         2    18 us    18 us         0.7 % of CPU work     9 us     9 us     8 us    10 us       1 us     18 us
cudaLaunchKernelExC                            runtime         1    12 us    12 us         0.5 % of CPU work    12 us    12 us    12 us    12 us          0     12 us
cudaMemcpyAsync                                runtime         1     9 us     9 us         0.4 % of CPU work     9 us     9 us     9 us     9 us          0      9 us
ProfilerStep#                                  annotation      1  1000 us        0         0.0 % of CPU work  1000 us  1000 us  1000 us  1000 us          0         0

Most expensive of each part
part           name                                              self    share     mean
compute        ampere_h16816gemm_256x128_ldg8_stages_64x3_tn  1.20 ms   80.0 %  1.20 ms
communication  ncclDevKernel_AllReduce_Sum_f16_RING_LL        0.80 ms  100.0 %  0.80 ms
copies         Memcpy DtoH (Device -> Pinned)                 0.85 ms  100.0 %  0.85 ms
CPU            cudaDeviceSynchronize                          2.20 ms   91.2 %  2.20 ms

Overlap by device (from its first to its last work)
rank  device     span  compute  exposed comm.  hidden comm.  exposed copies  hidden copies  idle  idle share
   0       0  2750 us  1500 us         450 us        350 us          800 us          50 us     0       0.0 %
- span = compute + exposed communication + exposed copies + idle; hidden communication runs at the same time as compute, hidden copies at the same time as compute or communication; memsets count as copies

Streams (hidden: at the same time as work of any stream of the device)
stream     rank  device  events  compute  exposed comm.  hidden comm.  exposed copies  hidden copies     idle  idle share
stream 7      0       0       2  1.50 ms              0             0               0              0  1.25 ms      45.5 %
stream 9      0       0       1        0              0             0         0.80 ms        0.05 ms  1.90 ms      69.1 %
stream 20     0       0       1        0        0.45 ms       0.35 ms               0              0  1.95 ms      70.9 %

Launch queues (what streams wait for, and what waits for them)
stream     rank  device  launches  mean queue  longest  full  host wait  kernel wait  other wait  outside
stream 7      0       0         2        0.94        1     0          0      0.01 ms           0  1.24 ms
stream 9      0       0         1        1.00        1     0          0            0           0  1.90 ms
stream 20     0       0         1        1.00        1     0          0            0           0  1.95 ms
- queue: work that is launched and has not started; full: 1,024 or more. Idle time of a stream is a host wait if its next work was launched after the last one ended; otherwise a kernel wait if it is shorter than 30 us, else an other wait. outside: before its first and after its last work

Launches (call: the launching call; delay: from its end to the start of the work)
name                                           count  mean call  longest call  median delay  longest delay  mean work  shorter than call
ampere_h16816gemm_256x128_ldg8_stages_64x3_tn      1      10 us         10 us      0.020 ms       0.020 ms   1.200 ms                  0
Memcpy DtoH (Device -> Pinned)                     1       9 us          9 us      1.441 ms       1.441 ms   0.850 ms                  0
ncclDevKernel_AllReduce_Sum_f16_RING_LL            1      12 us         12 us      0.788 ms       0.788 ms   0.800 ms                  0
vectorized_elementwise_kernel<relu>                1       8 us          8 us      1.122 ms       1.122 ms   0.300 ms                  0

Copies (--json has the bandwidth over time)
copy                            rank  count     moved  smallest    median   largest    time   bandwidth     highest
Memcpy DtoH (Device -> Pinned)     0      1  16.78 MB  16.78 MB  16.78 MB  16.78 MB  850 us  19.74 GB/s  19.74 GB/s

FLOPs (a multiplication and an addition count as two)
274.88 GFLOP in 1.2 ms: 229.06 TFLOP/s; MFU 30.7 %: the time of these operations at the peak rate, of the time of the GPUs
operator     on      calls          work    time         reached  of peak
aten::addmm  device      1  274.88 GFLOP  1.2 ms  229.06 TFLOP/s   70.4 %

Memory (allocated; --json has the curve)
rank  device         peak   after   reserved   at first   at last  allocations  releases
   0  device 0  167.77 MB  165 us  268.44 MB  100.66 MB  33.55 MB            2         1

Modules (forward passes; modules include those inside them)
module    calls     CPU  CPU self  device          work
Net_0         1  400 us    150 us  1.5 ms  274.88 GFLOP
Linear_0      1  150 us    150 us  1.2 ms  274.88 GFLOP
ReLU_0        1  100 us    100 us  0.3 ms             -

Stacks (Python calls and their operators, by self time)
module    calls    self   total  stack
-             1  500 us  900 us  train.py(12): step
Net_0         1  150 us  400 us  nn.Module: Net_0 < train.py(12): step
Linear_0      1  150 us  150 us  nn.Module: Linear_0 < nn.Module: Net_0 < train.py(12): step
ReLU_0        1  100 us  100 us  nn.Module: ReLU_0 < nn.Module: Net_0 < train.py(12): step
$ stepsim stats tests/golden/data/stats_step.json --by class --sort count --brief
GPU busy 100.0 % of the capture: 1.5 ms compute, 800 us communication, 850 us copies, 2.411 ms CPU work (13 events on 1 rank in the whole capture; step 7 is whole).
$ stepsim stats tests/golden/data/stats_step.json tests/golden/data/two_hosts.json --by kind
Statistics of 2 inputs, each on its own.

stats_step.json: by kind
GPU busy 100.0 % of the capture: 1.5 ms compute, 800 us communication, 850 us copies, 2.411 ms CPU work (13 events on 1 rank in the whole capture; step 7 is whole).
kind        count     total      self                     share      mean    median        min       max  deviation  per step
runtime         5  2.239 ms  2.239 ms        92.9 % of CPU work  0.448 ms  0.010 ms     8.0 us  2.200 ms   876.1 us  2.239 ms
kernel          2  1.500 ms  1.500 ms        100.0 % of compute  0.750 ms  0.750 ms   300.0 us  1.200 ms   450.0 us  1.500 ms
copy            1  0.850 ms  0.850 ms         100.0 % of copies  0.850 ms  0.850 ms   850.0 us  0.850 ms          0  0.850 ms
collective      1  0.800 ms  0.800 ms  100.0 % of communication  0.800 ms  0.800 ms   800.0 us  0.800 ms          0  0.800 ms
operator        3  0.300 ms  0.172 ms         7.1 % of CPU work  0.100 ms  0.110 ms    60.0 us  0.130 ms    29.4 us  0.172 ms
annotation      1  1.000 ms         0         0.0 % of CPU work  1.000 ms  1.000 ms  1000.0 us  1.000 ms          0         0

Most expensive of each part of stats_step.json
part           kind            self    share      mean
compute        kernel      1.500 ms  100.0 %  750.0 us
communication  collective  0.800 ms  100.0 %  800.0 us
copies         copy        0.850 ms  100.0 %  850.0 us
CPU            runtime     2.239 ms   92.9 %  447.8 us

Overlap by device of stats_step.json (from its first to its last work)
rank  device     span  compute  exposed comm.  hidden comm.  exposed copies  hidden copies  idle  idle share
   0       0  2750 us  1500 us         450 us        350 us          800 us          50 us     0       0.0 %
- span = compute + exposed communication + exposed copies + idle; hidden communication runs at the same time as compute, hidden copies at the same time as compute or communication; memsets count as copies

Streams of stats_step.json (hidden: at the same time as work of any stream of the device)
stream     rank  device  events  compute  exposed comm.  hidden comm.  exposed copies  hidden copies     idle  idle share
stream 7      0       0       2  1.50 ms              0             0               0              0  1.25 ms      45.5 %
stream 9      0       0       1        0              0             0         0.80 ms        0.05 ms  1.90 ms      69.1 %
stream 20     0       0       1        0        0.45 ms       0.35 ms               0              0  1.95 ms      70.9 %

Launch queues of stats_step.json (what streams wait for, and what waits for them)
stream     rank  device  launches  mean queue  longest  full  host wait  kernel wait  other wait  outside
stream 7      0       0         2        0.94        1     0          0      0.01 ms           0  1.24 ms
stream 9      0       0         1        1.00        1     0          0            0           0  1.90 ms
stream 20     0       0         1        1.00        1     0          0            0           0  1.95 ms
- queue: work that is launched and has not started; full: 1,024 or more. Idle time of a stream is a host wait if its next work was launched after the last one ended; otherwise a kernel wait if it is shorter than 30 us, else an other wait. outside: before its first and after its last work

Launches of stats_step.json (call: the launching call; delay: from its end to the start of the work)
name                                           count  mean call  longest call  median delay  longest delay  mean work  shorter than call
ampere_h16816gemm_256x128_ldg8_stages_64x3_tn      1      10 us         10 us      0.020 ms       0.020 ms   1.200 ms                  0
Memcpy DtoH (Device -> Pinned)                     1       9 us          9 us      1.441 ms       1.441 ms   0.850 ms                  0
ncclDevKernel_AllReduce_Sum_f16_RING_LL            1      12 us         12 us      0.788 ms       0.788 ms   0.800 ms                  0
vectorized_elementwise_kernel<relu>                1       8 us          8 us      1.122 ms       1.122 ms   0.300 ms                  0

Copies of stats_step.json (--json has the bandwidth over time)
copy                            rank  count     moved  smallest    median   largest    time   bandwidth     highest
Memcpy DtoH (Device -> Pinned)     0      1  16.78 MB  16.78 MB  16.78 MB  16.78 MB  850 us  19.74 GB/s  19.74 GB/s

FLOPs of stats_step.json (a multiplication and an addition count as two)
274.88 GFLOP in 1.2 ms: 229.06 TFLOP/s; MFU 30.7 %: the time of these operations at the peak rate, of the time of the GPUs
operator     on      calls          work    time         reached  of peak
aten::addmm  device      1  274.88 GFLOP  1.2 ms  229.06 TFLOP/s   70.4 %

Memory of stats_step.json (allocated; --json has the curve)
rank  device         peak   after   reserved   at first   at last  allocations  releases
   0  device 0  167.77 MB  165 us  268.44 MB  100.66 MB  33.55 MB            2         1

Modules of stats_step.json (forward passes; modules include those inside them)
module    calls     CPU  CPU self  device          work
Net_0         1  400 us    150 us  1.5 ms  274.88 GFLOP
Linear_0      1  150 us    150 us  1.2 ms  274.88 GFLOP
ReLU_0        1  100 us    100 us  0.3 ms             -

Stacks of stats_step.json (Python calls and their operators, by self time)
module    calls    self   total  stack
-             1  500 us  900 us  train.py(12): step
Net_0         1  150 us  400 us  nn.Module: Net_0 < train.py(12): step
Linear_0      1  150 us  150 us  nn.Module: Linear_0 < nn.Module: Net_0 < train.py(12): step
ReLU_0        1  100 us  100 us  nn.Module: ReLU_0 < nn.Module: Net_0 < train.py(12): step

two_hosts.json: by kind
100 us compute, 110 us communication (4 events on 2 ranks of a graph without recorded times).
kind      count      total                     share       mean     median        min        max  deviation
transfer      1  110.00 us  100.0 % of communication  110.00 us  110.00 us  110.00 us  110.00 us          0
operator      3  100.00 us        100.0 % of compute   33.33 us   30.00 us   20.00 us   50.00 us   12.47 us

Most expensive of each part of two_hosts.json
part           kind          self    share      mean
compute        operator  100.0 us  100.0 %   33.3 us
communication  transfer  110.0 us  100.0 %  110.0 us
$ stepsim stats tests/golden/data/stats_step.json --by module --json
{"schema":"stepsim.stats/1",
"inputs":[
{"name":"tests/golden/data/stats_step.json","by":"module","pieces":13,"ranks":1,"measured":true,"whole_steps":1,"steps":"7","only_steps":false,
"totals":{"compute_ns":1500000,"communication_ns":800000,"copy_ns":850000,"host_ns":2411000},"warning":"",
"rows":[
{"name":"(none)","count":6,"total_ns":4871000,"min_ns":9000,"max_ns":2200000,"mean_ns":811833.3333333334,"median_ns":825000,"deviation_ns":735785.8421820547,"self_ns":3871000,"share":0.6960978241323503,"per_step_ns":3871000},
{"name":"Net_0","count":7,"total_ns":1818000,"min_ns":8000,"max_ns":1200000,"mean_ns":259714.2857142857,"median_ns":110000,"deviation_ns":394715.7075616809,"self_ns":1690000,"share":0.3039021758676497,"per_step_ns":1690000},
{"name":"Linear_0","count":4,"total_ns":1450000,"min_ns":10000,"max_ns":1200000,"mean_ns":362500,"median_ns":120000,"deviation_ns":485663.2063477735,"self_ns":1330000,"share":0.23916561769465924,"per_step_ns":1330000},
{"name":"ReLU_0","count":3,"total_ns":368000,"min_ns":8000,"max_ns":300000,"mean_ns":122666.66666666667,"median_ns":60000,"deviation_ns":127177.91562304448,"self_ns":360000,"share":0.06473655817299047,"per_step_ns":360000}],
"devices":[
{"rank":0,"device":0,"pieces":4,"begin_ns":150000,"span_ns":2750000,"compute_ns":1500000,"exposed_communication_ns":450000,"hidden_communication_ns":350000,"exposed_copies_ns":800000,"hidden_copies_ns":50000,"idle_ns":0,"streams":[
{"name":"stream 7","pieces":2,"compute_ns":1500000,"exposed_communication_ns":0,"hidden_communication_ns":0,"exposed_copies_ns":0,"hidden_copies_ns":0,"idle_ns":1250000},
{"name":"stream 9","pieces":1,"compute_ns":0,"exposed_communication_ns":0,"hidden_communication_ns":0,"exposed_copies_ns":800000,"hidden_copies_ns":50000,"idle_ns":1900000},
{"name":"stream 20","pieces":1,"compute_ns":0,"exposed_communication_ns":450000,"hidden_communication_ns":350000,"exposed_copies_ns":0,"hidden_copies_ns":0,"idle_ns":1950000}]}],
"stages":[],
"streams":[
{"rank":0,"device":0,"stream":"stream 7","launches":2,"mean_queue":0.9354838709677419,"longest_queue":1,"longest_ns":120000,"full_ns":0,"host_wait_ns":0,"kernel_wait_ns":10000,"other_wait_ns":0,"outside_ns":1240000,"curve":[
{"time_ns":120000,"queue":1},
{"time_ns":150000,"queue":0},
{"time_ns":230000,"queue":1},
{"time_ns":1360000,"queue":0}]},
{"rank":0,"device":0,"stream":"stream 9","launches":1,"mean_queue":1,"longest_queue":1,"longest_ns":600000,"full_ns":0,"host_wait_ns":0,"kernel_wait_ns":0,"other_wait_ns":0,"outside_ns":1900000,"curve":[
{"time_ns":600000,"queue":1},
{"time_ns":2050000,"queue":0}]},
{"rank":0,"device":0,"stream":"stream 20","launches":1,"mean_queue":1,"longest_queue":1,"longest_ns":500000,"full_ns":0,"host_wait_ns":0,"kernel_wait_ns":0,"other_wait_ns":0,"outside_ns":1950000,"curve":[
{"time_ns":500000,"queue":1},
{"time_ns":1300000,"queue":0}]}],
"launches":[
{"name":"ampere_h16816gemm_256x128_ldg8_stages_64x3_tn","short":0,"call":{"count":1,"total_ns":10000,"min_ns":10000,"max_ns":10000,"mean_ns":10000,"median_ns":10000,"deviation_ns":0},"delay":{"count":1,"total_ns":20000,"min_ns":20000,"max_ns":20000,"mean_ns":20000,"median_ns":20000,"deviation_ns":0},"work":{"count":1,"total_ns":1200000,"min_ns":1200000,"max_ns":1200000,"mean_ns":1200000,"median_ns":1200000,"deviation_ns":0}},
{"name":"Memcpy DtoH (Device -> Pinned)","short":0,"call":{"count":1,"total_ns":9000,"min_ns":9000,"max_ns":9000,"mean_ns":9000,"median_ns":9000,"deviation_ns":0},"delay":{"count":1,"total_ns":1441000,"min_ns":1441000,"max_ns":1441000,"mean_ns":1441000,"median_ns":1441000,"deviation_ns":0},"work":{"count":1,"total_ns":850000,"min_ns":850000,"max_ns":850000,"mean_ns":850000,"median_ns":850000,"deviation_ns":0}},
{"name":"ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevKernelArgsStorage\u003c4096ul>)","short":0,"call":{"count":1,"total_ns":12000,"min_ns":12000,"max_ns":12000,"mean_ns":12000,"median_ns":12000,"deviation_ns":0},"delay":{"count":1,"total_ns":788000,"min_ns":788000,"max_ns":788000,"mean_ns":788000,"median_ns":788000,"deviation_ns":0},"work":{"count":1,"total_ns":800000,"min_ns":800000,"max_ns":800000,"mean_ns":800000,"median_ns":800000,"deviation_ns":0}},
{"name":"void at::native::vectorized_elementwise_kernel\u003c4, at::native::relu>(int)","short":0,"call":{"count":1,"total_ns":8000,"min_ns":8000,"max_ns":8000,"mean_ns":8000,"median_ns":8000,"deviation_ns":0},"delay":{"count":1,"total_ns":1122000,"min_ns":1122000,"max_ns":1122000,"mean_ns":1122000,"median_ns":1122000,"deviation_ns":0},"work":{"count":1,"total_ns":300000,"min_ns":300000,"max_ns":300000,"mean_ns":300000,"median_ns":300000,"deviation_ns":0}}],
"copies":[
{"rank":0,"name":"Memcpy DtoH (Device -> Pinned)","count":1,"total_bytes":16777216,"min_bytes":16777216,"median_bytes":16777216,"max_bytes":16777216,"time_ns":850000,"bytes_per_second":19737901176.470585,"highest_bytes_per_second":19737901176.470585,"curve":[
{"time_ns":2050000,"bytes_per_second":19737901176.470585},
{"time_ns":2896855,"bytes_per_second":18691869677.807888},
{"time_ns":2900176,"bytes_per_second":0}]}],
"sequences":[],
"device_occupancy":[],
"kernel_occupancy":[],
"flops":[
{"name":"aten::addmm","on":"device","calls":1,"flops":274877906944,"time_ns":1200000,"flops_per_second":229064922453333.3,"of_peak":0.7035916666666666}],
"mfu":0.3070218181818182,
"memory":[
{"rank":0,"device":"device 0","allocations":2,"releases":1,"allocated_bytes":134217728,"peak_bytes":167772160,"peak_ns":215000,"most_reserved_bytes":268435456,"first_bytes":100663296,"last_bytes":33554432,"curve":[
{"time_ns":50000,"allocated_bytes":100663296,"reserved_bytes":134217728},
{"time_ns":215000,"allocated_bytes":167772160,"reserved_bytes":268435456},
{"time_ns":700000,"allocated_bytes":33554432,"reserved_bytes":268435456}]}],
"modules":[
{"name":"Net_0","calls":1,"host_ns":400000,"host_self_ns":150000,"device_ns":1500000,"flops":274877906944},
{"name":"Linear_0","calls":1,"host_ns":150000,"host_self_ns":150000,"device_ns":1200000,"flops":274877906944},
{"name":"ReLU_0","calls":1,"host_ns":100000,"host_self_ns":100000,"device_ns":300000,"flops":0}],
"stacks":[
{"name":"train.py(12): step","rank":0,"parent":null,"module":null,"calls":1,"total_ns":900000,"self_ns":500000},
{"name":"nn.Module: Net_0","rank":0,"parent":0,"module":1,"calls":1,"total_ns":400000,"self_ns":150000},
{"name":"nn.Module: Linear_0","rank":0,"parent":1,"module":2,"calls":1,"total_ns":150000,"self_ns":150000},
{"name":"nn.Module: ReLU_0","rank":0,"parent":1,"module":3,"calls":1,"total_ns":100000,"self_ns":100000}],
"transfers":[],
"overhead":[]}],
"provenance":{"version":"0.1.0","commit":"COMMIT","command":"stepsim stats tests/golden/data/stats_step.json --by module --json","inputs":[
{"path":"tests/golden/data/stats_step.json","bytes":3562,"crc64":"ed12668f91609d59"}]}}
$ stepsim stats tests/golden/data/stats_step.json --by stage
error: tests/golden/data/stats_step.json: --by stage: this capture has no stages of tensors; expected BytePS's comm.json
[exit 5]
$ stepsim stats tests/golden/data/stats_step.json --by colour
error: unknown key of --by 'colour'; expected name, kind, class, operator, annotation, module, layer, tensor, stage, lane, rank or step
[exit 2]
$ stepsim stats --help
List the times of kernels, calls, streams and copies, as measured

Usage: stepsim stats TRACE... [options]

Examples:
  stepsim stats scenarios/samples/byteps-even --by stage
  stepsim stats scenarios/samples/pytorch-ddp --collectives

Arguments:
  TRACE                       Captures, each counted separately; a folder or an archive is one job

Options:
  --join                      Treat all TRACEs as files of one job
  --by KEY                    Group rows by name, kind, class, operator, annotation, module, layer,
                              tensor, stage, lane, rank or step (default: name)
  --sort KEY                  Sort rows, largest first, by self, total, count, mean, median, min,
                              max, deviation or name (default: self)
  --select KEY=VALUE,...      Count only selected tasks, as in the braces of --set:
                              class=gemm,rank=0
  --kernels                   Count only kernels, collectives on the GPU included: nsys's
                              cuda_gpu_kern_sum
  --collectives               List payload, bandwidth and arrival of collectives by group and size,
                              what to expect of the hardware, and slow links
  --sequences                 Also print which kernels the calls of each operator launch; --json and
                              files have them always
  --head,--rows N             Print the first N rows of each table, or all (default: 20; --json has
                              all)
  -o FILE                     Also write the result to FILE, in the form of its extension: .json,
                              .svg, .png, .md, .csv, .xlsx, .sqlite, .parquet, .html

Common options ('stepsim help options'):
  --job FILE, --network MODEL, --cluster FILE, --steps A-B, --ranks LIST, --threads N, --json,
  --brief, --full, --color WHEN, --anonymous, --host-names, --quiet, -v,--verbose
$ stepsim stats scenarios/samples/pytorch-ddp --collectives
Collectives reach 50.0 % of the expected bandwidth (18 collectives in 1 row; 18 overlap with others of their ranks).

Collectives by group
group  ranks  hosts  operation      size  count       time        min        max       algbw       busbw  overlapped   expected  at most  of expected      skew  max skew  last rank  last in
0-1        2      1  all_reduce  4.19 MB     18  70.072 ms  52.292 ms  70.321 ms  59.86 MB/s  59.86 MB/s          18  35.050 ms        -       50.0 %  246.3 us  2.371 ms          0       10
- size, time, algbw and busbw as in nccl-tests; time: median, from the last arrival to the end; skew: median, from the first to the last arrival
- expected: alone on the links, by the link rate that calibration finds in these collectives: it shows which rows are slower than the rest, not whether all are slow
$ stepsim stats scenarios/samples/byteps-even --collectives
error: scenarios/samples/byteps-even/traces/0/0/bps_trace_final.json: --collectives: no collective is known to have several ranks; expected a capture of a distributed job
[exit 5]
