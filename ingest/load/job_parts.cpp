#include "ingest/load/job_parts.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "ingest/parts/names.h"
#include "ingest/stitch/execution_graph/execution_graph.h"
#include "ingest/stitch/given_graphs.h"
#include "ingest/stitch/host_device/host_device.h"
#include "ingest/stitch/trial/trial.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"
#include "model/base/number.h"
#include "model/base/pattern.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

/// Returns the rank that a trace states.
std::optional<std::int64_t> named_rank(const RankTrace& rank) { return rank.trace.rank; }
std::optional<std::int64_t> named_rank(const ExecutionRank& rank) { return rank.graph.rank; }

/// True if the input states a valid rank; ids in files can be any number.
template <class RankInput>
bool has_rank(const RankInput& rank) {
  const std::optional<std::int64_t> named = named_rank(rank);
  return named && *named >= 0 && *named <= std::numeric_limits<Rank>::max();
}

/// Throws InputError because two captures have the same rank. They come from two runs, or overlap within one run. Only
/// the user can choose between them.
[[noreturn]] void refuse_second_capture(const std::vector<RankTrace>& ranks, const RankTrace& second,
                                        const std::string& first_file) {
  const auto first = std::find_if(ranks.begin(), ranks.end(), [&](const RankTrace& r) { return r.file == first_file; });
  const std::string process = process_of(second.trace);
  const bool one_process = process == process_of(first->trace) && second.trace.host_name == first->trace.host_name;
  throw InputError({second.file, {}, {}},
                   fmt::format("this trace and {1}{2} both state rank {0}; expected one trace per rank: leave out the "
                               "trace of the other run",
                               second.rank, shown(first_file),
                               one_process ? " (of the same process, at the same time)" : " (of another process)"));
}

[[noreturn]] void refuse_second_capture(const std::vector<ExecutionRank>& /*ranks*/, const ExecutionRank& second,
                                        const std::string& first_file) {
  throw InputError(
      {second.file, {}, {}},
      fmt::format("the names of this execution trace and of {1} both state rank {0}; expected one per rank",
                  second.rank, shown(first_file)));
}

/// Gives every trace its rank: the stated one, else the one in its file's name if that is free, else the smallest free
/// one.
template <class RankInput>
void number_ranks(std::vector<RankInput>& ranks, Assembly& assembly) {
  std::map<Rank, std::string> claimed;
  for (RankInput& rank : ranks) {
    if (!has_rank(rank)) continue;
    rank.rank = static_cast<Rank>(*named_rank(rank));
    const auto [slot, added] = claimed.try_emplace(rank.rank, rank.file);
    if (!added) refuse_second_capture(ranks, rank, slot->second);
  }
  std::set<const RankInput*> by_name;
  for (RankInput& rank : ranks) {
    const std::optional<std::int64_t> name = rank_named_in(rank.file);
    if (has_rank(rank) || ranks.size() == 1 || !name || *name > std::numeric_limits<Rank>::max()) continue;
    if (!claimed.try_emplace(static_cast<Rank>(*name), rank.file).second) continue;
    rank.rank = static_cast<Rank>(*name);
    by_name.insert(&rank);
  }
  if (!by_name.empty()) {
    assembly.assumptions.push_back(
        {"rank_number", fmt::format("The rank in the file's name is used for {} without one inside, such as {}.",
                                    counted(by_name.size(), "trace"), shown((*by_name.begin())->file))});
  }
  // All ranks below `next` are in use.
  Rank next = 0;
  for (RankInput& rank : ranks) {
    if (has_rank(rank) || by_name.contains(&rank)) continue;
    while (claimed.contains(next)) ++next;
    rank.rank = next++;
    const std::optional<std::int64_t> named = named_rank(rank);
    if (!named && ranks.size() == 1) continue;
    const std::string says =
        named ? fmt::format("names rank {}, which is not between 0 and {}", *named, std::numeric_limits<Rank>::max())
              : "does not name its rank";
    assembly.assumptions.push_back(
        {"rank_number", fmt::format("{} {}; it is treated as rank {}.", shown(rank.file), says, rank.rank)});
  }
}

/// The device and process id of a rank. No two ranks of a host have the same device or the same process id.
struct Place {
  std::int64_t device = -1;  ///< -1 = unknown
  std::string process;       ///< empty = unknown
};

