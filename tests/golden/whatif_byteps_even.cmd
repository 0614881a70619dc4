What would half the network do, and what would smaller partitions, and how far is either to be trusted?

$ stepsim whatif scenarios/samples/byteps-even --set network.bandwidth=0.5x
Step time 1.110 s (1.082 to 1.145 s), 108.7 % more than the baseline's 532.1 ms. The captured step of 534.1 ms is predicted with an error of -0.4 %.
Answers of this kind (another network, job without GPUs, captured step, several hosts, training) were 0.8 % off on average in 48 comparisons with measured runs, from 1 source that constants were fitted to; 96 % were in range.

Why
- Largest difference: exposed transfer, 381.8 ms to 960.0 ms (+578.2 ms).

Where the difference comes from
per step of the slowest rank   baseline    scenario  difference
step time                     532.08 ms  1110.30 ms  +578.22 ms
compute                       150.04 ms   150.04 ms           0
communication                 474.45 ms  1052.67 ms  +578.22 ms
- exposed transfer            381.77 ms   959.99 ms  +578.22 ms
- overlapped with compute      92.67 ms    92.67 ms           0
nothing running                 0.27 ms     0.27 ms           0

Changes
- network.bandwidth=0.5x
  applies to 1,152 tasks, 7.240 s of 7.377 s of communication (98.2 %)

Uncertainty by source
source                  from       to  reason
model                1.110 s  1.114 s  the captured step of 534.1 ms is predicted with an error of -0.4 %
steps                1.104 s  1.119 s  the 3 captured steps vary, and other steps may vary more
typical model error  1.097 s  1.124 s  usual error of the models in comparisons with measured runs
extrapolation        1.086 s  1.135 s  additional model error for a change this large
sharing              1.106 s  1.126 s  senders on one link may share its bandwidth equally or be served one at a time
drift                1.110 s  1.116 s  workers may stay synchronized or drift apart

Assumptions
- The time of copying and summing on servers is part of the recorded pulls, because no server was recorded.
- Links have the bandwidth from job.yaml; 0.957 of it is payload, as for TCP over Ethernet.
- Each worker and each server has one full-duplex link to a single switch.
- The latency of a link is 5 us; job.yaml does not give it.
- Copying and summing on predicted servers takes no time, because no server was recorded.
- When two workers send over the same link, the later message gets 0.5 of the bandwidth of the earlier one, as is typical for TCP; the capture does not show two workers pushing to only one server.
- The capture does not show how much communication slows overlapping compute, so durations stay as captured where a change moves communication.

Critical paths by class
class           baseline    scenario  difference
length         532.04 ms  1109.78 ms  +577.74 ms
compute         57.25 ms    57.25 ms           0
communication   25.51 ms     4.47 ms   -21.03 ms
queueing       448.80 ms  1047.57 ms  +598.77 ms
waiting          0.50 ms     0.50 ms           0
- baseline: rank 0's step 5; scenario: rank 0's step 5

Busiest links
link        baseline busy  baseline queueing  scenario busy  scenario queueing
host 3 in          80.9 %           263.6 ms         71.6 %           545.2 ms
host 2 in          80.4 %           261.0 ms         71.1 %           538.5 ms
host 3 out         78.5 %           248.5 ms         72.3 %           513.7 ms
host 2 out         76.1 %           226.7 ms         70.8 %           490.2 ms
host 1 in          56.2 %           241.9 ms         51.8 %           505.5 ms
host 0 in          50.7 %           233.3 ms         50.0 %           498.4 ms
- queueing: delay of messages by others on the link, summed over one step
$ stepsim whatif scenarios/samples/byteps-even --set comm.partition_bytes=256KiB --set network.bandwidth=2x
Step time 251.4 ms (243.5 to 259.3 ms), 52.7 % less than the baseline's 532.1 ms. The captured step of 534.1 ms is predicted with an error of -0.4 %.
Answers of this kind (buckets and partitions, job without GPUs, captured step, several hosts, training) were 1.2 % off on average in 37 comparisons with measured runs, from 1 source that constants were fitted to; 100 % were in range.

Why
- Largest difference: exposed transfer, 381.8 ms to 101.0 ms (-280.8 ms).

