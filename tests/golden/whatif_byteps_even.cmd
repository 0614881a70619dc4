What would half the network do, and what would smaller partitions, and how far is either to be trusted?

$ stepsim whatif scenarios/samples/byteps-even --set network.bandwidth=0.5x
With these changes, an iteration takes 1.110 s, from 1.082 s to 1.145 s, instead of 532.082 ms (+108.7 %); the captured iteration of 534.062 ms is predicted with an error of -0.37 %.

Changes
- network.bandwidth=0.5x

Why it is a range
source            from       to  reason
model          1.110 s  1.114 s  the captured iteration of 534.062 ms is predicted with an error of -0.4 %
steps          1.104 s  1.119 s  the 3 captured steps differ, and so few may differ from others
usual error    1.097 s  1.124 s  models of measured runs were off by this much
extrapolation  1.086 s  1.135 s  models were off by this much more so far from what was captured
sharing        1.106 s  1.126 s  senders that meet on a link may share it fairly or be served one after the other
drift          1.110 s  1.116 s  workers may stay in step or drift apart

Where the difference comes from
of an iteration of the slowest rank    baseline    scenario   difference
iteration                            532.082 ms     1.110 s  +578.218 ms
compute                              150.171 ms  150.171 ms         0 ns
communication                        474.517 ms     1.058 s  +583.323 ms
- exposed                            381.796 ms  965.118 ms  +583.323 ms
- hidden behind compute               92.721 ms   92.721 ms         0 ns
idle                                 266.166 us  266.166 us         0 ns

Critical paths, by class
on the path      baseline    scenario   difference
length         532.122 ms     1.111 s  +578.694 ms
compute         57.255 ms   57.255 ms         0 ns
communication   23.514 ms    4.474 ms   -19.039 ms
queueing       450.857 ms     1.049 s  +597.734 ms
wait           495.500 us  495.500 us         0 ns
- baseline: rank 0's step 6; scenario: rank 0's step 6

The busiest links
link          busy    queueing  scenario: busy    queueing
host 3 in   80.9 %  263.561 ms          71.6 %  545.174 ms
host 2 in   80.4 %  260.973 ms          71.1 %  538.507 ms
host 3 out  78.5 %  248.520 ms          72.3 %  513.669 ms
host 2 out  76.1 %  226.700 ms          70.8 %  490.193 ms
host 1 in   56.2 %  241.902 ms          51.8 %  505.458 ms
host 0 in   50.7 %  233.318 ms          50.0 %  498.404 ms
- queueing: what the messages of an iteration take beyond their time alone, summed

Assumptions
- a server's copying and summing is part of the pulls that wait for it: no server was recorded
- Every link has the bandwidth of job.yaml, of which 0.957 is payload, as TCP over Ethernet leaves.
- Every worker and every server has one full-duplex link to one switch.
- A link's latency is 5.000 us: job.yaml does not say.
- Copying and summing on a server takes no time: no server was recorded.
- Where workers meet on a link, the message that came later gets 0.5 of what the one before it gets, as TCP does: at no time did two alone push into one server's link.
- The capture does not show by how much communication slows compute beside it: durations stay as captured where a change moves communication.
$ stepsim whatif scenarios/samples/byteps-even --set comm.partition_bytes=256KiB --set network.bandwidth=2x
With these changes, an iteration takes 251.411 ms, from 243.531 ms to 259.407 ms, instead of 532.082 ms (-52.7 %); the captured iteration of 534.062 ms is predicted with an error of -0.37 %.

Changes
- comm.partition_bytes=256KiB
- network.bandwidth=2x

Why it is a range
source               from          to  reason
model          251.411 ms  252.346 ms  the captured iteration of 534.062 ms is predicted with an error of -0.4 %
steps          250.032 ms  253.346 ms  the 3 captured steps differ, and so few may differ from others
usual error    246.432 ms  256.489 ms  models of measured runs were off by this much
extrapolation  245.819 ms  257.129 ms  models were off by this much more so far from what was captured
sharing        249.201 ms  251.584 ms  senders that meet on a link may share it fairly or be served one after the other
drift          251.411 ms  251.718 ms  workers may stay in step or drift apart

Where the difference comes from
of an iteration of the slowest rank    baseline    scenario   difference
iteration                            532.082 ms  251.411 ms  -280.672 ms
compute                              150.171 ms  150.171 ms         0 ns
communication                        474.517 ms  193.949 ms  -280.568 ms
- exposed                            381.796 ms  101.110 ms  -280.686 ms
- hidden behind compute               92.721 ms   92.839 ms  +118.000 us
idle                                 266.166 us  246.086 us   -20.080 us

