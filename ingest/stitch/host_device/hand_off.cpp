#include "ingest/stitch/host_device/hand_off.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "ingest/parts/operation_names.h"
#include "ingest/stitch/host_device/by_name.h"
#include "model/base/sort_runs.h"

namespace stepsim::ingest {
namespace {

/// A host collective's annotation may end this much later than the wait for it: the thread that closes
/// it has to be scheduled first.
constexpr Duration kLateEnd{5'000'000};

/// Work of a thread other than the main one.
struct Work {
  Time begin;
  Time end;
  std::uint32_t thread = 0;
  bool collective = false;
  bool backward = false;  ///< the autograd engine runs a node of the graph
  bool launches = false;  ///< its thread launches device work
};

/// What one other thread did during a silence of the main thread.
struct Activity {
  Time first_begin;
  Time last_end;
  Duration covered{};
  bool ends_in_collective = false;
  bool began_before = false;
  bool backward = false;
};

/// True for the operators in which PyTorch's autograd engine runs a node of the graph, by their names since 1.10
/// and before. Other threads run them only for a thread that is inside backward() and waits there.
bool is_backward(std::string_view name) {
  return name.starts_with("autograd::engine::evaluate_function") || name.starts_with("torch::autograd::") ||
         name.ends_with("Backward") || name.ends_with("Backward0");
}

std::vector<Work> work_of_others(const RankEvents& events, const std::vector<HostThread>& threads) {
  std::vector<Work> work;
  const ByName backward(*events.trace, is_backward);
  for (std::uint32_t t = 0; t < threads.size(); ++t) {
    if (t == events.main_thread) continue;
    const bool launches = events.threads[t].launches;
    for (const HostCollective& one : threads[t].collectives)
      work.push_back({one.begin, one.end, t, true, false, launches});
    cut_thread(events, events.threads[t], [&](const Segment& segment) {
      if (segment.kind == Segment::Kind::kQuiet || segment.kind == Segment::Kind::kCollective) return;
      work.push_back({segment.begin, segment.end, t, false, backward(segment.event), launches});
    });
  }
  sort_runs(work, [](const Work& a, const Work& b) {
    return std::tuple{a.end, a.begin, a.thread} < std::tuple{b.end, b.begin, b.thread};
  });
  return work;
}

/// The quiet stretches of a thread that are too long to be its own work between two events. Neighbouring
/// quiet segments make one stretch.
std::vector<std::pair<Time, Time>> silences_of(const RankEvents& events, const RankEvents::Thread& thread) {
  std::vector<std::pair<Time, Time>> silences;
  std::optional<std::pair<Time, Time>> quiet;
  const auto close = [&] {
    if (quiet && quiet->second - quiet->first > kShortQuiet) silences.push_back(*quiet);
    quiet.reset();
  };
  cut_thread(events, thread, [&](const Segment& segment) {
    if (segment.kind != Segment::Kind::kQuiet) return close();
    quiet = {quiet ? quiet->first : segment.begin, segment.end};
  });
  close();
  return silences;
}

std::map<std::uint32_t, Activity> activity_in(std::pair<Time, Time> silence, const std::vector<Work>& work,
                                              std::size_t& at) {
  while (at < work.size() && work[at].end <= silence.first) ++at;
  std::map<std::uint32_t, Activity> threads;
  for (; at < work.size() && work[at].end <= silence.second; ++at) {
    const Work& w = work[at];
    auto [slot, added] =
        threads.try_emplace(w.thread, Activity{std::max(w.begin, silence.first), w.end, {}, false, false, false});
    Activity& activity = slot->second;
    activity.began_before = activity.began_before || w.begin < silence.first;
    activity.first_begin = std::min(activity.first_begin, std::max(w.begin, silence.first));
    // A thread that launches device work is at work between two calls too: a capture may have none of its operators.
    if (w.launches && !added && w.begin - activity.last_end <= kShortQuiet)
      activity.covered += std::max(Duration{}, w.begin - activity.last_end);
    activity.last_end = w.end;
    activity.covered += w.end - std::max(w.begin, silence.first);
    activity.ends_in_collective = w.collective;
    activity.backward = activity.backward || w.backward;
  }
  return threads;
}

bool explains(const Activity& activity, std::pair<Time, Time> silence) {
  if (activity.ends_in_collective || (activity.backward && !activity.began_before)) return true;
  const Duration span = activity.last_end - activity.first_begin;
  return 3 * activity.covered >= span && 2 * span >= silence.second - silence.first;
}

class SilenceReader {
 public:
  SilenceReader(const RankEvents& events, std::vector<HostThread>& threads)
      : events_(events), threads_(threads), main_(static_cast<std::uint32_t>(events.main_thread)) {}