Where the difference comes from
per step of the slowest rank    baseline    scenario   difference
step time                     532.082 ms  251.411 ms  -280.672 ms
compute                       150.041 ms  150.041 ms            0
communication                 474.448 ms  193.525 ms  -280.923 ms
- exposed transfer            381.775 ms  100.956 ms  -280.819 ms
- overlapped with compute      92.673 ms   92.569 ms    -0.104 ms
other steps' work                      0    0.177 ms    +0.177 ms
nothing running                 0.267 ms    0.236 ms    -0.030 ms

Changes
- comm.partition_bytes=256KiB
- network.bandwidth=2x
  applies to 1,152 tasks, 7.240 s of 7.377 s of communication (98.2 %)

Uncertainty by source
source                   from        to  reason
model                251.4 ms  252.3 ms  the captured step of 534.1 ms is predicted with an error of -0.4 %
steps                250.0 ms  253.3 ms  the 3 captured steps vary, and other steps may vary more
typical model error  246.4 ms  256.5 ms  usual error of the models in comparisons with measured runs
extrapolation        245.8 ms  257.1 ms  additional model error for a change this large
sharing              249.2 ms  251.6 ms  senders on one link may share its bandwidth equally or be served one at a time
drift                251.4 ms  251.7 ms  workers may stay synchronized or drift apart

Assumptions
- The time of copying and summing on servers is part of the recorded pulls, because no server was recorded.
- Links have the bandwidth from job.yaml; 0.957 of it is payload, as for TCP over Ethernet.
- Each worker and each server has one full-duplex link to a single switch.
- The latency of a link is 5 us; job.yaml does not give it.
- Copying and summing on predicted servers takes no time, because no server was recorded.
- When two workers send over the same link, the later message gets 0.5 of the bandwidth of the earlier one, as is typical for TCP; the capture does not show two workers pushing to only one server.
- The capture does not show how much communication slows overlapping compute, so durations stay as captured where a change moves communication.

Critical paths by class
class           baseline   scenario  difference
length         532.04 ms  251.15 ms  -280.89 ms
compute         57.25 ms   57.77 ms    +0.53 ms
communication   25.51 ms   19.98 ms    -5.53 ms
queueing       448.80 ms  172.64 ms  -276.16 ms
waiting          0.50 ms    0.76 ms    +0.26 ms
- baseline: rank 0's step 5; scenario: rank 0's step 5

Busiest links
link        baseline busy  baseline queueing  scenario busy  scenario queueing
host 3 in          80.9 %           263.6 ms         70.6 %           123.6 ms
host 2 in          80.4 %           261.0 ms         70.6 %           123.8 ms
host 3 out         78.5 %           248.5 ms         64.3 %           115.2 ms
host 2 out         76.1 %           226.7 ms         66.4 %           121.0 ms
host 1 in          56.2 %           241.9 ms         52.6 %           119.9 ms
host 0 in          50.7 %           233.3 ms         49.8 %           116.3 ms
- queueing: delay of messages by others on the link, summed over one step
$ stepsim whatif scenarios/samples/byteps-even --set cluster.servers=1
Step time 706.8 ms (675.7 ms to 1.242 s), 32.8 % more than the baseline's 532.1 ms. The captured step of 534.1 ms is predicted with an error of -0.4 %.
Answers of this kind (another number of ranks, job without GPUs, captured step, several hosts, training) were 1.6 % off on average in 13 comparisons with measured runs, from 1 source that constants were fitted to; 100 % were in range.

Why
- Largest difference: exposed transfer, 381.8 ms to 556.3 ms (+174.5 ms).

Where the difference comes from
per step of the slowest rank    baseline    scenario   difference
step time                     532.082 ms  706.824 ms  +174.742 ms
compute                       150.041 ms  150.297 ms    +0.256 ms
communication                 474.448 ms  649.215 ms  +174.767 ms
- exposed transfer            381.775 ms  556.310 ms  +174.536 ms
- overlapped with compute      92.673 ms   92.905 ms    +0.232 ms
nothing running                 0.267 ms    0.218 ms    -0.049 ms

Changes
- cluster.servers=1

