#include "ingest/parts/like_traces.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/parts/busy_time.h"

namespace stepsim::ingest {
namespace {

/// True if two columns of any type have the same values.
template <class Column>
bool are_equal(const Column& a, const Column& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

/// True if two lists have the same values in these fields, which are pointers to members or functions.
template <class Row, class... Field>
bool are_equal(const std::vector<Row>& a, const std::vector<Row>& b, Field... fields) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const Row& one, const Row& other) {
    return (... && (std::invoke(fields, one) == std::invoke(fields, other)));
  });
}

/// True if the names on one side stand for those on the other: equal names for equal ones.
class Renaming {
 public:
  bool fits(const std::string& a, const std::string& b) {
    return there_.try_emplace(a, b).first->second == b && back_.try_emplace(b, a).first->second == a;
  }

 private:
  std::map<std::string, std::string> there_;
  std::map<std::string, std::string> back_;
};

bool are_alike(const std::vector<Track>& a, const std::vector<Track>& b) {
  Renaming names;
  Renaming devices;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const Track& one, const Track& other) {
    return one.on_device == other.on_device && one.stream == other.stream && names.fits(one.process, other.process) &&
           names.fits(one.thread, other.thread) &&
           devices.fits(std::to_string(one.device), std::to_string(other.device));
  });
}

/// Returns how much later `a` begins than `b`. Precondition: in_time() is true for their first events.
Duration difference(const HostDeviceTrace& a, const HostDeviceTrace& b) { return a.start.front() - b.start.front(); }

bool are_alike(const HostDeviceTrace& a, const HostDeviceTrace& b) {
  // Names every member, so that the compiler rejects a new one until it is handled below.
  const auto& [start, duration, kind, name, track, correlation, detail, details, tracks, texts, operators, operator_of,
               launches, launch_of, modules, memory, python, flops_of, overheads, hand_overs, storage_uses,
               collective_calls, communicators, transports, rank, world_size, ranks_of_batch, backend, host_name,
               windows, device_name, device_memory, modelled, samples, has_base_time, base_time] = b;
  using Trace = HostDeviceTrace;
  const Duration later = difference(a, b);
  const auto number = [](Time time) { return static_cast<std::uint64_t>(time.time_since_epoch().count()); };
  const auto is_later = [&](Time one, Time other) {  // a trace may claim any time, so differences may overflow
    return number(one) - number(other) == static_cast<std::uint64_t>(later.count());
  };
  const auto are_later = [&](const auto& one, const auto& other, auto time) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [&](const auto& x, const auto& y) { return is_later(x.*time, y.*time); });
  };
  const bool head = std::tie(a.world_size, a.ranks_of_batch, a.backend, a.device_name, a.device_memory, a.modelled,
                             a.samples, a.has_base_time) == std::tie(world_size, ranks_of_batch, backend, device_name,
                                                                     device_memory, modelled, samples, has_base_time);
  const bool differing = a.windows.empty() && windows.empty() && are_alike(a.tracks, tracks);
  static_cast<void>(std::tie(rank, host_name, base_time, communicators, transports));
  return head && differing && are_equal(a.duration, duration) &&
         std::equal(a.start.begin(), a.start.end(), start.begin(), start.end(), is_later) && a.kind == kind &&
         a.name == name && a.track == track && are_equal(a.correlation, correlation) && are_equal(a.detail, detail) &&
         are_equal(a.details, details, &EventDetail::bytes, &EventDetail::stream, &EventDetail::wait_stream,
                   &EventDetail::wait_correlation, &EventDetail::sequence, &EventDetail::elements,
                   &EventDetail::collective, &EventDetail::group, &EventDetail::dtype, &EventDetail::peer) &&
         a.texts == texts &&
         are_equal(a.operators, operators, &OperatorTable::Operator::name, &OperatorTable::Operator::shapes,
                   &OperatorTable::Operator::work) &&
         a.operator_of == operator_of && a.launches == launches && a.launch_of == launch_of &&
         are_equal(a.modules, modules, &Trace::ModuleCall::track, &Trace::ModuleCall::name,
                   &Trace::ModuleCall::length) &&
         are_later(a.modules, modules, &Trace::ModuleCall::begin) &&
         are_equal(a.memory, memory, &Trace::MemoryEvent::track, &Trace::MemoryEvent::block,
                   &Trace::MemoryEvent::device, &Trace::MemoryEvent::change, &Trace::MemoryEvent::allocated,
                   &Trace::MemoryEvent::reserved) &&
         are_later(a.memory, memory, &Trace::MemoryEvent::time) &&
         are_equal(a.python, python, &Trace::ModuleCall::track, &Trace::ModuleCall::name, &Trace::ModuleCall::length) &&
         are_later(a.python, python, &Trace::ModuleCall::begin) && a.flops_of == flops_of &&
         are_equal(a.overheads, overheads, &Trace::Overhead::kind, &Trace::Overhead::length) &&
         are_later(a.overheads, overheads, &Trace::Overhead::start) && a.hand_overs == hand_overs &&
         are_equal(a.storage_uses, storage_uses, &Trace::StorageUse::event, &Trace::StorageUse::written,
                   &Trace::StorageUse::storage) &&
         are_equal(a.collective_calls, collective_calls, &Trace::CollectiveCall::event, &Trace::CollectiveCall::waits,
                   &Trace::CollectiveCall::sequence);
}

