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
#include "ingest/parts/tables.h"

namespace stepsim::ingest {
namespace {

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

/// Compares the tables of two traces with equally many events.
class Comparing {
 public:
  Comparing(std::size_t events, Duration later) : events_(events), later_(later) {}

  template <Role kRole, class Column>
  void column(Field<kRole, Column> a, Field<kRole, Column> b) {
    for (std::size_t i = 0; alike_ && i < events_; ++i) compare<kRole>(a.value[i], b.value[i]);
  }
  void rows(const std::vector<Track>& a, const std::vector<Track>& b) { alike_ = alike_ && are_alike(a, b); }
  template <class Row>
  void rows(const std::vector<Row>& a, const std::vector<Row>& b) {
    alike_ = alike_ && a.size() == b.size();
    for (std::size_t i = 0; alike_ && i < a.size(); ++i) {
      for_each_in([&](auto one, auto other) { compare<decltype(one)::kRole>(one.value, other.value); }, fields(a[i]),
                  fields(b[i]));
    }
  }
  [[nodiscard]] bool alike() const noexcept { return alike_; }

 private:
  template <Role kRole, class Value>
  void compare(const Value& a, const Value& b) {
    if constexpr (kRole == Role::kTime) {
      // A trace may claim any time, so differences may overflow.
      const auto number = [](Time time) { return static_cast<std::uint64_t>(time.time_since_epoch().count()); };
      alike_ = alike_ && number(a) - number(b) == static_cast<std::uint64_t>(later_.count());
    } else {
      alike_ = alike_ && a == b;
    }
  }

  std::size_t events_;
  Duration later_;
  bool alike_ = true;
};

bool are_alike(const HostDeviceTrace& a, const HostDeviceTrace& b) {
  TraceProperties properties = base_of<TraceProperties>(a);
  properties.rank = b.rank;
  properties.host_name = b.host_name;
  properties.base_time = b.base_time;
  if (a.size() != b.size() || !a.windows.empty() || properties != base_of<TraceProperties>(b)) return false;
  Comparing comparing(a.size(), difference(a, b));
  for_each_table(comparing, a, b);
  return comparing.alike();
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

}  // namespace

SharedEvents LikeTraces::share(HostDeviceTrace& trace) {
  const bool numbered =
      std::any_of(trace.groups.begin(), trace.groups.end(), [](const ProcessGroup& group) { return group.own >= 0; });
  if (trace.size() == 0 || numbered || !in_time(trace.start.front())) return {};
  HostDeviceTrace head;  // what the trace keeps
  head.tracks = trace.tracks;
  base_of<TraceProperties>(head) = base_of<TraceProperties>(trace);
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

void take_back(SharedEvents& shared, HostDeviceTrace& trace) {
  if (shared.trace == nullptr) return;
  HostDeviceTrace whole = shared.trace.use_count() == 1 ? std::move(*shared.trace) : *shared.trace;
  whole.tracks = std::move(trace.tracks);
  base_of<TraceProperties>(whole) = base_of<TraceProperties>(trace);
  trace = std::move(whole);
  if (shared.later != Duration{}) move_earlier(trace, -shared.later);
  shared = {};
}

}  // namespace stepsim::ingest
