#include "ingest/stitch/trial/trial.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "ingest/stitch/parameter_server/tasks.h"
#include "ingest/stitch/trial/exchanges.h"
#include "ingest/stitch/trial/rounds.h"
#include "model/base/known_diagnostics.h"
#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

/// Returns the size of each operator's output, if the metadata give it.
std::unordered_map<std::string_view, Bytes> outputs_of(const std::optional<OperatorMetadata>& metadata) {
  std::unordered_map<std::string_view, Bytes> outputs;
  if (!metadata.has_value()) return outputs;
  for (const OperatorMetadata::Operator& one : metadata->operators) {
    if (one.output.has_value()) outputs.try_emplace(one.name, *one.output);
  }
  return outputs;
}

/// Sets missing tensor sizes from the list of gradients or from the operators' outputs: tensor "1" is gradient number
/// 1.
void complete_sizes(GpuRounds& rounds, const GpuParts& gpu) {
  if (!gpu.tensors.has_value()) return;
  const auto outputs = outputs_of(gpu.metadata);
  for (std::size_t i = 0; i < rounds.bytes.size(); ++i) {
    const auto number = parse_number<std::size_t>(rounds.stages.tensors[i]);
    if (rounds.bytes[i].has_value() || !number.has_value() || *number >= gpu.tensors->tensors.size()) continue;
    const TensorTable::Tensor& listed = gpu.tensors->tensors[*number];
    const auto output = outputs.find(listed.name);
    if (listed.bytes.has_value()) {
      rounds.bytes[i] = listed.bytes;
    } else if (output != outputs.end()) {
      rounds.bytes[i] = output->second;
    }
  }
}

void set_sizes(RecordedGpu& gpu, const GpuRounds& rounds) {
  for (std::size_t i = 0; i < gpu.tensors.size(); ++i) gpu.tensors[i].bytes = rounds.bytes[i];
}

/// Adds the loading of batches to the operators, on threads of its own. Also adds a zero-length event at the earliest
/// start, because every rank begins with a single task that all others follow.
void add_inputs(std::vector<OperatorTrace::Event>& inputs, std::vector<OperatorTrace::Event>& operators) {
  for (OperatorTrace::Event& event : inputs) event.thread = "I/O " + event.thread;
  std::move(inputs.begin(), inputs.end(), std::back_inserter(operators));
  const auto first = std::min_element(operators.begin(), operators.end(),
                                      [](const auto& a, const auto& b) { return a.start < b.start; });
  operators.push_back({"I/O", {}, "I/O", first->step, first->start, {}, {}, false});
}

/// Names the operators of a GPU, and sets `stages` as its communication.
void prepare(GpuParts& gpu, StageTrace stages, Diagnostics& diagnostics) {
  name_operators(gpu, stages.tensors, diagnostics);
  if (gpu.inputs && gpu.operators) add_inputs(gpu.inputs->events, gpu.operators->events);
  gpu.stages = std::move(stages);
  gpu.tensors.reset();  // its numbers are now in the tensors' names
}

void state_assumptions(const PsTasks& tasks, const std::vector<GpuRounds>& rounds) {
  Assumptions& assumptions = tasks.out.assumptions;
  if (std::any_of(tasks.gpus.begin(), tasks.gpus.end(), [](const RecordedGpu& gpu) { return gpu.opaque; })) {
    assumptions.push_back(
        {"opaque_compute",
         "No operators were recorded, so the work of a GPU until it hands a tensor to Horovod is one opaque task."});
  }
  const bool waits = std::any_of(rounds.begin(), rounds.end(), [](const GpuRounds& gpu) {
    return std::any_of(gpu.rounds.begin(), gpu.rounds.end(),
                       [](const Round& round) { return round.find(RoundPart::kQueue) != nullptr; });
  });
  if (waits) {
    assumptions.push_back({"recorded_queues", "Waits of tensors in Horovod's queues keep their recorded durations."});
  }
  if (tasks.gpus.size() == 1) {
    assumptions.push_back(
        {"one_rank", "Only one rank's timeline was found; the others are ready at the times that it records."});
  }
}
/// Returns the clocks of the workers that take part. Workers whose GPUs were all left out by --ranks are not listed.
std::vector<HostClock> clocks_taking_part(const PsTasks& tasks) {
  std::vector<HostClock> clocks;
  std::size_t next = 0;
  for (const RecordedGpu& gpu : tasks.gpus) {
    if (gpu.worker < next) continue;
    clocks.push_back(tasks.clocks[gpu.worker]);
    next = gpu.worker + std::size_t{1};
  }
  return clocks;
}

/// Removes rounds that are not part of a step. The GPU has no operators, so the k-th round of a tensor belongs to step
/// k. Tensors that occur less than half as often as the most frequent one, such as broadcasts of the first weights, are
/// in no step. Returns the number of removed rounds.
std::size_t drop_setup_rounds(GpuRounds& rounds) {
  std::vector<std::size_t> count(rounds.stages.tensors.size());
  for (const StageTrace::Event& event : rounds.stages.events) ++count[event.tensor];
  const std::size_t most = count.empty() ? 0 : *std::max_element(count.begin(), count.end());
  const auto rare = [&](std::uint32_t tensor) { return 2 * count[tensor] < most; };
  std::erase_if(rounds.stages.events, [&](const StageTrace::Event& event) { return rare(event.tensor); });
  return std::erase_if(
      rounds.rounds, [&](const Round& round) { return std::all_of(round.tensors.begin(), round.tensors.end(), rare); });
}

