#include "ingest/formats/kineto/processes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "ingest/parts/tables.h"
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

/// Copies what belongs to one process. What names no event and no row is kept for each process.
class Splitting {
 public:
  /// `owners` gives the process of each track.
  Splitting(const HostDeviceTrace& all, const std::vector<std::size_t>& owners, std::size_t process)
      : owners_(owners), process_(process), place_(all.size(), kLeftOut) {
    for (std::uint32_t i = 0; i < place_.size(); ++i) {
      if (!is_own(all.track[i])) continue;
      place_[i] = static_cast<std::uint32_t>(events_.size());
      events_.push_back(i);
    }
  }

  template <Role kRole, class Column>
  void column(Field<kRole, Column> part, Field<kRole, const Column> all) const {
    for (std::size_t i = 0; i < events_.size(); ++i) append(part.value, i, all.value[events_[i]]);
  }
  static void rows(std::vector<Track>& part, const std::vector<Track>& all) { part = all; }
  template <class Row>
  void rows(std::vector<Row>& part, const std::vector<Row>& all) const {
    for (Row row : all) {
      bool own = true;
      for_each_in([&](auto field) { own = own && is_kept(field); }, fields(row));
      if (own) part.push_back(std::move(row));
    }
  }

 private:
  static constexpr std::uint32_t kLeftOut = HostDeviceTrace::kNone;

  [[nodiscard]] bool is_own(TrackId track) const { return owners_[track.index()] == process_; }
  /// Returns false if what the field refers to is not of the process. Gives the number of an event in the part.
  template <Role kRole, class Value>
  [[nodiscard]] bool is_kept(Field<kRole, Value> field) const {
    if constexpr (kRole == Role::kTrack) return is_own(field.value);
    if constexpr (kRole == Role::kEvent) return (field.value = place_[field.value]) != kLeftOut;
    return true;
  }

  const std::vector<std::size_t>& owners_;
  std::size_t process_;
  std::vector<std::uint32_t> events_;  ///< of the process
  std::vector<std::uint32_t> place_;   ///< of each event among these
};

HostDeviceTrace part_of(const HostDeviceTrace& all, const std::vector<std::size_t>& owners, std::size_t process) {
  HostDeviceTrace part;
  base_of<TraceProperties>(part) = base_of<TraceProperties>(all);
  part.rank = static_cast<std::int64_t>(process);
  for_each_table(Splitting(all, owners, process), part, all);
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
