What would half the network do, and what would smaller partitions, and how far is either to be trusted?

$ stepsim whatif scenarios/samples/byteps-even --set network.bandwidth=0.5x
With these changes, an iteration takes 1.11 s, from 1.082 s to 1.145 s, instead of 532.082 ms (+108.7 %); the captured iteration of 534.062 ms is predicted with an error of -0.37 %.

Changes
- network.bandwidth=0.5x
  applies to 1152 tasks, 7.24 s of 7.377 s of communication (98.2 %)

Uncertainty by source
source            from       to  reason
model          1.110 s  1.114 s  the captured iteration of 534.062 ms is predicted with an error of -0.4 %
steps          1.104 s  1.119 s  the 3 captured steps differ, and so few may differ from others
usual error    1.097 s  1.124 s  models of measured runs were off by this much
extrapolation  1.086 s  1.135 s  models were off by this much more so far from what was captured
sharing        1.106 s  1.126 s  senders that meet on a link may share it fairly or be served one after the other
drift          1.110 s  1.116 s  workers may stay in step or drift apart

Where the difference comes from
of an iteration of the slowest rank   baseline    scenario  difference
iteration                            532.08 ms  1110.30 ms  +578.22 ms
compute                              150.17 ms   150.17 ms           0
communication                        474.52 ms  1057.84 ms  +583.32 ms
- exposed transfer                   381.80 ms   965.12 ms  +583.32 ms
- hidden behind compute               92.72 ms    92.72 ms           0
idle                                   0.27 ms     0.27 ms           0

Critical paths, by class
on the path     baseline    scenario  difference
length         532.12 ms  1110.82 ms  +578.69 ms
compute         57.26 ms    57.26 ms           0
communication   23.51 ms     4.47 ms   -19.04 ms
queueing       450.86 ms  1048.59 ms  +597.73 ms
wait             0.50 ms     0.50 ms           0
- baseline: rank 0's step 6; scenario: rank 0's step 6

The busiest links
link          busy  queueing  scenario: busy  queueing
host 3 in   80.9 %  263.6 ms          71.6 %  545.2 ms
host 2 in   80.4 %  261.0 ms          71.1 %  538.5 ms
host 3 out  78.5 %  248.5 ms          72.3 %  513.7 ms
host 2 out  76.1 %  226.7 ms          70.8 %  490.2 ms
host 1 in   56.2 %  241.9 ms          51.8 %  505.5 ms
host 0 in   50.7 %  233.3 ms          50.0 %  498.4 ms
- queueing: what the messages of an iteration take beyond their time alone, summed

Assumptions
- a server's copying and summing is part of the pulls that wait for it: no server was recorded
- Every link has the bandwidth of job.yaml, of which 0.957 is payload, as TCP over Ethernet leaves.
- Every worker and every server has one full-duplex link to one switch.
- A link's latency is 5 us: job.yaml does not say.
- Copying and summing on a server takes no time: no server was recorded.
- Where workers meet on a link, the message that came later gets 0.5 of what the one before it gets, as TCP does: at no time did two alone push into one server's link.
- The capture does not show by how much communication slows compute beside it: durations stay as captured where a change moves communication.
$ stepsim whatif scenarios/samples/byteps-even --set comm.partition_bytes=256KiB --set network.bandwidth=2x
With these changes, an iteration takes 251.411 ms, from 243.531 ms to 259.35 ms, instead of 532.082 ms (-52.7 %); the captured iteration of 534.062 ms is predicted with an error of -0.37 %.

Changes
- comm.partition_bytes=256KiB
- network.bandwidth=2x
  applies to 1152 tasks, 7.24 s of 7.377 s of communication (98.2 %)

