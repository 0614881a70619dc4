Which bandwidth and partition size would be best for the BytePS sample, and what is enough?
$ stepsim sweep scenarios/samples/byteps-even -s tests/golden/data/sweep_grid.yaml --quiet
Best of 15 points: network.bandwidth=8x, comm.partition_bytes=256KiB: step time 155.1 ms (148.7 to 161.9 ms), 70.9 % less than the baseline's 532.1 ms; increasing network.bandwidth beyond 4x saves less than 5 %; comm.partition_bytes hardly matters from 256KiB to 4MiB (under 5 %). The captured step of 534.1 ms is predicted with an error of -0.4 %.
Answers of this kind (buckets and partitions, job without GPUs, captured step, several hosts, training) were 1.2 % off on average in 37 comparisons with measured runs, from 1 source that constants were fitted to; 100 % were in range.

Step times (* = best)
network.bandwidth \ comm.partition_bytes    256KiB     1MiB     4MiB
0.5x                                       1095 ms  1112 ms  1360 ms
1x                                          532 ms   533 ms   636 ms
2x                                          251 ms   253 ms   298 ms
4x                                          160 ms   161 ms   172 ms
8x                                        * 155 ms   156 ms   160 ms

Ranges of the step times
network.bandwidth \ comm.partition_bytes       256KiB         1MiB          4MiB
0.5x                                      -3.0 +3.4 %  -3.0 +3.5 %  -14.2 +4.2 %
1x                                        -2.1 +2.2 %  -2.1 +2.5 %  -10.4 +6.0 %
2x                                        -3.1 +3.2 %  -3.1 +3.2 %   -4.1 +7.2 %
4x                                        -4.1 +4.3 %  -4.1 +4.3 %   -3.9 +4.6 %
8x                                        -4.2 +4.4 %  -4.1 +4.3 %   -4.1 +4.3 %

Assumptions
- The time of copying and summing on servers is part of the recorded pulls, because no server was recorded.
- Links have the bandwidth from job.yaml; 0.957 of it is payload, as for TCP over Ethernet.
- Each worker and each server has one full-duplex link to a single switch.
- The latency of a link is 5 us; job.yaml does not give it.
- Copying and summing on predicted servers takes no time, because no server was recorded.
- When two workers send over the same link, the later message gets 0.5 of the bandwidth of the earlier one, as is typical for TCP; the capture does not show two workers pushing to only one server.
- The capture does not show how much communication slows overlapping compute, so durations stay as captured where a change moves communication.
$ stepsim sweep scenarios/samples/byteps-even -s tests/golden/data/sweep_list.yaml --quiet
Best of 4 points: network.bandwidth=2x: step time 253.2 ms (246.0 to 260.0 ms), 52.4 % less than the baseline's 532.1 ms. The captured step of 534.1 ms is predicted with an error of -0.4 %.
Answers of this kind (another network, job without GPUs, captured step, several hosts, training) were 0.8 % off on average in 48 comparisons with measured runs, from 1 source that constants were fitted to; 96 % were in range.

Step times and their ranges (* = best)
   network.bandwidth  compute.scale  comm.bucket_bytes  step time      from        to   change
*                 2x                                     253.2 ms  246.0 ms  260.0 ms  -52.4 %
                                0.5                      560.3 ms  552.6 ms  580.0 ms   +5.3 %
                  2x            0.5                      266.7 ms  260.1 ms  273.5 ms  -49.9 %
                                                  25MB          -         -         -        -

Points without an answer
- comm.bucket_bytes=25MB: tests/golden/data/sweep_list.yaml:6: the job has parameter servers and no collectives; expected a job with collectives

