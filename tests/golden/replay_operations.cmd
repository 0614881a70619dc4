Which stage and data-parallel rank of a pipeline is slow?
$ stepsim replay tests/golden/data/operations.csv --slow-ranks
Step time 228.0 ms (2 steps, 4 ranks, 98 tasks).
Self-check: one step's graph predicts the others within 0.0 % on average (the steps differ by 1.8 %); the most unusual step is 1.8 % off the typical one. Every wait on the critical path is explained.

Where to look next
- 93.4 % of the critical path (228.0 ms) is compute, most of all backward-compute (160 ms in 3 tasks).
- Rank 2 is a straggler: it arrived last in 6 of its 12 collectives, and each other rank waited 202.0 ms for it in the whole capture.
- A faster network or more overlap can save at most 6.6 % of a step (15 ms on rank 0): that much is exposed transfer, which moves data while nothing is computed.
- Every wait is explained, so what-ifs can shorten all of them.

Steps
rank  step  measured  replayed  error  against the other steps' median
   0    10  228.0 ms  228.0 ms  0.0 %                           -1.8 %
   0    15  232.2 ms  232.2 ms  0.0 %                           +1.8 %
   1    10  228.0 ms  228.0 ms  0.0 %                           -1.8 %
   1    15  232.2 ms  232.2 ms  0.0 %                           +1.8 %
   2    10  228.0 ms  228.0 ms  0.0 %                           -1.8 %
   2    15  232.2 ms  232.2 ms  0.0 %                           +1.8 %
   3    10  228.0 ms  228.0 ms  0.0 %                           -1.8 %
   3    15  232.2 ms  232.2 ms  0.0 %                           +1.8 %
- Replay error: 0.0 % on average, 0.0 % at worst. A small one shows that nothing was lost while reading; only the self-check tests the dependencies.
- In the long run a step takes 228.0 ms, limited by rank 1 compute (150 ms), rank 3 compute (60 ms), rank 0 collectives (12 ms).

Where the time of a step goes (replayed; columns overlap)
rank  step time  compute  communication  exposed transfer  copies  waiting for ranks  CPU  nothing running  GPU busy in a step  overlap  unexplained
   0     228 ms   123 ms          15 ms             15 ms       0              90 ms    0                0                   -    0.0 %            0
   1     228 ms   183 ms          15 ms             15 ms       0              30 ms    0                0                   -    0.0 %            0
   2     228 ms   123 ms          15 ms             15 ms       0              90 ms    0                0                   -    0.0 %            0
   3     228 ms   123 ms          15 ms             15 ms       0              90 ms    0                0                   -    0.0 %            0
- exposed transfer: data moves while the rank computes nothing; 'stats' adds the waiting for ranks to it and calls the sum exposed communication

Critical path of rank 0's step 10: 228.0 ms
class          on the path   share
compute             213 ms  93.4 %
communication        15 ms   6.6 %
copies                   0   0.0 %
CPU                      0   0.0 %
queueing                 0   0.0 %
waiting                  0   0.0 %

By rank
rank  on the path   share
   1       152 ms  66.7 %
   3        61 ms  26.8 %
   0        15 ms   6.6 %

Its 10 longest tasks of 13, in order of time
 start  duration  class          rank  thread or stream  task                      waited for
     0     30 ms  compute           1  compute           forward-compute           step begins (data)
 30 ms      1 ms  communication     3  receives          forward-recv              rank 1, the last to arrive, after forward-compute (data)
 31 ms     20 ms  compute           3  compute           forward-compute           forward-recv (data)
 51 ms     40 ms  compute           3  compute           backward-compute          forward-compute (data)
 91 ms      1 ms  communication     1  receives          backward-recv             rank 3, the last to arrive, after backward-compute (data)
 92 ms     60 ms  compute           1  compute           backward-compute          backward-recv (data)
153 ms     60 ms  compute           1  compute           backward-compute          backward-recv (data)
213 ms     10 ms  communication     0  collectives       grads-reduce-scatter      rank 1, the last to arrive, after backward-compute (data)
223 ms      2 ms  communication     0  collectives       optimizer-clip-main-grad  grads-reduce-scatter (data)
225 ms      3 ms  compute           0  compute           optimizer                 optimizer-clip-main-grad (data)

Stragglers
rank  arrived last  of collectives  others waited
   2             6              12       202.0 ms
   1             6              12       181.8 ms
   3             6              12       141.4 ms
   0             4              12       101.0 ms

Slow ranks
If every task took the mean of the tasks that do the same work on all ranks, a step would take 222.5 ms instead of 228.0 ms. Unexplained waits are left out of both.
rank  data-parallel rank  stage  slowdown  saves if as fast as the others
   1                   1      0     1.10x                        21.83 ms
   0                   0      0     1.00x                               0
   2                   0      1     1.00x                               0
   3                   1      1     1.00x                       -16.35 ms

Slow data-parallel ranks
data-parallel rank  slowdown  saves if as fast as the others
                 1     1.02x                        5.475 ms
                 0     1.00x                               0

Slow stages
stage  slowdown  saves if as fast as the others
    0     1.10x                        21.83 ms
    1     0.93x                       -16.35 ms

Slow ranks by step
step  replayed  without stragglers  slowest rank  rank's slowdown  slowest data-parallel rank  data-parallel rank's slowdown  slowest stage  stage's slowdown
  10  228.0 ms            222.5 ms             1            1.10x                           1                          1.02x              0             1.10x
  15  232.2 ms            222.5 ms             1            1.11x                           1                          1.04x              0             1.11x

Input
88 records read, none skipped; the graph has 98 tasks and 164 dependencies

Assumptions
- The table names operations, not what they wait for: each waits for the earlier ones of its rank that had ended when it started. Collectives join the data-parallel ranks of a stage, except embedding-grads (first and last stage), optimizer-clip (all ranks) and layernorm-grads (the tensor-parallel group, which counts as one rank).
