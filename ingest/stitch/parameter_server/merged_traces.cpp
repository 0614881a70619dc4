#include "ingest/stitch/parameter_server/recorded_gpu.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

/// In a file with more processes than this, a pid does not stand for a GPU.
constexpr std::size_t kMostProcesses = 256;

/// The parts of a process name: "wk1.rank3" gives "wk1" and "3"; "3" gives "" and "3".
struct ProcessName {
  std::string worker;
  std::string rank;
};

ProcessName parse_process(std::string_view process) {
  std::size_t digits = process.size();
  while (digits > 0 && is_digit(process[digits - 1])) --digits;
  std::string_view worker = process.substr(0, digits);
  if (worker.ends_with("rank")) worker.remove_suffix(4);
  if (worker.ends_with('.')) worker.remove_suffix(1);
  return {std::string(worker), std::string(process.substr(digits))};
}

bool names_a_rank(std::string_view process) {
  const std::size_t last = process.find_last_not_of("0123456789");
  return last != std::string_view::npos && last + 1 < process.size() && process.substr(0, last + 1).ends_with("rank");
}

/// Returns the process names in the events of `gpu`. There is at most one name if the files belong to a single GPU.
std::set<std::string> processes_of(const GpuParts& gpu) {
  std::set<std::string> names;
  if (gpu.operators.has_value()) {
    for (const OperatorTrace::Event& event : gpu.operators->events) {
      if (names_a_rank(event.process)) names.insert(event.process);
    }
  }
  if (gpu.stages.has_value()) {
    for (const std::string& process : gpu.stages->processes) {
      if (!process.empty()) names.insert(process);
    }
  }
  return names;
}

void give_operators(GpuParts& whole, std::map<std::string, GpuParts>& split) {
  if (!whole.operators.has_value()) return;
  for (auto& [name, gpu] : split) gpu.operators.emplace();
  for (OperatorTrace::Event& event : whole.operators->events) {
    const auto owner = split.find(event.process);
    GpuParts& gpu = owner == split.end() ? split.begin()->second : owner->second;
    gpu.operators->events.push_back(std::move(event));
  }
}

void give_stages(const GpuParts& whole, std::map<std::string, GpuParts>& split) {
  if (!whole.stages.has_value()) return;
  std::vector<GpuParts*> owner_of;
  for (const std::string& process : whole.stages->processes) {
    const auto owner = split.find(process);
    owner_of.push_back(owner == split.end() ? &split.begin()->second : &owner->second);
  }
  for (auto& [name, gpu] : split) {
    gpu.stages.emplace();
    gpu.stages->tensors = whole.stages->tensors;
    gpu.stages->processes = {""};
  }
  for (StageTrace::Event event : whole.stages->events) {
    StageTrace& stages = *owner_of[event.process]->stages;
    event.process = 0;
    stages.events.push_back(event);
  }
}

std::map<std::string, GpuParts> split_one(GpuParts& whole, const std::set<std::string>& processes) {
  std::map<std::string, GpuParts> split;
  for (const std::string& process : processes) {
    GpuParts& gpu = split[process];
    const std::string prefix = parse_process(process).worker;
    gpu.worker = whole.worker;
    gpu.host = prefix.empty() ? whole.host : prefix;
    gpu.folder = whole.folder;
    gpu.graph = whole.graph;
    gpu.tensors = whole.tensors;
  }
  give_operators(whole, split);
  give_stages(whole, split);
  return split;
}

/// Renumbers workers by the folder they came from, then by their prefix, and GPUs by their rank.
void renumber_gpus(std::vector<std::pair<std::string, GpuParts>>& gpus) {
  const auto less = [](const auto& a, const auto& b) {
    if (a.second.worker != b.second.worker) return a.second.worker < b.second.worker;
    const ProcessName first = parse_process(a.first);
    const ProcessName second = parse_process(b.first);
    if (first.worker != second.worker) return natural_less(first.worker, second.worker);
    return natural_less(first.rank, second.rank);
  };
  std::stable_sort(gpus.begin(), gpus.end(), less);
  std::map<std::pair<std::uint32_t, std::string>, std::pair<std::uint32_t, std::uint32_t>>
      seen;  // (old worker number, prefix) -> (new worker number, its GPUs so far)
  std::uint32_t workers = 0;
  for (auto& [process, gpu] : gpus) {
    const auto [slot, added] = seen.try_emplace({gpu.worker, parse_process(process).worker}, std::pair{workers, 0U});
    if (added) ++workers;
    gpu.worker = slot->second.first;
    gpu.local_rank = slot->second.second++;
  }
}

}  // namespace

std::vector<GpuParts> split_merged_traces(std::vector<GpuParts> gpus) {
  std::vector<std::pair<std::string, GpuParts>> named;
  bool any = false;
  for (GpuParts& gpu : gpus) {
    const std::set<std::string> processes = processes_of(gpu);
    if (processes.size() < 2 || processes.size() > kMostProcesses) {
      named.emplace_back("", std::move(gpu));
      continue;
    }
    any = true;
    for (auto& [process, part] : split_one(gpu, processes)) named.emplace_back(process, std::move(part));
  }
  if (any) renumber_gpus(named);
  std::vector<GpuParts> result;
  result.reserve(named.size());
  for (auto& [process, gpu] : named) result.push_back(std::move(gpu));
  return result;
}

}  // namespace stepsim::ingest
