What would half the network do, and what would smaller partitions, and how far is either to be trusted?

$ stepsim whatif scenarios/samples/byteps-even --set network.bandwidth=0.5x
With these changes, an iteration takes 1.118 s, from 1.103 s to 1.132 s, instead of 534.463 ms (+109.2 %); the captured iteration of 534.062 ms is predicted with an error of +0.08 %.

Changes
- network.bandwidth=0.5x

Why it is a range
source      from       to  reason
steps    1.116 s  1.124 s  the 3 captured steps differ by as much from each other
sharing  1.106 s  1.126 s  senders that meet on a link may share it fairly or be served one after the other
drift    1.118 s  1.118 s  workers may stay in step or drift apart

Where the difference comes from
of an iteration of the slowest rank    baseline    scenario   difference
iteration                            534.463 ms     1.118 s  +583.865 ms
compute                              150.171 ms  150.171 ms         0 ns
communication                        476.829 ms     1.061 s  +583.865 ms
- exposed                            384.108 ms  967.972 ms  +583.865 ms
- hidden behind compute               92.721 ms   92.721 ms         0 ns
idle                                 266.166 us  266.166 us         0 ns

Critical paths, by class
on the path      baseline    scenario   difference
length         534.467 ms     1.118 s  +583.865 ms
compute         57.255 ms   57.255 ms         0 ns
communication    7.752 ms    2.832 ms    -4.920 ms
queueing       468.966 ms     1.058 s  +588.784 ms
wait           494.500 us  494.500 us         0 ns
- baseline: rank 0's step 6; scenario: rank 0's step 6

The busiest links
link          busy    queueing  scenario: busy    queueing
host 3 in   81.1 %  265.095 ms          69.2 %  549.573 ms
host 2 in   80.6 %  262.874 ms          68.8 %  544.851 ms
host 2 out  79.0 %  254.689 ms          70.0 %  524.782 ms
host 3 out  78.9 %  259.803 ms          69.7 %  538.246 ms
host 1 in   55.1 %  259.751 ms          50.7 %  535.425 ms
host 0 in   50.8 %  254.741 ms          50.7 %  527.604 ms
- queueing: what the messages of an iteration take beyond their time alone, summed

Assumptions
- a server's copying and summing is part of the pulls that wait for it: no server was recorded
- Every link has the bandwidth of job.yaml, of which 0.957 is payload, as TCP over Ethernet leaves.
- Every worker and every server has one full-duplex link to one switch.
- A link's latency is 5.000 us: job.yaml does not say.
- Copying and summing on a server takes no time: no server was recorded.
- Workers share a link fairly: at no time did two alone push into one server's.
$ stepsim whatif scenarios/samples/byteps-even --set comm.partition_bytes=256KiB --set network.bandwidth=2x
With these changes, an iteration takes 251.584 ms, from 248.596 ms to 252.820 ms, instead of 534.463 ms (-52.9 %); the captured iteration of 534.062 ms is predicted with an error of +0.08 %.

Changes
- comm.partition_bytes=256KiB
- network.bandwidth=2x

Why it is a range
source         from          to  reason
steps    250.977 ms  252.820 ms  the 3 captured steps differ by as much from each other
sharing  249.201 ms  251.584 ms  senders that meet on a link may share it fairly or be served one after the other
drift    251.581 ms  251.584 ms  workers may stay in step or drift apart

Where the difference comes from
of an iteration of the slowest rank    baseline    scenario   difference
iteration                            534.463 ms  251.584 ms  -282.879 ms
compute                              150.171 ms  150.143 ms   -27.667 us
communication                        476.829 ms  193.372 ms  -283.457 ms
- exposed                            384.108 ms  100.610 ms  -283.498 ms
- hidden behind compute               92.721 ms   92.762 ms   +41.000 us
idle                                 266.166 us  207.911 us   -58.255 us

Critical paths, by class
on the path      baseline    scenario   difference
length         534.467 ms  251.404 ms  -283.063 ms
compute         57.255 ms   57.095 ms  -160.000 us
communication    7.752 ms    3.405 ms    -4.347 ms
queueing       468.966 ms  190.408 ms  -278.558 ms
wait           494.500 us  496.500 us    +2.000 us
- baseline: rank 0's step 6; scenario: rank 1's step 5