Uncertainty by source
source             from        to  reason
model          251.4 ms  252.3 ms  the captured iteration of 534.062 ms is predicted with an error of -0.4 %
steps          250.0 ms  253.3 ms  the 3 captured steps differ, and so few may differ from others
usual error    246.4 ms  256.5 ms  models of measured runs were off by this much
extrapolation  245.8 ms  257.1 ms  models were off by this much more so far from what was captured
sharing        249.2 ms  251.6 ms  senders that meet on a link may share it fairly or be served one after the other
drift          251.4 ms  251.7 ms  workers may stay in step or drift apart

Where the difference comes from
of an iteration of the slowest rank    baseline    scenario   difference
iteration                            532.082 ms  251.411 ms  -280.672 ms
compute                              150.171 ms  150.171 ms            0
communication                        474.517 ms  193.949 ms  -280.568 ms
- exposed transfer                   381.796 ms  101.110 ms  -280.686 ms
- hidden behind compute               92.721 ms   92.839 ms    +0.118 ms
idle                                   0.266 ms    0.246 ms    -0.020 ms

Critical paths, by class
on the path     baseline   scenario  difference
length         532.12 ms  251.67 ms  -280.45 ms
compute         57.26 ms   58.09 ms    +0.83 ms
communication   23.51 ms   41.13 ms   +17.62 ms
queueing       450.86 ms  151.70 ms  -299.16 ms
wait             0.50 ms    0.76 ms    +0.26 ms
- baseline: rank 0's step 6; scenario: rank 0's step 6

The busiest links
link          busy  queueing  scenario: busy  queueing
host 3 in   80.9 %  263.6 ms          70.6 %  123.6 ms
host 2 in   80.4 %  261.0 ms          70.6 %  123.8 ms
host 3 out  78.5 %  248.5 ms          64.3 %  115.2 ms
host 2 out  76.1 %  226.7 ms          66.4 %  121.0 ms
host 1 in   56.2 %  241.9 ms          52.6 %  119.9 ms
host 0 in   50.7 %  233.3 ms          49.8 %  116.3 ms
- queueing: what the messages of an iteration take beyond their time alone, summed

Assumptions
- a server's copying and summing is part of the pulls that wait for it: no server was recorded
- Every link has the bandwidth of job.yaml, of which 0.957 is payload, as TCP over Ethernet leaves.
- Every worker and every server has one full-duplex link to one switch.
- A link's latency is 5 us: job.yaml does not say.
- Copying and summing on a server takes no time: no server was recorded.
- Where workers meet on a link, the message that came later gets 0.5 of what the one before it gets, as TCP does: at no time did two alone push into one server's link.
- The capture does not show by how much communication slows compute beside it: durations stay as captured where a change moves communication.
$ stepsim whatif scenarios/samples/byteps-even --set cluster.servers=1
With these changes, an iteration takes 706.824 ms, from 683.13 ms to 1.083 s, instead of 532.082 ms (+32.8 %); the captured iteration of 534.062 ms is predicted with an error of -0.37 %.

Changes
- cluster.servers=1

Uncertainty by source
source             from         to  reason
model          706.8 ms   709.5 ms  the captured iteration of 534.062 ms is predicted with an error of -0.4 %
steps          702.9 ms   712.3 ms  the 3 captured steps differ, and so few may differ from others
usual error    692.8 ms   721.1 ms  models of measured runs were off by this much
extrapolation  700.8 ms   712.9 ms  models were off by this much more so far from what was captured
sharing        688.9 ms   715.4 ms  senders that meet on a link may share it fairly or be served one after the other
drift          706.8 ms  1082.5 ms  workers may stay in step or drift apart

Where the difference comes from
of an iteration of the slowest rank    baseline    scenario   difference
iteration                            532.082 ms  706.824 ms  +174.742 ms
compute                              150.171 ms  150.143 ms    -0.028 ms
communication                        474.517 ms  649.168 ms  +174.651 ms
- exposed transfer                   381.796 ms  556.524 ms  +174.728 ms
- hidden behind compute               92.721 ms   92.644 ms    -0.077 ms
idle                                   0.266 ms    0.217 ms    -0.049 ms

