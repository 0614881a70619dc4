What does stepsim say of itself?
$ stepsim --help
stepsim replays a captured training step of a distributed job.

Usage: stepsim COMMAND [TRACE...] [options]

Commands:
  replay         Replay a capture: measured beside replayed, where the time goes, the critical
                 path's summary
  critical-path  Show the chain of tasks that sets the length of an iteration, by class and by task,
                 with queueing
  whatif         Predict an iteration under a scenario, and how well the captured one is predicted
  sweep          Predict an iteration at every point of a grid; name the best point and where more
                 buys little
  advise         Try the usual changes that apply to this job, and rank what would help
  tasks          List what can be selected: kinds, classes, operators and names, with their counts
                 and times
  stats          Count and add up what was measured: times by name, overlap of each device, stages
                 of partitions
  check          Judge a capture: what it holds and lacks, what that costs, and what to record next
                 time
  compare        Show what differs between two captures, predictions or saved answers, and fail
                 above a limit
  graph          Draw what depends on what in an iteration, with the critical path: .svg, .html,
                 .dot, .gml
  calibrate      Fit links, copies, sums and launches to a capture, and write them as cluster.yaml
  convert        Write the job in another format, by the extension of -o; a part of a trace; or one
                 to give away
  combine        Write the traces of several GPUs or ranks as one Chrome trace, with aligned clocks
  collect        Make ByteProfile's merged traces and dag.gml anew from a job's source files, and
                 time its iterations
  analyze        Run a command line of ByteProfile's analyze.py: it is translated and printed
  timeline       Put an iteration together from what an inline profiler measured of its ranges
  scaling        Compare what an inline profiler measured in several runs: whole iterations, average
                 and longest ranges
  schedule       Make the schedule of an inline profiler: which range it measures in which iteration
  capture        Run a program and record its steps: kernels, copies, calls and waits, one file a
                 process

  stepsim COMMAND --help   a command's options
  stepsim help WORD        what a word means, or all words of a kind
  stepsim --version        version and commit

Kinds of words:
  commands      what stepsim can be asked
  what-ifs      kinds of changes, for --set and scenario files
  parameters    of what-ifs: --set WHATIF.PARAMETER=VALUE
  models        how transfers are timed, for --network
  keys          parameters of network models, for --cluster
  collectives   algorithms of collectives, for comm.algorithm
  devices       accelerators that are known, for device.to
  formats       traces that are read
  outputs       files that are written, by the extension of -o
  diagnostics   what a report says of the input: records left out, waits inferred
  rules         which parameter server holds a key, for comm.key_hash

Results go to standard output, all else to standard error. Exit codes: 0 done, 1 the input cannot be
used, 2 wrong usage, 3 a bug in stepsim, 4 compare --fail-above failed, 5 this capture cannot answer
that question, 130 interrupted.
$ stepsim replay --help
Replay a capture: measured beside replayed, where the time goes, the critical path's summary
Usage: stepsim replay [OPTIONS] TRACE...

Positionals:
  TRACE FILE|FOLDER|- ... REQUIRED
                              captures of one job: files, .tar, .tar.gz and .zip archives, folders
                              that are searched, or - for standard input

