What sets the length of an iteration of the BytePS sample?
$ stepsim critical-path scenarios/samples/byteps-even
Critical path of rank 0's step 7: 533.1 ms in 67 tasks; 89.1 % communication, 10.8 % compute, 0.1 % waiting; 56 us of it is unexplained waiting.

class          on the path   share
compute           57.50 ms  10.8 %
communication    474.99 ms  89.1 %
copies                   0   0.0 %
CPU                      0   0.0 %
queueing                 0   0.0 %
waiting            0.66 ms   0.1 %

Its 30 longest tasks of 67, in order of time
     start   duration  wait before  class          rank  thread or stream    task                        waited for
  6.346 ms   3.256 ms            -  compute           0  operators           FW.layer2                   FW.layer1 (program)
 41.136 ms   3.277 ms         1 us  compute           0  operators           FW.layer13                  FW.layer12 (program)
 50.779 ms   6.036 ms            -  compute           0  operators           BW.layer15                  FW.layer15 (program)
 57.608 ms  16.152 ms       162 us  communication     0  PUSH to server 1    Comm.layer15_weight.PUSH.0  Comm.layer15_weight.COPYD2H.0 (stage)
 74.543 ms  17.166 ms            -  communication     0  PUSH to server 1    Comm.layer14_weight.PUSH.0  Comm.layer15_weight.PUSH.2 (stream)
 91.713 ms  16.873 ms            -  communication     0  PUSH to server 1    Comm.layer13_weight.PUSH.1  Comm.layer14_weight.PUSH.2 (stream)
110.580 ms  16.856 ms            -  communication     0  PUSH to server 1    Comm.layer12_weight.PUSH.0  Comm.layer13_weight.PUSH.2 (stream)
127.684 ms  16.995 ms            -  communication     0  PUSH to server 1    Comm.layer11_weight.PUSH.0  Comm.layer12_weight.PUSH.2 (stream)
146.789 ms  16.347 ms            -  communication     0  PUSH to server 1    Comm.layer10_weight.PUSH.1  Comm.layer11_weight.PUSH.2 (stream)
163.136 ms  16.954 ms            -  communication     0  PUSH to server 1    Comm.layer9_weight.PUSH.0   Comm.layer10_weight.PUSH.1 (stream)
180.618 ms  18.487 ms            -  communication     0  PUSH to server 1    Comm.layer8_weight.PUSH.1   Comm.layer9_weight.PUSH.2 (stream)
199.110 ms  16.757 ms            -  communication     0  PUSH to server 1    Comm.layer7_weight.PUSH.1   Comm.layer8_weight.PUSH.2 (stream)
215.867 ms  16.668 ms            -  communication     0  PUSH to server 1    Comm.layer6_weight.PUSH.0   Comm.layer7_weight.PUSH.1 (stream)
233.791 ms  17.817 ms            -  communication     0  PUSH to server 1    Comm.layer5_weight.PUSH.0   Comm.layer6_weight.PUSH.2 (stream)
252.101 ms  15.403 ms            -  communication     0  PUSH to server 1    Comm.layer4_weight.PUSH.1   Comm.layer5_weight.PUSH.2 (stream)
267.504 ms  17.404 ms            -  communication     0  PUSH to server 1    Comm.layer3_weight.PUSH.0   Comm.layer4_weight.PUSH.1 (stream)
284.908 ms  17.307 ms            -  communication     0  PUSH to server 1    Comm.layer2_weight.PUSH.0   Comm.layer3_weight.PUSH.0 (stream)
302.220 ms  17.215 ms            -  communication     0  PUSH to server 1    Comm.layer1_weight.PUSH.1   Comm.layer2_weight.PUSH.2 (stream)
319.435 ms  18.857 ms            -  communication     0  PUSH to server 1    Comm.layer0_weight.PUSH.0   Comm.layer1_weight.PUSH.1 (stream)
338.296 ms  17.043 ms            -  communication     0  PULL from server 1  Comm.layer10_weight.PULL.1  Comm.layer0_weight.PUSH.2 (stream)
355.339 ms  16.386 ms            -  communication     0  PULL from server 1  Comm.layer9_weight.PULL.0   Comm.layer10_weight.PULL.1 (stream)
373.299 ms  16.415 ms            -  communication     0  PULL from server 1  Comm.layer8_weight.PULL.1   Comm.layer9_weight.PULL.2 (stream)
390.032 ms  18.194 ms            -  communication     0  PULL from server 1  Comm.layer7_weight.PULL.1   Comm.layer8_weight.PULL.2 (stream)
408.226 ms  16.342 ms            -  communication     0  PULL from server 1  Comm.layer6_weight.PULL.0   Comm.layer7_weight.PULL.1 (stream)
425.650 ms  17.841 ms            -  communication     0  PULL from server 1  Comm.layer5_weight.PULL.0   Comm.layer6_weight.PULL.2 (stream)
443.978 ms  16.584 ms            -  communication     0  PULL from server 1  Comm.layer4_weight.PULL.1   Comm.layer5_weight.PULL.2 (stream)
460.562 ms  18.540 ms            -  communication     0  PULL from server 1  Comm.layer3_weight.PULL.0   Comm.layer4_weight.PULL.1 (stream)
479.102 ms  17.236 ms            -  communication     0  PULL from server 1  Comm.layer2_weight.PULL.0   Comm.layer3_weight.PULL.0 (stream)
497.946 ms  16.019 ms            -  communication     0  PULL from server 1  Comm.layer1_weight.PULL.1   Comm.layer2_weight.PULL.2 (stream)
513.965 ms  17.821 ms            -  communication     0  PULL from server 1  Comm.layer0_weight.PULL.0   Comm.layer1_weight.PULL.1 (stream)

Each GPU alone, step 7
The critical path through the tasks of one GPU: how long it would take if it waited for no other GPU.
rank  worker  tasks     alone  compute  communication  copies    CPU  waiting
   0  0          67  533.1 ms   10.8 %         89.1 %   0.0 %  0.0 %    0.1 %
   1  1          68  533.8 ms   10.8 %         89.1 %   0.0 %  0.0 %    0.1 %

GPU 0 alone: 533.1 ms, its 3 longest tasks of 67
    start  duration  class          rank  thread or stream    task                       waited for
180.62 ms  18.49 ms  communication     0  PUSH to server 1    Comm.layer8_weight.PUSH.1  Comm.layer9_weight.PUSH.2 (stream)
319.44 ms  18.86 ms  communication     0  PUSH to server 1    Comm.layer0_weight.PUSH.0  Comm.layer1_weight.PUSH.1 (stream)
460.56 ms  18.54 ms  communication     0  PULL from server 1  Comm.layer3_weight.PULL.0  Comm.layer4_weight.PULL.1 (stream)

GPU 1 alone: 533.8 ms, its 3 longest tasks of 68
    start  duration  class          rank  thread or stream  task                        waited for
 90.10 ms  18.53 ms  communication     1  PUSH to server 1  Comm.layer13_weight.PUSH.1  Comm.layer14_weight.PUSH.2 (stream)
214.38 ms  18.78 ms  communication     1  PUSH to server 1  Comm.layer6_weight.PUSH.0   Comm.layer7_weight.PUSH.1 (stream)
304.25 ms  18.83 ms  communication     1  PUSH to server 1  Comm.layer1_weight.PUSH.1   Comm.layer2_weight.PUSH.2 (stream)

Input
2,280 records read, none skipped; the graph has 2,070 tasks and 4,908 dependencies

Assumptions
- The time of copying and summing on servers is part of the recorded pulls, because no server was recorded.
