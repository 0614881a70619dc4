Which bandwidth and partition size would be best for the BytePS sample, and what is enough?
$ stepsim sweep scenarios/samples/byteps-even -s tests/golden/data/sweep_grid.yaml --quiet
Of 15 points the best is network.bandwidth=8x, comm.partition_bytes=256KiB: an iteration takes 155.098 ms, from 148.659 ms to 161.875 ms, instead of 532.082 ms (-70.9 %); beyond network.bandwidth=4x (the knee) more buys less than 5 %; no value of comm.partition_bytes buys 5 %; the captured iteration of 534.062 ms is predicted with an error of -0.37 %.

Iteration times; * is the best
network.bandwidth \ comm.partition_bytes    256KiB     1MiB     4MiB
0.5x                                       1095 ms  1112 ms  1360 ms
1x                                          532 ms   533 ms   636 ms
2x                                          251 ms   253 ms   298 ms
4x                                          160 ms   161 ms   172 ms
8x                                        * 155 ms   156 ms   160 ms

How much less and more they may be
network.bandwidth \ comm.partition_bytes       256KiB         1MiB          4MiB
0.5x                                      -3.0 +3.4 %  -3.0 +3.5 %  -14.2 +4.2 %
1x                                        -2.1 +2.2 %  -2.1 +2.5 %  -10.4 +6.0 %
2x                                        -3.1 +3.2 %  -3.1 +3.2 %   -4.1 +7.2 %
4x                                        -4.1 +4.3 %  -4.1 +4.3 %   -3.9 +4.6 %
8x                                        -4.2 +4.4 %  -4.1 +4.3 %   -4.1 +4.3 %

Assumptions
- a server's copying and summing is part of the pulls that wait for it: no server was recorded
- Every link has the bandwidth of job.yaml, of which 0.957 is payload, as TCP over Ethernet leaves.
- Every worker and every server has one full-duplex link to one switch.
- A link's latency is 5 us: job.yaml does not say.
- Copying and summing on a server takes no time: no server was recorded.
- Where workers meet on a link, the message that came later gets 0.5 of what the one before it gets, as TCP does: at no time did two alone push into one server's link.
- The capture does not show by how much communication slows compute beside it: durations stay as captured where a change moves communication.
$ stepsim sweep scenarios/samples/byteps-even -s tests/golden/data/sweep_list.yaml --quiet
Of 4 points the best is network.bandwidth=2x: an iteration takes 253.183 ms, from 246.01 ms to 259.968 ms, instead of 532.082 ms (-52.4 %); the captured iteration of 534.062 ms is predicted with an error of -0.37 %.

Iteration times and their ranges; * is the best
   network.bandwidth  compute.scale  comm.bucket_bytes  iteration      from        to    change
*                 2x                                     253.2 ms  246.0 ms  260.0 ms  -52.42 %
                                0.5                      560.3 ms  552.6 ms  580.0 ms   +5.30 %
                  2x            0.5                      266.7 ms  260.1 ms  273.5 ms  -49.88 %
                                                  25MB          -         -         -         -

Points without an answer
- comm.bucket_bytes=25MB: tests/golden/data/sweep_list.yaml:6: the job has parameter servers and no collectives; expected a capture of a job that has

