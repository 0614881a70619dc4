#include "scenarios/change/device_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "model/base/text.h"
#include "model/cost/device/roofline.h"
#include "scenarios/change/plan.h"

namespace stepsim::scenarios {
namespace {

/// Returns a flag for each TaskId of `capture`: true if the task is selected.
std::vector<bool> mask_of(const Selector& selector, const Capture& capture) {
  std::vector<bool> mask(capture.dag.task_count(), selector.is_all());
  if (selector.is_all()) return mask;
  for (const TaskId task : selector.select(capture)) mask[task.index()] = true;
  return mask;
}

/// What a rule makes of a piece of device work.
struct ChangedPiece {
  DeviceWork before;
  DeviceWork after;
  Scaled time;
};

/// The results of a rule for some pieces. A divided job has a copy of a captured task in each microbatch, which are
/// equal pieces. If most tasks have no copies, nothing is kept.
class ChangedPieces {
 public:
  explicit ChangedPieces(const Recording& recording) : origin_(recording.origin) {
    TaskId last{0};
    for (const TaskId origin : origin_) {
      if (origin.valid()) last = std::max(last, origin);
    }
    if (2 * last.index() < origin_.size()) known_.resize(kMostKept);
  }

  /// Returns the result for a piece; null if it is not kept.
  [[nodiscard]] const ChangedPiece* find(TaskId task, const DeviceWork& piece) const {
    if (known_.empty() || !origin_[task.index()].valid()) return nullptr;
    const std::optional<ChangedPiece>& known = known_[place_of(task)];
    return known && known->before == piece ? &*known : nullptr;
  }
  /// Keeps a result in place of another one.
  void keep(TaskId task, const ChangedPiece& changed) {
    if (!known_.empty() && origin_[task.index()].valid()) known_[place_of(task)] = changed;
  }

 private:
  static constexpr std::size_t kMostKept = 4096;  // some 2 MB

  [[nodiscard]] std::size_t place_of(TaskId task) const { return origin_[task.index()].index() % kMostKept; }

  const std::vector<TaskId>& origin_;
  std::vector<std::optional<ChangedPiece>> known_;  ///< empty if nothing is kept
};

std::string device_of(const Capture& capture) {
  if (capture.devices.empty()) return "the trace does not name its device";
  return fmt::format("the trace names its device '{}', which the library lacks",
                     shown(capture.devices.begin()->second, 60));
}

}  // namespace

DeviceRule::DeviceRule(std::string changes, YamlField value, const Plan& plan, std::string_view kept)
    : change_(std::move(changes)), value_(std::move(value)), kept_(kept), captured_device_(device_of(*plan.captured)) {}

DeviceRule::DeviceRule(const Change& change, YamlField value, const Plan& plan, std::string_view kept)
    : DeviceRule(change.to_text(), std::move(value), plan, kept) {
  selector_ = change.selector();
  if (!kept_.empty() && !selector_.is_all()) kept_ += ", and what is not selected";
}

ScaledShare DeviceRule::apply(const Capture& capture, DevicePieces& pieces, std::vector<Duration>& durations,
                              double side) const {
  for (auto& [task, piece] : pieces) piece.recorded = durations[task.index()];
  check(pieces);
  const std::vector<bool> selected = mask_of(selector_, capture);
  ChangedPieces known(capture.recording);
  const auto new_time = [&](TaskId task, const DeviceWork& piece) {
    if (!selected[task.index()]) return Scaled{};
    if (const ChangedPiece* const found = known.find(task, piece)) return found->time;
    const DeviceWork after = changed(piece);
    const Scaled found = time(piece, after);
    known.keep(task, {piece, after, found});
    return found;
  };
  const ScaledShare share = rescale(pieces, new_time, durations, side);
  for (auto& [task, piece] : pieces) {
    if (!selected[task.index()]) continue;
    const ChangedPiece* const found = known.find(task, piece);
    piece = found != nullptr ? found->after : changed(piece);
  }
  return share;
}

void DeviceRule::check(const DevicePieces& /*pieces*/) const {}

Scaled DeviceRule::time(const DeviceWork& before, const DeviceWork& after) const {
  if (before == after) return {};
  if (before.on == nullptr && after.on == nullptr && before.precision == after.precision)
    return scaled_by_amount(before, after);
  if (before.on == nullptr || after.on == nullptr) {
    cannot_answer(value_, captured_device_ + "; expected also the captured device, such as --set device.from=A100");
  }
  return roofline_scaled(before, *before.on, after, *after.on);
}

std::vector<TaskId> selected_device_work(const Selector& selector, const Capture& capture) {
  std::vector<TaskId> tasks = selector.select(capture);
  std::erase_if(tasks, [&dag = capture.dag](TaskId task) {
    const TaskKind kind = dag.kind(task);
    return kind != TaskKind::kKernel && kind != TaskKind::kCopy && kind != TaskKind::kMemset;
  });
  return tasks;
}

void require_kernels(const Plan& plan, const YamlField& value) {
  if (has_kernels(*plan.captured)) return;
  cannot_answer(value, "the capture has no GPU kernels; expected a profiler trace of a GPU, or use compute.scale");
}

}  // namespace stepsim::scenarios