/// Returns a number that is equal for traces that are alike, and hardly ever for others: those of one program often
/// have equally many events, or equal times. Precondition: the trace has events.
std::uint64_t fingerprint_of(const HostDeviceTrace& trace) {
  std::uint64_t sum = trace.size();
  const auto add = [&sum](std::uint64_t number) {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;  // 2^64 divided by the golden ratio
    sum = ((sum ^ number) ^ (sum ^ number) >> 32U) * kOdd;
  };
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value.count()); };
  const std::uint64_t first = number(trace.start.front().time_since_epoch());
  for (std::size_t i = 0; i < trace.size(); ++i) {
    add((number(trace.start[i].time_since_epoch()) - first) ^ std::rotl(number(trace.duration[i]), 24) ^
        std::rotl(static_cast<std::uint64_t>(trace.correlation[i]), 40) ^
        std::rotl(std::uint64_t{trace.name[i].index()}, 52));
  }
  for (const EventDetail& detail : trace.details) {
    add(number(detail.bytes) ^ std::rotl(static_cast<std::uint64_t>(detail.sequence), 24) ^
        std::rotl(static_cast<std::uint64_t>(detail.peer), 48));
  }
  for (const HostDeviceTrace::MemoryEvent& event : trace.memory) add(event.block ^ std::rotl(number(event.change), 32));
  for (const std::string& text : trace.texts) add(std::hash<std::string>{}(text));
  return sum;
}

/// Returns what a trace keeps while its events are shared.
HostDeviceTrace head_of(const HostDeviceTrace& trace) {
  HostDeviceTrace head;
  head.tracks = trace.tracks;
  head.rank = trace.rank;
  head.world_size = trace.world_size;
  head.ranks_of_batch = trace.ranks_of_batch;
  head.backend = trace.backend;
  head.host_name = trace.host_name;
  head.device_name = trace.device_name;
  head.device_memory = trace.device_memory;
  head.modelled = trace.modelled;
  head.samples = trace.samples;
  head.has_base_time = trace.has_base_time;
  head.base_time = trace.base_time;
  return head;
}

}  // namespace

SharedEvents LikeTraces::share(HostDeviceTrace& trace) {
  if (trace.size() == 0 || !trace.communicators.empty() || !in_time(trace.start.front())) return {};
  HostDeviceTrace head = head_of(trace);
  const std::uint64_t fingerprint = fingerprint_of(trace);
  const std::lock_guard lock(mutex_);
  const auto [first, last] = known_.equal_range(fingerprint);
  const auto like = std::find_if(first, last, [&](const auto& one) {
    ++compared_;
    return are_alike(trace, *one.second);
  });
  SharedEvents shared;
  if (like != last) {
    shared = {like->second, difference(trace, *like->second)};
  } else {
    shared.trace = known_.emplace(fingerprint, std::make_shared<HostDeviceTrace>(std::move(trace)))->second;
  }
  trace = std::move(head);
  return shared;
}

void move_earlier(HostDeviceTrace& trace, Duration time) {
  for (Time& start : trace.start) start -= time;
  for (HostDeviceTrace::ModuleCall& call : trace.modules) call.begin -= time;
  for (HostDeviceTrace::ModuleCall& call : trace.python) call.begin -= time;
  for (HostDeviceTrace::MemoryEvent& event : trace.memory) event.time -= time;
  for (HostDeviceTrace::Overhead& one : trace.overheads) one.start -= time;
  for (auto& [begin, end] : trace.windows) {
    begin -= time;
    end -= time;
  }
}

void take_back(SharedEvents& shared, HostDeviceTrace& trace) {
  if (shared.trace == nullptr) return;
  HostDeviceTrace whole = shared.trace.use_count() == 1 ? std::move(*shared.trace) : *shared.trace;
  whole.tracks = std::move(trace.tracks);
  whole.rank = trace.rank;
  whole.host_name = std::move(trace.host_name);
  whole.base_time = trace.base_time;
  trace = std::move(whole);
  if (shared.later != Duration{}) move_earlier(trace, -shared.later);
  shared = {};
}

}  // namespace stepsim::ingest
