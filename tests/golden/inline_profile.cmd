What takes how long in a program with labels, on one device and on two, and what is measured in which iteration?
$ stepsim timeline scenarios/samples/inline/two.prof.json
Step time 1.678 ms, median (6 ranges on 2 devices of node-0, 60 samples from different steps).

Ranges, in order of start time
range                nested in  streams      start  duration   longest  share of step  samples
fc1.fprop                    0        2   100.0 us  207.1 us  212.1 us         12.3 %       10
fc1.fprop.gemm               1        2   110.0 us  155.3 us  159.1 us          9.3 %       10
fc2.fprop                    0        2   320.0 us  103.5 us  106.1 us          6.2 %       10
fc2.bprop                    0        2   450.0 us  207.1 us  212.1 us         12.3 %       10
fc1.bprop                    0        2   670.0 us  414.1 us  424.2 us         24.7 %       10
all_reduce.exchange          0        2  1100.0 us  517.6 us  530.3 us         30.8 %       10
- start: time since the start of the step, first decile of the samples, on the stream where it is earliest; duration: median of the samples, averaged over the streams; longest: the same on the slowest stream
- nested in: number of ranges around it, whose durations include it

Whole steps
host    ranges  steps    median   trimmed  arithmetic       min        max
node-0      12     30  1.678 ms  1.679 ms    4.358 ms  1.675 ms  15.075 ms
$ stepsim timeline scenarios/samples/inline/one.prof.json --mean arithmetic --begin median --rows 2
Step time 3.122 ms, arithmetic mean (6 ranges on 1 device of node-0, 30 samples from different steps).

Ranges, in order of start time
range           nested in  streams     start  duration   longest  share of step  samples
fc1.fprop               0        1  110.0 us  320.4 us  320.4 us         10.3 %        5
fc1.fprop.gemm          1        1  120.0 us  240.3 us  240.3 us          7.7 %        5
- 4 more: --rows 6 or --rows all
- start: time since the start of the step, median of the samples, on the stream where it is earliest; duration: arithmetic mean of the samples, averaged over the streams; longest: the same on the slowest stream
- nested in: number of ranges around it, whose durations include it

Whole steps
host    ranges  steps    median   trimmed  arithmetic       min        max
node-0       6     30  1.202 ms  1.203 ms    3.122 ms  1.200 ms  10.800 ms
$ stepsim scaling scenarios/samples/inline/one.prof.json scenarios/samples/inline/two.prof.json
Step time 1.678 ms in the last run, 1.40x the first run's 1.202 ms (2 runs on 1 to 2 devices).

Runs
run                                     processes  devices  step time  relative to first   average   longest  steps
scenarios/samples/inline/one.prof.json          1        1   1.202 ms              1.00x  0.960 ms  0.960 ms     30
scenarios/samples/inline/two.prof.json          1        2   1.678 ms              1.40x  1.449 ms  1.485 ms     30
- step time: median of the samples, of the slowest process; average and longest: sum of the durations of the ranges, averaged over the streams or on the slowest stream of each; their difference is imbalance

Ranges
range                run                                     streams   average   longest  on
all_reduce.exchange  scenarios/samples/inline/one.prof.json        1   50.5 us   50.5 us  node-0, device 0
all_reduce.exchange  scenarios/samples/inline/two.prof.json        2  517.6 us  530.3 us  node-0, device 1
fc1.bprop            scenarios/samples/inline/one.prof.json        1  404.0 us  404.0 us  node-0, device 0
fc1.bprop            scenarios/samples/inline/two.prof.json        2  414.1 us  424.2 us  node-0, device 1
fc1.fprop            scenarios/samples/inline/one.prof.json        1  202.0 us  202.0 us  node-0, device 0
fc1.fprop            scenarios/samples/inline/two.prof.json        2  207.1 us  212.1 us  node-0, device 1
fc2.bprop            scenarios/samples/inline/one.prof.json        1  202.0 us  202.0 us  node-0, device 0
fc2.bprop            scenarios/samples/inline/two.prof.json        2  207.1 us  212.1 us  node-0, device 1
fc2.fprop            scenarios/samples/inline/one.prof.json        1  101.0 us  101.0 us  node-0, device 0
fc2.fprop            scenarios/samples/inline/two.prof.json        2  103.5 us  106.1 us  node-0, device 1
$ stepsim scaling scenarios/samples/inline/one.prof.json scenarios/samples/inline/two.prof.json --ideal strong --rows 1
Step time 1.678 ms in the last run, 1.40x the first run's 1.202 ms (2 runs on 1 to 2 devices).

Runs
run                                     processes  devices  step time  relative to first     ideal  efficiency   average   longest  steps
scenarios/samples/inline/one.prof.json          1        1   1.202 ms              1.00x  1.202 ms     100.0 %  0.960 ms  0.960 ms     30
scenarios/samples/inline/two.prof.json          1        2   1.678 ms              1.40x  0.601 ms      35.8 %  1.449 ms  1.485 ms     30
- step time: median of the samples, of the slowest process; average and longest: sum of the durations of the ranges, averaged over the streams or on the slowest stream of each; their difference is imbalance
- ideal (strong scaling): a step time divided by the growth in devices, relative to 1 device of scenarios/samples/inline/one.prof.json; efficiency: ideal step time / step time

