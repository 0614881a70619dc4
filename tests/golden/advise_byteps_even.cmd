What would help the BytePS sample most, and a step of one linear layer on a GPU?
$ stepsim advise scenarios/samples/byteps-even --quiet
Do this first: send acknowledgements and requests ahead of bulk data [comm.control=first]: step time 376.3 ms (360.5 to 396.2 ms), 29.3 % less than the baseline's 532.1 ms. With other hardware: use links with twice the bandwidth [network.bandwidth=2x]: -52.4 % (-53.8 % to -51.2 %). Uncertain, because the range includes no change: drop the global barrier and send the layers needed first ahead of others [comm.barrier=cross, comm.schedule=priority, comm.credit_bytes=4000KiB]: -33.2 % (-36.3 % to +33.4 %). The captured step of 534.1 ms is predicted with an error of -0.4 %.

Best changes
change                                                                   --set                                              needs    step time      from        to   effect  best case  worst case
send acknowledgements and requests ahead of bulk data                    comm.control=first                                 setting   376.3 ms  360.5 ms  396.2 ms  -29.3 %    -32.2 %     -25.7 %
send the layers needed first ahead of others (BYTEPS_SCHEDULING_CREDIT)  comm.schedule=priority, comm.credit_bytes=4000KiB  setting   394.3 ms  377.7 ms  503.5 ms  -25.9 %    -29.1 %      -4.6 %

With other hardware
change                              --set                 needs     step time      from        to   effect  best case  worst case
use links with twice the bandwidth  network.bandwidth=2x  hardware   253.2 ms  246.0 ms  260.0 ms  -52.4 %    -53.8 %     -51.2 %

Uncertain: the range includes no change
change                                                                    --set                                                                  needs     step time      from        to   effect  best case  worst case
drop the global barrier and send the layers needed first ahead of others  comm.barrier=cross, comm.schedule=priority, comm.credit_bytes=4000KiB  setting    355.3 ms  340.0 ms  467.3 ms  -33.2 %    -36.3 %     +33.4 %
change the partition size (BYTEPS_PARTITION_BYTES)                        comm.partition_bytes=125KiB                                            setting    525.3 ms  514.5 ms  537.7 ms   -1.3 %     -3.3 %      +1.2 %
add parameter servers                                                     cluster.servers=4                                                      hardware   524.9 ms  509.1 ms  554.3 ms   -1.3 %     -4.6 %      +4.1 %

Upper bounds: the most that work on each part could save
change                             --set                                         step time      from        to   effect  best case  worst case
no network time                    network.bandwidth=1000x, network.latency=0us   152.3 ms  146.4 ms  158.6 ms  -71.4 %    -72.5 %     -70.2 %
no copies to, from or within GPUs  remove{kind=copy}.share=1                      531.4 ms  510.0 ms  555.0 ms   -0.1 %     -4.0 %      +3.9 %
- No bound from compute.scale=0: without this work the step takes 5.8 % longer, because the rest then runs in another order.

Best changes combined
- send acknowledgements and requests ahead of bulk data; send the layers needed first ahead of others [comm.control=first, comm.schedule=priority, comm.credit_bytes=4000KiB]: step time 396.4 ms (376.4 to 505.6 ms), -25.5 % (sum of the separate effects: -55.2 %); comm.control=first alone saves as much
- use links with twice the bandwidth; send acknowledgements and requests ahead of bulk data; send the layers needed first ahead of others [network.bandwidth=2x, comm.control=first, comm.schedule=priority, comm.credit_bytes=4000KiB]: step time 242.0 ms (228.3 to 257.4 ms), -54.5 % (sum of the separate effects: -107.6 %)

The best changes explained
- send acknowledgements and requests ahead of bulk data [comm.control=first]
  not modelled: the CPU time of more and smaller messages on busy hosts
- send the layers needed first ahead of others (BYTEPS_SCHEDULING_CREDIT) [comm.schedule=priority, comm.credit_bytes=4000KiB]
  not modelled: the CPU time of more and smaller messages on busy hosts
- use links with twice the bandwidth [network.bandwidth=2x]; applies to 1,152 tasks, 7.240 s of 7.377 s of communication (98.2 %)
  not modelled: effects of another network on the hosts: interrupts, copies, protocol limits

Assumptions
- The time of copying and summing on servers is part of the recorded pulls, because no server was recorded.
- Links have the bandwidth from job.yaml; 0.957 of it is payload, as for TCP over Ethernet.
- Each worker and each server has one full-duplex link to a single switch.
- The latency of a link is 5 us; job.yaml does not give it.
- Copying and summing on predicted servers takes no time, because no server was recorded.
- When two workers send over the same link, the later message gets 0.5 of the bandwidth of the earlier one, as is typical for TCP; the capture does not show two workers pushing to only one server.
- The capture does not show how much communication slows overlapping compute, so durations stay as captured where a change moves communication.