/// Returns the places of ranks whose traces do not name a host. A device number or process id that is the same in all
/// traces is ignored: each process may see only one device, or run in a container.
std::vector<Place> places_of(const std::vector<RankTrace*>& ranks) {
  std::vector<Place> places;
  std::set<std::int64_t> devices;
  std::set<std::string> processes;
  for (const RankTrace* const rank : ranks) {
    places.push_back({busiest_device(rank->trace).value_or(-1), process_of(rank->trace)});
    devices.insert(places.back().device);
    processes.insert(places.back().process);
  }
  for (Place& place : places) {
    if (devices.size() < 2) place.device = -1;
    if (processes.size() < 2) place.process.clear();
  }
  return places;
}

/// Returns the node of each rank, computed from the number of nodes that NCCL reports. Nodes are filled in rank order,
/// as launchers do. Returns an empty list if the number of nodes is unknown for a rank, if it does not divide the ranks
/// evenly, or if the ranks' largest communicators differ.
std::vector<std::size_t> nodes_of(const std::vector<RankTrace*>& ranks) {
  std::vector<std::size_t> nodes;
  std::set<std::string> groups;
  for (const RankTrace* const rank : ranks) {
    const ProcessGroup* largest = nullptr;
    for (const ProcessGroup& one : rank->trace.groups) {
      if (one.nodes > 0 && one.own >= 0 && (largest == nullptr || one.size > largest->size)) largest = &one;
    }
    if (largest == nullptr) return {};
    const auto own = static_cast<std::uint32_t>(largest->own);
    const auto count = static_cast<std::uint32_t>(largest->nodes);
    if (largest->size % count != 0 || own >= largest->size) return {};
    groups.insert(rank->trace.text(largest->name));
    nodes.push_back(own / (largest->size / count));
  }
  return groups.size() == 1 ? nodes : std::vector<std::size_t>{};
}

/// Assigns hosts to ranks whose traces do not name one. Each node that NCCL reports becomes a host. If NCCL reports
/// none, uses as few hosts as possible such that no two ranks of a host have the same device or process id.
void assume_hosts(std::vector<RankTrace>& ranks, Assembly& assembly) {
  std::vector<RankTrace*> unnamed;
  for (RankTrace& rank : ranks) {
    if (rank.trace.host_name.empty()) unnamed.push_back(&rank);
  }
  if (ranks.size() < 2 || unnamed.empty()) return;
  std::sort(unnamed.begin(), unnamed.end(), [](const RankTrace* a, const RankTrace* b) { return a->rank < b->rank; });
  const std::vector<Place> places = places_of(unnamed);
  const std::vector<std::size_t> nodes = nodes_of(unnamed);
  std::set<std::pair<std::size_t, std::int64_t>> devices;
  std::set<std::pair<std::size_t, std::string>> processes;
  // By device number: the first host on which no rank uses that device. By process id: the first host on which no rank
  // has that process id. The search for the host of a rank begins at the later of its two hosts.
  std::map<std::int64_t, std::size_t> first_without_device;
  std::map<std::string, std::size_t> first_without_process;
  std::size_t hosts = 0;
  for (std::size_t i = 0; i < unnamed.size(); ++i) {
    const auto& [device, process] = places[i];
    std::size_t& of_device = first_without_device[device];
    std::size_t& of_process = first_without_process[process];
    std::size_t host = nodes.empty() ? std::max(of_device, of_process) : nodes[i];
    while (nodes.empty() && (devices.contains({host, device}) || processes.contains({host, process}))) ++host;
    if (device >= 0) devices.emplace(host, device);
    if (!process.empty()) processes.emplace(host, process);
    while (devices.contains({of_device, device})) ++of_device;
    while (processes.contains({of_process, process})) ++of_process;
    hosts = std::max(hosts, host + 1);
    unnamed[i]->assumed_host = fmt::format("host {}", host);
  }
  std::string why = nodes.empty() ? "some have the same device or the same process id" : "NCCL's count of nodes";
  if (hosts == 1) {
    for (RankTrace* const rank : unnamed) rank->assumed_host.clear();
    why = !nodes.empty()                    ? why
          : places.front().device >= 0      ? "each has its own device"
          : !places.front().process.empty() ? "no two have the same process id"
                                            : "nothing indicates more";
  }
  assembly.assumptions.push_back({"hosts", fmt::format("{} without a host name: assumed to come from {} ({}).",
                                                       counted(unnamed.size(), "trace"), counted(hosts, "host"), why)});
}

