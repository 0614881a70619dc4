How do measured steps of a machine differ from predicted ones, and what do they say of other steps?
$ stepsim calibrate --measured tests/golden/data/measured-runs.csv -o SCRATCH/machine.yaml
4 measured steps on A100 SXM 40GB: the data sheet predicts them with a mean error of 39.9 %, the fitted factors with 8.0 %, and each from the factors of the others with 11.7 %.

Factors
part of a step                           factor  share of steps
kernels                                   1.52x          89.4 %
products and convolutions, besides that   1.09x          41.5 %
attention, besides that                   1.01x           4.3 %
work of the CPU                           1.01x           0.7 %
transfers inside a host                   1.06x           1.7 %
transfers between hosts                   1.31x           8.1 %
- besides what its allocator holds, a device has 5GB in use

Measured steps
step             measured  by data sheet    error    fitted    error  from the others    error
one GPU          81.11 ms       51.25 ms  -36.8 %  80.81 ms   -0.4 %         79.65 ms   -1.8 %
four GPUs        82.96 ms       51.67 ms  -37.7 %  81.25 ms   -2.1 %         79.30 ms   -4.4 %
layers divided   31.51 ms       17.31 ms  -45.1 %  25.78 ms  -18.2 %         24.50 ms  -22.2 %
two hosts       102.40 ms       61.62 ms  -39.8 %  90.51 ms  -11.6 %         83.41 ms  -18.5 %

Steps and columns that were not used
- line 6, heads do not divide: --set parallel.tensor=3:1: each attention has 16 heads, which 3 devices cannot divide equally; expected a divisor of 16
- a column without a meaning here: comment
$ stepsim calibrate --backtest tests/golden/data/measured-runs.csv --brief
4 measured steps on A100 SXM 40GB, each predicted from the others: 11.7 % off in the mean, 22.2 % at most; 39.9 % by the data sheet.
$ stepsim model gpt --layers 4 --hidden 1024 --heads 16 --sequence 1024 --device A100 --micro-batch 8 -o SCRATCH/step.json --brief
Wrote SCRATCH/step.json: a step of gpt with 4 layers, 0.104 billion parameters, 8 samples of 1024 tokens, bf16, on A100. Nothing of it was measured.
$ stepsim whatif SCRATCH/step.json --set parallel.data=4 --set parallel.zero=2 --brief
Step time 50.72 ms (44.68 to 58.44 ms), 1.0 % less than the baseline's 51.25 ms; 630.9 samples/s instead of 156.1 (+304.2 %). No step time was measured, so the error of the prediction is unknown. To narrow the range most, give one measured step (stepsim help calibrate).
Answers of this kind (ZeRO, modelled step, one host, training) were 12.7 % off on average in 1 comparison with measured runs, from 1 source that no constant was fitted to; 0 % were in range.

Why
- Largest difference: compute, 50.93 ms to 49.49 ms (-1.439 ms).
- The step is limited by the GPU, before and after.
$ stepsim whatif SCRATCH/step.json --set parallel.data=4 --set parallel.zero=2 --machine SCRATCH/machine.yaml --brief
Step time 79.51 ms (66.01 to 95.82 ms), 1.6 % less than the baseline's 80.81 ms; 50.72 ms by the data sheet alone; 402.4 samples/s instead of 99 (+306.5 %). Modelled times are corrected by 4 measured steps on A100 SXM 40GB: they are 39.9 % off by the data sheet, and 11.7 % if each is predicted from the others.
Answers of this kind (ZeRO, calibrated step, one host, training) were 5.6 % off on average in 34 comparisons with measured runs, from 3 sources that constants were fitted to; 100 % were in range.