Assumptions
- a server's copying and summing is part of the pulls that wait for it: no server was recorded
- Every link has the bandwidth of job.yaml, of which 0.957 is payload, as TCP over Ethernet leaves.
- Every worker and every server has one full-duplex link to one switch.
- A link's latency is 5 us: job.yaml does not say.
- Copying and summing on a server takes no time: no server was recorded.
- Where workers meet on a link, the message that came later gets 0.5 of what the one before it gets, as TCP does: at no time did two alone push into one server's link.
- The capture does not show by how much communication slows compute beside it: durations stay as captured where a change moves communication.
$ stepsim sweep scenarios/samples/byteps-even -s tests/golden/data/sweep_list.yaml --json --quiet
{"schema":"stepsim.sweep/1",
"name":"what to buy",
"baseline":{"iteration_ns":532082249,"measured_ns":534061500,"error":-0.0037060357280949852,"throughput":{"unit":"batches/s","in_all":3.758817370357341,"per_device":1.8794086851786704,"workers":2,"devices":2}},
"best":{
"set":{"network.bandwidth":"2x"},"iteration_ns":253182790,"low_ns":246010104,"high_ns":259967595,"change":-0.5241660655362326,"throughput":{"unit":"batches/s","in_all":7.899431079023973,"per_device":3.9497155395119865,"workers":2,"devices":2,"efficiency":2.101573527173786}},
"knees":[],
"points":[
{"set":{"network.bandwidth":"2x"},"iteration_ns":253182790,"low_ns":246010104,"high_ns":259967595,"change":-0.5241660655362326,"throughput":{"unit":"batches/s","in_all":7.899431079023973,"per_device":3.9497155395119865,"workers":2,"devices":2,"efficiency":2.101573527173786}},
{"set":{"compute.scale":"0.5"},"iteration_ns":560305873,"low_ns":552605975,"high_ns":579952246,"change":0.05304372407281717,"throughput":{"unit":"batches/s","in_all":3.5694789156707625,"per_device":1.7847394578353812,"workers":2,"devices":2,"efficiency":0.9496281846040904}},
{"set":{"network.bandwidth":"2x","compute.scale":"0.5"},"iteration_ns":266661671,"low_ns":260106211,"high_ns":273537043,"change":-0.49883373951834276,"throughput":{"unit":"batches/s","in_all":7.5001405057572,"per_device":3.7500702528786,"workers":2,"devices":2,"efficiency":1.9953458140596443}},
{"set":{"comm.bucket_bytes":"25MB"},"iteration_ns":null,"low_ns":null,"high_ns":null,"change":null,"problem":"tests/golden/data/sweep_list.yaml:6: the job has parameter servers and no collectives; expected a capture of a job that has","cannot_answer":true}],
"changes":[],
"network":{"model":"maxmin"},
"assumptions":["a server's copying and summing is part of the pulls that wait for it: no server was recorded","Every link has the bandwidth of job.yaml, of which 0.957 is payload, as TCP over Ethernet leaves.","Every worker and every server has one full-duplex link to one switch.","A link's latency is 5 us: job.yaml does not say.","Copying and summing on a server takes no time: no server was recorded.","Where workers meet on a link, the message that came later gets 0.5 of what the one before it gets, as TCP does: at no time did two alone push into one server's link.","The capture does not show by how much communication slows compute beside it: durations stay as captured where a change moves communication."],
"provenance":{"version":"0.1.0","commit":"COMMIT","command":"stepsim sweep scenarios/samples/byteps-even --scenario tests/golden/data/sweep_list.yaml","inputs":[
{"path":"scenarios/samples/byteps-even/traces/0/0/bps_trace_final.json","bytes":21495,"crc64":"9feed8ca019a680b"},
{"path":"scenarios/samples/byteps-even/traces/0/0/comm.json","bytes":314108,"crc64":"a81eb949a1466920"},
{"path":"scenarios/samples/byteps-even/traces/0/0/dag.gml","bytes":4963,"crc64":"f62e76924c9d5376"},
{"path":"scenarios/samples/byteps-even/traces/0/0/gradient_name_list.txt","bytes":710,"crc64":"4460aaefd8fab639"},
{"path":"scenarios/samples/byteps-even/traces/1/0/bps_trace_final.json","bytes":21495,"crc64":"d2ad5916bc2fcfce"},
{"path":"scenarios/samples/byteps-even/traces/1/0/comm.json","bytes":314092,"crc64":"36bb62ef8cde02b9"},
{"path":"scenarios/samples/byteps-even/traces/1/0/dag.gml","bytes":4963,"crc64":"f62e76924c9d5376"},
{"path":"scenarios/samples/byteps-even/traces/1/0/gradient_name_list.txt","bytes":710,"crc64":"4460aaefd8fab639"},
{"path":"scenarios/samples/byteps-even/job.yaml","bytes":176,"crc64":"aea311192a76e93b"},
{"path":"tests/golden/data/sweep_list.yaml","bytes":192,"crc64":"1d4e14348da5ef0b"}]}}
$ stepsim sweep scenarios/samples/byteps-even
error: there is no sweep; expected --set network.bandwidth=1x,2x,4x, or -s FILE with a grid such as 'sweep: {network.bandwidth: [1x, 2x]}'
[exit 2]
$ stepsim sweep scenarios/samples/byteps-even -s tests/golden/data/sweep_grid.yaml -o sweep.xml
error: -o 'sweep.xml': unknown extension '.xml'; expected .json, .svg, .md, .csv, .xlsx, .sqlite, .parquet or .html
[exit 2]
$ stepsim sweep scenarios/samples/byteps-even -s tests/golden/data/sweep_grid.yaml --shard 4/4 -o part
error: --shard: '4/4' is not a shard; expected I/N with I from 0 to N - 1, such as 0/4
[exit 2]
$ stepsim sweep scenarios/samples/byteps-even -s tests/golden/data/sweep_grid.yaml --shard 0/4
error: a shard leaves its points in a file; expected -o FILE
[exit 2]
$ stepsim sweep scenarios/samples/byteps-even -s tests/golden/data/sweep_grid.yaml --resume
error: --resume has no FILE; expected one, or -o FILE
[exit 2]
$ stepsim sweep scenarios/samples/byteps-even -s tests/golden/data/sweep_grid.yaml --network recorded
error: none of the 15 points has a prediction; network.bandwidth=0.5x, comm.partition_bytes=256KiB: tests/golden/data/sweep_grid.yaml:4: under --network recorded transfers keep their recorded times; expected another network model
[exit 2]
$ stepsim sweep --merge tests/golden/data/sweep_grid.yaml
error: tests/golden/data/sweep_grid.yaml:1: is not a part of a sweep; expected a file that a shard or --resume wrote
[exit 1]
$ stepsim sweep --merge tests/golden/data/sweep_grid.yaml --set network.bandwidth=2x
error: --merge only joins parts; expected no --set
[exit 2]
$ stepsim sweep scenarios/samples/byteps-even --quiet --set network.bandwidth=1x,2x,4x --set comm.partition_bytes=256KiB,1MiB
Of 6 points the best is network.bandwidth=4x, comm.partition_bytes=256KiB: an iteration takes 160.475 ms, from 153.933 ms to 167.337 ms, instead of 532.082 ms (-69.8 %); no value of comm.partition_bytes buys 5 %; network.bandwidth still buys 5 % or more at its last value, 4x; the captured iteration of 534.062 ms is predicted with an error of -0.37 %.