Options:
  -h,--help                   Print this help message and exit
  --job FILE                  what the traces cannot say about the job (default: job.yaml in or
                              beside TRACE)
  --network MODEL             how transfers are timed: recorded, alpha_beta, loggp, fifo, maxmin
                              (default: recorded; maxmin with --cluster, and for what-ifs if the
                              links are known)
  --cluster FILE              cluster.yaml of the hardware to replay on (default: under --network,
                              calibrated)
  --steps A-B                 only these steps (default: all whole steps)
  --ranks LIST                only these ranks, like 0,2,4-7 (default: all)
  --threads N                 how many threads to use; never changes a result (default: the
                              machine's cores)
  --json                      print one JSON object in place of the text report
  --brief                     only the first lines of the text report
  --color WHEN                bold type and colours: auto (on a terminal), always or never (default:
                              auto)
  --quiet                     no progress on standard error
  -o FILE                     also write the result to FILE, in the form that its extension names
                              (see below)
  --tasks                     with --json or -o FILE.json: also every task's start and finish
                              (tasks_detail)
  --step-num N                simulate N iterations by doing the median step again and again, and
                              write them to -o FILE.json (default: synthetic.json in the current
                              folder)
  --del-queue                 with --step-num: write each stage of each partition in place of one
                              event for each tensor's communication

Files of -o, by extension:
  .json         the object that --json prints
  .trace.json   Chrome trace for ui.perfetto.dev: measured beside replayed, or the baseline beside
                the scenario
  .pftrace      Perfetto trace for ui.perfetto.dev: as .trace.json, with the critical path, arrows
                and counters
  .tasks.json   task graph: the replay as plain computes on hosts; replay and other simulators read
                it
  .svg          picture: a graph, bars, the points of a sweep with their ranges, or the timeline of
                a replay
  .md           for a pull request
  .csv          all rows, for spreadsheets and programs (RFC 4180)
  .xlsx         Excel workbook: a sheet a section, numbers as numbers, a chart of a sweep
  .sqlite       SQLite database: a table a section, and all tasks of the replay
  .parquet      Parquet: all tasks of the replay, or the rows of an answer without one
  .html         a page that shows the answer with its timelines: one file, for any browser, without
                a network
  .yaml, .yml   cluster.yaml, for --cluster
A further .gz compresses those that are not packed by themselves. '-' in place of a name is standard
output, as -.csv or -.csv.gz; '-' alone is -.json.


Examples:
  stepsim replay scenarios/samples/byteps-even
  stepsim replay scenarios/samples/byteps-even --network maxmin --brief
$ stepsim convert --help
Write the job in another format, by the extension of -o; a part of a trace; or one to give away
Usage: stepsim convert [OPTIONS] TRACE...

Positionals:
  TRACE FILE|FOLDER|- ... REQUIRED
                              captures of one job: files, .tar, .tar.gz and .zip archives, folders
                              that are searched, or - for standard input

Options:
  -h,--help                   Print this help message and exit
  --job FILE                  what the traces cannot say about the job (default: job.yaml in or
                              beside TRACE)
  --network MODEL             how transfers are timed: recorded, alpha_beta, loggp, fifo, maxmin
                              (default: recorded; maxmin with --cluster, and for what-ifs if the
                              links are known)
  --cluster FILE              cluster.yaml of the hardware to replay on (default: under --network,
                              calibrated)
  --steps A-B                 only these steps (default: all whole steps)
  --ranks LIST                only these ranks, like 0,2,4-7 (default: all)
  --threads N                 how many threads to use; never changes a result (default: the
                              machine's cores)
  --json                      print one JSON object in place of the text report
  --brief                     only the first lines of the text report
  --color WHEN                bold type and colours: auto (on a terminal), always or never (default:
                              auto)
  --quiet                     no progress on standard error
  -o FILE                     also write the result to FILE, in the form that its extension names
                              (see below)
  --scrub                     write the traces' own text to OUT (of a folder, to the folder OUT)
                              without secrets, names of users and hosts, paths and environment
  --select KEY=VALUE,...      with -o OUT.trace.json: only events of this name (a regular
                              expression), category, class, process, thread, stream or device
  --min-duration TIME         with -o OUT.trace.json: only events that take this long (10us)
  --comm-json                 write what each rank communicated as BytePS does, whatever OUT is
                              called: of several ranks, OUT/worker0/0/comm.json and so on; -o
                              comm.json means the same

Files of -o, by extension:
  .json         the object that --json prints
  .trace.json   Chrome trace for ui.perfetto.dev: measured beside replayed, or the baseline beside
                the scenario
  .pftrace      Perfetto trace for ui.perfetto.dev: as .trace.json, with the critical path, arrows
                and counters
  .tasks.json   task graph: the replay as plain computes on hosts; replay and other simulators read
                it
  .svg          picture: a graph, bars, the points of a sweep with their ranges, or the timeline of
                a replay
  .md           for a pull request
  .csv          all rows, for spreadsheets and programs (RFC 4180)
  .xlsx         Excel workbook: a sheet a section, numbers as numbers, a chart of a sweep
  .sqlite       SQLite database: a table a section, and all tasks of the replay
  .parquet      Parquet: all tasks of the replay, or the rows of an answer without one
  .html         a page that shows the answer with its timelines: one file, for any browser, without
                a network
  .yaml, .yml   cluster.yaml, for --cluster
A further .gz compresses those that are not packed by themselves. '-' in place of a name is standard
output, as -.csv or -.csv.gz; '-' alone is -.json.


Examples:
  stepsim convert scenarios/samples/byteps-even -o -.tasks.json
  stepsim convert scenarios/samples/byteps-even -o -.trace.json
