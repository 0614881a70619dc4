#include "ingest/parts/host_device_builder.h"

#include <algorithm>
#include <string>

#include "ingest/parts/process_groups.h"

namespace stepsim::ingest {

std::optional<KernelLaunch> recorded_launch(std::int64_t blocks, std::int64_t threads, std::int64_t registers,
                                            std::int64_t shared_memory) noexcept {
  // No device has more than these, so a larger value means a damaged record.
  constexpr std::int64_t kMostThreads = 1'024;
  constexpr std::int64_t kMostRegisters = 1'024;
  constexpr std::int64_t kMostShared = std::int64_t{1} << 24;
  const auto within = [](std::int64_t value, std::int64_t least, std::int64_t most) {
    return value >= least && value <= most;
  };
  if (blocks < 1 || !within(threads, 1, kMostThreads) || !within(registers, 1, kMostRegisters) ||
      !within(shared_memory, 0, kMostShared))
    return std::nullopt;
  return KernelLaunch{static_cast<std::uint64_t>(blocks), static_cast<std::uint32_t>(threads),
                      static_cast<std::uint32_t>(registers), static_cast<std::uint32_t>(shared_memory)};
}

std::uint32_t HostDeviceBuilder::add(EventKind kind, std::string_view name, TrackId track, RecordedTime time,
                                     std::int64_t correlation) {
  trace_.start.push_back(time.start);
  trace_.duration.push_back(time.length);
  trace_.kind.push_back(kind);
  trace_.name.push_back(texts_.intern(name));
  trace_.track.push_back(track);
  const auto event = static_cast<std::uint32_t>(trace_.size() - 1);
  trace_.correlation.set(event, correlation);
  return event;
}

void HostDeviceBuilder::reserve(std::size_t events) {
  if (events <= trace_.size() || trace_.size() == 0) return;
  const double times = static_cast<double>(events) / static_cast<double>(trace_.size());
  const auto in_all = [times](std::size_t now) { return static_cast<std::size_t>(static_cast<double>(now) * times); };
  trace_.start.reserve(events);
  trace_.duration.reserve(events);
  trace_.kind.reserve(events);
  trace_.name.reserve(events);
  trace_.track.reserve(events);
  trace_.correlation.reserve(events);
  trace_.detail.reserve(events);
  trace_.operator_of.reserve(events);
  trace_.launch_of.reserve(events);
  trace_.details.reserve(in_all(trace_.details.size()));
  trace_.memory.reserve(in_all(trace_.memory.size()));
}

EventDetail& HostDeviceBuilder::detail(std::uint32_t event) {
  if (trace_.detail[event] == HostDeviceTrace::kNone) {
    trace_.detail.set(event, static_cast<std::uint32_t>(trace_.details.size()));
    trace_.details.emplace_back();
  }
  return trace_.details[trace_.detail[event]];
}

ProcessGroupId HostDeviceBuilder::group(const ProcessGroup& group) {
  const auto [known, added] = groups_.try_emplace(group, ProcessGroupId{trace_.groups.size()});
  if (added) trace_.groups.push_back(group);
  return known->second;
}

ProcessGroupId HostDeviceBuilder::group(std::string_view text) {
  const auto known = groups_by_text_.find(text);
  if (known != groups_by_text_.end()) return known->second;
  Group found = group_named(text);
  ProcessGroup row{.name = {}, .size = found.size, .ranks = std::move(found.ranks)};
  if (!found.name.empty()) row.name = this->text(found.name);
  return groups_by_text_.emplace(text, group(row)).first->second;
}

void HostDeviceBuilder::set_launch(std::uint32_t event, const KernelLaunch& launch) {
  const auto [known, added] = launches_.try_emplace(launch, static_cast<std::uint32_t>(trace_.launches.size()));
  if (added) trace_.launches.push_back(launch);
  trace_.launch_of.set(event, known->second);
}

TrackId HostDeviceBuilder::thread(std::string_view process, std::string_view thread) {
  if (last_thread_.valid()) {
    const Track& last = trace_.tracks[last_thread_.index()];
    if (last.thread == thread && last.process == process) return last_thread_;
  }
  std::string key{process};
  (key += '\0') += thread;
  const auto [known, added] = threads_.try_emplace(std::move(key), TrackId{trace_.tracks.size()});
  if (added) trace_.tracks.push_back({.process = std::string{process}, .thread = std::string{thread}, .name = {}});
  return last_thread_ = known->second;
}

bool HostDeviceBuilder::is_last_stream(std::int32_t device, std::int64_t stream) const noexcept {
  if (!last_stream_.valid()) return false;
  const Track& last = trace_.tracks[last_stream_.index()];
  return last.stream == stream && last.device == device;
}

TrackId HostDeviceBuilder::stream(std::int32_t device, std::int64_t stream) {
  if (is_last_stream(device, stream)) return last_stream_;
  return this->stream(std::to_string(device), std::to_string(stream), device, stream);
}

TrackId HostDeviceBuilder::stream(std::string_view process, std::string_view thread, std::int32_t device,
                                  std::int64_t stream) {
  if (is_last_stream(device, stream) && trace_.tracks[last_stream_.index()].process == process) return last_stream_;
  const auto [known, added] =
      streams_.try_emplace({std::string{process}, device, stream}, TrackId{trace_.tracks.size()});
  if (added) {
    trace_.tracks.push_back({.process = std::string{process},
                             .thread = std::string{thread},
                             .name = {},
                             .on_device = true,
                             .device = device,
                             .stream = stream});
  }
  return last_stream_ = known->second;
}

HostDeviceTrace HostDeviceBuilder::take() && {
  trace_.texts = std::move(texts_).take();
  return std::move(trace_);
}

}  // namespace stepsim::ingest
