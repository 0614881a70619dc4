How do measured steps of a machine differ from predicted ones, and what do they say of other steps?
$ stepsim calibrate --measured tests/golden/data/measured-runs.csv -o SCRATCH/machine.yaml
4 measured steps on A100 SXM 40GB: the data sheet predicts them with a mean error of 39.9 %, the fitted factors with 6.4 %, and each from the factors of the others with 9.6 %.

Factors
part of a step                           factor  share of steps
kernels                                   1.55x          89.0 %
products and convolutions, besides that   1.09x          41.4 %
attention, besides that                   1.01x           4.2 %
work of the CPU                           1.01x           0.6 %
transfers inside a host                   1.10x           1.8 %
transfers between hosts                   1.46x           8.5 %
- besides what its allocator holds, a device has 5GB in use

Measured steps
step             measured  by data sheet    error    fitted    error  from the others    error
one GPU          81.11 ms       51.25 ms  -36.8 %  82.40 ms   +1.6 %         83.42 ms   +2.8 %
four GPUs        82.96 ms       51.67 ms  -37.7 %  82.85 ms   -0.1 %         82.76 ms   -0.2 %
layers divided   31.51 ms       17.31 ms  -45.1 %  26.29 ms  -16.6 %         25.42 ms  -19.3 %
two hosts       102.40 ms       61.62 ms  -39.8 %  94.75 ms   -7.5 %         86.23 ms  -15.8 %

Steps and columns that were not used
- line 6, heads do not divide: --set parallel.tensor=3:1: each attention has 16 heads, which 3 devices cannot divide equally; expected a divisor of 16
- a column without a meaning here: comment
$ stepsim calibrate --backtest tests/golden/data/measured-runs.csv --brief
4 measured steps on A100 SXM 40GB, each predicted from the others: 9.6 % off in the mean, 19.3 % at most; 39.9 % by the data sheet.
$ stepsim model gpt --layers 4 --hidden 1024 --heads 16 --sequence 1024 --device A100 --micro-batch 8 -o SCRATCH/step.json --brief
Wrote SCRATCH/step.json: a step of gpt with 4 layers, 0.104 billion parameters, 8 samples of 1024 tokens, bf16, on A100. Nothing of it was measured.
$ stepsim whatif SCRATCH/step.json --set parallel.data=4 --set parallel.zero=2 --brief
Step time 50.72 ms (45.25 to 57.62 ms), 1.0 % less than the baseline's 51.25 ms; 630.9 samples/s instead of 156.1 (+304.2 %). No step time was measured, so the error of the prediction is unknown. To narrow the range most, give one measured step (stepsim help calibrate).

Why
- Largest difference: compute, 50.93 ms to 49.49 ms (-1.439 ms).
- The step is limited by the GPU, before and after.
$ stepsim whatif SCRATCH/step.json --set parallel.data=4 --set parallel.zero=2 --machine SCRATCH/machine.yaml --brief
Step time 81.09 ms (70.03 to 93.90 ms), 1.6 % less than the baseline's 82.40 ms; 50.72 ms by the data sheet alone; 394.6 samples/s instead of 97.09 (+306.5 %). Modelled times are corrected by 4 measured steps on A100 SXM 40GB: they are 39.9 % off by the data sheet, and 9.6 % if each is predicted from the others.

Why
- Largest difference: compute, 82.12 ms to 79.82 ms (-2.302 ms).
- The step is limited by the GPU, before and after.
$ stepsim sweep SCRATCH/step.json --set parallel.tensor=1,2,4 --machine SCRATCH/machine.yaml --brief
Best of 3 points: parallel.tensor=4: 304.3 samples/s, 76.07 per device (78.4 % of the baseline's 97.09), step time 26.29 ms (22.24 to 31.25 ms), 68.1 % less than the baseline's 82.40 ms; changing parallel.tensor to 4, the end of its range, still saves 5 % or more. Modelled times are corrected by 4 measured steps on A100 SXM 40GB: they are 39.9 % off by the data sheet, and 9.6 % if each is predicted from the others.
$ stepsim whatif SCRATCH/step.json --set device.to=H100 --machine SCRATCH/machine.yaml --brief
Step time 22.87 ms (19.19 to 27.67 ms), 55.4 % less than the baseline's 51.25 ms; 349.7 samples/s instead of 156.1 (+124.1 %). The measured steps of --machine are of A100 SXM 40GB, on which the job does not run after the changes: step times are those of models alone. To narrow the range most, give one measured step (stepsim help calibrate).

Why
- Largest difference: compute, 50.93 ms to 22.51 ms (-28.43 ms).
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