Uncertainty by source
source                   from         to  reason
model                706.8 ms   709.5 ms  the captured step of 534.1 ms is predicted with an error of -0.4 %
steps                702.9 ms   712.3 ms  the 3 captured steps vary, and other steps may vary more
typical model error  692.8 ms   721.1 ms  usual error of the models in comparisons with measured runs
extrapolation        700.8 ms   712.9 ms  additional model error for a change this large
sharing              688.9 ms   715.4 ms  senders on one link may share its bandwidth equally or be served one at a time
drift                706.8 ms  1082.5 ms  workers may stay synchronized or drift apart

Assumptions
- The time of copying and summing on servers is part of the recorded pulls, because no server was recorded.
- Links have the bandwidth from job.yaml; 0.957 of it is payload, as for TCP over Ethernet.
- Each worker and each server has one full-duplex link to a single switch.
- The latency of a link is 5 us; job.yaml does not give it.
- Copying and summing on predicted servers takes no time, because no server was recorded.
- When two workers send over the same link, the later message gets 0.5 of the bandwidth of the earlier one, as is typical for TCP; the capture does not show two workers pushing to only one server.
- The capture does not show how much communication slows overlapping compute, so durations stay as captured where a change moves communication.

Critical paths by class
class            baseline    scenario   difference
length         532.043 ms  706.797 ms  +174.754 ms
compute         57.245 ms   57.095 ms    -0.150 ms
communication   25.506 ms    1.792 ms   -23.714 ms
queueing       448.796 ms  647.412 ms  +198.615 ms
waiting          0.496 ms    0.498 ms    +0.003 ms
- baseline: rank 0's step 5; scenario: rank 1's step 5

Busiest links
link        baseline busy  baseline queueing  scenario busy  scenario queueing
host 3 in          80.9 %           263.6 ms          0.0 %                  0
host 2 in          80.4 %           261.0 ms         74.2 %           173.0 ms
host 3 out         78.5 %           248.5 ms          0.0 %                  0
host 2 out         76.1 %           226.7 ms         74.3 %           183.1 ms
host 1 in          56.2 %           241.9 ms         50.1 %            91.6 ms
host 0 in          50.7 %           233.3 ms         50.1 %            91.6 ms
- queueing: delay of messages by others on the link, summed over one step
$ stepsim whatif scenarios/samples/byteps-even --set comm.bucket_bytes=1MB
error: --set 'comm.bucket_bytes=1MB': the job has parameter servers and no collectives; expected a job with collectives
[exit 5]
$ stepsim whatif scenarios/samples/byteps-even
No changes (give some with --set or -s): step time 532.1 ms (524.7 to 540.2 ms), the same as the baseline's 532.1 ms. The captured step of 534.1 ms is predicted with an error of -0.4 %.
Answers of this kind (no change, job without GPUs, captured step, several hosts, training) were 0.5 % off on average in 15 comparisons with measured runs, from 1 source that constants were fitted to; 100 % were in range.

Where the difference comes from
per step of the slowest rank   baseline   scenario  difference
step time                     532.08 ms  532.08 ms           0
compute                       150.04 ms  150.04 ms           0
communication                 474.45 ms  474.45 ms           0
- exposed transfer            381.77 ms  381.77 ms           0
- overlapped with compute      92.67 ms   92.67 ms           0
nothing running                 0.27 ms    0.27 ms           0

Uncertainty by source
source                   from        to  reason
model                532.1 ms  534.1 ms  the captured step of 534.1 ms is predicted with an error of -0.4 %
steps                529.2 ms  536.2 ms  the 3 captured steps vary, and other steps may vary more
typical model error  525.7 ms  538.5 ms  usual error of the models in comparisons with measured runs
sharing              529.8 ms  534.5 ms  senders on one link may share its bandwidth equally or be served one at a time
drift                532.1 ms  533.2 ms  workers may stay synchronized or drift apart

Assumptions
- The time of copying and summing on servers is part of the recorded pulls, because no server was recorded.
- Links have the bandwidth from job.yaml; 0.957 of it is payload, as for TCP over Ethernet.
- Each worker and each server has one full-duplex link to a single switch.
- The latency of a link is 5 us; job.yaml does not give it.
- Copying and summing on predicted servers takes no time, because no server was recorded.
- When two workers send over the same link, the later message gets 0.5 of the bandwidth of the earlier one, as is typical for TCP; the capture does not show two workers pushing to only one server.
- The capture does not show how much communication slows overlapping compute, so durations stay as captured where a change moves communication.

