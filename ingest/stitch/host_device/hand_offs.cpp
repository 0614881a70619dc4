#include "ingest/stitch/host_device/host_threads.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "ingest/stitch/host_device/rank_events.h"
#include "model/base/side_by_side.h"
#include "model/base/sort_runs.h"
#include "model/job/collective.h"

namespace stepsim::ingest {
namespace {

/// The annotation of a host collective may end this much later than the wait for the collective, because the thread
/// that ends the annotation must be scheduled first.
constexpr Duration kLateEnd{5'000'000};

/// A span of uninterrupted work on a thread other than the main one.
struct Work {
  Time begin;
  Time end;
  bool collective = false;
  bool backward = false;  ///< the autograd engine runs a node of the graph
};

/// The work of one thread, other than the main one, during a silence of the main thread.
struct Activity {
  Time first_begin;
  Time last_end;
  Duration covered{};
  bool ends_in_collective = false;
  bool began_before = false;
  bool backward = false;
};

/// Returns true for the operators in which PyTorch's autograd engine runs a node of the graph, by their names before
/// and since PyTorch 1.10. Other threads run these operators only for a thread that waits inside backward().
bool is_backward(std::string_view name) {
  return name.starts_with("autograd::engine::evaluate_function") || name.starts_with("torch::autograd::") ||
         name.ends_with("Backward") || name.ends_with("Backward0");
}

using NameTest = ByName<bool (*)(std::string_view)>;

/// Calls `use` with each piece of a thread's work, in the order of their ends. The work is not stored in a list,
/// because there may be as many pieces as events.
template <class Use>
void for_each_work(const RankEvents& events, const HostThread& thread, const NameTest& backward, Use use) {
  std::vector<Work> collectives;
  for (const HostCollective& one : thread.collectives) collectives.push_back({one.begin, one.end, true, false});
  const auto by_end = [](const Work& a, const Work& b) {
    return std::pair{a.end, a.begin} < std::pair{b.end, b.begin};
  };
  std::sort(collectives.begin(), collectives.end(), by_end);
  auto next = collectives.begin();
  cut_thread(events, *thread.recorded, [&](const Segment& segment) {
    if (segment.kind == Segment::Kind::kQuiet || segment.kind == Segment::Kind::kCollective || segment.awaits_batch)
      return;
    const Work work{segment.begin, segment.end, false, backward(segment.event)};
    while (next != collectives.end() && by_end(*next, work)) use(*next++);
    use(work);
  });
  std::for_each(next, collectives.end(), use);
}

/// Returns the silences of a thread, which are the quiet times longer than kShortQuiet. Neighbouring quiet segments are
/// merged. A wait for a data loader is not a silence, because its cause is known.
std::vector<std::pair<Time, Time>> silences_of(const RankEvents& events, const RankEvents::Thread& thread) {
  std::vector<std::pair<Time, Time>> silences;
  std::optional<std::pair<Time, Time>> quiet;
  const auto close = [&] {
    if (quiet && quiet->second - quiet->first > kShortQuiet) silences.push_back(*quiet);
    quiet.reset();
  };
  cut_thread(events, thread, [&](const Segment& segment) {
    if (segment.kind != Segment::Kind::kQuiet || segment.awaits_batch) return close();
    quiet = {quiet ? quiet->first : segment.begin, segment.end};
  });
  close();
  return silences;
}

/// Adds `work` to `to`, the activity of its thread in `silence`. `launches` is true if the thread launches device work.
void add(const Work& work, std::pair<Time, Time> silence, bool launches, std::optional<Activity>& to) {
  const bool first = !to;
  if (first) to = Activity{std::max(work.begin, silence.first), work.end, {}, false, false, false};
  Activity& activity = *to;
  activity.began_before = activity.began_before || work.begin < silence.first;
  activity.first_begin = std::min(activity.first_begin, std::max(work.begin, silence.first));
  // Short gaps between the calls of a thread that launches device work count as work, because the capture may lack the
  // thread's operators.
  if (launches && !first && work.begin - activity.last_end <= kShortQuiet)
    activity.covered += std::max(Duration{}, work.begin - activity.last_end);
  activity.last_end = work.end;
  activity.covered += work.end - std::max(work.begin, silence.first);
  activity.ends_in_collective = work.collective;
  activity.backward = activity.backward || work.backward;
}

bool explains(const Activity& activity, std::pair<Time, Time> silence) {
  if (activity.ends_in_collective || (activity.backward && !activity.began_before)) return true;
  const Duration span = activity.last_end - activity.first_begin;
  return 3 * activity.covered >= span && 2 * span >= silence.second - silence.first;
}

class SilenceReader {
 public:
  SilenceReader(const RankEvents& events, std::vector<HostThread>& threads, int threads_at_once)
      : events_(events),
        threads_(threads),
        main_(static_cast<std::uint32_t>(events.main_thread)),
        threads_at_once_(threads_at_once) {}

