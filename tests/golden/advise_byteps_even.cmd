What would help the BytePS sample most, and a step of one linear layer on a GPU?
$ stepsim advise scenarios/samples/byteps-even --quiet
Best of 19 changes: network.bandwidth=2x: an iteration takes 253.183 ms, from 246.01 ms to 259.968 ms, instead of 532.082 ms (-52.4 %); best without new hardware: comm.barrier=cross, comm.schedule=priority, comm.credit_bytes=4000KiB (-33.2 %); the captured iteration of 534.062 ms is predicted with an error of -0.37 %.

What would help, the largest gain first
change                                                                 takes     iteration      from        to        by  best case  worst case
network.bandwidth=2x                                                   hardware   253.2 ms  246.0 ms  260.0 ms  -52.42 %   -53.75 %    -51.17 %
comm.barrier=cross, comm.schedule=priority, comm.credit_bytes=4000KiB  setting    355.3 ms  346.9 ms  412.4 ms  -33.22 %   -34.88 %     -2.90 %
comm.control=first                                                     setting    376.3 ms  367.6 ms  387.0 ms  -29.29 %   -30.86 %    -27.33 %
comm.schedule=priority, comm.credit_bytes=4000KiB                      setting    394.3 ms  385.2 ms  450.4 ms  -25.89 %   -27.55 %    -15.34 %

All values that were tried of one setting
- comm.barrier=cross, comm.schedule=priority, comm.credit_bytes=4000KiB -33.22 %; comm.barrier=cross, comm.schedule=priority, comm.credit_bytes=16000KiB -8.24 %
- comm.schedule=priority, comm.credit_bytes=4000KiB -25.89 %; comm.schedule=priority, comm.credit_bytes=16000KiB -6.86 %
- cluster.servers=4 -1.35 %; cluster.servers=3 +2.37 %
- comm.partition_bytes=125KiB -1.27 %; comm.partition_bytes=250KiB -0.28 %; comm.partition_bytes=500KiB -0.03 %; comm.partition_bytes=2000KiB +18.96 %; comm.partition_bytes=4000KiB +19.57 %

The best together
- network.bandwidth=2x, comm.barrier=cross, comm.schedule=priority, comm.credit_bytes=4000KiB, comm.control=first: 215.664 ms, from 200.748 ms to 224.809 ms (-59.47 %); the changes alone add up to -114.92 %
- comm.barrier=cross, comm.schedule=priority, comm.credit_bytes=4000KiB, comm.control=first: 350.604 ms, from 341.087 ms to 381.65 ms (-34.11 %); the changes alone add up to -62.50 %

Upper bounds: what all work on a part could save
change                                        takes  iteration      from        to        by  best case  worst case
network.bandwidth=1000x, network.latency=0us  limit   152.3 ms  146.4 ms  158.6 ms  -71.37 %   -72.47 %    -70.21 %
remove{kind=copy}.share=1                     limit   531.4 ms  520.3 ms  543.4 ms   -0.12 %    -2.14 %     +2.02 %
compute.scale=0                               limit   562.8 ms  555.4 ms  572.4 ms   +5.77 %    +4.50 %     +7.42 %

No significant effect
change                       takes     iteration      from        to       by  best case  worst case
cluster.servers=4            hardware   524.9 ms  512.9 ms  547.1 ms  -1.35 %    -3.68 %     +2.77 %
comm.partition_bytes=125KiB  setting    525.3 ms  514.5 ms  537.7 ms  -1.27 %    -3.23 %     +0.95 %
comm.barrier=cross           setting    531.4 ms  520.2 ms  543.2 ms  -0.13 %    -2.15 %     +1.98 %

Makes it worse
change             takes     iteration      from        to       by  best case  worst case
compute.scale=0.5  hardware   560.3 ms  552.6 ms  580.0 ms  +5.30 %    +3.73 %     +9.02 %

Changes nothing
- network.latency=0.5x: links of half the latency

