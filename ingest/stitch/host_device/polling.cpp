#include "ingest/stitch/host_device/polling.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "model/base/sort_runs.h"

namespace stepsim::ingest {
namespace {

/// The host goes on within this of the end of what it waited for, or within this share of its wait if that is less.
constexpr Duration kPollGrain{100'000};
constexpr std::int64_t kPollShare = 10;
/// As often it must have happened with work of one name, and in that part of the cases.
constexpr std::size_t kTimes = 3;
constexpr std::size_t kOf = 4;

/// A stretch of time in which a thread launches nothing, and the work that it launched last before.
struct Silence {
  std::uint32_t thread = 0;
  std::uint32_t op = kNoIndex;
  Time begin;
  Time end;

  [[nodiscard]] bool ends_with(const DeviceOp& work) const {
    const Duration grain = std::min(kPollGrain, (end - begin) / kPollShare);
    return work.end > begin && end - grain <= work.end && work.end <= end + grain;
  }
};

/// The pieces of work that each thread launched, by the begins of their calls.
std::vector<std::vector<std::pair<Time, std::uint32_t>>> launches_by_thread(const RankEvents& events) {
  std::vector<std::vector<std::pair<Time, std::uint32_t>>> launches(events.threads.size());
  for (std::uint32_t i = 0; i < events.ops.size(); ++i) {
    const DeviceOp& op = events.ops[i];
    if (op.call != kNoIndex) launches[op.thread].emplace_back(events.begin_of(op.call), i);
  }
  for (auto& of_thread : launches) sort_runs(of_thread);
  return launches;
}

/// Collects the silences of one thread after which it may have gone on because of device work.
class SilenceFinder {
 public:
  using Launches = std::vector<std::pair<Time, std::uint32_t>>;

  SilenceFinder(const HostThread& thread, std::uint32_t index, const Launches& launches, std::vector<Silence>& found)
      : explained_(thread.merged_waits()), index_(index), launches_(launches), found_(found) {}

  /// In order of time.
  void add(const Segment& segment) {
    const bool quiet = segment.kind == Segment::Kind::kQuiet;
    if (quiet && quiet_ && end_ == segment.begin) {  // under one annotation, then under another
      end_ = segment.end;
      return;
    }
    close();
    if (!quiet && segment.kind != Segment::Kind::kWork) return;
    quiet_ = quiet;
    begin_ = segment.begin;
    end_ = segment.end;
  }

  void close() {
    Silence silence{index_, kNoIndex, begin_, end_};
    begin_ = end_;
    if (silence.end - silence.begin <= kShortQuiet) return;
    silence.op = last_launched(silence.begin);
    if (silence.op == kNoIndex) return;
    while (at_ < explained_.size() && explained_[at_].second <= silence.begin) ++at_;
    if (at_ == explained_.size() || explained_[at_].first >= silence.end) found_.push_back(silence);
  }

 private:
  [[nodiscard]] std::uint32_t last_launched(Time by) const {
    const auto after = std::upper_bound(launches_.begin(), launches_.end(), std::pair{by, kNoIndex});
    return after == launches_.begin() ? kNoIndex : std::prev(after)->second;
  }

  std::vector<std::pair<Time, Time>> explained_;
  std::uint32_t index_;
  const Launches& launches_;
  std::vector<Silence>& found_;
  std::size_t at_ = 0;  ///< in explained_
  bool quiet_ = false;
  Time begin_{};
  Time end_{};
};

}  // namespace

std::vector<HostWait> find_polls(const RankEvents& events, std::vector<HostThread>& threads) {
  const auto launches = launches_by_thread(events);
  std::vector<Silence> silences;
  for (std::uint32_t t = 0; t < threads.size(); ++t) {
    if (launches[t].empty()) continue;
    SilenceFinder finder(threads[t], t, launches[t], silences);
    cut_thread(events, events.threads[t], [&finder](const Segment& segment) { finder.add(segment); });
    finder.close();
  }

  struct Count {
    std::size_t silences = 0;
    std::size_t in_time = 0;
  };
  const auto name_of = [&](const Silence& silence) { return events.trace->name[events.ops[silence.op].event]; };
  std::map<std::pair<std::uint32_t, TextId>, Count> counts;
  for (const Silence& silence : silences) {
    Count& count = counts[{silence.thread, name_of(silence)}];
    ++count.silences;
    if (silence.ends_with(events.ops[silence.op])) ++count.in_time;
  }

  std::vector<HostWait> polls;
  for (const Silence& silence : silences) {
    const Count& count = counts[{silence.thread, name_of(silence)}];
    const DeviceOp& op = events.ops[silence.op];
    const bool usual = count.in_time >= kTimes && kOf * count.in_time >= (kOf - 1) * count.silences;
    if (!usual || !silence.ends_with(op)) continue;
    HostThread& thread = threads[silence.thread];
    thread.waits.push_back({silence.begin, op.end});
    thread.cuts.push_back(op.end);
    polls.push_back({silence.op, silence.thread, op.end});
  }
  return polls;
}

}  // namespace stepsim::ingest