  std::vector<HandOff> run(const std::vector<std::pair<Time, Time>>& silences) {
    std::vector<Found> found = activities_in(silences);
    // The activities are sorted by thread, and a stable sort keeps that order within each silence.
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.silence < b.silence; });
    for (std::size_t begin = 0, end = 0; begin < found.size(); begin = end) {
      while (end < found.size() && found[end].silence == found[begin].silence) ++end;
      explain(silences[found[begin].silence], std::span<const Found>(found).subspan(begin, end - begin));
    }
    return std::move(hand_offs_);
  }

 private:
  /// A thread whose work explains a silence of the main thread. `silence` is an index into the silences.
  struct Found {
    std::size_t silence = 0;
    std::uint32_t thread = 0;
    Activity activity;
  };

  /// Returns the activities of all threads that explain a silence, sorted by thread.
  [[nodiscard]] std::vector<Found> activities_in(const std::vector<std::pair<Time, Time>>& silences) const {
    std::vector<Found> all;
    if (silences.empty()) return all;
    const NameTest backward(*events_.trace, is_backward);
    std::vector<std::vector<Found>> found(threads_.size());
    side_by_side(threads_at_once_, threads_.size(), [&](std::size_t thread) {
      if (thread != main_) found[thread] = activities_of(static_cast<std::uint32_t>(thread), silences, backward);
    });
    for (const std::vector<Found>& of_thread : found) all.insert(all.end(), of_thread.begin(), of_thread.end());
    return all;
  }

  [[nodiscard]] std::vector<Found> activities_of(std::uint32_t thread,
                                                 const std::vector<std::pair<Time, Time>>& silences,
                                                 const NameTest& backward) const {
    std::vector<Found> found;
    auto silence = silences.begin();
    std::optional<Activity> activity;  // activity in `silence`
    const auto close = [&] {
      if (activity && explains(*activity, *silence))
        found.push_back({static_cast<std::size_t>(silence - silences.begin()), thread, *activity});
      activity.reset();
    };
    for_each_work(events_, threads_[thread], backward, [&](const Work& work) {
      if (silence == silences.end()) return;
      if (silence->second < work.end) {
        close();
        // Skips ahead with a binary search, because most threads work in only a few silences.
        silence = std::partition_point(silence, silences.end(),
                                       [&work](const std::pair<Time, Time>& one) { return one.second < work.end; });
      }
      if (silence == silences.end() || work.end <= silence->first) return;
      add(work, *silence, events_.threads[thread].launches, activity);
    });
    close();
    return found;
  }

  void explain(std::pair<Time, Time> silence, std::span<const Found> threads) {
    Time wait_begin = silence.second;
    Time wait_end = silence.first;
    for (const auto& [number, thread, activity] : threads) {
      wait_begin = std::min(wait_begin, activity.first_begin);
      wait_end = std::max(wait_end, activity.last_end);
    }
    threads_[main_].waits.push_back({wait_begin, wait_end});
    threads_[main_].cuts.push_back(wait_end);
    for (const auto& [number, thread, activity] : threads) {
      hand_offs_.push_back({thread, activity.last_end, main_, wait_end});
      threads_[thread].cuts.push_back(activity.last_end);
      if (activity.ends_in_collective || activity.began_before) continue;
      hand_offs_.push_back({main_, wait_begin, thread, activity.first_begin});
      threads_[thread].cuts.push_back(activity.first_begin);
      threads_[thread].busy.emplace_back(activity.first_begin, activity.last_end);
    }
  }

  const RankEvents& events_;
  std::vector<HostThread>& threads_;
  std::uint32_t main_;
  int threads_at_once_;
  std::vector<HandOff> hand_offs_;
};

/// Returns the collectives of all threads except the main one, sorted by their begins.
std::vector<HostCollective*> collectives_of_others(std::vector<HostThread>& threads, std::size_t main_thread) {
  std::vector<HostCollective*> collectives;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    if (t == main_thread) continue;
    for (HostCollective& one : threads[t].collectives) collectives.push_back(&one);
  }
  std::stable_sort(collectives.begin(), collectives.end(),
                   [](const HostCollective* a, const HostCollective* b) { return a->begin < b->begin; });
  return collectives;
}

