Is this capture good enough, and what should be recorded next time?
$ stepsim check scenarios/samples/byteps-even
Good: 2 ranks, 3 whole steps; the iteration of 534.062 ms is replayed with an error of 0.00 %.
Self-check: the graph of one step, with the durations of another, predicts the other within 1.6 % on average (the steps differ by 0.4 %); the most unusual step is 0.6 % off the median of the others. Every wait on the critical path is explained.

What you can ask
question  about                                                               answered  because of
replay    what was captured: replay, critical-path, stats                     yes
host      what-ifs of the host: launches, threads, the framework              yes
device    what-ifs of device work: kernels, another device, batch, precision  yes
network   what-ifs of communication: links, collectives, partitions           yes
ranks     what-ifs of ranks: more of them, a slow one                         yes

Files
file                                                             format          records  skipped  holds
scenarios/samples/byteps-even/traces/0/0/bps_trace_final.json    byteprofile          99        0  99 operators
scenarios/samples/byteps-even/traces/0/0/comm.json               byteps_comm         912        0  912 stages and 48 partition keys
scenarios/samples/byteps-even/traces/0/0/dag.gml                 gml                 113        0  49 graph nodes
scenarios/samples/byteps-even/traces/0/0/gradient_name_list.txt  gradient_names       16        0  16 tensors
scenarios/samples/byteps-even/traces/1/0/bps_trace_final.json    byteprofile          99        0  99 operators
scenarios/samples/byteps-even/traces/1/0/comm.json               byteps_comm         912        0  912 stages and 48 partition keys
scenarios/samples/byteps-even/traces/1/0/dag.gml                 gml                 113        0  49 graph nodes
scenarios/samples/byteps-even/traces/1/0/gradient_name_list.txt  gradient_names       16        0  16 tensors

Assumptions
- a server's copying and summing is part of the pulls that wait for it: no server was recorded
$ stepsim check tests/golden/data/gpu_step.json
Good: 1 rank on NVIDIA A100-SXM4-40GB, 1 whole step; the iteration of 17 ms is replayed with an error of 0.00 %.
No self-check: one step of one rank cannot be predicted from another. Every wait on the critical path is explained; 1 of the 2 waits on it were inferred from times.

What you can ask
question  about                                                               answered        because of
replay    what was captured: replay, critical-path, stats                     yes, less sure  one_step
host      what-ifs of the host: launches, threads, the framework              yes, less sure  no_sync_events
device    what-ifs of device work: kernels, another device, batch, precision  yes, less sure  no_sync_events

Problems, worst first
finding         costs  answers about  count   share
no_sync_events  blurs  host, device       1  50.0 %
one_step        blurs  replay             1
- no_sync_events: no event says what calls and streams waited for: 1 of the critical path's 2 hand-overs were inferred from times. Waits follow from what the framework is known to do, and from times. The replay of what was captured stays close; in a what-if, a wait that was inferred wrongly or missed lets work begin too early or too late.
  next time: record with experimental_config=torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=True) (PyTorch 2.1)
- one_step: one whole step. How much steps differ, which bounds what a prediction can be trusted to, is not known. The graph is not tested: one step of one rank cannot be predicted from another.
  next time: record several steps: profile(..., schedule=schedule(wait=1, warmup=1, active=5)), and call prof.step() once an iteration

What it holds, by process
rank  device                 host   span  steps  operators  calls  kernels  copies  streams  threads  collectives  waits  file
   -  NVIDIA A100-SXM4-40GB        17 ms      1          5      5        3       1        1        1            0      0  tests/golden/data/gpu_step.json

What was recorded besides
what                                recorded  for
operators with shapes                      5  batch, another device, selection by operator
waits (cuda_sync)                          0  what calls and streams waited for
collectives with their size                0  bandwidths, algorithms, more ranks
collectives with a sequence number         0  exact matches over ranks
calls of modules                           0  stats and selection by module
calls of Python functions                  0  stacks in stats
allocations                                0  the memory's peak in stats
operators with flops                       0  flops in stats; else they follow from shapes

Files
file                             format  records  skipped  holds
tests/golden/data/gpu_step.json  kineto       16        0  1 trace
$ stepsim check tests/golden/data/cut.json --brief
Usable with doubts: 1 rank, 2 whole steps; the iteration of 1 ms is replayed with an error of 0.00 %; predictions of host and device changes are unreliable.
Self-check: the graph of one step, with the durations of another, predicts the other within 0.0 % on average (the steps differ by 0.0 %); the most unusual step is 0.0 % off the median of the others. Of the critical path, 60.0 % is CPU time without events; 1 of the 2 waits on it were inferred from times.
