How do measured steps of a machine differ from predicted ones, and what do they say of other steps?
$ stepsim calibrate --measured tests/golden/data/measured-runs.csv -o SCRATCH/machine.yaml
4 measured steps on A100 SXM 40GB: the data sheet predicts them with a mean error of 41.0 %, the fitted factors with 8.2 %, and each from the factors of the others with 12.2 %.

Factors
part of a step                           factor  share of steps
kernels                                   1.55x          89.5 %
products and convolutions, besides that   1.09x          42.5 %
attention, besides that                   1.00x           2.4 %
work of the CPU                           1.01x           0.7 %
transfers inside a host                   1.06x           1.6 %
transfers between hosts                   1.30x           8.0 %
- besides what its allocator holds, a device has 5GB in use

Measured steps
step             measured  by data sheet    error    fitted    error  from the others    error
one GPU          81.11 ms       49.97 ms  -38.4 %  80.44 ms   -0.8 %         78.98 ms   -2.6 %
four GPUs        82.96 ms       50.39 ms  -39.3 %  80.88 ms   -2.5 %         78.65 ms   -5.2 %
layers divided   31.51 ms       16.99 ms  -46.1 %  25.75 ms  -18.3 %         24.44 ms  -22.4 %
two hosts       102.40 ms       61.29 ms  -40.1 %  90.96 ms  -11.2 %         83.33 ms  -18.6 %

Steps and columns that were not used
- line 6, heads do not divide: --set parallel.tensor=3:1: each attention has 16 heads, which 3 devices cannot divide equally; expected a divisor of 16
- a column without a meaning here: comment
$ stepsim calibrate --backtest tests/golden/data/measured-runs.csv --brief
4 measured steps on A100 SXM 40GB, each predicted from the others: 12.2 % off in the mean, 22.4 % at most; 41.0 % by the data sheet.
$ stepsim model gpt --layers 4 --hidden 1024 --heads 16 --sequence 1024 --device A100 --micro-batch 8 -o SCRATCH/step.json --brief
Wrote SCRATCH/step.json: a step of gpt with 4 layers, 0.104 billion parameters, 8 samples of 1024 tokens, bf16, on A100. Nothing of it was measured.
$ stepsim whatif SCRATCH/step.json --set parallel.data=4 --set parallel.zero=2 --brief
Step time 49.44 ms (43.76 to 56.66 ms), 1.1 % less than the baseline's 49.97 ms; 647.2 samples/s instead of 160.1 (+304.3 %). No step time was measured, so the error of the prediction is unknown. To narrow the range most, give one measured step (stepsim help calibrate).
Answers of this kind (ZeRO, modelled step, one host, training) were 11.9 % off on average in 3 comparisons with measured runs, from 3 sources that no constant was fitted to; 67 % were in range.

Why
- Largest difference: compute, 49.65 ms to 48.21 ms (-1.439 ms).
- The step is limited by the GPU, before and after.
$ stepsim whatif SCRATCH/step.json --set parallel.data=4 --set parallel.zero=2 --machine SCRATCH/machine.yaml --brief
Step time 79.10 ms (65.77 to 95.14 ms), 1.7 % less than the baseline's 80.44 ms; 49.44 ms by the data sheet alone; 404.6 samples/s instead of 99.45 (+306.8 %). Modelled times are corrected by 4 measured steps on A100 SXM 40GB: they are 41.0 % off by the data sheet, and 12.2 % if each is predicted from the others.
Answers of this kind (ZeRO, calibrated step, one host, training) were 5.6 % off on average in 34 comparisons with measured runs, from 3 sources that constants were fitted to; 100 % were in range.