Assumptions
- The time of copying and summing on servers is part of the recorded pulls, because no server was recorded.
- Links have the bandwidth from job.yaml; 0.957 of it is payload, as for TCP over Ethernet.
- Each worker and each server has one full-duplex link to a single switch.
- The latency of a link is 5 us; job.yaml does not give it.
- Copying and summing on predicted servers takes no time, because no server was recorded.
- When two workers send over the same link, the later message gets 0.5 of the bandwidth of the earlier one, as is typical for TCP; the capture does not show two workers pushing to only one server.
- The capture does not show how much communication slows overlapping compute, so durations stay as captured where a change moves communication.
$ stepsim sweep scenarios/samples/byteps-even -s tests/golden/data/sweep_list.yaml --json --quiet
{"schema":"stepsim.sweep/1",
"name":"what to buy",
"capture":{"verdict":"good","warning":"","caution":"","evidence":"Answers of this kind (another network, job without GPUs, captured step, several hosts, training) were 0.8 % off on average in 48 comparisons with measured runs, from 1 source that constants were fitted to; 96 % were in range.","findings":""},
"baseline":{"iteration_ns":532082249,"as_captured_ns":532082249,"measured_ns":534061500,"error":-0.0037060357280949852,"throughput":{"unit":"batches/s","in_all":3.758817370357341,"per_device":1.8794086851786704,"workers":2,"devices":2}},
"best":{
"set":{"network.bandwidth":"2x"},"iteration_ns":253182790,"low_ns":246010104,"high_ns":259967595,"change":-0.5241660655362326,"throughput":{"unit":"batches/s","in_all":7.899431079023973,"per_device":3.9497155395119865,"workers":2,"devices":2,"efficiency":2.101573527173786}},
"knees":[],
"points":[
{"set":{"network.bandwidth":"2x"},"iteration_ns":253182790,"low_ns":246010104,"high_ns":259967595,"change":-0.5241660655362326,"throughput":{"unit":"batches/s","in_all":7.899431079023973,"per_device":3.9497155395119865,"workers":2,"devices":2,"efficiency":2.101573527173786}},
{"set":{"compute.scale":"0.5"},"iteration_ns":560305873,"low_ns":552605975,"high_ns":579952246,"change":0.05304372407281717,"throughput":{"unit":"batches/s","in_all":3.5694789156707625,"per_device":1.7847394578353812,"workers":2,"devices":2,"efficiency":0.9496281846040904}},
{"set":{"network.bandwidth":"2x","compute.scale":"0.5"},"iteration_ns":266661671,"low_ns":260106211,"high_ns":273537043,"change":-0.49883373951834276,"throughput":{"unit":"batches/s","in_all":7.5001405057572,"per_device":3.7500702528786,"workers":2,"devices":2,"efficiency":1.9953458140596443}},
{"set":{"comm.bucket_bytes":"25MB"},"iteration_ns":null,"low_ns":null,"high_ns":null,"change":null,"problem":"tests/golden/data/sweep_list.yaml:6: the job has parameter servers and no collectives; expected a job with collectives","cannot_answer":true}],
"changes":[],
"network":{"model":"maxmin"},
"assumptions":["The time of copying and summing on servers is part of the recorded pulls, because no server was recorded.","Links have the bandwidth from job.yaml; 0.957 of it is payload, as for TCP over Ethernet.","Each worker and each server has one full-duplex link to a single switch.","The latency of a link is 5 us; job.yaml does not give it.","Copying and summing on predicted servers takes no time, because no server was recorded.","When two workers send over the same link, the later message gets 0.5 of the bandwidth of the earlier one, as is typical for TCP; the capture does not show two workers pushing to only one server.","The capture does not show how much communication slows overlapping compute, so durations stay as captured where a change moves communication."],
"provenance":{"version":"0.1.0","commit":"COMMIT","command":"stepsim sweep scenarios/samples/byteps-even --scenario tests/golden/data/sweep_list.yaml","inputs":[
{"path":"scenarios/samples/byteps-even/traces/0/0/bps_trace_final.json","bytes":21495,"crc64":"9feed8ca019a680b"},
{"path":"scenarios/samples/byteps-even/traces/0/0/comm.json","bytes":314108,"crc64":"a81eb949a1466920"},
{"path":"scenarios/samples/byteps-even/traces/0/0/dag.gml","bytes":4963,"crc64":"f62e76924c9d5376"},
{"path":"scenarios/samples/byteps-even/traces/0/0/gradient_name_list.txt","bytes":710,"crc64":"4460aaefd8fab639"},
{"path":"scenarios/samples/byteps-even/traces/1/0/bps_trace_final.json","bytes":21495,"crc64":"d2ad5916bc2fcfce"},
{"path":"scenarios/samples/byteps-even/traces/1/0/comm.json","bytes":314092,"crc64":"36bb62ef8cde02b9"},
{"path":"scenarios/samples/byteps-even/traces/1/0/dag.gml","bytes":4963,"crc64":"f62e76924c9d5376"},
{"path":"scenarios/samples/byteps-even/traces/1/0/gradient_name_list.txt","bytes":710,"crc64":"4460aaefd8fab639"},
{"path":"scenarios/samples/byteps-even/job.yaml","bytes":238,"crc64":"e2dd423c227b24f9"},
{"path":"tests/golden/data/sweep_list.yaml","bytes":192,"crc64":"1d4e14348da5ef0b"}]}}
$ stepsim sweep scenarios/samples/byteps-even
error: nothing to sweep; expected several values as in --set network.bandwidth=1x,2x,4x, or -s FILE with a grid such as 'sweep: {network.bandwidth: [1x, 2x]}'
[exit 2]
$ stepsim sweep scenarios/samples/byteps-even -s tests/golden/data/sweep_grid.yaml -o sweep.xml
error: -o 'sweep.xml': unknown extension '.xml'; expected .json, .svg, .png, .md, .csv, .xlsx, .sqlite, .parquet or .html
[exit 2]
$ stepsim sweep scenarios/samples/byteps-even -s tests/golden/data/sweep_grid.yaml --shard 4/4 -o part
error: --shard: '4/4' is not a shard; expected I/N with I from 0 to N - 1, such as 0/4
[exit 2]
$ stepsim sweep scenarios/samples/byteps-even -s tests/golden/data/sweep_grid.yaml --shard 0/4
error: a shard writes its points to a file; expected -o FILE
[exit 2]
$ stepsim sweep scenarios/samples/byteps-even -s tests/golden/data/sweep_grid.yaml --resume
error: --resume has no FILE; expected one, or -o FILE
[exit 2]
$ stepsim sweep scenarios/samples/byteps-even -s tests/golden/data/sweep_grid.yaml --network recorded
error: none of the 15 points has a prediction; network.bandwidth=0.5x, comm.partition_bytes=256KiB: tests/golden/data/sweep_grid.yaml:4: --network recorded keeps recorded transfer times; expected another network model
[exit 2]
$ stepsim sweep --merge tests/golden/data/sweep_grid.yaml
error: tests/golden/data/sweep_grid.yaml:1: is not a part of a sweep; expected a file that a shard or --resume wrote
[exit 1]
$ stepsim sweep --merge tests/golden/data/sweep_grid.yaml --set network.bandwidth=2x
error: --merge only joins parts; leave out --set
[exit 2]
$ stepsim sweep scenarios/samples/byteps-even --quiet --set network.bandwidth=1x,2x,4x --set comm.partition_bytes=256KiB,1MiB
Best of 6 points: network.bandwidth=4x, comm.partition_bytes=256KiB: step time 160.5 ms (153.9 to 167.3 ms), 69.8 % less than the baseline's 532.1 ms; comm.partition_bytes hardly matters from 256KiB to 1MiB (under 5 %); changing network.bandwidth to 4x, the end of its range, still saves 5 % or more. The captured step of 534.1 ms is predicted with an error of -0.4 %.
Answers of this kind (buckets and partitions, job without GPUs, captured step, several hosts, training) were 1.2 % off on average in 37 comparisons with measured runs, from 1 source that constants were fitted to; 100 % were in range.

