What does twice the network change, task by task, and does a job differ from itself?

$ stepsim compare scenarios/samples/byteps-even --set network.bandwidth=2x --rows 5
Step time of A 532.1 ms, of B 253.2 ms: -278.9 ms (-52.4 %); significant (noise +-6.785 ms).

Compared
   result                                      step time is  step time  steps  shortest  longest  ranks
A  scenarios/samples/byteps-even, as captured  predicted      532.1 ms      -         -        -      2
B  network.bandwidth=2x                        predicted      253.2 ms      -         -        -      2

Where the difference comes from (slowest rank)
part                            A           B   difference  relative
compute                150.041 ms  150.041 ms            0     0.0 %
exposed communication  381.775 ms  102.947 ms  -278.828 ms   -73.0 %
idle                     0.267 ms    0.195 ms    -0.072 ms   -26.9 %
sum                    532.082 ms  253.183 ms  -278.899 ms   -52.4 %

On the critical path
part                   A          B  difference  relative
compute         57.25 ms   57.25 ms           0     0.0 %
communication   25.51 ms    1.66 ms   -23.85 ms   -93.5 %
queueing       448.80 ms  194.65 ms  -254.14 ms   -56.6 %
waiting          0.50 ms    0.50 ms           0     0.0 %

By class
4 classes in both: 1.277 s in A, 730.1 ms in B, -546.4 ms
class                 A           B   difference  relative  count     mean A    mean B
transfer    1091.490 ms  545.050 ms  -546.440 ms   -50.1 %     96  11.370 ms  5.678 ms
collective    12.049 ms   12.049 ms            0     0.0 %     96   0.126 ms  0.126 ms
copy          22.817 ms   22.817 ms            0     0.0 %     96   0.238 ms  0.238 ms
operator     150.157 ms  150.157 ms            0     0.0 %     33   4.550 ms  4.550 ms

By name
321 names in both: 1.277 s in A, 730.1 ms in B, -546.4 ms
name                       class             A         B  difference  relative  count     mean A    mean B
Comm.layer2_weight.PULL.0  transfer  19.074 ms  8.803 ms  -10.271 ms   -53.8 %      1  19.074 ms  8.803 ms
Comm.layer6_weight.PULL.1  transfer  18.033 ms  7.776 ms  -10.257 ms   -56.9 %      1  18.033 ms  7.776 ms
Comm.layer3_weight.PULL.1  transfer  18.548 ms  8.389 ms  -10.159 ms   -54.8 %      1  18.548 ms  8.389 ms
Comm.layer5_weight.PULL.0  transfer  18.505 ms  8.367 ms  -10.138 ms   -54.8 %      1  18.505 ms  8.367 ms
Comm.layer8_weight.PULL.0  transfer  17.672 ms  7.577 ms  -10.096 ms   -57.1 %      1  17.672 ms  7.577 ms
- 316 more: --rows 50 or --rows all

Notes
- times and counts of tasks are per step, averaged over ranks
- the tables leave out 6,156 tasks of A that belong to no whole step
- the tables leave out 6,156 tasks of B that belong to no whole step
- remainder: the parts are means of the steps around the median, so their sum differs a little from the step time
- noise of a prediction: half of its range
$ stepsim compare scenarios/samples/byteps-even scenarios/samples/byteps-even --by class --fail-above 3%
Step time of A 534.1 ms, of B 534.1 ms: no difference; noise +-3.558 ms.
Gate passed: B is as fast as A; the limit is 3.0 %.

Compared
   result                         step time is  step time  steps  shortest   longest  ranks
A  scenarios/samples/byteps-even  measured       534.1 ms      3  532.9 ms  535.2 ms      2
B  scenarios/samples/byteps-even  measured       534.1 ms      3  532.9 ms  535.2 ms      2

Where the difference comes from (slowest rank)
part                            A           B  difference  relative
compute                150.041 ms  150.041 ms           0     0.0 %
exposed communication  383.951 ms  383.951 ms           0     0.0 %
idle                     0.070 ms    0.070 ms           0     0.0 %
sum                    534.062 ms  534.062 ms           0     0.0 %

On the critical path
part                   A          B  difference  relative
compute         57.50 ms   57.50 ms           0     0.0 %
communication  474.99 ms  474.99 ms           0     0.0 %
waiting          0.66 ms    0.66 ms           0     0.0 %

By class
5 classes in both: 1.380 s in A, 1.380 s in B, 0 ns
class                 A            B  difference  relative  count     mean A     mean B
collective     7.855 ms     7.855 ms           0     0.0 %     96   0.082 ms   0.082 ms
copy          22.679 ms    22.679 ms           0     0.0 %     96   0.236 ms   0.236 ms
operator     150.157 ms   150.157 ms           0     0.0 %     33   4.550 ms   4.550 ms
server                0            0           0         -     24          0          0
transfer    1198.889 ms  1198.889 ms           0     0.0 %     96  12.488 ms  12.488 ms

Notes
- times and counts of tasks are per step, averaged over ranks
- remainder: the parts are means of the steps around the median, so their sum differs a little from the step time
- noise: half of the 95 % confidence interval, from how the steps of one run differ; runs may differ by more
