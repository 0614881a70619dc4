What do scripts read of the BytePS sample?
$ stepsim replay scenarios/samples/byteps-even --json
{"schema":"stepsim.replay/1",
"tasks":2070,"edges":4908,"ranks":[0,1],
"steps":[
{"rank":0,"step":5,"measured_ns":535195000,"replayed_ns":535195000,"error":0,"held_out_error":-0.004038714860938536},
{"rank":0,"step":6,"measured_ns":532928000,"replayed_ns":532928000,"error":0,"held_out_error":0.0023248919178575716},
{"rank":0,"step":7,"measured_ns":533139000,"replayed_ns":533139000,"error":0,"held_out_error":0.0017303179846156443},
{"rank":1,"step":5,"measured_ns":531227000,"replayed_ns":531227000,"error":0,"held_out_error":0.0012480540333981518},
{"rank":1,"step":6,"measured_ns":529945000,"replayed_ns":529945000,"error":0,"held_out_error":0.004879751672343356},
{"rank":1,"step":7,"measured_ns":533835000,"replayed_ns":533835000,"error":0,"held_out_error":-0.006086150214954059}],
"set_aside":[],
"iteration":{"measured_ns":534061500,"replayed_ns":534061500,"pace":null,"error":0,"mean_abs_error":0,"worst_abs_error":0},
"network":{"model":"recorded","fits":[]},
"breakdown":[
{"rank":0,"iteration_ns":534061500,"compute_ns":150171000,"communication_ns":476247000,"exposed_communication_ns":383493666,"collective_wait_ns":0,"host_ns":0,"idle_ns":89333,"unexplained_ns":295333},
{"rank":1,"iteration_ns":530586000,"compute_ns":150143333,"communication_ns":473844333,"exposed_communication_ns":381357333,"collective_wait_ns":0,"host_ns":0,"idle_ns":168333,"unexplained_ns":328000}],
"unexplained_wait_ns":328000,"unexplained":[{"kind":"host thread","wait_ns":1762000,"count":123},{"kind":"device","wait_ns":71000,"count":3},{"kind":"communication","wait_ns":37000,"count":2}],
"critical_path":{"of":"rank 0's step 7","length_ns":533139000,"classes":{"compute":57496000,"communication":474986000,"host":0,"queueing":0,"wait":657000},"unexplained_ns":56000},
"stragglers":[],
"clock":{"hosts":[{"host":"0","offset_ns":0,"residual_ns":0,"slope":0,"spread_ns":0},{"host":"1","offset_ns":0,"residual_ns":52879000,"slope":0,"spread_ns":0}]},
"interference":[],
"ingest":{"events":2280,"skipped":0,"diagnostics":[]},
"assumptions":["a server's copying and summing is part of the pulls that wait for it: no server was recorded"],
"provenance":{"version":"0.1.0","commit":"COMMIT","command":"stepsim replay scenarios/samples/byteps-even --json","inputs":[
{"path":"scenarios/samples/byteps-even/traces/0/0/bps_trace_final.json","bytes":21495,"crc64":"9feed8ca019a680b"},
{"path":"scenarios/samples/byteps-even/traces/0/0/comm.json","bytes":314108,"crc64":"a81eb949a1466920"},
{"path":"scenarios/samples/byteps-even/traces/0/0/dag.gml","bytes":4963,"crc64":"f62e76924c9d5376"},
{"path":"scenarios/samples/byteps-even/traces/0/0/gradient_name_list.txt","bytes":710,"crc64":"4460aaefd8fab639"},
{"path":"scenarios/samples/byteps-even/traces/1/0/bps_trace_final.json","bytes":21495,"crc64":"d2ad5916bc2fcfce"},
{"path":"scenarios/samples/byteps-even/traces/1/0/comm.json","bytes":314092,"crc64":"36bb62ef8cde02b9"},
{"path":"scenarios/samples/byteps-even/traces/1/0/dag.gml","bytes":4963,"crc64":"f62e76924c9d5376"},
{"path":"scenarios/samples/byteps-even/traces/1/0/gradient_name_list.txt","bytes":710,"crc64":"4460aaefd8fab639"},
{"path":"scenarios/samples/byteps-even/job.yaml","bytes":176,"crc64":"aea311192a76e93b"}]}}