All values tried of each setting
- comm.barrier=cross, comm.schedule=priority, comm.credit_bytes=4000KiB -33.2 %; comm.barrier=cross, comm.schedule=priority, comm.credit_bytes=16000KiB -8.2 %
- comm.schedule=priority, comm.credit_bytes=4000KiB -25.9 %; comm.schedule=priority, comm.credit_bytes=16000KiB -6.9 %
- cluster.servers=4 -1.3 %; cluster.servers=3 +2.4 %
- comm.partition_bytes=125KiB -1.3 %; comm.partition_bytes=250KiB -0.3 %; comm.partition_bytes=500KiB -0.03 %; comm.partition_bytes=2000KiB +19.0 %; comm.partition_bytes=4000KiB +19.6 %

No significant effect
change                                                                --set               needs    step time      from        to  effect  best case  worst case
drop the global barrier (each layer waits only for its own gradient)  comm.barrier=cross  setting   531.4 ms  511.1 ms  553.3 ms  -0.1 %     -3.7 %      +3.7 %

Slower
change                                                --set              needs     step time      from        to  effect  best case  worst case
use GPUs twice as fast (CPUs if the job has no GPUs)  compute.scale=0.5  hardware   560.3 ms  552.6 ms  580.0 ms  +5.3 %     +3.9 %      +9.3 %

No effect
- use links with half the latency [network.latency=0.5x]

Not applicable to this job
- comm.bucket_bytes, comm.algorithm: the job has parameter servers and no collectives
- loader.workers, loader.scale: no waiting for data loader processes was captured
- compute{name=DataLoader}.scale: no data loading in the training process was captured
- overlap.barriers: for parameter servers, comm.barrier=cross does this
- comm.start: no reduction that is known to carry a gradient starts after the backward pass
- overlap.prefetch: no FSDP module was captured
- compute{class=...}.scale: the capture has no device work of a known class
- host.pauses: no thread was recorded to pause
- compute{rank=...}.scale: all ranks compute for about the same time
- host{name=...}.scale: no call of more than 1 ms that allocates, frees or starts the driver takes 5 % of the CPU work
- precision.to=tf32, precision.to: the capture has no GPU kernels
- launch.overhead=0us: the capture has no launches of device work
- fuse{class=elementwise}.most=100: {class=elementwise} matches none of the 8082 tasks
- overlap.copies=apart: the capture has no copies between host and device on streams
- overlap.collectives=asynchronous: it is unknown which reductions carry gradients
- start.delay=0us: workers of a parameter-server job do not start together
- network.inside=2x, network.between=2x: links inside and between hosts are not separate here
- host.scale=0.7, host.scale=0: the capture has no CPU work
$ stepsim advise tests/golden/data/gpu_step.json --quiet --rows 1
Do this first: use mixed precision (torch.autocast) [precision.to=bf16]: step time 1.948 ms (1.592 to 2.462 ms), 88.5 % less than the baseline's 16.99 ms. The captured step of 17 ms is reproduced exactly because no part of it was modelled; see the self-check of 'stepsim replay'.

Best changes
change                                --set              needs  step time      from        to   effect  best case  worst case
use mixed precision (torch.autocast)  precision.to=bf16  code    1.948 ms  1.592 ms  2.462 ms  -88.5 %    -90.6 %     -85.6 %

With other hardware
change                                                --set              needs     step time      from        to   effect  best case  worst case
use GPUs twice as fast (CPUs if the job has no GPUs)  compute.scale=0.5  hardware   8.798 ms  8.086 ms  9.540 ms  -48.2 %    -50.0 %     -46.4 %

Upper bounds: the most that work on each part could save
change           --set            step time      from        to   effect  best case  worst case
no compute time  compute.scale=0   602.8 us  508.3 us  713.8 us  -96.5 %    -97.0 %     -95.9 %

Best changes combined
- use mixed precision; make gemm kernels twice as fast [precision.to=bf16, compute{class=gemm}.scale=0.5]: step time 1.416 ms (1.097 to 1.915 ms), -91.7 % (sum of the separate effects: -135.6 %)
- use mixed precision; use GPUs twice as fast; use a faster CPU [precision.to=bf16, compute.scale=0.5, host.scale=0.7]: step time 1.219 ms (843.4 us to 1.881 ms), -92.8 % (sum of the separate effects: -137.1 %)