template <class RankInput>
void keep_ranks(std::vector<RankInput>& ranks, const std::vector<Rank>& wanted) {
  if (wanted.empty()) return;
  std::vector<std::string> present;
  present.reserve(ranks.size());
  for (const RankInput& rank : ranks) present.push_back(std::to_string(rank.rank));
  std::erase_if(
      ranks, [&](const RankInput& rank) { return std::find(wanted.begin(), wanted.end(), rank.rank) == wanted.end(); });
  if (ranks.empty())
    throw UsageError(fmt::format("--ranks names none of the input's ranks; expected some of {}", one_of(present)));
}

/// Throws if the inputs cannot belong to one job: a task graph with other files, or BytePS with Kineto.
void refuse_mix(const std::vector<RankTrace>& ranks, const std::vector<GpuParts>& gpus,
                const std::vector<std::pair<TaskGraph, std::string>>& graphs,
                const std::vector<ExecutionRank>& execution_graphs, const std::vector<OperationRanks>& tables) {
  const std::size_t kinds = (ranks.empty() ? 0U : 1U) + (gpus.empty() ? 0U : 1U) + graphs.size() + tables.size() +
                            (execution_graphs.empty() ? 0U : 1U);
  if (kinds <= 1) return;
  if (!tables.empty()) {
    throw InputError({tables.back().file, {}, {}}, "a table of operations is a complete job; expected no other input");
  }
  if (!graphs.empty()) {
    throw InputError({graphs.back().second, {}, {}}, "a task graph is a complete job; expected no other input");
  }
  if (!execution_graphs.empty()) {
    throw InputError({execution_graphs.front().file, {}, {}},
                     "execution traces cannot be combined with traces of another kind; expected files of one kind");
  }
  throw InputError(
      {ranks.front().file, {}, {}},
      fmt::format("this is a host and device trace, and {} is a BytePS trace; expected the files of one job",
                  shown(gpus.front().folder)));
}

/// Applies --ranks to BytePS: rank k is the k-th GPU of the job, counted over all workers.
void keep_gpus(std::vector<GpuParts>& gpus, const std::vector<Rank>& wanted) {
  if (wanted.empty()) return;
  const auto count = static_cast<Rank>(gpus.size());
  std::vector<GpuParts> kept;
  for (Rank rank = 0; rank < count; ++rank) {
    if (std::find(wanted.begin(), wanted.end(), rank) != wanted.end())
      kept.push_back(std::move(gpus[static_cast<std::size_t>(rank)]));
  }
  if (kept.empty())
    throw UsageError(fmt::format("--ranks names none of the input's ranks; expected some of 0 to {}", count - 1));
  gpus = std::move(kept);
}

Source source_of(const ReadInput& input) {
  Source source{.name = input.name, .format = input.format};
  source.gpu_folder = input.gpu_folder;
  source.worker_folder = input.worker_folder;
  for (const PartSink::Item& item : input.sink.parts) {
    if (const auto* const table = std::get_if<TensorTable>(&item.part)) {
      for (const TensorTable::Tensor& tensor : table->tensors) source.tensors.push_back(tensor.name);
    }
    if (const auto* const trace = std::get_if<HostDeviceTrace>(&item.part)) source.base_time = trace->base_time;
    source.has_events = source.has_events || !(std::holds_alternative<TensorTable>(item.part) ||
                                               std::holds_alternative<OperatorGraph>(item.part));
    source.of_many = source.of_many || !item.of.empty();
  }
  return source;
}

/// Returns a key that is the same for all traces of one process. A trace without a process id has its file name as the
/// key.
std::string process_key(const RankTrace& trace) {
  const std::string process = process_of(trace.trace);
  return process.empty() ? trace.file
                         : fmt::format("{}\n{}\n{}", trace.trace.host_name, process, trace.trace.rank.value_or(-1));
}

/// True if the GPU has parts that occur only in a dPRO trial or with a Horovod timeline.
bool is_of_trial(const GpuParts& gpu) {
  return gpu.tensorflow.has_value() || gpu.horovod.has_value() ||
         (gpu.chunks.has_value() && !gpu.chunks->events.empty());
}

/// Drops the operators and stages that come from the merged traces of a dPRO trial, and counts them as unused: dPRO
/// derived its merged traces from the other files of the trial. If the folder of `gpu` does not belong to a GPU, the
/// graph and the tensor names are counted as well.
void leave_out_caches(GpuParts& gpu, Diagnostics& diagnostics) {
  std::size_t caches = (gpu.operators ? 1U : 0U) + (gpu.stages ? 1U : 0U);
  if (!is_of_trial(gpu)) caches += (gpu.graph ? 1U : 0U) + (gpu.tensors ? 1U : 0U);
  if (caches > 0) diagnostics.count(diagnostic("trial_cache_not_used"), {gpu.folder, {}, {}}, {}, caches);
  gpu.operators.reset();
  gpu.stages.reset();
}

