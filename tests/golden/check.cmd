Is this capture good enough, and what should be recorded next time?
$ stepsim check scenarios/samples/byteps-even
Good: 2 ranks, 3 whole steps; step time 534.1 ms, replay error 0.0 %.
Self-check: one step's graph predicts the others within 1.6 % on average (the steps differ by 0.4 %); the most unusual step is 0.6 % off the typical one. Every wait on the critical path is explained.

What you can ask
question  about                                                                   answered           because of
replay    the captured run: replay, critical-path, stats                          yes
host      what-ifs about the CPU: launches, threads, the framework                yes
device    what-ifs about the GPU: kernels, another device, batch size, precision  yes, less certain  no_kernels
network   what-ifs about communication: links, collectives, partitions            yes
ranks     what-ifs about ranks: more ranks, a slow rank                           yes

Problems, worst first
problem     severity  affects  count  share
no_kernels  minor     device
- no_kernels: times of operators, without the GPU kernels that they ran. What-ifs can scale compute and the batch size, but refuse another device or precision.
  to fix it: to ask about another device, record a step of one rank with torch.profiler or nsys, and ask with that capture

Files
file                                                             format          records  skipped  contents
scenarios/samples/byteps-even/traces/0/0/bps_trace_final.json    byteprofile          99        0  99 operators
scenarios/samples/byteps-even/traces/0/0/comm.json               byteps_comm         912        0  912 stages and 48 partition keys
scenarios/samples/byteps-even/traces/0/0/dag.gml                 gml                 113        0  49 graph nodes
scenarios/samples/byteps-even/traces/0/0/gradient_name_list.txt  gradient_names       16        0  16 tensors
scenarios/samples/byteps-even/traces/1/0/bps_trace_final.json    byteprofile          99        0  99 operators
scenarios/samples/byteps-even/traces/1/0/comm.json               byteps_comm         912        0  912 stages and 48 partition keys
scenarios/samples/byteps-even/traces/1/0/dag.gml                 gml                 113        0  49 graph nodes
scenarios/samples/byteps-even/traces/1/0/gradient_name_list.txt  gradient_names       16        0  16 tensors

Assumptions
- The time of copying and summing on servers is part of the recorded pulls, because no server was recorded.
$ stepsim check tests/golden/data/gpu_step.json
Good: 1 rank on NVIDIA A100-SXM4-40GB, 1 whole step; step time 17 ms, replay error 0.0 %.
No self-check: one step of one rank cannot be predicted from another. Every wait on the critical path is explained; 1 of the 2 waits on it was recorded, 1 inferred from times.

What you can ask
question  about                                                                   answered           because of
replay    the captured run: replay, critical-path, stats                          yes, less certain  one_step
host      what-ifs about the CPU: launches, threads, the framework                yes, less certain  no_sync_events
device    what-ifs about the GPU: kernels, another device, batch size, precision  yes, less certain  no_sync_events

Problems, worst first
problem         severity  affects       count   share
no_sync_events  minor     host, device      1  50.0 %
one_step        minor     replay            1
- no_sync_events: no events that record what calls and streams waited for: 1 of the 2 waits on the critical path was inferred from times. Waits are inferred from what the framework is known to do and from times. The replay of the captured run stays accurate; in a what-if, a wait that was inferred wrongly or missed lets work start too early or too late.
  to fix it: record with experimental_config=torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=True) (PyTorch 2.1)
- one_step: one whole step. How much steps differ is unknown, and predictions cannot be more precise than that. The graph is not tested: one step of one rank cannot be predicted from another.
  to fix it: record several steps: profile(..., schedule=schedule(wait=1, warmup=1, active=5)), and call prof.step() once an iteration

Contents by process
rank  device                 host   span  steps  operators  calls  kernels  copies  streams  threads  collectives  waits  file
   -  NVIDIA A100-SXM4-40GB        17 ms      1          5      5        3       1        1        1            0      0  tests/golden/data/gpu_step.json

Other recorded data
data                                count  needed for
operators with shapes                   5  other batch sizes or devices, selection by operator
waits (cuda_sync)                       0  dependencies between calls and streams
collectives with their size             0  bandwidths, algorithms, more ranks
collectives with a sequence number      0  exact matches across ranks
calls of modules                        0  stats and selection by module
calls of Python functions               0  call stacks in stats
allocations                             0  peak memory in stats
operators with flops                    0  FLOPs in stats (otherwise from shapes)

Files
file                             format  records  skipped  contents
tests/golden/data/gpu_step.json  kineto       16        0  1 trace
$ stepsim check tests/golden/data/cut.json --brief
Usable with doubts: 1 rank, 2 whole steps; step time 1 ms, replay error 0.0 %; predictions of host and device changes are unreliable.
Self-check: one step's graph predicts the others within 0.0 % on average (the steps differ by 0.0 %); the most unusual step is 0.0 % off the typical one. On the critical path, CPU time without events takes 60.0 %; 1 of the 2 waits on it was recorded, 1 inferred from times.
