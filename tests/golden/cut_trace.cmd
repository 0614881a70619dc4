What becomes of a trace that was cut while it was written?
$ stepsim replay tests/golden/data/cut.json
The capture is damaged: it lost at least 2 kernels, in steps 6; steps that lack more than 1 % are set aside.
Step time 1 ms (2 steps, 1 rank, 28 tasks); GPU busy 53.3 % of the capture; limited by the CPU.
Part of the input could not be used: truncated_file (1), lost_kernels (2); 'stepsim check' explains the consequences. Answers about this capture are unreliable: 60.0 % of the critical path is CPU time without events (silent_host).
Self-check: one step's graph predicts the others within 0.0 % on average (the steps differ by 0.0 %); the most unusual step is 0.0 % off the typical one. On the critical path, CPU time without events takes 60.0 %; 1 of the 2 waits on it was recorded, 1 inferred from times.

Where to look next
- 79.0 % of the critical path (1 ms) is CPU work (framework, Python, launches), most of all ProfilerStep#4 (710 us in 3 tasks).
- The replay has no communication.
- Every wait is explained, so what-ifs can shorten all of them.

Steps
rank  step  measured  replayed  error  against the other steps' median
   0     4      1 ms      1 ms  0.0 %                            0.0 %
   0     5      1 ms      1 ms  0.0 %                            0.0 %
- Replay error: 0.0 % on average, 0.0 % at worst. A small one shows that nothing was lost while reading; only the self-check tests the dependencies.
- In the long run a step takes 1 ms, limited by rank 0 thread 100 (790 us), rank 0 stream 7 (200 us).
- Not counted, because the capture cuts them: rank 0 step 6

Where the time of a step goes (replayed; columns overlap)
rank  step time  compute  communication  exposed transfer  copies  waiting for ranks     CPU  nothing running  GPU busy in a step  overlap  unexplained
   0       1 ms   400 us              0                 0       0                  0  962 us                0              40.0 %        -            0

Critical path of rank 0's step 4: 1 ms
class          on the path   share
compute             200 us  20.0 %
communication            0   0.0 %
copies                   0   0.0 %
CPU                 790 us  79.0 %
queueing                 0   0.0 %
waiting              10 us   1.0 %

Its 8 tasks, in order of time
 start  duration  wait before  class    rank  thread or stream  task                   waited for
     0    110 us            -  CPU         0  thread 100        ProfilerStep#4         the start of rank 0
110 us     20 us            -  CPU         0  thread 100        cudaLaunchKernel       ProfilerStep#4 (program)
130 us     30 us            -  CPU         0  thread 100        aten::op0              cudaLaunchKernel (program)
160 us    250 us            -  CPU         0  thread 100        ProfilerStep#4         aten::op0 (program)
410 us     20 us            -  CPU         0  thread 100        cudaLaunchKernel       ProfilerStep#4 (program)
440 us    200 us        10 us  compute     0  stream 7          kernel1                cudaLaunchKernel (launch)
640 us     10 us            -  CPU         0  thread 100        cudaDeviceSynchronize  kernel1 (sync)
650 us    350 us            -  CPU         0  thread 100        ProfilerStep#4         cudaDeviceSynchronize (program)

Input
20 records read, none skipped; the graph has 28 tasks and 32 dependencies
- truncated_file (1): the file is truncated; the complete events before the end are used: let the profiler finish writing, or copy the file again [first at tests/golden/data/cut.json@2679]
  the text ends here
- lost_kernels (2): kernels are missing, compared with their launches or with the other steps: let the profiler finish writing, or copy the file again
  in steps 6
- inferred_host_wait (2): waits of CPU calls were inferred from times: record with enable_cuda_sync_events=True (nsys: --cuda-event-trace=true) to have them recorded
- 'stepsim help NAME' explains each of these