What these changes are, and what their predictions leave out
- network.bandwidth=2x: links of twice the rate; applies to 1152 tasks, 7.24 s of 7.377 s of communication (98.2 %)
  leaves out: effects of another network on the hosts: interrupts, copies, limits of the protocol
- comm.barrier=cross, comm.schedule=priority, comm.credit_bytes=4000KiB: a layer's next forward pass waits for its own gradient only, and layers that are needed first go first
  leaves out: the processor time of more and smaller messages on busy hosts
- comm.control=first: acknowledgements and requests go ahead of bulk data
  leaves out: the processor time of more and smaller messages on busy hosts
- comm.schedule=priority, comm.credit_bytes=4000KiB: layers that are needed first go first, and pushes under way are bounded (BYTEPS_SCHEDULING_CREDIT)
  leaves out: the processor time of more and smaller messages on busy hosts

Does not apply to this job
- comm.bucket_bytes, comm.algorithm: the job has parameter servers and no collectives
- loader.workers, loader.scale: nothing in the capture waits for processes that load data
- overlap.barriers: comm.barrier=cross is the same for parameter servers
- overlap.prefetch: nothing in the capture is named after FSDP, whose all-gathers are of parameters
- compute{class=...}.scale: the capture has no device work of a known class
- compute{name=DataLoader}.scale: the capture has no DataLoader that works in the training process
- compute{rank=...}.scale: all ranks compute about as long
- precision.to=tf32, precision.to: the capture shows no kernels of a device, only what a framework or a task graph calls its work
- launch.overhead=0us: the capture shows no launches of device work
- fuse{class=elementwise}.most=100: {class=elementwise} matches none of the 8082 tasks
- overlap.copies=apart: the capture shows no copies between host and device on streams
- overlap.collectives=asynchronous: the capture does not show which reductions carry gradients
- start.delay=0us: workers with parameter servers begin spread over a step, not as captured
- network.inside=2x, network.between=2x: links inside hosts are not told from those between them
- host.scale=0.7, host.scale=0: the capture shows no work of a host's processor

Assumptions
- a server's copying and summing is part of the pulls that wait for it: no server was recorded
- Every link has the bandwidth of job.yaml, of which 0.957 is payload, as TCP over Ethernet leaves.
- Every worker and every server has one full-duplex link to one switch.
- A link's latency is 5 us: job.yaml does not say.
- Copying and summing on a server takes no time: no server was recorded.
- Where workers meet on a link, the message that came later gets 0.5 of what the one before it gets, as TCP does: at no time did two alone push into one server's link.
- The capture does not show by how much communication slows compute beside it: durations stay as captured where a change moves communication.
$ stepsim advise tests/golden/data/gpu_step.json --quiet --rows 1
Best of 12 changes: precision.to=bf16: an iteration takes 1.955 ms, from 1.563 ms to 2.534 ms, instead of 17 ms (-88.5 %); the captured iteration of 17 ms is reproduced exactly, because nothing was modelled; this does not test the prediction (stepsim replay does).

What would help, the largest gain first
change             takes  iteration      from        to        by  best case  worst case
precision.to=bf16  code    1.955 ms  1.563 ms  2.534 ms  -88.50 %   -90.75 %    -85.16 %

All values that were tried of one setting
- precision.to=bf16 -88.50 %; precision.to=fp16 -88.50 %

The best together
- precision.to=bf16, compute.scale=0.5: 1.283 ms, from 1.07 ms to 1.588 ms (-92.45 %); the changes alone add up to -136.70 %
- precision.to=bf16, compute{class=gemm}.scale=0.5: 1.423 ms, from 1.2 ms to 1.739 ms (-91.63 %); the changes alone add up to -135.56 %

Upper bounds: what all work on a part could save
change           takes  iteration      from        to        by  best case  worst case
compute.scale=0  limit   610.0 us  540.0 us  682.1 us  -96.41 %   -96.79 %    -96.03 %

No significant effect
change          takes     iteration      from        to       by  best case  worst case
host.scale=0.7  hardware   16.94 ms  16.07 ms  17.81 ms  -0.35 %    -1.54 %     +0.86 %

