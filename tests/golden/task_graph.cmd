When does each task of a hand-written graph start and finish?
$ stepsim replay tests/golden/data/two_hosts.json --tasks --json
{"schema":"stepsim.replay/1",
"tasks":4,"edges":3,"ranks":[0,1],
"capture":{"steps_marked":false,"parameter_servers":false,"device_work":false,"devices":[],"verdict":"good","warning":"","caution":"","evidence":"","findings":"","loss":""},"steps":[],
"set_aside":[],
"iteration":{"measured_ns":null,"replayed_ns":190000,"mean_ns":null,"pace":null,"error":null,"mean_abs_error":null,"worst_abs_error":null},
"network":{"model":"recorded","fits":[]},
"throughput":null,
"profiler":null,
"breakdown":[
{"rank":0,"iteration_ns":160000,"compute_ns":70000,"communication_ns":110000,"exposed_communication_ns":90000,"copies_ns":0,"collective_wait_ns":0,"host_ns":0,"idle_ns":0,"device_busy_ns":0,"overlap":0.18181818181818177,"exposed_copies_ns":0,"exposed_collective_wait_ns":0,"unexplained_ns":0},
{"rank":1,"iteration_ns":30000,"compute_ns":30000,"communication_ns":0,"exposed_communication_ns":0,"copies_ns":0,"collective_wait_ns":0,"host_ns":0,"idle_ns":0,"device_busy_ns":0,"overlap":null,"exposed_copies_ns":0,"exposed_collective_wait_ns":0,"unexplained_ns":0}],
"iteration_parts":{"rank":0,"compute_ns":70000,"communication_ns":90000,"copies_ns":0,"collective_wait_ns":0,"host_ns":0,"idle_ns":30000},
"unexplained_wait_ns":0,"unexplained":[],
"critical_path":{"of":"the replay","length_ns":190000,"classes":{"compute":80000,"communication":110000,"copy":0,"host":0,"queueing":0,"wait":0},"unexplained_ns":0},
"stragglers":[],
"clock":{"hosts":[]},
"interference":[],
"ingest":{"events":4,"skipped":0,"diagnostics":[]},
"assumptions":["Transfers do not share links: each takes the latency of its route and its size over the slowest link."],
"tasks_detail":[
{"id":10,"start_ns":0,"finish_ns":50000},
{"id":20,"start_ns":50000,"finish_ns":160000},
{"id":30,"start_ns":160000,"finish_ns":190000},
{"id":40,"start_ns":50000,"finish_ns":70000}],
"provenance":{"version":"0.1.0","commit":"COMMIT","command":"stepsim replay tests/golden/data/two_hosts.json --tasks --json","inputs":[
{"path":"tests/golden/data/two_hosts.json","bytes":482,"crc64":"e396293c88cef6ef"}]}}