/// True if the last part of `path` begins with `file_name`. Some files contain the same type of part and differ only in
/// their names.
bool is_called(std::string_view path, std::string_view file_name) { return file_name_of(path).starts_with(file_name); }

/// Returns the trace of the process that wrote an execution trace; null if there is none. Processes of different hosts
/// may have the same id; then the rank in the execution trace's file name decides.
RankTrace* trace_of(const ExecutionTrace& execution, std::vector<RankTrace>& ranks) {
  RankTrace* found = nullptr;
  std::size_t count = 0;
  for (RankTrace& rank : ranks) {
    if (execution.process < 0 || process_of(rank.trace) != std::to_string(execution.process)) continue;
    if (found == nullptr || (execution.rank && rank.trace.rank == execution.rank)) found = &rank;
    ++count;
  }
  const bool sure = count == 1 || (found != nullptr && execution.rank && found->trace.rank == execution.rank);
  return sure ? found : nullptr;
}

/// The parts that occur only once per GPU, identified by their types. GpuParts::inputs and GpuParts::tensor_ids also
/// occur once, but they are not listed, because they have the same types as `operators` and `tensors`. take()
/// recognises these two by file name.
constexpr std::tuple kSingleGpuParts{&GpuParts::stages,  &GpuParts::operators,  &GpuParts::graph,
                                     &GpuParts::tensors, &GpuParts::tensorflow, &GpuParts::metadata,
                                     &GpuParts::horovod, &GpuParts::chunks,     &GpuParts::rank_graph};
/// The parts that occur only once per job.
constexpr std::tuple kSingleJobParts{&TrialParts::messages, &TrialParts::servers, &TrialParts::keys};

template <class Slot, class... Slots>
consteval bool holds(const std::tuple<Slots...>& /*slots*/) {
  return (std::is_same_v<Slot, Slots> || ...);
}

template <class PartType>
void put(std::optional<PartType>& slot, PartType part, const std::string& name) {
  if (slot) {
    throw InputError({name, {}, {}}, "the folder has a second file of the same kind; expected one per GPU");
  }
  slot = std::move(part);
}

}  // namespace

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): take() is none
void JobParts::add(ReadInput& input) {
  sources_.push_back(source_of(input));
  for (auto& [part, of] : input.sink.parts) {
    const Origin origin =
        of.empty() ? Origin{input.name, input.gpu_folder, input.worker_folder}
                   : Origin{fmt::format("{} ({})", input.name, of), input.gpu_folder + '/' + of, input.gpu_folder};
    std::visit([&](auto& alternative) { take(std::move(alternative), origin); }, part);
  }
  if (input.events.trace != nullptr) ranks_.back().events = std::move(input.events);
}

void JobParts::take(HostDeviceTrace&& trace, const Origin& origin) {
  ranks_.push_back({.trace = std::move(trace), .file = origin.name});
}
void JobParts::take(TaskGraph&& graph, const Origin& origin) { graphs_.emplace_back(std::move(graph), origin.name); }
void JobParts::take(ExecutionGraph&& graph, const Origin& origin) {
  execution_graphs_.push_back({std::move(graph), origin.name, 0});
}
void JobParts::take(ExecutionTrace&& trace, const Origin& origin) {
  execution_traces_.emplace_back(std::move(trace), origin.name);
}
template <class PartType>
void JobParts::take(PartType&& part, const Origin& origin) {
  using OfJob = std::optional<PartType> TrialParts::*;
  if constexpr (holds<OfJob>(kSingleJobParts)) {
    put(of_job_.*std::get<OfJob>(kSingleJobParts), std::forward<PartType>(part), origin.name);
  } else {
    auto slot = std::get<std::optional<PartType> GpuParts::*>(kSingleGpuParts);
    if constexpr (std::is_same_v<PartType, OperatorTrace>) {
      if (is_called(origin.name, "io.json")) slot = &GpuParts::inputs;
    }
    if constexpr (std::is_same_v<PartType, TensorTable>) {
      if (is_called(origin.name, "gradient_name2ID.json")) slot = &GpuParts::tensor_ids;
    }
    put(gpu_of(origin).*slot, std::forward<PartType>(part), origin.name);
  }
}
void JobParts::take(OperationTable&& table, const Origin& origin) {
  operation_tables_.push_back(ranks_of(std::move(table), origin.name));
}
// NOLINTNEXTLINE(cppcoreguidelines-rvalue-reference-param-not-moved): only that it is there counts
void JobParts::take(RangeProfile&& /*profile*/, const Origin& origin) {
  if (profile_file_.empty()) profile_file_ = origin.name;
}

