Can the replay of the BytePS sample be trusted, and where does its time go?
$ stepsim replay scenarios/samples/byteps-even
Step time 534.1 ms (3 steps, 2 ranks, 2,070 tasks).
Self-check: one step's graph predicts the others within 1.6 % on average (the steps differ by 0.4 %); the most unusual step is 0.6 % off the typical one. Every wait on the critical path is explained.

Where to look next
- 89.1 % of the critical path (533.1 ms) is communication, most of all Comm.layer0_weight.PUSH.0 (18.86 ms in 1 task).
- A faster network or more overlap can save at most 71.9 % of a step (384.0 ms on rank 0): that much is exposed transfer, which moves data while nothing is computed.
- 0.1 % of a step (365.5 us) is unexplained waiting, most of it of kind 'host thread'; 56 us of it is on the critical path, and no what-if can shorten it.

Steps
rank  step  measured  replayed  error  against the other steps' median
   0     5  535.2 ms  535.2 ms  0.0 %                           +0.4 %
   0     6  532.9 ms  532.9 ms  0.0 %                           -0.2 %
   0     7  533.1 ms  533.1 ms  0.0 %                           -0.2 %
   1     5  531.2 ms  531.2 ms  0.0 %                           -0.1 %
   1     6  529.9 ms  529.9 ms  0.0 %                           -0.5 %
   1     7  533.8 ms  533.8 ms  0.0 %                           +0.6 %
- Replay error: 0.0 % on average, 0.0 % at worst. A small one shows that nothing was lost while reading; only the self-check tests the dependencies.
- In the long run a step takes 534.0 ms, limited by rank 1 PUSH to server 1 (282.8 ms), rank 1 PULL from server 1 (192.3 ms), rank 1 operators (57.60 ms).

Where the time of a step goes (replayed; columns overlap)
rank  step time   compute  communication  exposed transfer  copies  waiting for ranks  CPU  nothing running  GPU busy in a step  overlap  unexplained
   0   534.1 ms  150.0 ms       476.7 ms          384.0 ms       0                  0    0          69.5 us                   -   19.5 %     240.5 us
   1   530.6 ms  150.3 ms       472.9 ms          380.2 ms       0                  0    0         127.0 us                   -   19.6 %     365.5 us

Unexplained waits
- host thread: 1.762 ms in 123 waits over the whole capture
- device: 71 us in 3 waits over the whole capture
- communication: 37 us in 2 waits over the whole capture

Critical path of rank 0's step 7: 533.1 ms
class          on the path   share
compute           57.50 ms  10.8 %
communication    474.99 ms  89.1 %
copies                   0   0.0 %
CPU                      0   0.0 %
queueing                 0   0.0 %
waiting            0.66 ms   0.1 %

Its 10 longest tasks of 67, in order of time
     start   duration  class          rank  thread or stream    task                       waited for
180.618 ms  18.487 ms  communication     0  PUSH to server 1    Comm.layer8_weight.PUSH.1  Comm.layer9_weight.PUSH.2 (stream)
233.791 ms  17.817 ms  communication     0  PUSH to server 1    Comm.layer5_weight.PUSH.0  Comm.layer6_weight.PUSH.2 (stream)
267.504 ms  17.404 ms  communication     0  PUSH to server 1    Comm.layer3_weight.PUSH.0  Comm.layer4_weight.PUSH.1 (stream)
284.908 ms  17.307 ms  communication     0  PUSH to server 1    Comm.layer2_weight.PUSH.0  Comm.layer3_weight.PUSH.0 (stream)
319.435 ms  18.857 ms  communication     0  PUSH to server 1    Comm.layer0_weight.PUSH.0  Comm.layer1_weight.PUSH.1 (stream)
390.032 ms  18.194 ms  communication     0  PULL from server 1  Comm.layer7_weight.PULL.1  Comm.layer8_weight.PULL.2 (stream)
425.650 ms  17.841 ms  communication     0  PULL from server 1  Comm.layer5_weight.PULL.0  Comm.layer6_weight.PULL.2 (stream)
460.562 ms  18.540 ms  communication     0  PULL from server 1  Comm.layer3_weight.PULL.0  Comm.layer4_weight.PULL.1 (stream)
479.102 ms  17.236 ms  communication     0  PULL from server 1  Comm.layer2_weight.PULL.0  Comm.layer3_weight.PULL.0 (stream)
513.965 ms  17.821 ms  communication     0  PULL from server 1  Comm.layer0_weight.PULL.0  Comm.layer1_weight.PULL.1 (stream)

Clock offsets from the first host
host  ahead by  may be off by
0            0              0
1            0       52.88 ms

Input
2,280 records read, none skipped; the graph has 2,070 tasks and 4,908 dependencies

Assumptions
- The time of copying and summing on servers is part of the recorded pulls, because no server was recorded.