Why
- Largest difference: compute, 80.16 ms to 77.86 ms (-2.304 ms).
- The step is limited by the GPU, before and after.
$ stepsim sweep SCRATCH/step.json --set parallel.tensor=1,2,4 --machine SCRATCH/machine.yaml --brief
Best of 3 points: parallel.tensor=4: 310.7 samples/s, 77.68 per device (78.1 % of the baseline's 99.45), step time 25.75 ms (17.67 to 37.96 ms), 68.0 % less than the baseline's 80.44 ms; 16.99 ms by the data sheet alone; changing parallel.tensor to 4, the end of its range, still saves 5 % or more. Modelled times are corrected by 4 measured steps on A100 SXM 40GB: they are 41.0 % off by the data sheet, and 12.2 % if each is predicted from the others.
Answers of this kind (tensor parallelism, calibrated step, one host, training) were 1.6 % off on average in 1 comparison with measured runs, from 1 source that no constant was fitted to; 100 % were in range.
$ stepsim sweep SCRATCH/step.json --set device.factor=1,2 --set host.scale=1,2 --machine SCRATCH/machine.yaml
Best of 4 points: device.factor=1, host.scale=1: 99.45 samples/s, 99.45 per device (100.0 % of the baseline's 99.45), step time 80.44 ms (67.55 to 95.81 ms), the same as the baseline's 80.44 ms; 49.97 ms by the data sheet alone; no point is faster than the baseline; host.scale hardly matters from 1 to 2 (under 5 %); changing device.factor to 1, the end of its range, still saves 5 % or more. Modelled times are corrected by 4 measured steps on A100 SXM 40GB: they are 41.0 % off by the data sheet, and 12.2 % if each is predicted from the others.
Nothing of this kind was measured (calibrated step, one host, training): the range is half as wide again as that of measured kinds.

Step times and their ranges (* = best)
   device.factor  host.scale  step time       from         to    change  by data sheet  samples/s  per device  efficiency
*              1           1   80.44 ms   67.55 ms   95.81 ms     0.0 %       49.97 ms      99.45       99.45     100.0 %
               1           2   80.86 ms   67.37 ms   97.08 ms    +0.5 %       50.40 ms      98.94       98.94      99.5 %
               2           1  160.55 ms  114.09 ms  225.98 ms   +99.6 %       99.56 ms      49.83       49.83      50.1 %
               2           2  160.88 ms  114.43 ms  226.27 ms  +100.0 %       99.94 ms      49.73       49.73      50.0 %

Assumptions
- No step was measured: stepsim computed the times of gpt with 4 layers, 0.104 billion parameters, 8 samples of 1024 tokens, bf16, on A100.
- The capture shows no network: a single rank sends no messages.
- Modelled times are corrected by 4 measured steps on A100 SXM 40GB: they are 41.0 % off by the data sheet, and 12.2 % if each is predicted from the others.
$ stepsim plan SCRATCH/step.json --devices 8 --machine SCRATCH/machine.yaml --brief --set parallel.tensor=1 --set parallel.pipeline=1
Best plan for 8 devices: parallel.tensor=1, parallel.pipeline=1, parallel.data=8, batch.scale=1, parallel.microbatches=1, parallel.interleave=1, parallel.zero=1, parallel.recompute=none, comm.bucket_bytes=25MiB: step time 78.80 ms (60.87 to 102.0 ms), 812.2 samples/s; 49.30 ms by the data sheet alone; it needs 6.3 GiB of 40.0 GiB of memory per device; the next plan takes 0.0 % longer, and the ranges of 9 of the next 9 overlap with that of the best. 64 of 192 plans were simulated; of the others, 128 cannot be faster. Modelled times are corrected by 4 measured steps on A100 SXM 40GB: they are 41.0 % off by the data sheet, and 12.2 % if each is predicted from the others.
Nothing of this kind was measured (another batch, calibrated step, one host, training): the range is half as wide again. Other answers about another batch were 4.7 % off on average in 243 comparisons with measured runs, from 2 sources that no constant was fitted to; 100 % were in range.
$ stepsim whatif SCRATCH/step.json --set device.to=H100 --machine SCRATCH/machine.yaml --brief
Step time 20.54 ms (8.855 to 56.30 ms), 58.9 % less than the baseline's 49.97 ms; 389.5 samples/s instead of 160.1 (+143.3 %). The measured steps of --machine are of A100 SXM 40GB, on which the job does not run after the changes: step times are those of models alone. To narrow the range most, give one measured step (stepsim help calibrate).
Answers of this kind are unreliable: half of those with a measured run were more than 36 % off.
Answers of this kind (another GPU, modelled step, one host, training) were 72.0 % off on average in 40 comparisons with measured runs, from 2 sources that no constant was fitted to; 55 % were in range.

Why
- Largest difference: compute, 49.65 ms to 20.12 ms (-29.53 ms).
- The step is limited by the GPU, before and after.
$ stepsim whatif scenarios/samples/byteps-even --machine tests/golden/data/measured-runs.csv
error: tests/golden/data/measured-runs.csv:1: the file is a value; expected a map of keys such as 'device: H100'
[exit 1]
$ stepsim calibrate --measured scenarios/samples/byteps-even/job.yaml
error: scenarios/samples/byteps-even/job.yaml:2: expected a cell in one of the columns 'model' and 'capture'
[exit 1]
$ stepsim calibrate --measured --nccl-tests tests/golden/data/measured-runs.csv
error: give one of --nccl-tests, --measured and --backtest
[exit 2]
