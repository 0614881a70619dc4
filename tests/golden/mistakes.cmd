What is said of a mistake?
$ stepsim reply trace.json
error: unknown command 'reply'; did you mean 'replay'? expected check, replay, stats, advise, whatif, sweep, plan, compare, critical-path, tasks, graph, calibrate, convert, model, combine, capture, timeline, scaling, schedule, collect or analyze
[exit 2]
$ stepsim replay no-such-file.json
error: no-such-file.json: no such file or folder; expected a trace
[exit 1]
$ stepsim replay scenarios/samples/byteps-even --thread 2
error: unknown option '--thread'; did you mean '--threads'? expected --help, -h, --job, --network, --cluster, --steps, --ranks, --threads, --json, --brief, --full, --color, --anonymous, --host-names, --quiet, --verbose, -v, -o, --tasks, --slow-ranks, --step-num, --rows or --del-queue
[exit 2]
$ stepsim replay scenarios/samples/byteps-even --steps 700-800
error: --steps 700-800: the input has steps 5 to 7; expected some of these
[exit 2]
$ stepsim replay scenarios/samples/byteps-even --network recrded
error: unknown --network model 'recrded'; did you mean 'recorded'? expected recorded, alpha_beta, loggp, fifo or maxmin
[exit 2]
$ stepsim convert scenarios/samples/byteps-even
error: convert needs -o OUT; its extension names the format, see 'stepsim convert --help'
[exit 2]
$ stepsim convert scenarios/samples/byteps-even -o trace.xml
error: -o 'trace.xml': unknown extension '.xml'; expected .json, .trace.json, .pftrace, .tasks.json, .svg, .png, .md, .csv, .xlsx, .sqlite, .parquet or .html
[exit 2]