Step times (* = best)
network.bandwidth \ comm.partition_bytes      256KiB      1MiB
1x                                          531.9 ms  532.8 ms
2x                                          251.4 ms  252.8 ms
4x                                        * 160.5 ms  160.7 ms

Ranges of the step times
network.bandwidth \ comm.partition_bytes       256KiB         1MiB
1x                                        -2.1 +2.2 %  -2.1 +2.5 %
2x                                        -3.1 +3.2 %  -3.1 +3.2 %
4x                                        -4.1 +4.3 %  -4.1 +4.3 %

Assumptions
- The time of copying and summing on servers is part of the recorded pulls, because no server was recorded.
- Links have the bandwidth from job.yaml; 0.957 of it is payload, as for TCP over Ethernet.
- Each worker and each server has one full-duplex link to a single switch.
- The latency of a link is 5 us; job.yaml does not give it.
- Copying and summing on predicted servers takes no time, because no server was recorded.
- When two workers send over the same link, the later message gets 0.5 of the bandwidth of the earlier one, as is typical for TCP; the capture does not show two workers pushing to only one server.
- The capture does not show how much communication slows overlapping compute, so durations stay as captured where a change moves communication.
$ stepsim whatif scenarios/samples/byteps-even --set network.bandwidth=1x,2x
error: --set 'network.bandwidth=1x,2x': the scenario is a sweep; expected one value per parameter, or 'stepsim sweep'
[exit 2]
