#include "ingest/formats/kineto/processes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

/// Returns "[TP01]" for "[TP01] 4100"; an empty text for a plain number.
std::string_view label_of(std::string_view process) {
  const std::size_t end = process.find_last_not_of("0123456789 ");
  return end == std::string_view::npos ? std::string_view() : process.substr(0, end + 1);
}

/// Finds which process each row of a trace belongs to.
class Owners {
 public:
  explicit Owners(const HostDeviceTrace& trace) : trace_(trace) {
    std::vector<bool> launches;  // by text
    launches.reserve(trace.texts.size());
    for (const std::string& text : trace.texts) launches.push_back(launches_kernel(text) || launches_graph(text));
    std::vector<bool> seen(trace.tracks.size());
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
      if (trace.kind[i] != EventKind::kRuntimeCall || trace.correlation[i] < 0) continue;
      if (!launches[trace.name[i].index()]) continue;
      launching_calls_.push_back(i);
      if (seen[trace.track[i].index()]) continue;
      seen[trace.track[i].index()] = true;
      if (numbers_.try_emplace(track(i).process, processes_.size()).second) processes_.push_back(track(i).process);
    }
  }

  [[nodiscard]] const std::vector<std::string>& processes() const noexcept { return processes_; }

  /// Returns the process of each track; a rank's number. Rows that belong to none go with the first process.
  [[nodiscard]] std::vector<std::size_t> of_tracks() const {
    std::unordered_map<std::int64_t, std::map<std::size_t, Time>> calls_of;  // by correlation: first begin by process
    for (const std::uint32_t call : launching_calls_) {
      const Time begin = trace_.start[call];
      Time& first =
          calls_of[trace_.correlation[call]].try_emplace(numbers_.at(track(call).process), begin).first->second;
      first = std::min(first, begin);
    }
    std::map<Device, std::vector<std::size_t>> votes;
    std::map<Device, std::size_t> before;  // the process whose events come before the first event of the device
    std::size_t last = 0;
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      if (!track(i).on_device) {
        const auto known = numbers_.find(track(i).process);
        if (known != numbers_.end()) last = known->second;
        continue;
      }
      const Device device{track(i).process, track(i).device};
      before.try_emplace(device, last);
      std::vector<std::size_t>& of_device = votes[device];
      of_device.resize(processes_.size());
      const auto calls = is_device_work(trace_.kind[i]) ? calls_of.find(trace_.correlation[i]) : calls_of.end();
      if (calls == calls_of.end()) continue;
      for (const auto& [process, begin] : calls->second) of_device[process] += begin <= trace_.start[i] ? 1U : 0U;
    }
    std::map<Device, std::size_t> owners;
    for (const auto& [device, counts] : votes) owners[device] = owner(device, counts, before[device]);
    std::vector<std::size_t> result;
    for (const Track& row : trace_.tracks) {
      const auto known = numbers_.find(row.process);
      const std::size_t host = known == numbers_.end() ? 0 : known->second;
      result.push_back(row.on_device ? owners[{row.process, row.device}] : host);
    }
    return result;
  }

 private:
  using Device = std::pair<std::string, std::int32_t>;  // pid, device

  [[nodiscard]] const Track& track(std::size_t event) const { return trace_.tracks[trace_.track[event].index()]; }

  [[nodiscard]] std::size_t owner(const Device& device, const std::vector<std::size_t>& votes,
                                  std::size_t before) const {
    const std::string_view label = label_of(device.first);
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      if (!label.empty() && label_of(processes_[i]) == label) return i;
    }
    const std::size_t most = *std::max_element(votes.begin(), votes.end());
    if (votes[before] == most) return before;
    return static_cast<std::size_t>(std::find(votes.begin(), votes.end(), most) - votes.begin());
  }

  const HostDeviceTrace& trace_;
  std::vector<std::string> processes_;  // with launching calls, in the order of the file
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::uint32_t> launching_calls_;
};