Iteration times; * is the best
network.bandwidth \ comm.partition_bytes      256KiB      1MiB
1x                                          531.9 ms  532.8 ms
2x                                          251.4 ms  252.8 ms
4x                                        * 160.5 ms  160.7 ms

How much less and more they may be
network.bandwidth \ comm.partition_bytes       256KiB         1MiB
1x                                        -2.1 +2.2 %  -2.1 +2.5 %
2x                                        -3.1 +3.2 %  -3.1 +3.2 %
4x                                        -4.1 +4.3 %  -4.1 +4.3 %

Assumptions
- a server's copying and summing is part of the pulls that wait for it: no server was recorded
- Every link has the bandwidth of job.yaml, of which 0.957 is payload, as TCP over Ethernet leaves.
- Every worker and every server has one full-duplex link to one switch.
- A link's latency is 5 us: job.yaml does not say.
- Copying and summing on a server takes no time: no server was recorded.
- Where workers meet on a link, the message that came later gets 0.5 of what the one before it gets, as TCP does: at no time did two alone push into one server's link.
- The capture does not show by how much communication slows compute beside it: durations stay as captured where a change moves communication.
$ stepsim whatif scenarios/samples/byteps-even --set network.bandwidth=1x,2x
error: --set 'network.bandwidth=1x,2x': the scenario is a sweep, whose points 'stepsim sweep' answers; expected one value for each parameter
[exit 2]
