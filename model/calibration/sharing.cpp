#include "model/calibration/parameter_server.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "model/base/median.h"
#include "model/job/parameter_server/workload.h"

namespace stepsim {
namespace {

constexpr std::size_t kEnoughSharedPushes = 8;
/// If the link carried less than this share of its rate, something other than the link limited the pushes.
constexpr double kFull = 0.8;

/// The start or the acknowledgement of a push.
struct Event {
  Time time;
  bool acknowledged = false;
  std::uint32_t worker = 0;
  std::uint32_t server = 0;
  Bytes bytes{};
};

/// The acknowledged pushes of one worker.
struct Share {
  std::size_t pushes = 0;
  double bytes = 0;
};

struct Contest {
  Time begin;
  Time end;                               // time of the last acknowledgement
  std::map<std::uint32_t, Share> shares;  // shares by worker
};

/// Follows the pushes in order of time and collects contests.
class Contests {
 public:
  explicit Contests(Bandwidth link) : link_(link) {}

  void take(const Event& event) {
    if (event.acknowledged) acknowledge(event);
    count(event);
    close_broken();
    try_open(event.server, event.time);
    const auto& pushes = at_[event.worker];
    if (pushes.size() == 1) try_open(pushes.begin()->first, event.time);
  }

  [[nodiscard]] SharingSeen result() const {
    double lesser = 0;
    double greater = 0;
    for (const auto& [less, more] : found_) {
      lesser += less;
      greater += more;
    }
    if (found_.empty()) return {};
    const double sharing = lesser / greater;
    std::vector<double> distances;
    for (const auto& [less, more] : found_) distances.push_back(std::abs(less / more - sharing));
    return {sharing, found_.size(), median(std::move(distances))};
  }

 private:
  void acknowledge(const Event& event) {
    const auto contest = open_.find(event.server);
    if (contest == open_.end()) return;
    Share& share = contest->second.shares[event.worker];
    ++share.pushes;
    share.bytes += static_cast<double>(event.bytes.count());
    contest->second.end = event.time;
  }

  void count(const Event& event) {
    if (!event.acknowledged) {
      ++at_[event.worker][event.server];
      ++of_[event.server][event.worker];
      return;
    }
    if (--at_[event.worker][event.server] == 0) at_[event.worker].erase(event.server);
    if (--of_[event.server][event.worker] == 0) of_[event.server].erase(event.worker);
  }

  /// True if exactly two workers push to `server` and neither pushes to another.
  [[nodiscard]] bool is_contested(std::uint32_t server) const {
    const auto workers = of_.find(server);
    if (workers == of_.end() || workers->second.size() != 2) return false;
    return std::all_of(workers->second.begin(), workers->second.end(),
                       [this](const auto& worker) { return at_.at(worker.first).size() == 1; });
  }

  void try_open(std::uint32_t server, Time now) {
    if (!is_contested(server) || open_.contains(server)) return;
    Contest contest{now, now, {}};
    for (const auto& [worker, pushes] : of_.at(server)) contest.shares[worker] = {};
    open_[server] = std::move(contest);
  }

  void close_broken() {
    for (auto contest = open_.begin(); contest != open_.end();) {
      if (is_contested(contest->first)) {
        ++contest;
        continue;
      }
      judge(contest->second);
      contest = open_.erase(contest);
    }
  }

  void judge(const Contest& contest) {
    Share less = contest.shares.begin()->second;
    Share more = contest.shares.rbegin()->second;
    if (more.bytes < less.bytes) std::swap(less, more);
    const double seconds = static_cast<double>((contest.end - contest.begin).count()) * 1e-9;
    if (more.pushes < kEnoughSharedPushes || less.bytes + more.bytes < kFull * seconds * link_.bytes_per_second())
      return;
    const bool even = more.pushes <= less.pushes + 1;
    found_.emplace_back(even ? more.bytes : less.bytes, more.bytes);
  }

  Bandwidth link_;
  std::map<std::uint32_t, std::map<std::uint32_t, std::size_t>> at_;  // pushes under way, by worker, then server
  std::map<std::uint32_t, std::map<std::uint32_t, std::size_t>> of_;  // pushes under way, by server, then worker
  std::map<std::uint32_t, Contest> open_;                             // contests under way, by server
  std::vector<std::pair<double, double>> found_;  // bytes of the slower and of the faster worker in each contest
};

std::vector<Event> events_of(const PsWorkload& workload) {
  std::vector<Event> events;
  for (const PsStageRun& run : workload.stages) {
    if (run.stage != PsStage::kPush) continue;
    const std::optional<std::uint32_t> server = server_of(run.key, workload.job);
    if (!server.has_value()) return {};
    const std::uint32_t worker = workload.gpus[run.gpu].worker;
    events.push_back({run.run.start, false, worker, *server, run.bytes});
    events.push_back({run.run.finish, true, worker, *server, run.bytes});
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : a.acknowledged < b.acknowledged;
  });
  return events;
}

}  // namespace

SharingSeen sharing_of_pushes(const PsWorkload& workload, Bandwidth link) {
  Contests contests(link);
  for (const Event& event : events_of(workload)) contests.take(event);
  return contests.result();
}

}  // namespace stepsim