Critical paths, by class
on the path      baseline    scenario   difference
length         532.122 ms  706.852 ms  +174.731 ms
compute         57.255 ms   57.453 ms    +0.198 ms
communication   23.514 ms    1.792 ms   -21.722 ms
queueing       450.857 ms  647.109 ms  +196.252 ms
wait             0.496 ms    0.498 ms      +2.5 us
- baseline: rank 0's step 6; scenario: rank 1's step 6

The busiest links
link          busy  queueing  scenario: busy  queueing
host 3 in   80.9 %  263.6 ms           0.0 %         0
host 2 in   80.4 %  261.0 ms          74.2 %  173.0 ms
host 3 out  78.5 %  248.5 ms           0.0 %         0
host 2 out  76.1 %  226.7 ms          74.3 %  183.1 ms
host 1 in   56.2 %  241.9 ms          50.1 %   91.6 ms
host 0 in   50.7 %  233.3 ms          50.1 %   91.6 ms
- queueing: what the messages of an iteration take beyond their time alone, summed

Assumptions
- a server's copying and summing is part of the pulls that wait for it: no server was recorded
- Every link has the bandwidth of job.yaml, of which 0.957 is payload, as TCP over Ethernet leaves.
- Every worker and every server has one full-duplex link to one switch.
- A link's latency is 5 us: job.yaml does not say.
- Copying and summing on a server takes no time: no server was recorded.
- Where workers meet on a link, the message that came later gets 0.5 of what the one before it gets, as TCP does: at no time did two alone push into one server's link.
- The capture does not show by how much communication slows compute beside it: durations stay as captured where a change moves communication.
$ stepsim whatif scenarios/samples/byteps-even --set comm.bucket_bytes=1MB
error: --set 'comm.bucket_bytes=1MB': the job has parameter servers and no collectives; expected a capture of a job that has
[exit 5]
$ stepsim whatif scenarios/samples/byteps-even
Nothing is changed (--set and -s give changes): as captured, an iteration takes 532.082 ms, from 524.743 ms to 540.163 ms, instead of 532.082 ms (0.0 %); the captured iteration of 534.062 ms is predicted with an error of -0.37 %.

Uncertainty by source
source           from        to  reason
model        532.1 ms  534.1 ms  the captured iteration of 534.062 ms is predicted with an error of -0.4 %
steps        529.2 ms  536.2 ms  the 3 captured steps differ, and so few may differ from others
usual error  525.7 ms  538.5 ms  models of measured runs were off by this much
sharing      529.8 ms  534.5 ms  senders that meet on a link may share it fairly or be served one after the other
drift        532.1 ms  533.2 ms  workers may stay in step or drift apart

Where the difference comes from
of an iteration of the slowest rank   baseline   scenario  difference
iteration                            532.08 ms  532.08 ms           0
compute                              150.17 ms  150.17 ms           0
communication                        474.52 ms  474.52 ms           0
- exposed transfer                   381.80 ms  381.80 ms           0
- hidden behind compute               92.72 ms   92.72 ms           0
idle                                   0.27 ms    0.27 ms           0

Critical paths, by class
on the path     baseline   scenario  difference
length         532.12 ms  532.12 ms           0
compute         57.26 ms   57.26 ms           0
communication   23.51 ms   23.51 ms           0
queueing       450.86 ms  450.86 ms           0
wait             0.50 ms    0.50 ms           0
- baseline: rank 0's step 6; scenario: rank 0's step 6

The busiest links
link          busy  queueing  scenario: busy  queueing
host 3 in   80.9 %  263.6 ms          80.9 %  263.6 ms
host 2 in   80.4 %  261.0 ms          80.4 %  261.0 ms
host 3 out  78.5 %  248.5 ms          78.5 %  248.5 ms
host 2 out  76.1 %  226.7 ms          76.1 %  226.7 ms
host 1 in   56.2 %  241.9 ms          56.2 %  241.9 ms
host 0 in   50.7 %  233.3 ms          50.7 %  233.3 ms
- queueing: what the messages of an iteration take beyond their time alone, summed