/// Corrects the ends of host collectives. A library wakes the thread that waits for a collective before it ends the
/// collective's annotation. So if collectives are still running when a silence of the main thread ends, the main thread
/// is assumed to have waited for the one that began first, and the end of this collective is set to the end of the
/// silence. This is done only if the recorded end of the collective is at most kLateEnd later, and if no other
/// collective ended in the last kShortQuiet of the silence.
void end_collectives_at_waiters(std::vector<HostThread>& threads, std::size_t main_thread,
                                const std::vector<std::pair<Time, Time>>& silences) {
  const std::vector<HostCollective*> collectives = collectives_of_others(threads, main_thread);
  using Ending = std::pair<Time, std::size_t>;  // (end, index of the collective)
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> running;
  std::vector<bool> over(collectives.size(), false);
  std::size_t first = 0;  // first collective that is not over
  std::size_t next = 0;
  Time last_end = Time::min();
  for (const auto& [begin, end] : silences) {
    for (; next < collectives.size() && collectives[next]->begin < end; ++next)
      running.emplace(collectives[next]->end, next);
    for (; !running.empty() && running.top().first <= end; running.pop()) {
      const auto [ended, one] = running.top();
      if (over[one]) continue;
      over[one] = true;
      last_end = std::max(last_end, ended);
    }
    while (first < next && over[first]) ++first;
    if (first == next || last_end > end - kShortQuiet || collectives[first]->end > end + kLateEnd) continue;
    collectives[first]->end = last_end = end;
    over[first] = true;
  }
}

void mark_background(const RankEvents& events, const std::vector<HandOff>& hand_offs,
                     std::vector<HostThread>& threads) {
  std::vector<bool> needed(threads.size(), false);
  needed[events.main_thread] = true;
  for (const HandOff& hand_off : hand_offs) needed[hand_off.from] = true;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    threads[t].background = !needed[t] && !events.threads[t].launches && threads[t].collectives.empty();
  }
}

/// Returns the operation that the library runs for a call. gloo runs a reduce-scatter as an all-reduce.
std::string_view served_as(std::string_view name) {
  const NamedOperation* const operation = find_operation(name);
  if (operation == nullptr) return {};
  return operation->op == CollectiveOp::kReduceScatter ? named_operation(CollectiveOp::kAllReduce).word
                                                       : operation->word;
}

struct Call {
  Time begin;
  Time end;
  std::uint32_t thread = 0;
  std::string_view operation;
};

void sort_calls(std::vector<Call>& calls) {
  sort_runs(calls, [](const Call& a, const Call& b) {
    return std::tuple{a.begin, a.thread, a.end} < std::tuple{b.begin, b.thread, b.end};
  });
}

std::vector<Call> framework_calls(const RankEvents& events) {
  std::vector<Call> calls;
  const ByName distributed(*events.trace, [](std::string_view name) { return name.starts_with(kProcessGroupCall); });
  for (std::uint32_t t = 0; t < events.threads.size(); ++t) {
    for (const std::uint32_t event : events.threads[t].events) {
      if (events.trace->kind[event] != EventKind::kOp || !distributed(event)) continue;
      calls.push_back({events.begin_of(event), events.end_of(event), t,
                       served_as(events.name_of(event).substr(kProcessGroupCall.size()))});
    }
  }
  sort_calls(calls);
  return calls;
}

std::vector<Call> collective_runs(const RankEvents& events, const std::vector<HostThread>& threads) {
  std::vector<Call> runs;
  for (std::uint32_t t = 0; t < threads.size(); ++t) {
    for (const HostCollective& one : threads[t].collectives) {
      runs.push_back({one.begin, one.end, t, served_as(events.name_of(one.event))});
    }
  }
  sort_calls(runs);
  return runs;
}

}  // namespace

std::vector<HandOff> explain_silences(const RankEvents& events, std::vector<HostThread>& threads, int threads_at_once) {
  if (threads.empty()) return {};
  const std::vector<std::pair<Time, Time>> silences = silences_of(events, events.threads[events.main_thread]);
  end_collectives_at_waiters(threads, events.main_thread, silences);
  std::vector<HandOff> hand_offs = SilenceReader(events, threads, threads_at_once).run(silences);
  mark_background(events, hand_offs, threads);
  return hand_offs;
}