Changes nothing
- launch.overhead=0us: launches cost the host nothing (CUDA graphs)

What these changes are, and what their predictions leave out
- precision.to=bf16: mixed precision (torch.autocast); applies to 3 tasks, 16.39 ms of 16.39 ms of compute (100.0 %); 1 task, 400 us of 400 us of copy (100.0 %)
  assumes: products are done in bf16 and activations kept in bf16; no casts are added, and the optimizer keeps its precision. leaves out: casts between precisions, how well products of these sizes fill other units, and effects on training

Does not apply to this job
- comm.partition_bytes, comm.schedule, comm.barrier, comm.control, cluster.servers: the job has no parameter servers
- comm.bucket_bytes: the capture has no all-reduce that says its size
- comm.algorithm: the capture has no collective of several ranks that says what it transfers
- loader.workers, loader.scale: nothing in the capture waits for processes that load data
- overlap.prefetch: nothing in the capture is named after FSDP, whose all-gathers are of parameters
- compute{name=DataLoader}.scale: the capture has no DataLoader that works in the training process
- compute{rank=...}.scale: the capture has one rank
- overlap.barriers=off: the capture shows no barriers
- overlap.collectives=asynchronous: the capture does not show which reductions carry gradients
- start.delay=0us: the capture does not show several ranks begin
- network.bandwidth=2x, network.inside=2x, network.between=2x, network.latency=0.5x, network.bandwidth=1000x: nothing in the capture crosses a link: it has no message and no collective

