What does stepsim say of itself?
$ stepsim --help
stepsim replays captured training steps of distributed jobs and predicts what changes would do.

Usage: stepsim COMMAND TRACE... [options]

Commands:
  check          Check whether a capture is good enough, and what to record next time
  replay         Replay a capture: step time, where it goes, the critical path
  stats          List the times of kernels, calls, streams and copies, as measured
  advise         Try the usual improvements and rank them by the time they save
  whatif         Predict the step time after a change
  sweep          Predict the step time for many settings and name the best
  plan           Find the fastest way to divide the job of one captured device among many
  compare        Compare captures or predictions; fail above a limit, for CI
  critical-path  List the tasks on the critical path of a step
  tasks          List the tasks that a what-if can select, by kind, class and name
  graph          Draw the dependency graph of a step: .svg, .html, .dot, .gml
  calibrate      Derive rates of links, copies and launches from a capture, or of a machine from
                 measured steps
  convert        Convert a capture to another format, cut it, or remove private data
  model          Write a training step of a model by its configuration, for jobs that do not exist
                 yet
  combine        Merge the traces of several GPUs or ranks into one Chrome trace
  capture        Run a program and record its steps on the GPU
  timeline       Assemble an iteration from the ranges of an inline profiler
  scaling        Compare inline-profiler runs on different numbers of devices
  schedule       Write the schedule of an inline profiler
  collect        Rebuild ByteProfile's merged traces and dag.gml from source files
  analyze        Translate and run a command line of ByteProfile's analyze.py

  stepsim COMMAND --help   Show examples and options of a command
  stepsim help TOPIC       Explain a word, for example 'stepsim help idle', or list a kind of words
  stepsim --version        Print version and commit
  stepsim --json-schema    Print the JSON Schema of --json, or of: scenario, job, cluster, machine,
                           ranges

Help topics:
  glossary      Terms in reports, headings and columns
  words         Words of the field, and where stepsim has what they mean
  commands      Commands of stepsim
  options       Options of all commands that read traces
  what-ifs      Changes to predict, for --set and scenario files
  parameters    Parameters of what-ifs: --set WHATIF.PARAMETER=VALUE
  devices       Accelerators with known rates, for device.to
  models        Models of transfer times, for --network
  keys          Parameters of network models in cluster.yaml
  collectives   Algorithms of collectives, for comm.algorithm
  rules         Rules that assign keys to parameter servers, for comm.key_hash
  formats       Trace formats that stepsim reads
  outputs       Files that stepsim writes, by the extension of -o
  diagnostics   Notes on the input, such as skipped records and inferred waits
  problems      What 'stepsim check' can find missing or wrong, besides diagnostics

Results go to standard output, everything else to standard error.
Exit codes: 0 done, 1 unusable input, 2 wrong usage, 3 bug in stepsim, 4 compare --fail-above
failed, 5 this capture cannot answer the question, 130 interrupted.
$ stepsim replay --help
Replay a capture: step time, where it goes, the critical path

Usage: stepsim replay TRACE... [options]

Examples:
  stepsim replay scenarios/samples/byteps-even
  stepsim replay scenarios/samples/byteps-even --network maxmin --brief

Arguments:
  TRACE                       Captures of one job: files, archives (.tar, .tar.gz, .zip), folders to
                              search, or - for standard input

Options:
  --tasks                     Add start and end of each task to the JSON answer (tasks_detail)
  --slow-ranks                Also find what each slow rank and pipeline stage costs: replay the job
                              with each as fast as the others
  --step-num N                Repeat a typical step N times and write these iterations to -o
                              FILE.json (default: synthetic.json)
  --rows N                    Of more than 16 rows by rank, print the N slowest, or all (default: 5;
                              --json has all)
  --del-queue                 With --step-num: write each stage of each partition, not one event per
                              tensor
  -o FILE                     Also write the result to FILE, in the form of its extension: .json,
                              .trace.json, .pftrace, .tasks.json, .svg, .png, .md, .csv, .xlsx,
                              .sqlite, .parquet, .html, .yaml, .yml

Common options ('stepsim help options'):
  --job FILE, --network MODEL, --cluster FILE, --steps A-B, --ranks LIST, --threads N, --json,
  --brief, --full, --color WHEN, --anonymous, --host-names, --quiet, -v,--verbose
$ stepsim convert --help
Convert a capture to another format, cut it, or remove private data

Usage: stepsim convert TRACE... [options]

Examples:
  stepsim convert scenarios/samples/byteps-even -o -.tasks.json
  stepsim convert scenarios/samples/byteps-even -o -.trace.json

Arguments:
  TRACE                       Captures of one job: files, archives (.tar, .tar.gz, .zip), folders to
                              search, or - for standard input

Options:
  --scrub                     Write the trace to OUT (a folder to the folder OUT) without secrets,
                              names of users and hosts, paths and environment
  --select KEY=VALUE,...      With -o OUT.trace.json: keep only events of this name (a regular
                              expression), category, class, process, thread, stream or device
  --min-duration TIME         With -o OUT.trace.json: keep only events of at least this duration
                              (10us)
  --comm-json                 Write the communication of each rank as BytePS's comm.json; of several
                              ranks, as OUT/worker0/0/comm.json, ... (implied by -o comm.json)
  -o FILE                     Also write the result to FILE, in the form of its extension: .json,
                              .trace.json, .pftrace, .tasks.json, .svg, .png, .md, .csv, .xlsx,
                              .sqlite, .parquet, .html, .yaml, .yml; .stepsim stores the traces,
                              which are then read faster

Common options ('stepsim help options'):
  --job FILE, --network MODEL, --cluster FILE, --steps A-B, --ranks LIST, --threads N, --json,
  --brief, --full, --color WHEN, --anonymous, --host-names, --quiet, -v,--verbose
