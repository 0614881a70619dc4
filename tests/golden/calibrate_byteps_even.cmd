How fast was the hardware of the sample?
$ stepsim calibrate scenarios/samples/byteps-even
No speed could be fitted: a cluster of 4 hosts whose slowest link carries 119.6 MB/s of payload is taken as the assumptions say.

cluster.yaml
hosts: 4
nic: {bandwidth: 1Gb/s, latency: 5us, efficiency: 0.957}

Input
2280 records read, 0 skipped, 2070 tasks and 4908 dependencies made

Assumptions
- Every host has one full-duplex link to one switch, with the bandwidth of job.yaml.
- A link carries 0.957 of its rate as payload, as TCP over Ethernet does.
- A link's latency is 5.000 us: neither capture nor job.yaml says.

Assumptions about the capture
- a server's copying and summing is part of the pulls that wait for it: no server was recorded
$ stepsim calibrate scenarios/samples/byteps-even --json
{"schema":"stepsim.calibrate/1",
"hosts":4,"endpoints":4,
"links":[
{"name":"host 0 out","bandwidth_bytes_per_s":125000000,"latency_ns":5000,"efficiency":0.957},
{"name":"host 0 in","bandwidth_bytes_per_s":125000000,"latency_ns":5000,"efficiency":0.957},
{"name":"host 1 out","bandwidth_bytes_per_s":125000000,"latency_ns":5000,"efficiency":0.957},
{"name":"host 1 in","bandwidth_bytes_per_s":125000000,"latency_ns":5000,"efficiency":0.957},
{"name":"host 2 out","bandwidth_bytes_per_s":125000000,"latency_ns":5000,"efficiency":0.957},
{"name":"host 2 in","bandwidth_bytes_per_s":125000000,"latency_ns":5000,"efficiency":0.957},
{"name":"host 3 out","bandwidth_bytes_per_s":125000000,"latency_ns":5000,"efficiency":0.957},
{"name":"host 3 in","bandwidth_bytes_per_s":125000000,"latency_ns":5000,"efficiency":0.957}],
"messages":{"overhead_ns":0,"collective_overhead_ns":0,"sharing":1,"loggp_o_ns":0,"loggp_g_ns":0},
"rates":{"copy_to_host_bytes_per_s":null,"copy_to_device_bytes_per_s":null,"copy_overhead_ns":0,"sum_bytes_per_s":null,"sum_overhead_ns":0,"launch_overhead_ns":null},
"fits":[],
"ingest":{"events":2280,"skipped":0,"diagnostics":[]},
"assumptions":["Every host has one full-duplex link to one switch, with the bandwidth of job.yaml.","A link carries 0.957 of its rate as payload, as TCP over Ethernet does.","A link's latency is 5.000 us: neither capture nor job.yaml says."],
"provenance":{"version":"0.1.0","commit":"COMMIT","command":"stepsim calibrate scenarios/samples/byteps-even --json","inputs":[
{"path":"scenarios/samples/byteps-even/traces/0/0/bps_trace_final.json","bytes":21495,"crc64":"9feed8ca019a680b"},
{"path":"scenarios/samples/byteps-even/traces/0/0/comm.json","bytes":314108,"crc64":"a81eb949a1466920"},
{"path":"scenarios/samples/byteps-even/traces/0/0/dag.gml","bytes":4963,"crc64":"f62e76924c9d5376"},
{"path":"scenarios/samples/byteps-even/traces/0/0/gradient_name_list.txt","bytes":710,"crc64":"4460aaefd8fab639"},
{"path":"scenarios/samples/byteps-even/traces/1/0/bps_trace_final.json","bytes":21495,"crc64":"d2ad5916bc2fcfce"},
{"path":"scenarios/samples/byteps-even/traces/1/0/comm.json","bytes":314092,"crc64":"36bb62ef8cde02b9"},
{"path":"scenarios/samples/byteps-even/traces/1/0/dag.gml","bytes":4963,"crc64":"f62e76924c9d5376"},
{"path":"scenarios/samples/byteps-even/traces/1/0/gradient_name_list.txt","bytes":710,"crc64":"4460aaefd8fab639"},
{"path":"scenarios/samples/byteps-even/job.yaml","bytes":176,"crc64":"aea311192a76e93b"}]}}
