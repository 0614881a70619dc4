#include "ingest/stitch/host_device/host_threads.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>

#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

/// Around a call of torch.distributed.rpc, which lasts until another process has answered: "rpc_sync#f(w0 -> w1)".
constexpr std::string_view kRemoteCall = "rpc_";

/// A tensor's sizes in ascending order, so that it equals its transpose.
using Shape = std::vector<std::int64_t>;

/// Returns the shapes in "[[16, 64], [[8, 8], [4]], []]": one for each innermost list that is not empty.
std::vector<Shape> shapes_in(std::string_view text) {
  std::vector<Shape> shapes;
  Shape shape;
  std::int64_t number = -1;
  for (const char letter : text) {
    if (is_digit(letter)) {
      number = std::max<std::int64_t>(number, 0) % (std::int64_t{1} << 50) * 10 + (letter - '0');
      continue;
    }
    if (number >= 0) shape.push_back(number);
    number = -1;
    if (letter == '[') shape.clear();
    if (letter != ']' || shape.empty()) continue;
    std::sort(shape.begin(), shape.end());
    shapes.push_back(std::move(shape));
    shape = {};
  }
  return shapes;
}

enum class Verdict : std::uint8_t { kUnknown, kComputes, kDoesNot };

/// Decides which events are operators that compute on samples (computing_events()).
class ComputeJudge {
 public:
  explicit ComputeJudge(const RankEvents& events) : events_(events), operator_of_(events.trace->operator_of) {
    for (const auto& call : events.trace->operators) shapes_.push_back(shapes_in(call.shapes));
  }

  void note_parameters(const RankEvents::Thread& thread) {
    for_each_nested<Around>(events_, thread, [this](std::uint32_t event, const Around& around) {
      Around inner = inside(event, around);
      if (inner.optimizer && operator_of_[event] != kNoIndex) {
        const std::vector<Shape>& shapes = shapes_[operator_of_[event]];
        parameters_.insert(shapes.begin(), shapes.end());
      }
      return inner;
    });
  }

  void mark(const RankEvents::Thread& thread, std::vector<bool>& computes) {
    for_each_nested<Around>(events_, thread, [&](std::uint32_t event, const Around& around) {
      Around inner = inside(event, around);
      inner.verdict = verdict_on(event, inner);
      computes[event] = inner.verdict == Verdict::kComputes;
      return inner;
    });
  }

 private:
  /// What is around an event.
  struct Around {
    bool optimizer = false;
    bool communication = false;
    Verdict verdict = Verdict::kUnknown;
  };

  [[nodiscard]] Around inside(std::uint32_t event, Around around) const {
    const std::string_view name = events_.name_of(event);
    around.optimizer = around.optimizer || name.starts_with(kOptimizer);
    around.communication = around.communication || name.starts_with(kProcessGroupCall) || name.starts_with("FSDP::") ||
                           name.starts_with("fsdp::") || name.starts_with(kRemoteCall) || is_host_collective(name);
    return around;
  }

  [[nodiscard]] Verdict verdict_on(std::uint32_t event, const Around& around) const {
    if (events_.trace->kind[event] != EventKind::kOp || around.optimizer || around.communication)
      return Verdict::kDoesNot;
    if (shapes_.empty()) return Verdict::kComputes;
    if (operator_of_[event] == kNoIndex) return around.verdict;
    const std::vector<Shape>& shapes = shapes_[operator_of_[event]];
    const bool samples = std::any_of(shapes.begin(), shapes.end(), [this](const Shape& shape) {
      return shape.size() > 1 && !parameters_.contains(shape);
    });
    return samples ? Verdict::kComputes : Verdict::kDoesNot;
  }

  const RankEvents& events_;
  const IndexColumn& operator_of_;
  std::vector<std::vector<Shape>> shapes_;  ///< by operator
  std::set<Shape> parameters_;
};

}  // namespace

std::vector<bool> computing_events(const RankEvents& events) {
  if (!events.ops.empty()) return {};
  std::vector<bool> computes(events.trace->size(), false);
  ComputeJudge judge(events);
  for (const RankEvents::Thread& thread : events.threads) judge.note_parameters(thread);
  for (const RankEvents::Thread& thread : events.threads) judge.mark(thread, computes);
  return computes;
}

}  // namespace stepsim::ingest
