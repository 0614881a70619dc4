#ifndef STEPSIM_SIM_CHECK_PROBLEMS_H
#define STEPSIM_SIM_CHECK_PROBLEMS_H

#include <array>
#include <string_view>

/// Lists the problems that `stepsim check` names besides diagnostics. `stepsim help NAME` prints these texts. To add a
/// problem, add a row here and report it in a file of this folder.
namespace stepsim::sim {

struct Problem {
  std::string_view name;
  std::string_view what;    ///< what is missing or wrong, as a sentence without a full stop
  std::string_view record;  ///< what avoids it: options of PyTorch's profiler; of nsys. Empty if nothing does
};

inline constexpr std::array kProblems{
    Problem{"file_unusable", "a file that cannot be read as a trace", ""},
    Problem{"no_job", "files that do not form one job", "give all files of one job, and no others"},
    Problem{"no_dependencies", "results of an inline profiler, without what waits for what",
            "torch.profiler, or nsys profile"},
    Problem{"different_iterations", "measurements of ranges from different iterations", ""},
    Problem{"nothing_measured", "a task graph without measured times", ""},
    Problem{"no_steps", "missing: marks of steps",
            "schedule(wait=1, warmup=1, active=5) and prof.step(); NVTX ranges 'step N'"},
    Problem{"no_whole_step", "missing: a step that was recorded from its start to its end",
            "schedule(wait=1, warmup=1, active=5) and prof.step(); NVTX ranges 'step N'"},
    Problem{"one_step", "missing: a second step: one step cannot predict another", "active=5; NVTX ranges 'step N'"},
    Problem{"two_steps", "missing: more steps: two show only roughly how much steps differ",
            "active=5; NVTX ranges 'step N'"},
    Problem{"no_host_events", "missing: CPU work", "ProfilerActivity.CPU; --trace=cuda,nvtx"},
    Problem{"no_operators", "missing: operators of the framework",
            "ProfilerActivity.CPU; emit_nvtx() and --trace=cuda,nvtx"},
    Problem{"no_launches", "missing: information about which call launched which kernel",
            "ProfilerActivity.CPU; --trace=cuda,nvtx"},
    Problem{"no_device_events", "missing: GPU work", "ProfilerActivity.CUDA; --trace=cuda,nvtx"},
    Problem{"launches_without_work", "work that was launched but not recorded",
            "fewer steps, and torch.cuda.synchronize() before the profiler stops; a shorter time"},
    Problem{"no_kernels", "missing: the GPU kernels that operators ran", "torch.profiler or nsys on one rank"},
    Problem{"no_times", "missing: times of the nodes of an execution trace",
            "torch.profiler in the same run, with its trace in the same folder"},
    Problem{"no_compute", "missing: work between the reductions of a Horovod timeline",
            "torch.profiler or TensorFlow's profiler in the same run"},
    Problem{"no_sync_events", "missing: events that say what calls and streams waited for",
            "enable_cuda_sync_events=True; --cuda-event-trace=true"},
    Problem{"no_shapes", "missing: shapes of operators", "record_shapes=True; emit_nvtx(record_shapes=True)"},
    Problem{"no_device_name", "missing: the name of the GPU", "not needed if you set device.from=NAME"},
    Problem{"missing_ranks", "missing: other ranks of the job", "all ranks, and give all files"},
    Problem{"untied_ranks", "missing: evidence that the files belong to one job",
            "files of one job and of the same steps"},
    Problem{"no_collective_sizes", "missing: sizes of collectives",
            "record_shapes=True with PyTorch 2.1 or later; NCCL's NVTX ranges"},
    Problem{"no_sequence_numbers", "missing: numbers that say which collectives of different ranks belong together",
            "record_shapes=True with PyTorch 2.1 or later; NCCL's NVTX ranges"},
    Problem{"no_base_time", "missing: absolute times", "use the profiler's own files"},
    Problem{"no_operator_graph", "missing: BytePS's dag.gml", "dag.gml in the folder of its GPU"},
    Problem{"no_job_file", "missing: job.yaml: servers, links and rules of a BytePS job",
            "a job.yaml beside the traces"},
    Problem{"python_recorded", "nothing is missing, but recording Python calls slows the CPU",
            "no with_stack; or give measured_step in job.yaml"},
    Problem{"profiler_overhead", "nothing is missing; the time that the profiler itself took",
            "skip the first steps; record fewer kinds of events"},
    Problem{"cuda_overhead", "nothing is missing; the time that CUDA took outside the program's calls",
            "skip the first steps"},
    Problem{"profiler_slowing", "nothing is missing; by how much recording slowed the job, from measured_step",
            "no stacks, modules or memory"},
    Problem{"repetition_contradicted", "the steps repeated until they are steady take another time than as captured",
            "all ranks; more steps"},
    Problem{"replay_off", "the replay differs from the measured steps by more than 2 %", ""},
    Problem{"late_start", "the critical path begins with the wait for a rank that starts late",
            "record three steps, of all ranks"},
    Problem{"graph_test_off", "the self-check predicts steps with an error above 5 %", ""},
    Problem{"steps_apart", "the captured steps differ on average by as much as a step itself",
            "active=5 after warmup=3"},
    Problem{"unexplained_wait", "more than 5 % of the critical path is waiting that nothing explains", ""},
    Problem{"silent_host", "much of the critical path is CPU time without events", ""},
    Problem{"pauses", "threads did not run for a while: operators took 50 times their usual time without a reason",
            "cores of its own for each process; no garbage collection in a step"},
    Problem{"secret", "the files contain what looks like a password or key", "stepsim convert --scrub"},
    Problem{"private_content", "the files say who made them", "stepsim convert --scrub before you share them"},
};

/// Returns the name as it is. An unknown name does not compile, so `stepsim help` explains every problem.
[[nodiscard]] consteval const char* problem(std::string_view name) {
  for (const Problem& known : kProblems) {
    if (known.name == name) return known.name.data();
  }
  throw "kProblems does not have this name";  // NOLINT: not a constant expression, so the compiler stops here
}

}  // namespace stepsim::sim

#endif