GpuParts& JobParts::gpu_of(const Origin& origin) {
  Gpus& worker = workers_.try_emplace(origin.worker_folder, Gpus(&natural_less)).first->second;
  GpuParts& gpu = worker[origin.gpu_folder];
  gpu.folder = origin.gpu_folder;
  return gpu;
}

/// Numbers workers and local ranks in the natural order of their folders. A folder without any events (only a GML file
/// or a list of names) is not a GPU of the job.
std::vector<GpuParts> JobParts::numbered_gpus(Assembly& assembly) {
  std::vector<GpuParts> gpus;
  std::uint32_t worker = 0;
  const bool trial = std::any_of(workers_.begin(), workers_.end(), [](const auto& one) {
    return std::any_of(one.second.begin(), one.second.end(), [](const auto& gpu) { return is_of_trial(gpu.second); });
  });
  for (auto& [folder, parts] : workers_) {
    std::uint32_t local_rank = 0;
    for (auto& [gpu_folder, gpu] : parts) {
      if (trial) {
        leave_out_caches(gpu, assembly.diagnostics);
        if (!is_of_trial(gpu)) continue;
      }
      if (!gpu.stages && !gpu.operators && !trial) {
        assembly.diagnostics.count(diagnostic("folder_without_events"), {gpu_folder, {}, {}});
        continue;
      }
      gpu.worker = worker;
      gpu.local_rank = local_rank++;
      gpu.host = std::filesystem::path(folder).filename().string();
      gpus.push_back(std::move(gpu));
    }
    if (local_rank > 0) ++worker;
  }
  return gpus;
}

void JobParts::note_gpus(const std::vector<GpuParts>& gpus) {
  for (const GpuParts& gpu : gpus) {
    for (Source& source : sources_) {
      if (source.gpu_folder != gpu.folder) continue;
      source.gpu = gpu.local_rank;
      source.worker = gpu.worker;
    }
  }
}

std::vector<std::string> JobParts::processes() const {
  std::vector<std::string> keys;
  for (const RankTrace& trace : ranks_) keys.push_back(process_key(trace));
  return keys;
}

/// Sets the rank of each source. `files` and `processes` are the file names and process keys of all traces before
/// join_windows() joined some of them.
void JobParts::note_ranks(const std::vector<std::string>& files, const std::vector<std::string>& processes) {
  std::map<std::string, Rank> of_file;
  std::map<std::string, Rank> of_process;
  for (const RankTrace& trace : ranks_) {
    of_file.try_emplace(trace.file, trace.rank);
    of_process.try_emplace(process_key(trace), trace.rank);
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto joined = of_process.find(processes[i]);
    if (joined != of_process.end()) of_file.try_emplace(files[i], joined->second);
  }
  for (Source& source : sources_) {
    if (const auto rank = of_file.find(source.name); rank != of_file.end()) source.rank = rank->second;
  }
}

void JobParts::make_graphs_of_execution_traces() {
  for (auto& [trace, file] : execution_traces_)
    execution_graphs_.push_back({graph_of_operators(std::move(trace)), file, 0});
  execution_traces_.clear();
}

void JobParts::join_execution_traces(Assembly& assembly) {
  for (const auto& [execution, file] : execution_traces_) {
    RankTrace* const rank = trace_of(execution, ranks_);
    if (rank == nullptr) {
      assembly.diagnostics.count(diagnostic("execution_trace_not_joined"), {file, {}, {}});
      continue;
    }
    const JoinedOperators found = join_execution_trace(execution, rank->trace);
    assembly.assumptions.push_back(
        {"execution_trace_joined",
         fmt::format(
             "{} and {} are from the same process: {} of its {} operators match events of the same names in the "
             "same order.",
             shown(file), shown(rank->file), found.joined, found.all)});
    if (found.joined < found.all)
      assembly.diagnostics.count(diagnostic("operators_not_joined"), {file, {}, {}}, {}, found.all - found.joined);
  }
}