The best changes explained
- use mixed precision (torch.autocast) [precision.to=bf16]; applies to 3 tasks, 16.39 ms of 16.39 ms of compute (100.0 %); 1 task, 400 us of 400 us of copy (100.0 %)
  assumptions: Matrix products run in bf16 and activations are kept in bf16; no casts are added, and the optimizer keeps its precision. not modelled: casts between precisions except those to fp8, how well products of these sizes use other units, and effects on training

Assumptions
- The capture shows no network: a single rank sends no messages.
- The profiler is assumed to have added 2.4 us of CPU time per event, as in jobs that were measured with and without it; it may be 0 to 4.5 us. measured_step or profiler_cost in job.yaml replaces this.

All values tried of each setting
- precision.to=bf16 -88.5 %; precision.to=fp16 -88.5 %

No effect
- use CUDA graphs (launches take no CPU time) [launch.overhead=0us]

Not applicable to this job
- comm.partition_bytes, comm.schedule, comm.barrier, comm.control, cluster.servers: the job has no parameter servers
- comm.bucket_bytes: no captured all-reduce records its size
- comm.algorithm: no captured collective of several ranks records its size
- loader.workers, loader.scale: no waiting for data loader processes was captured
- compute{name=DataLoader}.scale: no data loading in the training process was captured
- comm.start: no reduction that is known to carry a gradient starts after the backward pass
- overlap.prefetch: no FSDP module was captured
- host.pauses: no thread was recorded to pause
- compute{rank=...}.scale: only one rank was captured
- host{name=...}.scale: no call of more than 1 ms that allocates, frees or starts the driver takes 5 % of the CPU work
- overlap.barriers=off: the capture has no barriers
- overlap.collectives=asynchronous: it is unknown which reductions carry gradients
- start.delay=0us: the capture has fewer than two ranks with a start
- network.bandwidth=2x, network.inside=2x, network.between=2x, network.latency=0.5x, network.bandwidth=1000x: the capture has no message, no collective and no copy between devices, so nothing crosses a link
$ stepsim advise tests/golden/data/gpu_overlap.json --json --quiet
{"schema":"stepsim.advise/1",
"capture":{"verdict":"good","warning":"","caution":"Predictions of device changes are unreliable: no input shapes of operators (no_shapes); 'stepsim check' explains the consequences.","evidence":"","findings":"missing_ranks, no_collective_sizes, no_shapes"},
"baseline":{"iteration_ns":15556640,"as_captured_ns":15560000,"measured_ns":15560000,"error":0},
"advice":[
{"set":{"compute.scale":"0"},"takes":"limit","what":"no compute time","verdict":"gain","best_of_its_values":true,"iteration_ns":4500000,"low_ns":4243670,"high_ns":4771813,"change":-0.7107344516553703,"low_change":-0.7272116658828447,"high_change":-0.6932619654358705,"applies_to":["42 tasks, 46.50 ms of 46.50 ms of compute (100.0 %)"],"assumptions":[],"leaves_out":["contention of compute and communication for CPU cores, and for the device where the capture does not show it"]},
{"set":{"precision.to":"bf16"},"takes":"code","what":"use mixed precision (torch.autocast)","verdict":"gain","best_of_its_values":true,"iteration_ns":4840550,"low_ns":4496932,"high_ns":6534352,"change":-0.6888434777689785,"low_change":-0.7109306547911807,"high_change":-0.5502718416234411,"applies_to":["42 tasks, 46.50 ms of 46.50 ms of compute (100.0 %)"],"assumptions":["Matrix products run in bf16 and activations are kept in bf16; no casts are added, and the optimizer keeps its precision."],"leaves_out":["casts between precisions except those to fp8, how well products of these sizes use other units, and effects on training"],"note":"78 % of the device time was recorded without shapes, which widens the range: record with record_shapes=True and without CUDA graphs"},
{"set":{"precision.to":"fp16"},"takes":"code","what":"use mixed precision (torch.autocast)","verdict":"gain","best_of_its_values":false,"iteration_ns":4840550,"low_ns":4496932,"high_ns":6534352,"change":-0.6888434777689785,"low_change":-0.7109306547911807,"high_change":-0.5502718416234411,"applies_to":["42 tasks, 46.50 ms of 46.50 ms of compute (100.0 %)"],"assumptions":["Matrix products run in fp16 and activations are kept in fp16; no casts are added, and the optimizer keeps its precision."],"leaves_out":["casts between precisions except those to fp8, how well products of these sizes use other units, and effects on training"],"note":"78 % of the device time was recorded without shapes, which widens the range: record with record_shapes=True and without CUDA graphs"},
{"set":{"precision.to":"tf32"},"takes":"setting","what":"run matrix products in TF32 (allow_tf32)","verdict":"gain","best_of_its_values":true,"iteration_ns":6407742,"low_ns":4789469,"high_ns":8781439,"change":-0.5881024437153524,"low_change":-0.6921268347094821,"high_change":-0.4086410493739886,"applies_to":["42 tasks, 46.50 ms of 46.50 ms of compute (100.0 %)"],"assumptions":["Matrix products run in tf32 and activations are kept in tf32; no casts are added, and the optimizer keeps its precision."],"leaves_out":["casts between precisions except those to fp8, how well products of these sizes use other units, and effects on training"],"note":"78 % of the device time was recorded without shapes, which widens the range: record with record_shapes=True and without CUDA graphs"},
{"set":{"compute{class=gemm}.scale":"0.5"},"takes":"code","what":"make gemm kernels twice as fast","verdict":"gain","best_of_its_values":true,"iteration_ns":8473306,"low_ns":8200308,"high_ns":8755306,"change":-0.45532544302625755,"low_change":-0.4728677380720828,"high_change":-0.39496709722975154,"applies_to":["42 tasks, 46.50 ms of 46.50 ms of compute (100.0 %)"],"assumptions":[],"leaves_out":["contention of compute and communication for CPU cores, and for the device where the capture does not show it"]},
{"set":{"compute.scale":"0.5"},"takes":"hardware","what":"use GPUs twice as fast (CPUs if the job has no GPUs)","verdict":"gain","best_of_its_values":true,"iteration_ns":8473306,"low_ns":8200308,"high_ns":8755306,"change":-0.45532544302625755,"low_change":-0.4728677380720828,"high_change":-0.39496709722975154,"applies_to":["42 tasks, 46.50 ms of 46.50 ms of compute (100.0 %)"],"assumptions":[],"leaves_out":["contention of compute and communication for CPU cores, and for the device where the capture does not show it"]},
{"set":{"network.bandwidth":"1000x"},"takes":"limit","what":"no network time","verdict":"unsure","best_of_its_values":true,"iteration_ns":14058140,"low_ns":13799380,"high_ns":16383282,"change":-0.09632542759876173,"low_change":-0.11295020149493118,"high_change":0.053137115667227786,"applies_to":["3 tasks, 13.50 ms of 13.50 ms of communication (100.0 %)"],"assumptions":["No network model times 3 transfers: their recorded times, including waits for other ranks, are divided by 1000."],"leaves_out":["effects of another network on the hosts: interrupts, copies, protocol limits"]},
{"set":{"network.bandwidth":"2x"},"takes":"hardware","what":"use links with twice the bandwidth","verdict":"unsure","best_of_its_values":true,"iteration_ns":14806640,"low_ns":14582800,"high_ns":15786139,"change":-0.04821092472410493,"low_change":-0.055845051095410825,"high_change":0.013416529142964428,"applies_to":["3 tasks, 13.50 ms of 13.50 ms of communication (100.0 %)"],"assumptions":["No network model times 3 transfers: their recorded times, including waits for other ranks, are divided by 2."],"leaves_out":["effects of another network on the hosts: interrupts, copies, protocol limits"]},
{"set":{"host.scale":"0"},"takes":"limit","what":"no CPU time","verdict":"gain","best_of_its_values":true,"iteration_ns":15525000,"low_ns":15336076,"high_ns":15716251,"change":-0.0020338582110275283,"low_change":-0.0023021320383298516,"high_change":-0.001765512246810097,"applies_to":["102 tasks, 546.0 us of 546.0 us of host work (100.0 %)"],"assumptions":[],"leaves_out":["that CPUs differ in cores, caches and memory bandwidth, and so by the kind of work; calls of more than 1 ms that allocate, free or start the driver keep their times; that a faster CPU pauses as long"]},
{"set":{"host.scale":"0.7"},"takes":"hardware","what":"use a faster CPU (30 % less CPU time, a typical difference between servers)","verdict":"gain","best_of_its_values":true,"iteration_ns":15547148,"low_ns":15360534,"high_ns":15736002,"change":-0.0006101574633082807,"low_change":-0.0007128155571761718,"high_change":-0.00047508709505450497,"applies_to":["102 tasks, 546.0 us of 546.0 us of host work (100.0 %)"],"assumptions":[],"leaves_out":["that CPUs differ in cores, caches and memory bandwidth, and so by the kind of work; calls of more than 1 ms that allocate, free or start the driver keep their times; that a faster CPU pauses as long"]},
{"set":{"launch.overhead":"0us"},"takes":"code","what":"use CUDA graphs (launches take no CPU time)","verdict":"nothing","best_of_its_values":true,"iteration_ns":15553320,"low_ns":15367383,"high_ns":15741494,"change":-0.00021341369344540784,"low_change":-0.00032505119873293964,"high_change":-2.966949026961263e-05,"applies_to":["45 tasks, 225.0 us of 546.0 us of host work (41.2 %)"],"assumptions":[],"leaves_out":["framework time around a launch, device time between two kernels, and call time beyond 100 us (loading code, waiting)"]}],
"long_calls":[],
"together":[
{"set":{"precision.to":"bf16","compute{class=gemm}.scale":"0.5"},"iteration_ns":4500000,"low_ns":4243670,"high_ns":4771813,"change":-0.7107344516553703,"low_change":-0.7272116658828447,"high_change":-0.6932619654358705,"sum_of_changes":-1.1441689207952361},
{"set":{"precision.to":"bf16","compute{class=gemm}.scale":"0.5","host.scale":"0.7"},"iteration_ns":4500000,"low_ns":4169657,"high_ns":4856514,"change":-0.7107344516553703,"low_change":-0.7319693138723927,"high_change":-0.6878172470920643,"sum_of_changes":-1.1447790782585443}],
"left_out":[
{"changes":["comm.partition_bytes","comm.schedule","comm.barrier","comm.control","cluster.servers"],"reason":"the job has no parameter servers"},
{"changes":["comm.bucket_bytes"],"reason":"no captured all-reduce records its size"},
{"changes":["comm.algorithm"],"reason":"no captured collective of several ranks records its size"},
{"changes":["loader.workers","loader.scale"],"reason":"no waiting for data loader processes was captured"},
{"changes":["compute{name=DataLoader}.scale"],"reason":"no data loading in the training process was captured"},
{"changes":["comm.start"],"reason":"no reduction that is known to carry a gradient starts after the backward pass"},
{"changes":["overlap.prefetch"],"reason":"no FSDP module was captured"},
{"changes":["host.pauses"],"reason":"no thread was recorded to pause"},
{"changes":["compute{rank=...}.scale"],"reason":"only one rank was captured"},
{"changes":["remove{kind=copy}.share"],"reason":"the capture has no copies"},
{"changes":["host{name=...}.scale"],"reason":"no call of more than 1 ms that allocates, frees or starts the driver takes 5 % of the CPU work"},
{"changes":["fuse{class=elementwise}.most=100"],"reason":"{class=elementwise} matches none of the 147 tasks; expected rank 0 and names such as 'ProfilerStep#3' (stepsim tasks lists all)"},
{"changes":["overlap.copies=apart"],"reason":"the capture has no copies between host and device on streams; expected a trace of a GPU"},
{"changes":["overlap.barriers=off"],"reason":"the capture has no barriers; expected parameter servers, or collectives without payload"},
{"changes":["overlap.collectives=asynchronous"],"reason":"it is unknown which reductions carry gradients; expected a selection, for example overlap{name=ReduceScatter}, or a trace with AccumulateGrad (PyTorch, record_shapes=True)"},
{"changes":["start.delay=0us"],"reason":"the capture has fewer than two ranks with a start; expected the traces of all ranks"},
{"changes":["network.inside=2x","network.between=2x","network.latency=0.5x"],"reason":"the capture does not show the rates of its links, so transfers keep their recorded times; expected a factor such as 2x for recorded transfers, or else --network maxmin with --cluster FILE or with 'network: {bandwidth: 25Gb/s}' in job.yaml"}],
"network":{"model":"maxmin"},
"assumptions":["The input has 1 of 2 ranks; the others are assumed to arrive at collectives when these do.","3 of 3 collectives do not record how much they transfer; they keep their recorded durations under every network model.","The network is unknown: no transfer in the capture records its size.","Kernels are slower during communication, as in the captured steps: gemm 1.50x (9 compared). Their durations change where communication moves; those of other kernels stay as captured.","The profiler is assumed to have added 1.680 us of CPU time per event, as in jobs that were measured with and without it; it may be 0 to 4.5 us. measured_step or profiler_cost in job.yaml replaces this."],
"provenance":{"version":"0.1.0","commit":"COMMIT","command":"stepsim advise tests/golden/data/gpu_overlap.json --json","inputs":[
{"path":"tests/golden/data/gpu_overlap.json","bytes":14610,"crc64":"d1b6ea43c1c59e70"}]}}
