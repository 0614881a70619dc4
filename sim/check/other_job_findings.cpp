#include "sim/check/findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/assumption.h"
#include "model/base/text.h"
#include "model/cost/device/device_work.h"
#include "sim/check/problems.h"
#include "sim/check/recorded.h"

namespace stepsim::sim {
namespace {

using enum Question;

bool assumes(const Examined& examined, std::string_view id) {
  return examined.capture != nullptr && find_assumption(examined.capture->assumptions, id) != nullptr;
}

void add_unusable_files(const Examined& examined, std::vector<Finding>& findings) {
  for (const SourceContents& source : examined.contents.sources) {
    if (source.problem.empty()) continue;
    findings.push_back({.name = problem("file_unusable"),
                        .cost = Cost::kPrevents,
                        .weakens = Questions::all(),
                        .sentence = source.problem,
                        .effect = "Nothing of this file can be replayed.",
                        .remedy = {}});
  }
}

/// Adds findings about inline profiles, which contain measured ranges but no job that can be replayed.
void add_profiled_ranges(const Examined& examined, std::vector<Finding>& findings) {
  if (!holds_profile(examined)) return;
  std::uint64_t samples = 0;
  for (const SourceContents& source : examined.contents.sources) samples += source.samples;
  findings.push_back({.name = problem("no_dependencies"),
                      .cost = Cost::kPrevents,
                      .weakens = {kHost, kDevice, kNetwork, kRanks},
                      .sentence = "results of an inline profiler: how long ranges take, and nothing of what waits for "
                                  "what",
                      .effect = "'stepsim timeline', 'scaling' and 'stats' show what was measured; nothing can be "
                                "replayed or asked what if.",
                      .remedy = "record a step with torch.profiler or nsys profile for that"});
  findings.push_back({.name = problem("different_iterations"),
                      .cost = Cost::kWeakens,
                      .weakens = {kReplay},
                      .count = samples,
                      .sentence = "measurements of single ranges, each of another iteration",
                      .effect = "They are figures of many iterations: a timeline of them is of no one iteration.",
                      .remedy = {}});
}

void add_refused_job(const Examined& examined, std::vector<Finding>& findings) {
  if (examined.problem.empty() || holds_profile(examined)) return;
  for (const SourceContents& source : examined.contents.sources) {
    if (source.problem == examined.problem) return;
  }
  findings.push_back({.name = problem("no_job"),
                      .cost = Cost::kPrevents,
                      .weakens = Questions::all(),
                      .sentence = examined.problem,
                      .effect = "The files make no job that could be replayed.",
                      .remedy = {}});
}

void add_untied(const Examined& examined, std::vector<Finding>& findings) {
  if (!assumes(examined, "untied_ranks")) return;
  findings.push_back({.name = problem("untied_ranks"),
                      .cost = Cost::kPrevents,
                      .weakens = {kNetwork, kRanks},
                      .count = examined.capture->recording.ranks.size(),
                      .sentence = "nothing ties these captures together, no collective and no message",
                      .effect = "Each is replayed on its own.",
                      .remedy = "give captures of one job and of the same steps"});
}

/// Adds findings about data that the graph of a parameter-server job needs in addition to the stages, but that is
/// missing.
void add_parameter_server(const Examined& examined, std::vector<Finding>& findings) {
  SourceContents sum;
  for (const SourceContents& source : examined.contents.sources) {
    sum.stages += source.stages;
    sum.operator_events += source.operator_events;
    sum.graph_nodes += source.graph_nodes;
  }
  if (sum.stages == 0) return;
  if (sum.operator_events == 0) {
    findings.push_back(
        {.name = problem("no_operators"),
         .cost = Cost::kWeakens,
         .weakens = {kReplay, kHost, kDevice},
         .sentence = "communication (comm.json) without the trace of the operators beside it",
         .effect = "Gradients are released when they were recorded to be, and all compute between is one "
                   "opaque task a gap, so nothing says which layer's compute a what-if would change.",
         .remedy = "record operators in the same run (BYTEPS_TRACE_ON=1 writes comm.json alone: ByteProfile's "
                   "recorder writes both), and put the files into one folder"});
  } else if (sum.graph_nodes == 0) {
    findings.push_back(
        {.name = problem("no_operator_graph"),
         .cost = Cost::kBlurs,
         .weakens = {kHost, kDevice},
         .sentence = "operators without their graph (dag.gml)",
         .effect = "Which operator waits for which follows from the inputs that events name, and from times.",
         .remedy = "put dag.gml into the folder of its GPU"});
  }
  if (examined.capture == nullptr || examined.capture->job != Job{}) return;
  if (!assumes(examined, "inferred_servers") && !assumes(examined, "unknown_servers")) return;
  findings.push_back({.name = problem("no_job_file"),
                      .cost = Cost::kWeakens,
                      .weakens = {kNetwork, kRanks},
                      .sentence = "no job.yaml beside the traces",
                      .effect =
                          "The number of servers, the rule that spreads keys over them, the order of control messages "
                          "and the speed of links are guesses, and predictions can be far off.",
                      .remedy = "write what docs/reference/job.md lists into job.yaml, beside the traces"});
}

bool has_format(const Examined& examined, std::string_view format) {
  return std::any_of(examined.contents.sources.begin(), examined.contents.sources.end(),
                     [format](const SourceContents& source) { return source.format == format; });
}

/// Adds a finding for execution traces, which have no times.
void add_untimed(const Examined& examined, std::vector<Finding>& findings) {
  if (examined.replay == nullptr || examined.replay->summary.measured) return;
  findings.push_back({.name = problem("no_times"),
                      .cost = Cost::kWeakens,
                      .weakens = Questions::all(),
                      .sentence = "what ran and what waited for what, and not when it ran",
                      .effect =
                          "Work takes what the file says, or what roofline says of the device in --cluster, which "
                          "is the least it may take; nothing shows how far off that is.",
                      .remedy = "record torch.profiler in the same run, and put its trace beside this one"});
}

/// Adds a finding for Horovod's timelines, which contain only communication.
void add_communication_alone(const Examined& examined, std::vector<Finding>& findings) {
  if (!has_format(examined, "horovod_timeline") || has_format(examined, "tensorflow_profile")) return;
  findings.push_back({.name = problem("no_compute"),
                      .cost = Cost::kWeakens,
                      .weakens = {kReplay, kHost, kDevice, kRanks},
                      .sentence = "communication without the work that it waits for",
                      .effect =
                          "What a GPU did until each tensor was handed over is one opaque segment: a replay tests "
                          "only the order of what Horovod did.",
                      .remedy = "record torch.profiler or TensorFlow's profiler in the same run"});
}

/// Adds a finding for operators with times but without the kernels that they ran on a GPU.
void add_without_kernels(const Examined& examined, std::vector<Finding>& findings) {
  if (examined.capture == nullptr || has_kernels(*examined.capture)) return;
  const bool covered = std::any_of(findings.begin(), findings.end(),
                                   [](const Finding& finding) { return finding.weakens.has(kDevice); });
  if (covered || recorded_of(examined.contents).sum.calls > 0 || !applicable_to(examined).has(kDevice)) return;
  findings.push_back(
      {.name = problem("no_kernels"),
       .cost = Cost::kBlurs,
       .weakens = {kDevice},
       .sentence = "times of operators, without the GPU kernels that they ran",
       .effect = "What-ifs can scale compute and the batch size, but refuse another device or precision.",
       .remedy = "to ask about another device, record a step of one rank with torch.profiler or nsys, "
                 "and ask with that capture"});
}

void add_unmeasured(const Examined& examined, std::vector<Finding>& findings) {
  if (is_modelled_step(examined)) {
    findings.push_back({.name = problem("no_times"),
                        .cost = Cost::kBlurs,
                        .weakens = Questions::all(),
                        .sentence = "times that stepsim computed from a model's configuration",
                        .effect =
                            "Steps of measured jobs differ from such predictions by 7 to 11 % on average, and ranges "
                            "include that.",
                        .remedy = "record a step of the job on one device as soon as it exists"});
    return;
  }
  if (has_format(examined, "chakra") || has_format(examined, "execution_trace")) return add_untimed(examined, findings);
  if (examined.replay == nullptr || examined.replay->summary.measured) return;
  findings.push_back({.name = problem("nothing_measured"),
                      .cost = Cost::kNothing,
                      .weakens = {},
                      .sentence = "a task graph, which nobody ran",
                      .effect = "Its replay is what it says, and there is nothing to hold it against.",
                      .remedy = {}});
}

}  // namespace

std::vector<Finding> other_job_findings(const Examined& examined) {
  std::vector<Finding> findings;
  add_unusable_files(examined, findings);
  add_profiled_ranges(examined, findings);
  add_refused_job(examined, findings);
  add_untied(examined, findings);
  add_parameter_server(examined, findings);
  add_communication_alone(examined, findings);
  add_without_kernels(examined, findings);
  add_unmeasured(examined, findings);
  return findings;
}

}  // namespace stepsim::sim