Critical paths, by class
on the path      baseline    scenario   difference
length         532.122 ms  251.672 ms  -280.450 ms
compute         57.255 ms   58.086 ms  +831.000 us
communication   23.514 ms   41.131 ms   +17.618 ms
queueing       450.857 ms  151.695 ms  -299.162 ms
wait           495.500 us  759.500 us  +264.000 us
- baseline: rank 0's step 6; scenario: rank 0's step 6

The busiest links
link          busy    queueing  scenario: busy    queueing
host 3 in   80.9 %  263.561 ms          70.6 %  123.615 ms
host 2 in   80.4 %  260.973 ms          70.6 %  123.762 ms
host 3 out  78.5 %  248.520 ms          64.3 %  115.207 ms
host 2 out  76.1 %  226.700 ms          66.4 %  121.039 ms
host 1 in   56.2 %  241.902 ms          52.6 %  119.935 ms
host 0 in   50.7 %  233.318 ms          49.8 %  116.311 ms
- queueing: what the messages of an iteration take beyond their time alone, summed

Assumptions
- a server's copying and summing is part of the pulls that wait for it: no server was recorded
- Every link has the bandwidth of job.yaml, of which 0.957 is payload, as TCP over Ethernet leaves.
- Every worker and every server has one full-duplex link to one switch.
- A link's latency is 5.000 us: job.yaml does not say.
- Copying and summing on a server takes no time: no server was recorded.
- Where workers meet on a link, the message that came later gets 0.5 of what the one before it gets, as TCP does: at no time did two alone push into one server's link.
- The capture does not show by how much communication slows compute beside it: durations stay as captured where a change moves communication.
$ stepsim whatif scenarios/samples/byteps-even --set cluster.servers=1
With these changes, an iteration takes 706.824 ms, from 683.130 ms to 1.083 s, instead of 532.082 ms (+32.8 %); the captured iteration of 534.062 ms is predicted with an error of -0.37 %.

Changes
- cluster.servers=1

Why it is a range
source               from          to  reason
model          706.824 ms  709.454 ms  the captured iteration of 534.062 ms is predicted with an error of -0.4 %
steps          702.948 ms  712.265 ms  the 3 captured steps differ, and so few may differ from others
usual error    692.828 ms  721.103 ms  models of measured runs were off by this much
extrapolation  700.828 ms  712.872 ms  models were off by this much more so far from what was captured
sharing        688.899 ms  715.405 ms  senders that meet on a link may share it fairly or be served one after the other
drift          706.824 ms     1.083 s  workers may stay in step or drift apart

Where the difference comes from
of an iteration of the slowest rank    baseline    scenario   difference
iteration                            532.082 ms  706.824 ms  +174.742 ms
compute                              150.171 ms  150.143 ms   -27.667 us
communication                        474.517 ms  649.168 ms  +174.651 ms
- exposed                            381.796 ms  556.524 ms  +174.728 ms
- hidden behind compute               92.721 ms   92.644 ms   -77.000 us
idle                                 266.166 us  217.055 us   -49.111 us

Critical paths, by class
on the path      baseline    scenario   difference
length         532.122 ms  706.852 ms  +174.731 ms
compute         57.255 ms   57.453 ms  +198.000 us
communication   23.514 ms    1.792 ms   -21.722 ms
queueing       450.857 ms  647.109 ms  +196.252 ms
wait           495.500 us  498.000 us    +2.500 us
- baseline: rank 0's step 6; scenario: rank 1's step 6

The busiest links
link          busy    queueing  scenario: busy    queueing
host 3 in   80.9 %  263.561 ms           0.0 %        0 ns
host 2 in   80.4 %  260.973 ms          74.2 %  173.010 ms
host 3 out  78.5 %  248.520 ms           0.0 %        0 ns
host 2 out  76.1 %  226.700 ms          74.3 %  183.104 ms
host 1 in   56.2 %  241.902 ms          50.1 %   91.552 ms
host 0 in   50.7 %  233.318 ms          50.1 %   91.552 ms
- queueing: what the messages of an iteration take beyond their time alone, summed

Assumptions
- a server's copying and summing is part of the pulls that wait for it: no server was recorded
- Every link has the bandwidth of job.yaml, of which 0.957 is payload, as TCP over Ethernet leaves.
- Every worker and every server has one full-duplex link to one switch.
- A link's latency is 5.000 us: job.yaml does not say.
- Copying and summing on a server takes no time: no server was recorded.
- Where workers meet on a link, the message that came later gets 0.5 of what the one before it gets, as TCP does: at no time did two alone push into one server's link.
- The capture does not show by how much communication slows compute beside it: durations stay as captured where a change moves communication.
$ stepsim whatif scenarios/samples/byteps-even --set comm.bucket_bytes=1MB
error: --set 'comm.bucket_bytes=1MB': the job has parameter servers and no collectives; expected a capture of a job that has
[exit 5]