Assumptions
- a server's copying and summing is part of the pulls that wait for it: no server was recorded
- Every link has the bandwidth of job.yaml, of which 0.957 is payload, as TCP over Ethernet leaves.
- Every worker and every server has one full-duplex link to one switch.
- A link's latency is 5 us: job.yaml does not say.
- Copying and summing on a server takes no time: no server was recorded.
- Where workers meet on a link, the message that came later gets 0.5 of what the one before it gets, as TCP does: at no time did two alone push into one server's link.
- The capture does not show by how much communication slows compute beside it: durations stay as captured where a change moves communication.
$ stepsim whatif scenarios/samples/byteps-even --cluster scenarios/clusters/star.yaml --set compute.scale=0.5
With these changes, an iteration takes 77.938 ms, from 73.464 ms to 82.705 ms, instead of 153.076 ms (-49.1 %); scenarios/clusters/star.yaml alone takes the captured iteration from 532.082 ms to 153.076 ms (-71.2 %); on its own links it is predicted with an error of -0.37 %.

Changes
- compute.scale=0.5
  applies to 198 tasks, 900.943 ms of 900.943 ms of compute (100.0 %)

Uncertainty by source
source             from        to  reason
model          77.94 ms  78.23 ms  the captured iteration of 534.062 ms is predicted with an error of -0.4 %
steps          77.51 ms  78.54 ms  the 3 captured steps differ, and so few may differ from others
usual error    77.01 ms  78.88 ms  models of measured runs were off by this much
extrapolation  73.57 ms  82.56 ms  models were off by this much more so far from what was captured
sharing        77.87 ms  77.94 ms  senders that meet on a link may share it fairly or be served one after the other
drift          77.94 ms  77.94 ms  workers may stay in step or drift apart

Where the difference comes from
of an iteration of the slowest rank    baseline   scenario  difference
iteration                            153.076 ms  77.938 ms  -75.138 ms
compute                              150.143 ms  75.072 ms  -75.072 ms
communication                         36.670 ms  36.509 ms   -0.161 ms
- exposed transfer                     2.459 ms   2.453 ms   -6.356 us
- hidden behind compute               34.211 ms  34.056 ms   -0.155 ms
idle                                   0.422 ms   0.341 ms   -0.082 ms

Critical paths, by class
on the path     baseline  scenario  difference
length         152.97 ms  77.88 ms   -75.09 ms
compute        150.18 ms  75.09 ms   -75.09 ms
communication    1.85 ms   1.85 ms           0
queueing         0.13 ms   0.13 ms           0
wait             0.81 ms   0.81 ms           0
- baseline: rank 1's step 6; scenario: rank 1's step 6

The busiest links
link                busy   queueing  scenario: busy  queueing
host server-1 in   8.9 %  10.090 ms          14.3 %  8.628 ms
host server-0 in   8.6 %   9.742 ms          13.8 %  8.312 ms
host server-1 out  7.8 %  10.253 ms          13.1 %  8.734 ms
host worker-0 in   7.5 %   9.917 ms          12.8 %  8.317 ms
host server-0 out  7.4 %   9.942 ms          12.4 %  8.468 ms
host worker-0 out  7.3 %   9.752 ms          12.4 %  8.255 ms
- queueing: what the messages of an iteration take beyond their time alone, summed

Assumptions
- a server's copying and summing is part of the pulls that wait for it: no server was recorded
- The capture does not show by how much communication slows compute beside it: durations stay as captured where a change moves communication.
- scenarios/clusters/star.yaml alone takes the captured iteration from 532.082 ms to 153.076 ms (-71.2 %); on its own links it is predicted with an error of -0.37 %