Critical paths by class
class           baseline   scenario  difference
length         532.04 ms  532.04 ms           0
compute         57.25 ms   57.25 ms           0
communication   25.51 ms   25.51 ms           0
queueing       448.80 ms  448.80 ms           0
waiting          0.50 ms    0.50 ms           0
- baseline: rank 0's step 5; scenario: rank 0's step 5

Busiest links
link        baseline busy  baseline queueing  scenario busy  scenario queueing
host 3 in          80.9 %           263.6 ms         80.9 %           263.6 ms
host 2 in          80.4 %           261.0 ms         80.4 %           261.0 ms
host 3 out         78.5 %           248.5 ms         78.5 %           248.5 ms
host 2 out         76.1 %           226.7 ms         76.1 %           226.7 ms
host 1 in          56.2 %           241.9 ms         56.2 %           241.9 ms
host 0 in          50.7 %           233.3 ms         50.7 %           233.3 ms
- queueing: delay of messages by others on the link, summed over one step
$ stepsim whatif scenarios/samples/byteps-even --cluster scenarios/clusters/star.yaml --set compute.scale=0.5
Step time 77.94 ms (73.46 to 82.70 ms), 49.1 % less than the baseline's 153.1 ms. With scenarios/clusters/star.yaml alone the captured step goes from 532.1 ms to 153.1 ms (-71.2 %); with its own links it is predicted with an error of -0.4 %.
Answers of this kind (slower or faster work, job without GPUs, captured step, several hosts, training) were 0.5 % off on average in 5 comparisons with measured runs, from 1 source that constants were fitted to; 100 % were in range.

Why
- Largest difference: compute, 150.3 ms to 75.15 ms (-75.15 ms).

Where the difference comes from
per step of the slowest rank    baseline   scenario  difference
step time                     153.076 ms  77.938 ms  -75.138 ms
compute                       150.297 ms  75.148 ms  -75.148 ms
communication                  36.329 ms  36.341 ms   +0.012 ms
- exposed transfer              2.418 ms   2.421 ms   +0.003 ms
- overlapped with compute      33.910 ms  33.920 ms   +0.010 ms
nothing running                 0.362 ms   0.369 ms   +0.008 ms

Changes
- compute.scale=0.5
  applies to 198 tasks, 900.9 ms of 900.9 ms of compute (100.0 %)

Uncertainty by source
source                   from        to  reason
model                77.94 ms  78.23 ms  the captured step of 534.1 ms is predicted with an error of -0.4 %
steps                77.51 ms  78.54 ms  the 3 captured steps vary, and other steps may vary more
typical model error  77.01 ms  78.88 ms  usual error of the models in comparisons with measured runs
extrapolation        73.57 ms  82.56 ms  additional model error for a change this large
sharing              77.87 ms  77.94 ms  senders on one link may share its bandwidth equally or be served one at a time
drift                77.94 ms  77.94 ms  workers may stay synchronized or drift apart

Assumptions
- The time of copying and summing on servers is part of the recorded pulls, because no server was recorded.
- The capture does not show how much communication slows overlapping compute, so durations stay as captured where a change moves communication.
- With scenarios/clusters/star.yaml alone the captured step goes from 532.1 ms to 153.1 ms (-71.2 %); with its own links it is predicted with an error of -0.4 %.

Critical paths by class
class           baseline  scenario  difference
length         152.97 ms  77.88 ms   -75.09 ms
compute        150.18 ms  75.09 ms   -75.09 ms
communication    1.85 ms   1.85 ms           0
queueing         0.13 ms   0.13 ms           0
waiting          0.81 ms   0.81 ms           0
- baseline: rank 1's step 6; scenario: rank 1's step 6

Busiest links
link               baseline busy  baseline queueing  scenario busy  scenario queueing
host server-1 in           8.9 %          10.090 ms         14.3 %           8.628 ms
host server-0 in           8.6 %           9.742 ms         13.8 %           8.312 ms
host server-1 out          7.8 %          10.253 ms         13.1 %           8.734 ms
host worker-0 in           7.5 %           9.917 ms         12.8 %           8.317 ms
host server-0 out          7.4 %           9.942 ms         12.4 %           8.468 ms
host worker-0 out          7.3 %           9.752 ms         12.4 %           8.255 ms
- queueing: delay of messages by others on the link, summed over one step