Why
- Largest difference: compute, 80.53 ms to 78.27 ms (-2.260 ms).
- The step is limited by the GPU, before and after.
$ stepsim sweep SCRATCH/step.json --set parallel.tensor=1,2,4 --machine SCRATCH/machine.yaml --brief
Best of 3 points: parallel.tensor=4: 310.3 samples/s, 77.57 per device (78.4 % of the baseline's 99), step time 25.78 ms (17.83 to 37.76 ms), 68.1 % less than the baseline's 80.81 ms; 17.31 ms by the data sheet alone; changing parallel.tensor to 4, the end of its range, still saves 5 % or more. Modelled times are corrected by 4 measured steps on A100 SXM 40GB: they are 39.9 % off by the data sheet, and 11.7 % if each is predicted from the others.
Answers of this kind (tensor parallelism, calibrated step, one host, training) were 1.6 % off on average in 1 comparison with measured runs, from 1 source that no constant was fitted to; 100 % were in range.
$ stepsim sweep SCRATCH/step.json --set device.factor=1,2 --set host.scale=1,2 --machine SCRATCH/machine.yaml
Best of 4 points: device.factor=1, host.scale=1: 99 samples/s, 99 per device (100.0 % of the baseline's 99), step time 80.81 ms (68.18 to 95.81 ms), the same as the baseline's 80.81 ms; 51.25 ms by the data sheet alone; no point is faster than the baseline; host.scale hardly matters from 1 to 2 (under 5 %); changing device.factor to 1, the end of its range, still saves 5 % or more. Modelled times are corrected by 4 measured steps on A100 SXM 40GB: they are 39.9 % off by the data sheet, and 11.7 % if each is predicted from the others.
Nothing of this kind was measured (calibrated step, one host, training): the range is half as wide again as that of measured kinds.

Step times and their ranges (* = best)
   device.factor  host.scale  step time       from         to    change  by data sheet  samples/s  per device  efficiency
*              1           1   80.81 ms   68.18 ms   95.81 ms     0.0 %       51.25 ms         99          99     100.0 %
               1           2   81.23 ms   68.24 ms   96.73 ms    +0.5 %       51.68 ms      98.49       98.49      99.5 %
               2           1  161.29 ms  122.99 ms  211.55 ms   +99.6 %      102.12 ms       49.6        49.6      50.1 %
               2           2  161.62 ms  123.34 ms  211.85 ms  +100.0 %      102.51 ms       49.5        49.5      50.0 %

Assumptions
- No step was measured: stepsim computed the times of gpt with 4 layers, 0.104 billion parameters, 8 samples of 1024 tokens, bf16, on A100.
- The capture shows no network: a single rank sends no messages.
- Modelled times are corrected by 4 measured steps on A100 SXM 40GB: they are 39.9 % off by the data sheet, and 11.7 % if each is predicted from the others.
$ stepsim plan SCRATCH/step.json --devices 8 --machine SCRATCH/machine.yaml --brief --set parallel.tensor=1 --set parallel.pipeline=1
Best plan for 8 devices: parallel.tensor=1, parallel.pipeline=1, parallel.data=8, batch.scale=1, parallel.microbatches=1, parallel.interleave=1, parallel.zero=1, parallel.recompute=none, comm.bucket_bytes=25MiB: step time 79.23 ms (61.63 to 101.9 ms), 807.8 samples/s; 50.58 ms by the data sheet alone; it needs 6.3 GiB of 40.0 GiB of memory per device; the next plan takes 0.0 % longer, and the ranges of 9 of the next 9 overlap with that of the best. 64 of 192 plans were simulated; of the others, 128 cannot be faster. Modelled times are corrected by 4 measured steps on A100 SXM 40GB: they are 39.9 % off by the data sheet, and 11.7 % if each is predicted from the others.
Nothing of this kind was measured (another batch, calibrated step, one host, training): the range is half as wide again. Other answers about another batch were 4.6 % off on average in 243 comparisons with measured runs, from 2 sources that no constant was fitted to; 100 % were in range.
$ stepsim whatif SCRATCH/step.json --set device.to=H100 --machine SCRATCH/machine.yaml --brief
Step time 22.86 ms (8.831 to 64.03 ms), 55.4 % less than the baseline's 51.25 ms; 350 samples/s instead of 156.1 (+124.2 %). The measured steps of --machine are of A100 SXM 40GB, on which the job does not run after the changes: step times are those of models alone. To narrow the range most, give one measured step (stepsim help calibrate).
Answers of this kind are unreliable: half of those with a measured run were more than 37 % off.
Answers of this kind (another GPU, modelled step, one host, training) were 67.0 % off on average in 40 comparisons with measured runs, from 2 sources that no constant was fitted to; 55 % were in range.

Why
- Largest difference: compute, 50.93 ms to 22.49 ms (-28.44 ms).
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