/// Returns the part of the trace that belongs to `process`. `owners` gives the process of each track.
HostDeviceTrace part_of(const HostDeviceTrace& all, const std::vector<std::size_t>& owners, std::size_t process) {
  // Names every member, so that the compiler rejects a new one until it is handled below.
  const auto& [start, duration, kind, name, track, correlation, detail_of, details, tracks, texts, operators,
               operator_of, launches, launch_of, modules, memory, python, flops_of, overheads, hand_overs, storage_uses,
               collective_calls, communicators, transports, rank, world_size, ranks_of_batch, backend, host_name,
               windows, device_name, device_memory, modelled, samples, has_base_time, base_time] = all;
  HostDeviceTrace part;
  constexpr std::uint32_t kLeftOut = HostDeviceTrace::kNoDetail;
  std::vector<std::uint32_t> place(all.size(), kLeftOut);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (owners[track[i].index()] != process) continue;
    place[i] = static_cast<std::uint32_t>(part.size());
    part.start.push_back(start[i]);
    part.duration.push_back(duration[i]);
    part.kind.push_back(kind[i]);
    part.name.push_back(name[i]);
    part.track.push_back(track[i]);
    part.correlation.push_back(correlation[i]);
    part.detail.push_back(detail_of[i]);
  }
  const auto keep_pairs = [&](const auto& from, auto& to) {
    for (const auto& [event, value] : from) {
      if (place[event] != kLeftOut) to.emplace_back(place[event], value);
    }
  };
  keep_pairs(operator_of, part.operator_of);
  keep_pairs(launch_of, part.launch_of);
  keep_pairs(flops_of, part.flops_of);
  for (const auto& [from, to] : hand_overs) {
    if (place[from] != kLeftOut && place[to] != kLeftOut) part.hand_overs.emplace_back(place[from], place[to]);
  }
  const auto keep_calls = [&](const auto& from, auto& to) {
    std::copy_if(from.begin(), from.end(), std::back_inserter(to),
                 [&](const auto& call) { return owners[call.track.index()] == process; });
  };
  keep_calls(modules, part.modules);
  keep_calls(python, part.python);
  keep_calls(memory, part.memory);
  // What names no process is kept for each. An execution trace is joined later, so the next two are still empty.
  static_cast<void>(std::tie(storage_uses, collective_calls));
  std::tie(part.details, part.tracks, part.texts, part.operators, part.launches, part.overheads) =
      std::tie(details, tracks, texts, operators, launches, overheads);
  std::tie(part.communicators, part.transports, part.world_size, part.ranks_of_batch, part.backend, part.host_name) =
      std::tie(communicators, transports, world_size, ranks_of_batch, backend, host_name);
  std::tie(part.windows, part.device_name, part.device_memory, part.modelled, part.samples, part.has_base_time,
           part.base_time) = std::tie(windows, device_name, device_memory, modelled, samples, has_base_time, base_time);
  static_cast<void>(rank);  // of one of the processes
  part.rank = static_cast<std::int64_t>(process);
  return part;
}

}  // namespace

std::vector<ProcessTrace> split_processes(HostDeviceTrace trace) {
  std::vector<ProcessTrace> parts;
  const Owners owners(trace);
  const std::vector<std::size_t> of_tracks =
      owners.processes().size() > 1 ? owners.of_tracks() : std::vector<std::size_t>();
  std::set<std::size_t> with_device_work;
  for (std::size_t i = 0; i < of_tracks.size(); ++i) {
    if (trace.tracks[i].on_device) with_device_work.insert(of_tracks[i]);
  }
  if (with_device_work.size() < 2) {
    parts.push_back({{}, std::move(trace)});
    return parts;
  }
  for (std::size_t p = 0; p < owners.processes().size(); ++p)
    parts.push_back({owners.processes()[p], part_of(trace, of_tracks, p)});
  return parts;
}

}  // namespace stepsim::ingest
