#include "ingest/stitch/host_device/host_threads.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/median.h"

namespace stepsim::ingest {
namespace {

/// An operator that takes this many times its usual time did not run throughout. Its median is of at least kLeastAlike.
constexpr std::int64_t kPauseFactor = 50;
constexpr std::size_t kLeastAlike = 5;
/// Shorter pauses are in every capture, and change no step.
constexpr Duration kLeastPause{1'000'000};
/// The times of operators vary little if nine tenths of them take at most this many times the median.
constexpr std::int64_t kLittleVaried = 5;
/// Recorded times may be whole microseconds, so that short operators take none.
constexpr Duration kLeastUsual{1'000};

class PauseFinder {
 public:
  explicit PauseFinder(const RankEvents& events)
      : events_(events), may_pause_(events.trace->texts.size()), is_wanted_(events.trace->texts.size()) {
    for (std::size_t text = 0; text < may_pause_.size(); ++text)
      may_pause_[text] = may_pause(events.trace->texts[text]);
  }

  void run(std::vector<HostThread>& threads) {
    std::vector<std::pair<std::size_t, std::uint32_t>> longest;  // of threads, by thread and time
    for (std::size_t t = 0; t < threads.size(); ++t) {
      for_each_innermost(events_.threads[t], [&](std::uint32_t event) {
        if (events_.trace->duration[event] < kLeastPause) return;
        longest.emplace_back(t, event);
        is_wanted_[events_.trace->name[event].index()] = true;
      });
    }
    if (longest.empty()) return;
    find_usual_times();
    for (std::size_t i = 0; i < longest.size();) {
      HostThread& thread = threads[longest[i].first];
      const std::vector<std::pair<Time, Time>> waits = thread.merged_waits();
      for (const std::size_t t = longest[i].first; i < longest.size() && longest[i].first == t; ++i) {
        const std::uint32_t event = longest[i].second;
        const Duration usual = usual_.at(kind_of(event));
        const Duration took = events_.trace->duration[event];
        if (usual > Duration{} && took >= kPauseFactor * usual && took - usual >= kLeastPause &&
            !waits_in(event, waits))
          thread.pauses.push_back({event, took - usual});
      }
    }
  }

 private:
  /// Operators of the same name and shapes; kNoIndex without shapes.
  using Kind = std::pair<TextId, std::uint32_t>;

  /// True for operators that wait neither for a device nor for other ranks. If calls were not recorded, a copy may. The
  /// oldest traces record annotations as operators, such as "enumerate(DataLoader)#..." and "## forward ##".
  [[nodiscard]] bool may_pause(std::string_view name) const {
    return name.find_first_of("# ") == std::string_view::npos && name.find("c10d") == std::string_view::npos &&
           name != kRecordedCall && !reads_result(name) && (name != "aten::copy_" || !events_.calls.empty());
  }

  /// Calls `use` with the operators of a thread that may pause and have no events in them.
  template <class Use>
  void for_each_innermost(const RankEvents::Thread& thread, const Use& use) const {
    for (std::size_t i = 0; i < thread.events.size(); ++i) {
      const std::uint32_t event = thread.events[i];
      if (events_.trace->kind[event] != EventKind::kOp || !may_pause_[events_.trace->name[event].index()]) continue;
      const bool innermost =
          i + 1 == thread.events.size() || events_.begin_of(thread.events[i + 1]) >= events_.end_of(event);
      if (innermost && !events_.awaits_batch(event)) use(event);
    }
  }

  [[nodiscard]] Kind kind_of(std::uint32_t event) const {
    return {events_.trace->name[event], events_.trace->operator_of[event]};
  }

  /// Finds the usual time of each kind of operators with a wanted name.
  void find_usual_times() {
    std::map<Kind, std::vector<Duration>> times;
    for (const RankEvents::Thread& thread : events_.threads) {
      for_each_innermost(thread, [&](std::uint32_t event) {
        if (is_wanted_[events_.trace->name[event].index()])
          times[kind_of(event)].push_back(events_.trace->duration[event]);
      });
    }
    for (auto& [kind, of_kind] : times) usual_[kind] = usual_time(std::move(of_kind));
  }

  /// Returns the usual time of operators that took these times; 0 if there is none.
  [[nodiscard]] static Duration usual_time(std::vector<Duration> times) {
    if (times.size() < kLeastAlike) return {};
    const Duration usual = std::max(upper_median(times), kLeastUsual);
    std::erase_if(times, [usual](Duration took) { return took >= kPauseFactor * usual; });
    const auto most = times.begin() + static_cast<std::ptrdiff_t>(times.size() * 9 / 10);
    std::nth_element(times.begin(), most, times.end());
    return *most <= kLittleVaried * usual ? usual : Duration{};
  }

  /// True if the thread waited during the event. `waits` are merged.
  [[nodiscard]] bool waits_in(std::uint32_t event, const std::vector<std::pair<Time, Time>>& waits) const {
    const auto after = std::upper_bound(waits.begin(), waits.end(), events_.begin_of(event),
                                        [](Time time, const auto& wait) { return time < wait.second; });
    return after != waits.end() && after->first < events_.end_of(event);
  }

  const RankEvents& events_;
  std::vector<bool> may_pause_;  ///< by TextId
  std::vector<bool> is_wanted_;  ///< by TextId
  std::map<Kind, Duration> usual_;
};

}  // namespace

void find_pauses(const RankEvents& events, std::vector<HostThread>& threads) { PauseFinder(events).run(threads); }

}  // namespace stepsim::ingest