/// Stitches GPUs that communicate through Horovod.
void stitch_rounds(std::vector<GpuParts> gpus, const Job& job, Assembly& assembly) {
  std::vector<GpuRounds> rounds;
  std::size_t setup = 0;
  for (GpuParts& gpu : gpus) {
    if (!gpu.tensors) gpu.tensors = std::move(gpu.tensor_ids);
    rounds.push_back(rounds_of(gpu, assembly.diagnostics));
    complete_sizes(rounds.back(), gpu);
    if (!gpu.tensorflow) setup += drop_setup_rounds(rounds.back());
    prepare(gpu, rounds.back().stages, assembly.diagnostics);
  }
  std::vector<RecordedGpu> recorded = arrange_gpus(gpus, job, assembly.diagnostics);
  number_ranks(recorded, job);
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    find_steps(rounds[i], recorded[i]);
    set_sizes(recorded[i], rounds[i]);
  }
  PsTasks tasks{job, assembly, std::move(recorded), {}, {}, {}, {}, {}, {}, {}};
  tasks.clocks = align_by_rounds(tasks.gpus, rounds, assembly.diagnostics);
  add_operators(tasks);
  add_rounds(tasks, rounds, Rings(gpus, assembly.diagnostics, assembly.assumptions));
  join_and_break_cycles(tasks);
  state_assumptions(tasks, rounds);
  if (setup > 0) {
    assembly.assumptions.push_back(
        {"setup_left_out",
         fmt::format("{} reductions or broadcasts of tensors that appear in less than half of the steps "
                     "are treated as setup and not replayed.",
                     setup)});
  }
  assembly.clocks = clocks_taking_part(tasks);
}

/// Returns the number at the end of a worker folder's name; without one, the worker's index.
std::int32_t worker_number(const GpuParts& gpu) {
  const std::size_t mark = gpu.host.rfind('_');
  const auto number = mark == std::string::npos
                          ? std::nullopt
                          : parse_number<std::int32_t>(std::string_view{gpu.host}.substr(mark + 1));
  return number.value_or(static_cast<std::int32_t>(gpu.worker));
}

/// Returns the clock of each worker. A worker without any GPU in `gpus` gets an offset of 0.
std::vector<HostClock> clocks_of(const std::vector<GpuParts>& gpus, const std::map<Node, AlignedClock>& nodes,
                                 Diagnostics& diagnostics) {
  std::vector<HostClock> clocks;
  for (const GpuParts& gpu : gpus) {
    if (gpu.worker < clocks.size()) continue;
    clocks.resize(gpu.worker + std::size_t{1});
    const auto node = nodes.find({false, worker_number(gpu)});
    const AlignedClock clock = node == nodes.end() ? AlignedClock{} : node->second;
    if (!clock.known) {
      diagnostics.count(diagnostic("clock_unmatched"), {},
                        fmt::format("no chain of messages leads from worker {} to the first one", shown(gpu.host)));
    }
    clocks[gpu.worker] = {gpu.host, clock.offset, clock.residual, 0, {}};
  }
  return clocks;
}

/// Stitches GPUs that communicate through BytePS.
void stitch_exchanges(TrialParts parts, const Job& job, Assembly& assembly) {
  const std::vector<Exchange> exchanges = exchanges_of(*parts.messages);
  std::map<std::int32_t, std::size_t> roots;
  for (std::size_t i = 0; i < parts.gpus.size(); ++i) {
    GpuParts& gpu = parts.gpus[i];
    if (!gpu.tensors) gpu.tensors = std::move(gpu.tensor_ids);
    roots[worker_number(gpu)] = i;
    prepare(gpu, stage_trace_of(exchanges, worker_number(gpu), parts.messages->tensors), assembly.diagnostics);
  }
  std::vector<RecordedGpu> recorded = arrange_gpus(parts.gpus, job, assembly.diagnostics);
  number_ranks(recorded, job);
  const std::map<Node, AlignedClock> nodes = align_by_exchanges(exchanges);
  PsTasks tasks{job, assembly, std::move(recorded), {}, {}, {}, {}, {}, {}, {}};
  tasks.clocks = clocks_of(parts.gpus, nodes, assembly.diagnostics);
  add_operators(tasks);
  const ServerTrace none;
  add_exchanges(tasks, {exchanges, parts.messages->tensors, parts.servers ? *parts.servers : none, nodes, roots});
  join_and_break_cycles(tasks);
  if (!parts.servers) {
    assembly.assumptions.push_back({"server_in_pull",
                                    "The time of copying and summing on servers is part of the wait for their answers, "
                                    "because the trial has no server_timeline.json."});
  }
  assembly.assumptions.push_back(
      {"connections_alone",
       "Each direction between a worker and a server is a separate connection, and messages keep their recorded "
       "durations: in this replay connections do not share a network card."});
  assembly.clocks = clocks_taking_part(tasks);
  for (const auto& [node, clock] : nodes) {
    if (node.server)
      assembly.clocks.push_back({fmt::format("server_{}", node.number), clock.offset, clock.residual, 0, {}});
  }
}

}  // namespace

void stitch_trial(TrialParts parts, const Job& job, Assembly& assembly) {
  if (parts.messages) return stitch_exchanges(std::move(parts), job, assembly);
  stitch_rounds(std::move(parts.gpus), job, assembly);
}

}  // namespace stepsim::ingest
