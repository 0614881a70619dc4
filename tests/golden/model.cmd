What is a step of a model that does not exist yet?
$ stepsim model gpt --layers 2 --hidden 64 --heads 4 --sequence 128 --device A100 -o SCRATCH/step.json
Wrote SCRATCH/step.json: a step of gpt with 2 layers, 0.00345 billion parameters, 1 sample of 128 tokens, bf16, on A100. Nothing of it was measured.

Passes
pass      calls    device       CPU
forward      45  249.0 us  1.980 ms
backward     80  377.6 us  3.520 ms
update        4   75.8 us  0.176 ms
$ stepsim replay SCRATCH/step.json --brief
419 tasks on 1 rank take 5.730 ms in the replay, by modelled times; there is no measured time to compare with.

Where to look next
- 98.8 % of the critical path (5.730 ms) is CPU work (framework, Python, launches), most of all cudaLaunchKernel (1.703 ms in 129 tasks).
- The replay has no communication.
$ stepsim model gpt --layers 2 --hidden 64 --heads 4 --sequence 128 --device A100 -o SCRATCH/step.json --json
{"schema":"stepsim.model/1",
"output":"SCRATCH/step.json",
"model":"gpt with 2 layers, 0.00345 billion parameters, 1 sample of 128 tokens, bf16, on A100","parameters":3450624,"forward_flops":857735168,"unused_keys":[],"passes":[
{"pass":"forward","calls":45,"device_ns":248999,"host_ns":1980000},
{"pass":"backward","calls":80,"device_ns":377631,"host_ns":3520000},
{"pass":"update","calls":4,"device_ns":75817,"host_ns":176000}],
"provenance":{"version":"0.1.0","commit":"COMMIT","command":"stepsim model gpt --layers 2 --hidden 64 --heads 4 --sequence 128 --device A100 -o SCRATCH/step.json --json","inputs":[]}}
$ stepsim model gpt --layers 2 --hidden 64 --heads 4 --sequence 128 --device A1000 -o SCRATCH/step.json
error: no device 'A1000' is known; did you mean 'A2000', 'A4000' or 'A5000'? expected a name that 'stepsim help devices' lists
[exit 2]
$ stepsim model gpt --hidden 64 --heads 4 --sequence 128 --device A100 -o SCRATCH/step.json
error: gpt: num_hidden_layers is missing; give it in the file or as an option
[exit 2]
$ stepsim model gpt --layers 2 --hidden 64 --heads 4 --device A100 --host-call 0 -o SCRATCH/step.json
error: --host-call: '0'; expected a time from 1 us to 1 s
[exit 2]
$ stepsim model gpt --layers 2 --hidden 64 --heads 4 --sequence 128 --device A100 --vocabulary 50257 --wait-for-passes -o SCRATCH/timed.json
The vocabulary has 50257 entries, so products with it take about twice as long as with 50304, a multiple of 64. Frameworks often pad it: give --vocabulary as yours does.
Wrote SCRATCH/timed.json: a step of gpt with 2 layers, 0.00345 billion parameters, 1 sample of 128 tokens, bf16, on A100. Nothing of it was measured.

Passes
pass      calls    device       CPU
forward      45  253.3 us  1.980 ms
backward     80  391.0 us  3.520 ms
update        4   75.8 us  0.176 ms
$ stepsim replay SCRATCH/timed.json --brief
423 tasks on 1 rank take 5.732 ms in the replay, by modelled times; there is no measured time to compare with.

Where to look next
- 98.8 % of the critical path (5.732 ms) is CPU work (framework, Python, launches), most of all cudaLaunchKernel (1.703 ms in 129 tasks).
- The replay has no communication.
