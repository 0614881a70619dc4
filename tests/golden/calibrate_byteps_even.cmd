How fast was the hardware of the sample?
$ stepsim calibrate scenarios/samples/byteps-even
Calibrated a cluster with 4 hosts and a slowest link of 119.6MB/s (payload); the worst fit, copies to the device, has a median error of 20.6 % over 288 samples.

Fitted values
quantity                   value  samples  median error  source
rate of pushes         121.6MB/s        6         0.5 %  pushes acknowledged while more were under way
copies to the host     33.05GB/s      288        15.2 %  COPYD2H
copies to the device   22.23GB/s      288        20.6 %  COPYH2D
overhead of a copy    211.381 us      576        20.6 %  COPYD2H and COPYH2D, polling included

cluster.yaml
hosts: 4
nic: {bandwidth: 1Gb/s, latency: 5us, efficiency: 0.957}
messages: {sharing: {value: 0.5, assumed: true}}
rates: {copy_to_host: 33049537kB/s, copy_to_device: 22233040kB/s, copy_overhead: 211381ns}

Input
2,280 records read, none skipped; the graph has 2,070 tasks and 4,908 dependencies

Assumptions
- Links have the bandwidth from job.yaml; 0.957 of it is payload, as for TCP over Ethernet.
- Each worker and each server has one full-duplex link to a single switch.
- The latency of a link is 5 us; job.yaml does not give it.
- Copying and summing on predicted servers takes no time, because no server was recorded.
- When two workers send over the same link, the later message gets 0.5 of the bandwidth of the earlier one, as is typical for TCP; the capture does not show two workers pushing to only one server.

Assumptions about the capture
- The time of copying and summing on servers is part of the recorded pulls, because no server was recorded.
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
"messages":{"overhead_ns":0,"collective_overhead_ns":0,"ranks_per_host":1,"sharing":0.5,"loggp_o_ns":0,"loggp_g_ns":0},
"rates":{"copy_to_host_bytes_per_s":33049537000,"copy_to_device_bytes_per_s":22233040000,"copy_overhead_ns":211381,"sum_bytes_per_s":null,"sum_overhead_ns":0,"launch_overhead_ns":null},
"fits":[
{"what":"rate of pushes","value":"121.6MB/s","samples":6,"residual":0.004651961908015589,"from":"pushes acknowledged while more were under way"},
{"what":"copies to the host","value":"33.05GB/s","samples":288,"residual":0.15194371036841073,"from":"COPYD2H"},
{"what":"copies to the device","value":"22.23GB/s","samples":288,"residual":0.20578609889451044,"from":"COPYH2D"},
{"what":"overhead of a copy","value":"211.381 us","samples":576,"residual":0.20578609889451044,"from":"COPYD2H and COPYH2D, polling included"}],
"ingest":{"events":2280,"skipped":0,"diagnostics":[]},
"assumptions":["Links have the bandwidth from job.yaml; 0.957 of it is payload, as for TCP over Ethernet.","Each worker and each server has one full-duplex link to a single switch.","The latency of a link is 5 us; job.yaml does not give it.","Copying and summing on predicted servers takes no time, because no server was recorded.","When two workers send over the same link, the later message gets 0.5 of the bandwidth of the earlier one, as is typical for TCP; the capture does not show two workers pushing to only one server."],
"provenance":{"version":"0.1.0","commit":"COMMIT","command":"stepsim calibrate scenarios/samples/byteps-even --json","inputs":[
{"path":"scenarios/samples/byteps-even/traces/0/0/bps_trace_final.json","bytes":21495,"crc64":"9feed8ca019a680b"},
{"path":"scenarios/samples/byteps-even/traces/0/0/comm.json","bytes":314108,"crc64":"a81eb949a1466920"},
{"path":"scenarios/samples/byteps-even/traces/0/0/dag.gml","bytes":4963,"crc64":"f62e76924c9d5376"},
{"path":"scenarios/samples/byteps-even/traces/0/0/gradient_name_list.txt","bytes":710,"crc64":"4460aaefd8fab639"},
{"path":"scenarios/samples/byteps-even/traces/1/0/bps_trace_final.json","bytes":21495,"crc64":"d2ad5916bc2fcfce"},
{"path":"scenarios/samples/byteps-even/traces/1/0/comm.json","bytes":314092,"crc64":"36bb62ef8cde02b9"},
{"path":"scenarios/samples/byteps-even/traces/1/0/dag.gml","bytes":4963,"crc64":"f62e76924c9d5376"},
{"path":"scenarios/samples/byteps-even/traces/1/0/gradient_name_list.txt","bytes":710,"crc64":"4460aaefd8fab639"},
{"path":"scenarios/samples/byteps-even/job.yaml","bytes":238,"crc64":"e2dd423c227b24f9"}]}}