Assumptions
- One rank alone sends no messages: nothing is said of a network.
$ stepsim advise tests/golden/data/gpu_overlap.json --json --quiet
{"schema":"stepsim.advise/1",
"baseline":{"iteration_ns":15560000,"measured_ns":15560000,"error":0},
"advice":[
{"set":{"compute.scale":"0"},"takes":"limit","what":"compute takes no time","verdict":"gain","best_of_its_values":true,"iteration_ns":4500000,"low_ns":4327383,"high_ns":4679460,"change":-0.7107969151670951,"low_change":-0.7218893024610917,"high_change":-0.699263478339737,"applies_to":["42 tasks, 46.5 ms of 46.5 ms of compute (100.0 %)"],"assumptions":[],"leaves_out":["that compute and communication compete for processor cores, and for the device where the capture does not show it"]},
{"set":{"precision.to":"bf16"},"takes":"code","what":"mixed precision (torch.autocast)","verdict":"gain","best_of_its_values":true,"iteration_ns":4962223,"low_ns":4470701,"high_ns":6939767,"change":-0.6810910668380463,"low_change":-0.7126794836009678,"high_change":-0.5255258115521397,"applies_to":["42 tasks, 46.5 ms of 46.5 ms of compute (100.0 %)"],"assumptions":["products are done in bf16 and activations kept in bf16; no casts are added, and the optimizer keeps its precision"],"leaves_out":["casts between precisions, how well products of these sizes fill other units, and effects on training"],"note":"78 % of the device time has no shapes, which widens the range: a capture with record_shapes=True, and without CUDA graphs, narrows it"},
{"set":{"precision.to":"fp16"},"takes":"code","what":"mixed precision (torch.autocast)","verdict":"gain","best_of_its_values":false,"iteration_ns":4962223,"low_ns":4470701,"high_ns":6939767,"change":-0.6810910668380463,"low_change":-0.7126794836009678,"high_change":-0.5255258115521397,"applies_to":["42 tasks, 46.5 ms of 46.5 ms of compute (100.0 %)"],"assumptions":["products are done in fp16 and activations kept in fp16; no casts are added, and the optimizer keeps its precision"],"leaves_out":["casts between precisions, how well products of these sizes fill other units, and effects on training"],"note":"78 % of the device time has no shapes, which widens the range: a capture with record_shapes=True, and without CUDA graphs, narrows it"},
{"set":{"precision.to":"tf32"},"takes":"setting","what":"products in TF32 (allow_tf32)","verdict":"gain","best_of_its_values":true,"iteration_ns":6610583,"low_ns":4712508,"high_ns":9147196,"change":-0.5751553341902313,"low_change":-0.6971395167801782,"high_change":-0.3880507859450706,"applies_to":["42 tasks, 46.5 ms of 46.5 ms of compute (100.0 %)"],"assumptions":["products are done in tf32 and activations kept in tf32; no casts are added, and the optimizer keeps its precision"],"leaves_out":["casts between precisions, how well products of these sizes fill other units, and effects on training"],"note":"78 % of the device time has no shapes, which widens the range: a capture with record_shapes=True, and without CUDA graphs, narrows it"},
{"set":{"compute{class=gemm}.scale":"0.5"},"takes":"code","what":"gemm kernels twice as fast","verdict":"gain","best_of_its_values":true,"iteration_ns":8560000,"low_ns":8377271,"high_ns":8746675,"change":-0.4498714652956298,"low_change":-0.46161304752918886,"high_change":-0.41542686292102327,"applies_to":["42 tasks, 46.5 ms of 46.5 ms of compute (100.0 %)"],"assumptions":[],"leaves_out":["that compute and communication compete for processor cores, and for the device where the capture does not show it"]},
{"set":{"compute.scale":"0.5"},"takes":"hardware","what":"devices, or processors where there are none, twice as fast","verdict":"gain","best_of_its_values":true,"iteration_ns":8560000,"low_ns":8377271,"high_ns":8746675,"change":-0.4498714652956298,"low_change":-0.46161304752918886,"high_change":-0.41542686292102327,"applies_to":["42 tasks, 46.5 ms of 46.5 ms of compute (100.0 %)"],"assumptions":[],"leaves_out":["that compute and communication compete for processor cores, and for the device where the capture does not show it"]},
{"set":{"network.bandwidth":"1000x"},"takes":"limit","what":"links take no time","verdict":"unsure","best_of_its_values":true,"iteration_ns":14061500,"low_ns":13888472,"high_ns":15571733,"change":-0.09630462724935729,"low_change":-0.10742216514824698,"high_change":0.000754062617219553,"applies_to":["3 tasks, 13.5 ms of 13.5 ms of communication (100.0 %)"],"assumptions":["3 parts of collectives do not say what they transfer, or lack too many members: their recorded times, including waits for other ranks, are divided by 1000, as transfers over links are"],"leaves_out":["effects of another network on the hosts: interrupts, copies, limits of the protocol"]},
{"set":{"network.bandwidth":"2x"},"takes":"hardware","what":"links of twice the rate","verdict":"unsure","best_of_its_values":true,"iteration_ns":14810000,"low_ns":14631969,"high_ns":15582706,"change":-0.04820051413881743,"low_change":-0.05963960224110465,"high_change":0.0014592432602285044,"applies_to":["3 tasks, 13.5 ms of 13.5 ms of communication (100.0 %)"],"assumptions":["3 parts of collectives do not say what they transfer, or lack too many members: their recorded times, including waits for other ranks, are divided by 2, as transfers over links are"],"leaves_out":["effects of another network on the hosts: interrupts, copies, limits of the protocol"]},
{"set":{"host.scale":"0"},"takes":"limit","what":"host work takes no time","verdict":"unsure","best_of_its_values":true,"iteration_ns":15525000,"low_ns":15339773,"high_ns":15712425,"change":-0.0022493573264781297,"low_change":-0.014151023035540278,"high_change":0.009795950432908374,"applies_to":["102 tasks, 546 us of 546 us of host work (100.0 %)"],"assumptions":[],"leaves_out":["that cores, caches and memory bandwidth differ between processors by the kind of work"]},
{"set":{"host.scale":"0.7"},"takes":"hardware","what":"a faster host processor, as far as those of servers of one time differ","verdict":"unsure","best_of_its_values":true,"iteration_ns":15549500,"low_ns":15363983,"high_ns":15737218,"change":-0.0006748071979434389,"low_change":-0.012595068299174672,"high_change":0.011389348913176889,"applies_to":["102 tasks, 546 us of 546 us of host work (100.0 %)"],"assumptions":[],"leaves_out":["that cores, caches and memory bandwidth differ between processors by the kind of work"]},
{"set":{"launch.overhead":"0us"},"takes":"code","what":"launches cost the host nothing (CUDA graphs)","verdict":"nothing","best_of_its_values":true,"iteration_ns":15555000,"low_ns":15369418,"high_ns":15742784,"change":-0.0003213367609254947,"low_change":-0.012245826449572172,"high_change":0.011747047621925022,"applies_to":["45 tasks, 225 us of 546 us of host work (41.2 %)"],"assumptions":[],"leaves_out":["the framework's time around a launch, the device's time between two kernels, and what a call takes beyond 100 us (loading code, waiting)"]}],
"together":[
{"set":{"precision.to":"bf16","compute{class=gemm}.scale":"0.5"},"iteration_ns":4500000,"low_ns":4327383,"high_ns":4679460,"change":-0.7107969151670951,"low_change":-0.7218893024610917,"high_change":-0.699263478339737,"sum_of_changes":-1.130962532133676}],
"left_out":[
{"changes":["comm.partition_bytes","comm.schedule","comm.barrier","comm.control","cluster.servers"],"reason":"the job has no parameter servers"},
{"changes":["comm.bucket_bytes"],"reason":"the capture has no all-reduce that says its size"},
{"changes":["comm.algorithm"],"reason":"the capture has no collective of several ranks that says what it transfers"},
{"changes":["loader.workers","loader.scale"],"reason":"nothing in the capture waits for processes that load data"},
{"changes":["overlap.prefetch"],"reason":"nothing in the capture is named after FSDP, whose all-gathers are of parameters"},
{"changes":["compute{name=DataLoader}.scale"],"reason":"the capture has no DataLoader that works in the training process"},
{"changes":["compute{rank=...}.scale"],"reason":"the capture has one rank"},
{"changes":["remove{kind=copy}.share"],"reason":"the capture has no copies"},
{"changes":["fuse{class=elementwise}.most=100"],"reason":"{class=elementwise} matches none of the 147 tasks; expected rank 0 and names such as 'ProfilerStep#3' (stepsim tasks lists all)"},
{"changes":["overlap.copies=apart"],"reason":"the capture shows no copies between host and device on streams; expected a trace of a GPU"},
{"changes":["overlap.barriers=off"],"reason":"the capture shows no barriers; expected parameter servers, or collectives without payload"},
{"changes":["overlap.collectives=asynchronous"],"reason":"the capture does not show which reductions carry gradients; expected a selection of them, such as overlap{name=ReduceScatter}, or a trace with AccumulateGrad (PyTorch, record_shapes=True)"},
{"changes":["start.delay=0us"],"reason":"the capture does not show several ranks begin; expected the traces of all ranks"},
{"changes":["network.inside=2x","network.between=2x","network.latency=0.5x"],"reason":"transfers keep their recorded times: the capture does not show how fast its links are; expected a factor of the bandwidth such as 2x where collectives were recorded, else 'network: {bandwidth: 25Gb/s}' in job.yaml, or --cluster FILE, and --network maxmin"}],
"network":{"model":"maxmin"},
"assumptions":["the input has 1 of 2 ranks: the others are assumed to arrive at collectives when these do","3 of 3 collectives do not say what they transfer, or have members that were not read: a network model keeps their recorded durations","Nothing is said of a network: no transfer of the capture says its bytes.","Beside communication kernels take longer than alone, as the captured steps show: gemm 1.50 times as long (9 compared). Those follow where communication moves; others stay as captured."],
"provenance":{"version":"0.1.0","commit":"COMMIT","command":"stepsim advise tests/golden/data/gpu_overlap.json --json","inputs":[
{"path":"tests/golden/data/gpu_overlap.json","bytes":14610,"crc64":"d1b6ea43c1c59e70"}]}}