The busiest links
link          busy    queueing  scenario: busy    queueing
host 3 in   81.1 %  265.095 ms          70.9 %  123.781 ms
host 2 in   80.6 %  262.874 ms          70.9 %  123.866 ms
host 2 out  79.0 %  254.689 ms          66.7 %  123.281 ms
host 3 out  78.9 %  259.803 ms          66.8 %  123.338 ms
host 1 in   55.1 %  259.751 ms          52.5 %  123.938 ms
host 0 in   50.8 %  254.741 ms          49.6 %  122.681 ms
- queueing: what the messages of an iteration take beyond their time alone, summed

Assumptions
- a server's copying and summing is part of the pulls that wait for it: no server was recorded
- Every link has the bandwidth of job.yaml, of which 0.957 is payload, as TCP over Ethernet leaves.
- Every worker and every server has one full-duplex link to one switch.
- A link's latency is 5.000 us: job.yaml does not say.
- Copying and summing on a server takes no time: no server was recorded.
- Workers share a link fairly: at no time did two alone push into one server's.
$ stepsim whatif scenarios/samples/byteps-even --set cluster.servers=1
With these changes, an iteration takes 706.822 ms, from 687.237 ms to 1.105 s, instead of 534.463 ms (+32.2 %); the captured iteration of 534.062 ms is predicted with an error of +0.08 %.

Changes
- cluster.servers=1

Why it is a range
source         from          to  reason
steps    705.117 ms  710.292 ms  the 3 captured steps differ by as much from each other
sharing  688.899 ms  715.405 ms  senders that meet on a link may share it fairly or be served one after the other
drift    706.822 ms     1.087 s  workers may stay in step or drift apart

Where the difference comes from
of an iteration of the slowest rank    baseline    scenario   difference
iteration                            534.463 ms  706.822 ms  +172.359 ms
compute                              150.171 ms  150.143 ms   -27.667 us
communication                        476.829 ms  649.166 ms  +172.337 ms
- exposed                            384.108 ms  556.522 ms  +172.414 ms
- hidden behind compute               92.721 ms   92.644 ms   -77.000 us
idle                                 266.166 us  217.055 us   -49.111 us

Critical paths, by class
on the path      baseline    scenario   difference
length         534.467 ms  706.848 ms  +172.381 ms
compute         57.255 ms   57.453 ms  +198.000 us
communication    7.752 ms    1.792 ms    -5.960 ms
queueing       468.966 ms  647.107 ms  +178.141 ms
wait           494.500 us  496.500 us    +2.000 us
- baseline: rank 0's step 6; scenario: rank 1's step 6

The busiest links
link          busy    queueing  scenario: busy    queueing
host 3 in   81.1 %  265.095 ms           0.0 %        0 ns
host 2 in   80.6 %  262.874 ms          73.9 %  178.288 ms
host 2 out  79.0 %  254.689 ms          73.9 %  188.028 ms
host 3 out  78.9 %  259.803 ms           0.0 %        0 ns
host 1 in   55.1 %  259.751 ms          50.3 %   94.014 ms
host 0 in   50.8 %  254.741 ms          50.3 %   94.014 ms
- queueing: what the messages of an iteration take beyond their time alone, summed

Assumptions
- a server's copying and summing is part of the pulls that wait for it: no server was recorded
- Every link has the bandwidth of job.yaml, of which 0.957 is payload, as TCP over Ethernet leaves.
- Every worker and every server has one full-duplex link to one switch.
- A link's latency is 5.000 us: job.yaml does not say.
- Copying and summing on a server takes no time: no server was recorded.
- Workers share a link fairly: at no time did two alone push into one server's.
$ stepsim whatif scenarios/samples/byteps-even --set comm.bucket_bytes=1MB
error: --set 'comm.bucket_bytes=1MB': the job has parameter servers and no collectives; expected a capture of a job that has
[exit 2]