Ranges
range                run                                     streams   average   longest  on
all_reduce.exchange  scenarios/samples/inline/one.prof.json        1   50.5 us   50.5 us  node-0, device 0
all_reduce.exchange  scenarios/samples/inline/two.prof.json        2  517.6 us  530.3 us  node-0, device 1
- 4 more: --rows 5 or --rows all
$ stepsim scaling scenarios/samples/inline/two.prof.json --labels fc1,fc2.fprop --json
{"schema":"stepsim.scaling/1",
"mean":"median","ideal":null,"runs":[
{"name":"scenarios/samples/inline/two.prof.json","processes":1,"devices":2,"iterations":30,"iteration_ns":1678350,"against_first":1,"ideal_ns":null,"efficiency":null,"average_ns":879962,"longest_ns":901425,"ranges":[
{"label":"fc1.bprop","streams":2,"average_ns":414100,"longest_ns":424200,"on":"node-0, device 1"},
{"label":"fc1.fprop","streams":2,"average_ns":207050,"longest_ns":212100,"on":"node-0, device 1"},
{"label":"fc1.fprop.gemm","streams":2,"average_ns":155287,"longest_ns":159075,"on":"node-0, device 1"},
{"label":"fc2.fprop","streams":2,"average_ns":103525,"longest_ns":106050,"on":"node-0, device 1"}]}],
"provenance":{"version":"0.1.0","commit":"COMMIT","command":"stepsim scaling scenarios/samples/inline/two.prof.json --labels fc1,fc2.fprop --json","inputs":[
{"path":"scenarios/samples/inline/two.prof.json","bytes":3367,"crc64":"2000b1d4bf178853"}]}}
$ stepsim stats scenarios/samples/inline/two.prof.json --by layer
60 measurements of 12 ranges on 2 devices, each of another iteration, of which one takes 1.678 ms (median).
The time of a range holds that of the ranges in it; stalls of single iterations are in means and totals: medians say what a range takes.

By layer
layer       count      total          share      mean    median       min       max  deviation
fc1            30  12.315 ms  42.9 % of all  410.5 us  213.2 us  147.0 us  1.680 ms   379.0 us
all_reduce     10   8.210 ms  35.7 % of all  821.0 us  519.8 us  490.0 us  2.100 ms   615.0 us
fc2            20   4.926 ms  21.4 % of all  246.3 us  201.0 us   98.0 us  0.840 ms   211.1 us
$ stepsim check scenarios/samples/inline/two.prof.json --brief
Usable with doubts: 1 file; it cannot predict host, device, network and ranks changes.
$ stepsim schedule scenarios/samples/inline/ranges.yaml
10
fprop 11 fc1 0
fprop 12 fc1 0
fprop 13 fc1 0
fprop.gemm 14 fc1 0
fprop.gemm 15 fc1 0
fprop.gemm 16 fc1 0
bprop 17 fc1 1
bprop 18 fc1 1
bprop 19 fc1 1
fprop 20 fc2 1
fprop 21 fc2 1
fprop 22 fc2 1
bprop 23 fc2 0
bprop 24 fc2 0
bprop 25 fc2 0
exchange 26 all_reduce 0
exchange 27 all_reduce 0
exchange 28 all_reduce 0
$ stepsim replay scenarios/samples/inline/two.prof.json
error: scenarios/samples/inline/two.prof.json: an inline profile has no dependencies and cannot be replayed; expected a capture of a step, or timeline, scaling or stats
[exit 5]
$ stepsim stats scenarios/samples/inline/two.prof.json --by step
error: scenarios/samples/inline/two.prof.json: --by step: an inline profile does not say that of its ranges; expected name, layer, lane or rank
[exit 5]
$ stepsim scaling scenarios/samples/inline/two.prof.json --labels fc3
error: --labels: no run has a range or a layer 'fc3'; did you mean 'fc1'? expected those that 'stepsim timeline RUN --rows all' lists
[exit 2]
$ stepsim timeline scenarios/samples/inline/two.prof.json --mean mode
error: unknown key of --mean 'mode'; expected median, trimmed, arithmetic or early
[exit 2]
$ stepsim timeline scenarios/samples/inline/two.prof.json --steps 1-2
error: --steps cannot be used with an inline profile, which has no steps, ranks or links
[exit 2]
$ stepsim timeline tests/golden/data/gpu_step.json
error: tests/golden/data/gpu_step.json: this is a kineto capture; expected a result of an inline profiler such as HugeCTR's prof.json (to draw a capture's timeline: 'stepsim replay TRACE -o timeline.svg')
[exit 5]
$ stepsim schedule
error: schedule needs a file with the ranges to measure; expected RANGES.yaml
[exit 2]