  std::vector<HandOff> run(const std::vector<std::pair<Time, Time>>& silences) {
    if (silences.empty()) return {};
    const std::vector<Work> work = work_of_others(events_, threads_);
    std::size_t at = 0;
    for (const auto& silence : silences) {
      std::map<std::uint32_t, Activity> threads = activity_in(silence, work, at);
      std::erase_if(threads, [&](const auto& entry) { return !explains(entry.second, silence); });
      if (!threads.empty()) explain(silence, threads);
    }
    return std::move(hand_offs_);
  }

 private:
  void explain(std::pair<Time, Time> silence, const std::map<std::uint32_t, Activity>& threads) {
    Time wait_begin = silence.second;
    Time wait_end = silence.first;
    for (const auto& [thread, activity] : threads) {
      wait_begin = std::min(wait_begin, activity.first_begin);
      wait_end = std::max(wait_end, activity.last_end);
    }
    threads_[main_].waits.push_back({wait_begin, wait_end});
    threads_[main_].cuts.push_back(wait_end);
    for (const auto& [thread, activity] : threads) {
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
  std::vector<HandOff> hand_offs_;
};

/// The collectives of all threads but the main one, by begin.
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

/// A library wakes the thread that waits for a collective, and closes the collective's annotation later.
/// Where the main thread goes on after a silence, no collective has just ended, and the one that has run
/// longest ends soon after, the silence's end is taken as that collective's end.
void end_where_waiters_go_on(std::vector<HostThread>& threads, std::size_t main_thread,
                             const std::vector<std::pair<Time, Time>>& silences) {
  const std::vector<HostCollective*> collectives = collectives_of_others(threads, main_thread);
  std::size_t next = 0;
  std::vector<HostCollective*> running;  // by begin
  Time last_end = Time::min();
  for (const auto& [begin, end] : silences) {
    while (next < collectives.size() && collectives[next]->begin < end) running.push_back(collectives[next++]);
    for (const HostCollective* const one : running) {
      if (one->end <= end) last_end = std::max(last_end, one->end);
    }
    std::erase_if(running, [at = end](const HostCollective* one) { return one->end <= at; });
    if (running.empty() || last_end > end - kShortQuiet || running.front()->end > end + kLateEnd) continue;
    running.front()->end = last_end = end;
    running.erase(running.begin());
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

/// The operation that serves a call. gloo runs a reduce-scatter as an all-reduce.
std::string_view served_as(std::string_view name) {
  const std::string_view operation = operation_of(name);
  return operation == "reducescatter" ? std::string_view{"allreduce"} : operation;
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
  const ByName distributed(*events.trace, [](std::string_view name) { return name.starts_with("c10d::"); });
  for (std::uint32_t t = 0; t < events.threads.size(); ++t) {
    for (const std::uint32_t event : events.threads[t].events) {
      if (events.trace->kind[event] != EventKind::kOp || !distributed(event)) continue;
      calls.push_back({events.begin_of(event), events.end_of(event), t, served_as(events.name_of(event).substr(6))});
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

std::vector<HandOff> explain_silences(const RankEvents& events, std::vector<HostThread>& threads) {
  if (threads.empty()) return {};
  const std::vector<std::pair<Time, Time>> silences = silences_of(events, events.threads[events.main_thread]);
  end_where_waiters_go_on(threads, events.main_thread, silences);
  std::vector<HandOff> hand_offs = SilenceReader(events, threads).run(silences);
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

}  // namespace stepsim::ingest