std::vector<HandOff> recorded_hand_overs(const RankEvents& events, std::vector<HostThread>& threads) {
  const HostDeviceTrace& trace = *events.trace;
  if (trace.hand_overs.empty()) return {};
  std::vector<std::uint32_t> thread_of_track(trace.tracks.size(), kNoIndex);
  for (std::uint32_t t = 0; t < events.threads.size(); ++t) thread_of_track[events.threads[t].track.index()] = t;
  std::vector<HandOff> hand_overs;
  for (const auto& [from_event, to_event] : trace.hand_overs) {
    const std::uint32_t from = thread_of_track[trace.track[from_event].index()];
    const std::uint32_t to = thread_of_track[trace.track[to_event].index()];
    const Time taken = events.begin_of(to_event);
    if (from == kNoIndex || to == kNoIndex || from == to || taken <= events.begin_of(from_event)) continue;
    const Time put = std::min(events.end_of(from_event), taken);
    threads[from].cuts.push_back(put);
    threads[to].cuts.push_back(taken);
    hand_overs.push_back({from, put, to, taken});
  }
  return hand_overs;
}

std::vector<HandOff> find_submissions(const RankEvents& events, std::vector<HostThread>& threads,
                                      std::uint64_t& unmatched) {
  const std::vector<Call> runs = collective_runs(events, threads);
  if (runs.empty()) return {};
  std::map<std::string_view, std::deque<Call>> waiting;
  for (const Call& call : framework_calls(events)) waiting[call.operation].push_back(call);
  std::vector<HandOff> submissions;
  for (const Call& run : runs) {
    std::deque<Call>& queue = waiting[run.operation];
    if (queue.empty() || queue.front().begin > run.begin) {
      ++unmatched;
      continue;
    }
    const Call call = queue.front();
    queue.pop_front();
    if (call.thread == run.thread) continue;
    const Time submitted = std::min(run.begin, call.end);
    threads[call.thread].cuts.push_back(submitted);
    submissions.push_back({call.thread, submitted, run.thread, run.begin});
  }
  return submissions;
}

namespace {

constexpr std::string_view kAccumulation = "torch::autograd::AccumulateGrad";

/// Returns the size of the first input of the first operator with shapes inside a thread's event number `at`; 0 if
/// there is none.
Bytes first_input_inside(const RankEvents& events, const RankEvents::Thread& thread, std::size_t at) {
  const auto& operator_of = events.trace->operator_of;
  const Time end = events.end_of(thread.events[at]);
  for (++at; at < thread.events.size() && events.begin_of(thread.events[at]) < end; ++at) {
    const std::uint32_t event = thread.events[at];
    if (operator_of[event] == kNoIndex) continue;
    const std::vector<TensorShape>& inputs = events.trace->operators[operator_of[event]].inputs;
    return inputs.empty() ? Bytes{} : Bytes{static_cast<std::int64_t>(inputs.front().bytes())};
  }
  return {};
}

}  // namespace

std::vector<GradientMark> find_gradients(const RankEvents& events, std::vector<HostThread>& threads) {
  std::vector<GradientMark> gradients;
  struct Around {
    std::uint32_t op = kNoIndex;  // the innermost operator
  };
  const ByName accumulates(*events.trace, [](std::string_view name) { return name == kAccumulation; });
  for (std::uint32_t t = 0; t < events.threads.size(); ++t) {
    std::size_t at = 0;
    for_each_nested<Around>(events, events.threads[t], [&](std::uint32_t event, const Around& around) {
      if (accumulates(event)) {
        const EventDetail* const detail = events.trace->detail_of(event);
        Bytes bytes = detail == nullptr ? Bytes{} : detail->bytes;
        if (bytes == Bytes{}) bytes = first_input_inside(events, events.threads[t], at);
        const Time ready = events.end_of(around.op == kNoIndex ? event : around.op);
        if (bytes > Bytes{}) threads[t].cuts.push_back(ready);
        gradients.push_back({ready, t, bytes});
      }
      ++at;
      return events.trace->kind[event] == EventKind::kOp ? Around{event} : around;
    });
  }
  std::stable_sort(gradients.begin(), gradients.end(),
                   [](const GradientMark& a, const GradientMark& b) { return a.ready < b.ready; });
  return gradients;
}

void add_gradients(const std::vector<GradientMark>& gradients, const std::vector<HostThread>& threads,
                   Assembly& assembly) {
  for (const GradientMark& mark : gradients) {
    const TaskId task = threads[mark.thread].task_ending_by(mark.ready, assembly);
    if (task.valid()) assembly.gradients.push_back({task, mark.bytes});
  }
}

}  // namespace stepsim::ingest