void JobParts::stitch(const std::vector<Rank>& ranks, const Job& job, Assembly& assembly) {
  if (!profile_file_.empty()) {
    throw CannotAnswer({profile_file_, {}, {}},
                       "an inline profile has no dependencies and cannot be replayed; expected a capture of a step, or "
                       "timeline, scaling or stats");
  }
  take_ranks_from_paths(job);
  std::vector<GpuParts> gpus = numbered_gpus(assembly);
  if (ranks_.empty()) make_graphs_of_execution_traces();
  refuse_mix(ranks_, gpus, graphs_, execution_graphs_, operation_tables_);
  if (!graphs_.empty()) {
    return stitch_given_graph(std::move(graphs_.front().first), assembly);
  }
  if (!operation_tables_.empty()) {
    OperationRanks& table = operation_tables_.front();
    keep_ranks(table.ranks, ranks);
    return stitch_operations(std::move(table), assembly);
  }
  if (!execution_graphs_.empty()) {
    number_ranks(execution_graphs_, assembly);
    keep_ranks(execution_graphs_, ranks);
    return stitch_execution_graphs(std::move(execution_graphs_), assembly);
  }
  if (std::any_of(gpus.begin(), gpus.end(), is_of_trial)) {
    keep_gpus(gpus, ranks);
    note_gpus(gpus);
    of_job_.gpus = std::move(gpus);
    return stitch_trial(std::move(of_job_), job, assembly);
  }
  if (!gpus.empty()) {
    // The events of io.json are not used, because the merged traces already include them.
    for (const GpuParts& gpu : gpus) {
      if (gpu.inputs) assembly.diagnostics.count(diagnostic("file_not_used"), {gpu.folder, {}, {}}, "io.json");
    }
    keep_gpus(gpus, ranks);
    note_gpus(gpus);
    return stitch_parameter_server(std::move(gpus), job, assembly);
  }
  if (ranks_.empty())
    throw InputError({}, "the input has names and dependencies, but no events; expected a trace with times");
  take_back_events();
  const std::vector<std::string> processes = this->processes();
  std::vector<std::string> files;
  for (const RankTrace& trace : ranks_) files.push_back(trace.file);
  join_windows(ranks_, assembly);
  join_execution_traces(assembly);
  number_ranks(ranks_, assembly);
  assume_hosts(ranks_, assembly);
  keep_ranks(ranks_, ranks);
  note_ranks(files, processes);
  stitch_host_device(std::move(ranks_), assembly);
}

void JobParts::take_back_events() {
  std::set<std::int64_t> named;
  for (const RankTrace& rank : ranks_) {
    if (!rank.trace.host_name.empty() && has_rank(rank)) named.insert(*named_rank(rank));
  }
  if (named.size() == ranks_.size() && execution_traces_.empty()) return;
  for (RankTrace& rank : ranks_) take_back(rank.events, rank.trace);
}

void JobParts::take_ranks_from_paths(const Job& job) {
  if (!job.rank_in_name) return;
  const Pattern pattern(*job.rank_in_name);
  std::string unmatched;
  bool any = false;
  const auto take = [&](std::optional<std::int64_t>& rank, const std::string& file) {
    const std::optional<std::string> found = pattern.matched_by("rank", file);
    if (!found) {
      unmatched = file;
      return;
    }
    rank = parse_number<std::int64_t>(*found);
    any = true;
    if (!rank) {
      throw InputError(
          {file, {}, {}},
          fmt::format("'rank_in_name' of job.yaml finds '{}' in this path; expected a rank", shown(*found, 60)));
    }
  };
  for (RankTrace& one : ranks_) take(one.trace.rank, one.file);
  for (ExecutionRank& one : execution_graphs_) take(one.graph.rank, one.file);
  for (auto& [trace, file] : execution_traces_) take(trace.rank, file);
  if (any || unmatched.empty()) return;
  throw InputError({unmatched, {}, {}},
                   "'rank_in_name' of job.yaml matches neither this path nor that of another trace; expected a regular "
                   "expression that finds their ranks");
}

bool JobParts::stitch_untimed(Assembly& assembly) {
  std::vector<OperatorGraph> graphs;
  bool events = !graphs_.empty() || !ranks_.empty() || !execution_graphs_.empty() || !execution_traces_.empty();
  for (const auto& [worker_folder, gpus] : workers_) {
    for (const auto& [gpu_folder, gpu] : gpus) {
      events = events || gpu.stages || gpu.operators || is_of_trial(gpu);
      if (gpu.graph) graphs.push_back(*gpu.graph);
    }
  }
  if (events || graphs.empty()) return false;
  stitch_operator_graphs(graphs, assembly);
  return true;
}

}  // namespace stepsim::ingest
