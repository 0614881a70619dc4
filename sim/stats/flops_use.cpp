#include "sim/stats/flops_use.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/analysis/intervals.h"

namespace stepsim::sim {
namespace {

class Flops {
 public:
  explicit Flops(const MeasuredWork& work) : work_(work), table_(work.capture.operators) {}

  std::vector<FlopsUse> run() {
    add_device_work();
    for (const Piece& piece : work_.pieces) {
      if (piece.is_call && !on_device_.contains(work_.rank(piece))) add_call(piece);
    }
    std::vector<FlopsUse> made;
    for (auto& [key, use] : uses_) made.push_back(std::move(use));
    std::stable_sort(made.begin(), made.end(), [](const FlopsUse& a, const FlopsUse& b) { return a.flops > b.flops; });
    return made;
  }

 private:
  FlopsUse& use_of(const std::string& name, bool on_device) {
    FlopsUse& use = uses_[{name, on_device}];
    use.name = name;
    use.on_device = on_device;
    return use;
  }

  void add_device_work() {
    std::vector<bool> counted(table_.occurrences + std::size_t{1});
    auto use = table_.uses.begin();
    for (const Piece& piece : work_.pieces) {
      if (piece.is_call) break;
      while (use != table_.uses.end() && use->task < TaskId{piece.index}) ++use;
      if (use == table_.uses.end()) break;
      if (use->task != TaskId{piece.index}) continue;
      on_device_.insert(work_.rank(piece));
      const OperatorTable::Operator& one = table_.operators[use->which];
      if (one.work.flops <= 0) continue;
      FlopsUse& sum = use_of(one.name, true);
      sum.time = saturated_sum(sum.time, piece.length);
      if (counted[use->occurrence]) continue;
      counted[use->occurrence] = true;
      ++sum.calls;
      sum.flops += one.work.flops;
    }
  }

  void add_call(const Piece& piece) {
    const TraceDetails::Call& call = work_.details.calls[piece.index];
    if (call.flops <= 0) return;
    FlopsUse& sum = use_of(work_.details.names[call.name], false);
    ++sum.calls;
    sum.flops += call.flops;
    sum.time = saturated_sum(sum.time, call.duration);
  }

  const MeasuredWork& work_;
  const OperatorTable& table_;
  std::set<Rank> on_device_;  ///< ranks where it is known which operator launched what
  std::map<std::pair<std::string, bool>, FlopsUse> uses_;
};

}  // namespace

double FlopsUse::per_second() const noexcept {
  constexpr double kNanosecond = 1e-9;
  return time == Duration{} ? 0 : flops / (static_cast<double>(time.count()) * kNanosecond);
}

std::vector<FlopsUse> flops_use(const MeasuredWork& work) { return Flops(work).run(); }

}  // namespace stepsim::sim
