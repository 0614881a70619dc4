#include "sim/report/glossary.h"

#include <array>

#include "model/base/text.h"

namespace stepsim::sim {
namespace {

constexpr auto kTerms = std::to_array<Term>({
    // --- what is measured and replayed
    {.name = "iteration",
     .also = "step time, step time is, iteration time, iterations, of iteration",
     .definition = "The time that one training step takes, from one step to the next.",
     .more = "For each rank: the mean of the middle half of the distances between consecutive whole steps, from start "
             "to start, or from completion to completion where the GPU falls behind the CPU. The iteration of the job "
             "is that of its slowest rank. If no steps are marked, it is the length of the whole capture.",
     .picture = "CPU   |-- step 5 --|-- step 6 --|-- step 7 --|\n"
                "                   <iteration->\n"},
    {.name = "step",
     .also = "steps, whole step, whole steps, a step, per step",
     .definition = "One pass of the training loop on one rank: forward, backward and update for one batch.",
     .more = "Steps come from marks in the trace: ProfilerStep#N, NVTX ranges, the step numbers of BytePS. A step is "
             "whole if the capture contains it from start to end; cut steps are set aside and count in no average. "
             "The column 'per step' of 'stats' is the time per whole step of one rank."},
    {.name = "measured",
     .also = "recorded, as captured",
     .definition = "What the trace recorded, before any replay or model.",
     .more =
         "A profiler slows the program that it records, so a measured step may take longer than a step without a "
         "profiler. Give 'measured_step' in job.yaml to see by how much. What-ifs start from the step as the job runs, "
         "without what the profiler adds."},
    {.name = "machine",
     .also = "machine.yaml, measured machine, measured steps, by data sheet, from the others, fitted",
     .definition = "Where a job runs, by how much longer kernels, calls and transfers take there than models say.",
     .more = "'stepsim calibrate --measured RUNS.csv -o machine.yaml' fits it to a table with one line for each "
             "measured step: 'model' (the words after 'stepsim model') or 'capture', columns such as gpus, tensor, "
             "micro_batch and cluster.nic, and step_ms or tokens_per_s. --machine machine.yaml, or 'machine' in "
             "job.yaml, then corrects modelled times in what-ifs. One line helps where all steps are off alike; with "
             "three or more, 'stepsim calibrate --backtest RUNS.csv' says how well each is predicted from the "
             "others."},
    {.name = "factor",
     .also = "factors, part of a step, share of steps",
     .definition = "How much longer a part of a step takes on a measured machine than models say.",
     .more =
         "The parts are kernels, products and attention besides that, the work of the CPU, and transfers inside and "
         "between hosts. 'share of steps' is the share of the measured steps that grows with the part, in the mean: "
         "a factor of a part without a share says nothing. 'by data sheet' is a step without factors, 'fitted' with "
         "those of all measured steps, and 'from the others' with those of the other steps."},
    {.name = "replayed",
     .also = "replay, simulated",
     .definition = "What a simulation of the captured tasks takes, with their dependencies and recorded durations.",
     .more = "With --network recorded all durations stay as recorded, so the replayed iteration should equal the "
             "measured one. A difference means that records or dependencies are missing. With another network model "
             "the transfers take the times of that model."},
    {.name = "error",
     .also = "replay error, prediction error",
     .definition = "The difference of a replayed or predicted time from the measured one, in percent of the measured.",
     .more = "A positive error means that the replay takes longer. A small error under --network recorded shows only "
             "that nothing was lost while reading; the self-check shows whether the dependencies are right."},
    {.name = "self-check",
     .also = "from the other steps, against the other steps' median, held out",
     .definition = "A test that a wrong dependency graph fails: each step is predicted with the graph of another step.",
     .more =
         "The graph of one step, with the task durations of another step, must predict how long that other step "
         "took. 'the steps differ by' is the error of a guess without any graph: where that is small, the test says "
         "little. The column 'against the other steps' median' compares each step with the median of the rank's other "
         "steps."},
    {.name = "skipped",
     .also = "records, records read",
     .definition = "Records of the input that were left out.",
     .more = "Under 'Input' each reason is listed with its count; 'stepsim help REASON' explains it and says what to "
             "do. Records that no answer needs are not counted as skipped."},
    {.name = "profiler",
     .also = "overhead, profiler overhead, by the clock, slowing",
     .definition = "Time that the profiler, or CUDA next to the program's calls, spent on itself.",
     .more = "'by the clock' counts what ran on several threads at once only once. A replay keeps this time as part of "
             "the CPU's work. Above 5 % of the capture, record less: no stacks, no modules, no memory."},
    // --- who does the work
    {.name = "rank",
     .also = "ranks, worker, workers, process, processes",
     .definition = "One process of the distributed job, usually the one that drives one GPU.",
     .more = "Ranks have the numbers of the job (RANK). In a job with parameter servers the ranks are the workers; "
             "servers are listed by name."},
    {.name = "host",
     .also = "CPU, host work, CPU self, host self",
     .definition = "A machine of the job, and in tables of time the work of its CPU threads.",
     .more = "CPU work is framework operators, CUDA calls, Python and the launching of kernels. In 'compare' the row "
             "counts only time in which the CPU works alone; in other tables it may overlap with the GPU."},
    {.name = "device",
     .also = "devices, GPU, accelerator",
     .definition = "A GPU or another accelerator of a rank.",
     .more = "A rank without a device is listed with the device 'host': the work of its threads is then the compute. "
             "In a BytePS job the operators, copies and messages of a rank are one device."},
    {.name = "thread or stream",
     .also = "lane, lanes, thread, threads, stream, streams",
     .definition = "What runs tasks in order: a CPU thread, a GPU stream, a copy engine or a direction of a link.",
     .more = "Tasks of one stream run one after another, tasks of different streams may overlap. So a task may be "
             "ready and still wait for its turn; see 'stepsim help queueing'."},
    {.name = "link",
     .also = "links, busy, baseline busy, scenario busy, busiest links",
     .definition = "One direction of a network connection, or of the connection inside a host, in the cluster model.",
     .more = "'busy' is the share of the replay in which at least one message crosses the link. A link that is busy "
             "most of the time limits the job; a faster one, or less traffic, helps."},
    {.name = "task",
     .also = "tasks, events, pieces, piece of work, pieces of work",
     .definition = "One piece of work that a replay schedules: a kernel, copy, call, operator, message or collective.",
     .more = "A task has a duration, a thread or stream that runs it, and tasks that it waits for. 'pieces' counts "
             "the same in 'stats', which does not replay."},
    {.name = "kind",
     .also = "kinds",
     .definition =
         "What a task is in the trace: kernel, copy, memset, collective, operator, runtime call, transfer, ...",
     .more = "Select by it: --set remove{kind=copy}.share=1, or 'stepsim stats --by kind'. 'stepsim tasks' lists the "
             "kinds of a capture."},
    {.name = "class",
     .also = "kernel class, kernels of, classes of device work",
     .definition = "What a kernel computes, recognised by its name: gemm, attention, reduction, elementwise, ...",
     .more = "Select by it: --set compute{class=gemm}.scale=0.5, or 'stepsim stats --by class'. On a critical path the "
             "class is the sort of time instead: compute, communication, copy, host, loader, queueing or wait."},
    {.name = "stage",
     .also = "stages, partition, partitions, queued, worked, in line, waiting for workers",
     .definition = "A step that each partition of a gradient goes through in BytePS: REDUCE, COPYD2H, PUSH, PULL, ...",
     .more = "In a pipeline-parallel job, the part of the model that some of its ranks have. In BytePS, "
             "'queued' is the time from the end of the previous stage until the stage takes the partition; 'worked' "
             "is the recorded time in the stage. Of that, 'in line' is the time in which other messages of the same "
             "link went first, and 'waiting for workers' the part of a pull before the last worker has pushed."},
    // --- where the time goes
    {.name = "compute",
     .also = "compute time",
     .definition = "Time in which kernels other than communication run on the device, or operators on a CPU-only rank.",
     .more = "Breakdowns count kernels that overlap once. Sums of tasks ('stats', 'tasks', 'compare --by') count each "
             "in full."},
    {.name = "communication",
     .also = "comm",
     .definition = "Time in which data moves between ranks or servers: collectives, sends, pushes and pulls.",
     .more = "'stats' counts a collective from the start to the end of its kernel, waiting for other ranks included. "
             "'replay' and what-ifs list that waiting separately as 'waiting for ranks'."},
    {.name = "GPU busy",
     .also = "utilisation, utilization, GPU busy in a step",
     .definition =
         "The share of the time in which at least one stream of the GPU works, whichever step launched its work.",
     .more = "'Of the capture' is from the begin of the first work of the GPU to the end of the last; 'in a step' is a "
             "mean "
             "over typical steps. Waiting for other ranks inside collectives counts as work, because the stream is "
             "taken. It says nothing about how well kernels use the GPU."},
    {.name = "exposed communication",
     .also = "exposed, exposed comm., communication without compute",
     .definition = "Communication during which the device computes nothing: it makes the step longer.",
     .more = "It includes the waiting for other ranks inside collectives; 'exposed transfer' does not. More overlap "
             "or a faster network makes it shorter.",
     .picture = "compute        [=================]         [========]\n"
                "communication            [=================]\n"
                "                          <hidden><exposed>\n"},
    {.name = "hidden communication",
     .also = "hidden, hidden comm., hidden behind compute, overlap, overlapped",
     .definition = "Communication during which the device also computes: it costs no time of its own.",
     .more = "It may still slow the kernels that run at the same time; see 'stepsim help kernel-slowdown'."},
    {.name = "exposed transfer",
     .also = "",
     .definition =
         "Exposed communication without the waiting for other ranks: data moves and the rank computes nothing.",
     .more = "It is the most that a faster network or more overlap can save. Waiting for a slow rank is listed as "
             "'waiting for ranks', because no network shortens it."},
    {.name = "copies",
     .also = "copy, exposed copies, hidden copies, moved",
     .definition = "Data movement inside a device or between a device and its host (memcpy and memset).",
     .more = "No network is involved. A copy is exposed while neither compute nor communication runs, and hidden "
             "otherwise. In BytePS jobs the copies are stages of communication."},
    {.name = "waiting for ranks",
     .also = "waiting for other ranks, waiting in collectives, collective wait",
     .definition = "Time that a rank spends in collectives before the last member has arrived.",
     .more = "No data moves yet. The cause is on the rank that arrives last; see 'stepsim help straggler'. It is known "
             "only where the captures of all members are given.",
     .picture = "rank 0   [compute  ][ waiting ][all-reduce]\n"
                "rank 1   [compute             ][all-reduce]\n"},
    {.name = "straggler",
     .also = "stragglers, others waited, arrived last, of collectives",
     .definition = "A rank that arrives last at collectives and keeps the others waiting.",
     .more =
         "'others waited' is how long one of the other ranks waited for it on average, summed over the collectives. "
         "'arrived last' counts these collectives, 'of collectives' all in which it took part."},
    {.name = "slow rank",
     .also =
         "slow ranks, slowest rank, rank's slowdown, slowest stage, stage's slowdown, without stragglers, saves if as "
         "fast as the others",
     .definition = "A rank, or all ranks of a pipeline stage, whose work takes longer than the same work on others.",
     .more =
         "'slowdown' is a step in which only that rank takes its recorded times and all others the mean, over one in "
         "which every task takes the mean ('without stragglers'). 'saves if as fast as the others' is what a step "
         "saves "
         "if only that rank takes the mean. A straggler arrives last, a slow rank is the cause."},
    {.name = "data-parallel rank",
     .also = "data parallel rank, slowest data-parallel rank, data-parallel rank's slowdown, dp rank",
     .definition = "All ranks that process the same share of a batch in a pipeline- or tensor-parallel job.",
     .more = "They are one rank of each pipeline stage. Data-parallel ranks add up their gradients after a step."},
    {.name = "skew",
     .also = "max skew, last rank, last in",
     .definition = "The time from the first to the last arrival at a collective.",
     .more =
         "'last rank' is the rank that arrived last most often, 'last in' in how many of the collectives. The cause "
         "is what that rank does before, not the network."},
    {.name = "group",
     .also = "groups, process group, communicator, siblings",
     .definition = "Ranks that communicate with each other: a process group of PyTorch, a communicator of NCCL.",
     .more = "The siblings of a group have as many ranks on as many hosts, and collectives of the same operation and "
             "size: they should take the same time."},
    {.name = "busbw",
     .also = "algbw, bus bandwidth",
     .definition =
         "The bandwidth of a collective as nccl-tests counts it, which does not depend on the number of ranks.",
     .more = "algbw is the size / the time. busbw is algbw times the traffic on a rank's link per byte: 2 (n - 1) / n "
             "for an all-reduce of n ranks, (n - 1) / n for all-gather, reduce-scatter and all-to-all, otherwise 1."},
    {.name = "of expected",
     .also = "expected, at most",
     .definition = "The time that a model expects of a collective alone on its links, relative to the measured time.",
     .more = "The line below the table says which hardware is assumed; --cluster FILE gives it. 'at most' is the "
             "longest expected time within the error of the model."},
    {.name = "waiting for data",
     .also = "loader, data loader",
     .definition = "Time in which a thread waits for the processes that load the training data.",
     .more = "More loader workers or less work per sample shorten it: --set loader.workers=8 or loader.scale=0.5."},
    {.name = "other steps' work",
     .also = "work of other steps",
     .definition =
         "Time in which only work of other steps runs, such as work that an earlier step launched on the GPU.",
     .more = "It is large where the GPU is far behind the CPU when the recording begins: the step then ends later than "
             "steps usually do. 'In the long run' has the time of a usual step."},
    {.name = "idle",
     .also = "nothing running, idle share",
     .definition = "Time in which none of the work that the table lists runs.",
     .more = "'stats' counts it for a device or a stream, between its first and last work; CPU work does not count "
             "there. 'nothing running' is time in which the rank does nothing at all, the CPU included.",
     .picture = "CPU   [launch][     Python     ][launch]\n"
                "GPU         [kernel]                [kernel]\n"
                "                    <-- GPU idle -->\n"},
    {.name = "span",
     .also = "",
     .definition = "The time from the start of the first work to the end of the last.",
     .more = "Of a device: span = compute + exposed communication + exposed copies + idle, exactly."},
    {.name = "unexplained",
     .also = "unexplained wait, unexplained waits, unexplained waiting, lag",
     .definition = "Waiting for which nothing in the capture gives a reason.",
     .more = "A replay keeps it as a fixed delay, so no what-if shortens it. In a breakdown it is the time of an "
             "iteration in which at least one thread or stream waits so. Usual causes: events that were not recorded, "
             "other processes, the operating system."},
    {.name = "CPU time without events",
     .also = "silence, silences, silent host",
     .definition = "CPU time on a thread between two recorded events, of which no event says what was done.",
     .more = "A replay keeps it as CPU work. Record NVTX ranges or Python calls to see what it is."},
    {.name = "pauses",
     .also = "pause, pauses of the CPU, paused",
     .definition = "Time in which a thread of the CPU did not run, in the middle of an operator.",
     .more = "An operator that launches nothing and waits for nothing took at least 50 times as long as such operators "
             "usually do, and 1 ms more. Other processes on its core, garbage collection and page faults cause that. A "
             "replay keeps it as CPU work; 'host.pauses=0' predicts steps without it."},
    {.name = "in the long run",
     .also = "steady state, cycle",
     .definition = "The step time when each captured step is repeated until the times are steady, and what limits it.",
     .more = "The limit is the slowest cycle of tasks that wait for each other from step to step: threads and streams "
             "that never pause, and the waiting between their tasks. Only a change of what is in the cycle makes steps "
             "shorter for long. Captured steps can be shorter while queues fill, or while the cycle has not caught up "
             "with the rest."},
    {.name = "limited by the CPU",
     .also = "limited by the GPU, limited by, pace, CPU-bound, GPU-bound",
     .definition = "What the iterations wait for in the long run: the CPU that launches work, or the GPU that does it.",
     .more =
         "Where completions of steps lie further apart than their starts, the GPU falls behind and limits the job; "
         "otherwise the CPU does. If that does not show, for example because there is only one step, the class with "
         "the larger half of the critical path does; if a thread waits longer for data than the GPU works, the "
         "loader does. A job that is limited by the CPU gains nothing from faster kernels: use fewer or "
         "cheaper launches (CUDA graphs, fusion, torch.compile).",
     .picture = "limited by the CPU      CPU  [launch][launch][launch]\n"
                "                        GPU    [k]     [k]     [k]\n"
                "limited by the GPU      CPU  [l][l][l]\n"
                "                        GPU    [kernel][kernel][kernel]\n"},
    {.name = "kernel slowdown",
     .also = "slowdown, kernel slowdown during communication, interference, compared, 10th percentile, 90th percentile",
     .definition = "How much longer kernels take while communication runs on the same GPU than without it.",
     .more = "Each kernel is compared with the same kernel of other steps. 'compared' is how many kernels could "
             "be compared; a tenth of them is below the 10th percentile and a tenth above the 90th."},
    {.name = "clock offset",
     .also = "ahead by, may be off by, ends differ by, clocks",
     .definition = "How far the clock of a host is ahead of the first host's clock; stepsim corrects for it.",
     .more = "'may be off by' is what remains uncertain: times of different hosts compare no better than that. 'ends "
             "differ by' is how far the corrected ends of the same collective are apart."},
    // --- the critical path
    {.name = "critical path",
     .also = "critical paths, critical-path, on the path, path, longest tasks",
     .definition =
         "The chain of tasks and waits that sets the length of a step: each starts when the one before it ends.",
     .more = "It is followed back from the end of a typical step of the slowest rank, across threads, streams and "
             "ranks. Work outside it has slack. Removing a task on it saves at most its time there, and less where "
             "another chain is nearly as long.",
     .picture = "CPU        [launch]-.                          .-[update]\n"
                "stream 7             '-[backward]-.            |\n"
                "stream 20     [comm 1]             '-[comm 2]--'\n"},
    {.name = "wait",
     .also = "waits, waiting, wait before",
     .definition = "Time on the critical path in which none of its tasks runs.",
     .more = "It is launch latency, a message on its way, an unexplained wait or the late start of a rank. In 'check' "
             "the column 'waits' counts the recorded synchronisation events."},
    {.name = "queueing",
     .also = "queueing time, baseline queueing, scenario queueing",
     .definition = "Time in which a task is ready but its stream, thread or link still works on an earlier task.",
     .more = "On the critical path: the part of a task during which the next task on the path waits for the same "
             "stream or link. Of a link: how much longer its messages take than they would alone, summed over an "
             "iteration. Another order or more capacity shortens it, shorter tasks elsewhere do not.",
     .picture = "link      [ message A          ][ message B     ]\n"
                "B ready              <-queueing->\n"},
    {.name = "waited for",
     .also = "released by, waits for, awaited by",
     .definition = "The task whose end let this task start, with the reason in brackets.",
     .more = "For example (stream): the previous task of the same stream; (program): the previous call of the thread. "
             "In 'graph' the columns count the nodes that a node waits for, and that wait for it."},
    {.name = "inferred wait",
     .also = "inferred, inferred waits, hand-over, hand-overs",
     .definition = "A dependency between threads or streams that no event states; only recorded times suggest it.",
     .more = "The more of the waits on the critical path were inferred, the less a what-if can be trusted. Record "
             "synchronisation events to have them stated (enable_cuda_sync_events=True, --cuda-event-trace=true)."},
    {.name = "alone",
     .also = "each GPU alone, GPU alone, each rank alone",
     .definition = "The longest path through the tasks of one rank, as if it never waited for another rank.",
     .more = "A rank with a much longer path than the others is the one to speed up."},
    {.name = "node",
     .also = "nodes",
     .definition = "What 'graph' draws as one box: all tasks of one name, or one task.",
     .more = "'on the path' is its time on the critical path, 'time' that of all its tasks."},
    // --- predictions
    {.name = "baseline",
     .also = "before",
     .definition = "The prediction for the job as it was captured, with no change.",
     .more = "A scenario is compared with it and not with the measurement, so that an error of the models that both "
             "share cancels out. Its error against the measured iteration is reported."},
    {.name = "scenario",
     .also = "after, what-if",
     .definition = "The job with the changes that you asked for.",
     .more = "'stepsim help what-ifs' lists the changes; 'leaves out' names the effects that a prediction ignores."},
    {.name = "change",
     .also = "effect, by, difference, relative, relative to A, relative to first",
     .definition = "The difference from the baseline or from the first result; negative means faster.",
     .more = "Percentages are relative to the baseline (to A in 'compare')."},
    {.name = "prediction range",
     .also = "range, uncertainty, from, to, best case, worst case",
     .definition = "The shortest and the longest iteration that are plausible for a prediction.",
     .more = "Each source of uncertainty gives a range; together they give the range of the answer. If the range "
             "contains no change at all, the effect is not significant."},
    {.name = "source of uncertainty",
     .also = "source, sources, uncertainty by source, reason, usual error, typical model error, extrapolation, model, "
             "drift, sharing, transient, repetition, concurrency, missing ranks",
     .definition = "A reason why a prediction is a range, with the range that it alone would give.",
     .more = "model: the captured iteration is predicted with this error. steps: the captured steps differ. typical "
             "model error: predictions of measured runs were off by this much. extrapolation: the error grows with the "
             "distance from the capture. sharing: how senders share a link is unknown. drift: workers may start "
             "together or spread out. The column 'reason' explains each."},
    {.name = "noise",
     .also = "significant, no significant effect, noise unknown",
     .definition = "How much two iterations may differ by chance.",
     .more =
         "It is half of the 95 % confidence interval of the difference of the two medians, from how the steps of "
         "each capture differ. With one step it is unknown. Runs of one program differ more than steps of one run."},
    {.name = "remainder",
     .also = "",
     .definition = "What the parts of an iteration do not add up to.",
     .more =
         "The parts are a mean of the steps around the median, the iteration is not; the remainder closes the sum."},
    {.name = "upper bound",
     .also = "upper bounds, limit, limits",
     .definition = "What an iteration would take if one sort of work took no time.",
     .more = "No real change to that work saves more. If the bound is small, look elsewhere."},
    {.name = "effort",
     .also = "needs, setting, code, hardware",
     .definition = "What a proposed change needs: a setting, a change to the code, or other hardware.",
     .more = "Proposals marked 'limit' cannot be had: they are upper bounds."},
    {.name = "knee",
     .also = "diminishing returns, more buys little",
     .definition = "The value of a setting from which a further increase saves less than 5 %.",
     .more = "From it to the end of the tested values every iteration is within 5 % of the best one."},
    {.name = "throughput",
     .also = "samples/s, batches/s, tokens/s, a device, per device, efficiency, ideal",
     .definition = "Samples (or batches) that all workers process per second.",
     .more = "The batch size comes from job.yaml. 'a device' is the throughput per device; 'efficiency' compares it "
             "with that of the job as captured, or in 'scaling' the ideal time with the measured one."},
    // --- statistics
    {.name = "self time",
     .also = "self, total, most expensive",
     .definition = "Time of a call or operator without the calls that it makes; 'total' includes them.",
     .more = "Self times add up to the work that was done; totals count nested calls more than once."},
    {.name = "share",
     .also = "share of step",
     .definition = "The part of all work of the same sort, or of the whole that the table or heading names.",
     .more = "In 'stats' it is the share of the self time of all compute, communication, copy or CPU work."},
    {.name = "deviation",
     .also = "standard deviation",
     .definition = "The standard deviation of the times in a row.",
     .more = "It is large next to the mean where pieces of one name do different work, or are disturbed. All pieces "
             "are known, so it is divided by their number."},
    {.name = "launch queue",
     .also = "queue, queues, mean queue, full, launches",
     .definition = "Kernels and copies that the CPU has launched and the stream has not started.",
     .more = "A queue near 0 means that the GPU waits for the CPU. 'full' is the time with 1,024 or more, where CUDA "
             "blocks further launches."},
    {.name = "host wait",
     .also = "kernel wait, other wait, outside",
     .definition = "Idle time of a stream that ends with work launched after the stream had become idle.",
     .more = "The GPU waited for the CPU. A 'kernel wait' is another gap of less than 30 us, an 'other wait' a longer "
             "one (for another stream or an event). 'outside' is before the stream's first and after its last work.",
     .picture = "CPU      [launch A]          [launch B]\n"
                "stream            [A]                  [B]\n"
                "                     <--- host wait --->\n"},
    {.name = "launch delay",
     .also = "mean call, longest call, median delay, longest delay, mean work, shorter than call",
     .definition = "Time from the end of the launching call to the start of the launched work.",
     .more = "'call' columns are the launching call itself, 'mean work' the launched work. 'shorter than call' counts "
             "kernels that take less time than their launch: candidates for fusion or CUDA graphs."},
    {.name = "occupancy",
     .also = "blocks, warps, matrix units, efficiency",
     .definition = "Threads that a multiprocessor holds at a time, of those that it could hold; estimated.",
     .more = "From grid, block, registers and shared memory of the launches, weighted by time. 'blocks' and 'warps' "
             "are per multiprocessor; 'efficiency' is the share of multiprocessors with work over the span; 'matrix "
             "units' the share of compute in products that can use them."},
    {.name = "flops",
     .also = "work, reached, of peak",
     .definition = "Floating-point operations; a multiplication and an addition are two.",
     .more =
         "From the profiler (with_flops) or from the shapes of operators. 'reached' is the rate during the work "
         "itself, 'of peak' that rate as a share of the peak that 'stepsim help devices' lists; '-' if the device or "
         "the precision is not known."},
    {.name = "memory",
     .also = "peak, reserved, at first, at last, allocations, releases, peak memory, fits",
     .definition = "Memory that the framework's allocator hands out, as the profiler recorded it.",
     .more = "'peak' is the most that was allocated, 'after' when that was, counted from the first event. 'reserved' "
             "is what the allocator took from the device. In a sweep, 'peak memory' is that of the fullest "
             "device, and 'fits' says whether the device has that much."},
    {.name = "plan",
     .also = "tensor, pipeline, bottleneck, capacity",
     .definition = "How the job of one captured device is divided among many: replicas, layers, stages.",
     .more = "'tensor', 'pipeline' and 'data' are communication of divided layers, between stages and of replicas, "
             "beside which the device does not compute; 'idle' is the time in which it waits for other stages (the "
             "pipeline's bubble) or the host; 'bottleneck' is the largest of them, or compute if all of them are less "
             "than a tenth of the step."},
    {.name = "NCCL pieces",
     .also = "for the GPU, for the peer, network, number, transferred, in channels, channels",
     .definition = "The parts of a collective that NCCL sends and receives, and what they waited for.",
     .more = "'for the GPU': the data was not ready; 'for the peer': the other side was not; 'network': it was under "
             "way. Pieces overlap, so the times add up to more than the collective."},
    {.name = "kernel sequence",
     .also = "sequence, sequences",
     .definition = "The kernels that the calls of one operator launch, in the order in which they ran.",
     .more = "Frequent long sequences of short kernels are candidates for fusion."},
    {.name = "measured range",
     .also = "ranges, inline profiler, nested in, trimmed, arithmetic, early, average",
     .definition = "A part of an iteration that an inline profiler measured in some iterations.",
     .more =
         "'start' counts from the start of the step, 'nested in' is how many other ranges contain it. 'trimmed' and "
         "'arithmetic' are the means without and with outliers; stalls make them differ from the median."},
    {.name = "fit",
     .also = "fitted, fitted values, samples, median error, off by, residual",
     .definition = "A rate or time that calibration derived from the capture.",
     .more = "'samples' is how many records it comes from, 'median error' how far they are from it at the median. The "
             "larger that is, the less can predictions be trusted that use it."},
    {.name = "severity",
     .also = "costs, finding, findings, problem, problems, prevents, exposes, weakens, blurs, note, major, minor, "
             "info, answered, "
             "because of, affects, question, critical, secret",
     .definition = "What a problem of the capture costs you.",
     .more =
         "critical: there is no answer to these questions. secret: the files contain what looks like a secret. major: "
         "an answer may be wrong by more than the effect you ask about. minor: an answer is a little less certain. "
         "info: good to know. In JSON and CSV: prevents, exposes, weakens, blurs, note."},
    {.name = "assumption",
     .also = "assumptions, assumptions about the capture",
     .definition = "What stepsim takes to be true because the capture does not show it.",
     .more = "If one is wrong for your job, say so: in job.yaml, in cluster.yaml, or with an option."},
});

}  // namespace

std::span<const Term> glossary() noexcept { return kTerms; }

std::vector<std::string> list_of_names(std::string_view text) {
  std::vector<std::string> names;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t comma = rest.find(", ");
    names.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 2);
  }
  return names;
}

}  // namespace stepsim::sim
