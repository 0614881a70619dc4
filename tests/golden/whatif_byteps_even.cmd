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
- beside which nothing computes      384.108 ms  967.972 ms  +583.865 ms
waiting in collectives                     0 ns        0 ns         0 ns
host                                       0 ns        0 ns         0 ns
idle                                 266.166 us  266.166 us         0 ns

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
- beside which nothing computes      384.108 ms  100.610 ms  -283.498 ms
waiting in collectives                     0 ns        0 ns         0 ns
host                                       0 ns        0 ns         0 ns
idle                                 266.166 us  207.911 us   -58.255 us

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
- beside which nothing computes      384.108 ms  556.522 ms  +172.414 ms
waiting in collectives                     0 ns        0 ns         0 ns
host                                       0 ns        0 ns         0 ns
idle                                 266.166 us  217.055 us   -49.111 us

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
