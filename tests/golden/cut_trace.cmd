What becomes of a trace that was cut while it was written?
$ stepsim replay tests/golden/data/cut.json
The capture is damaged: it lost at least 2 kernels, in steps 6; steps that lack more than 1 % are set aside.
Step time 1 ms, replayed as 1 ms (2 steps, 1 rank, 28 tasks).
Not all of the input could be used: truncated_file (1), lost_kernels (2); 'stepsim check' says what that costs.
Self-check: the graph of one step, with the durations of another, predicts the other within 0.0 % on average (the steps differ by 0.0 %); the most unusual step is 0.0 % off the median of the others. Of the critical path, 60.0 % is CPU time without events; 1 of the 2 waits on it were inferred from times.

Steps
rank  step  measured  replayed   error  from the other steps
   0     4      1 ms      1 ms  0.00 %                0.00 %
   0     5      1 ms      1 ms  0.00 %                0.00 %
- Against its own steps the replay is 0.00 % off on average and 0.00 % at worst. That says that nothing was lost on the way, not that the graph is right.
- Set aside, cut by the capture: rank 0 step 6

Where an iteration goes (replayed; the columns overlap)
rank  iteration  compute  communication  exposed transfer  copies  waiting for ranks    host  all idle  unexplained
   0       1 ms   400 us              0                 0       0                  0  962 us         0            0

Critical path of rank 0's step 4: 1 ms
class          on the path   share
compute             200 us  20.0 %
communication            0   0.0 %
copy                     0   0.0 %
host                790 us  79.0 %
queueing                 0   0.0 %
wait                 10 us   1.0 %

Its 8 tasks, in order of time
 start  duration  wait before  class    rank  lane        task                   waited for
     0    110 us            -  host        0  thread 100  ProfilerStep#4         the start of rank 0
110 us     20 us            -  host        0  thread 100  cudaLaunchKernel       ProfilerStep#4 (program)
130 us     30 us            -  host        0  thread 100  aten::op0              cudaLaunchKernel (program)
160 us    250 us            -  host        0  thread 100  ProfilerStep#4         aten::op0 (program)
410 us     20 us            -  host        0  thread 100  cudaLaunchKernel       ProfilerStep#4 (program)
440 us    200 us        10 us  compute     0  stream 7    kernel1                cudaLaunchKernel (launch)
640 us     10 us            -  host        0  thread 100  cudaDeviceSynchronize  kernel1 (sync)
650 us    350 us            -  host        0  thread 100  ProfilerStep#4         cudaDeviceSynchronize (program)

Input
20 records read, 0 skipped, 28 tasks and 32 dependencies made
- truncated_file (1): the file is cut off; all that is whole before the cut is used: let the profiler finish writing, or copy the file again [first at tests/golden/data/cut.json@2679]
  the text ends here
- lost_kernels (2): kernels are missing, by their launches or, in a file that is cut off, by the other steps: let the profiler finish writing, or copy the file again
  in steps 6
- inferred_host_wait (2): waits of host calls that were inferred from times: record with enable_cuda_sync_events=True (nsys: --cuda-event-trace=true) to have them recorded
- 'stepsim help NAME' says what each of these does to the answer

Where to look next
- Of the critical path's 1 ms, 79.0 % is work of the host (framework, Python, launches); most of that is ProfilerStep#4 (710 us in 3 tasks).
- The replay has no communication.
- Every wait is explained: a what-if can move all of it.
