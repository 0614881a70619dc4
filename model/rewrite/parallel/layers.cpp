#include "model/rewrite/parallel/layers.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "model/base/error.h"
#include "model/rewrite/buckets.h"

namespace stepsim {
namespace {

constexpr std::size_t kLongestPeriod = 5000;

std::vector<std::uint32_t> operators_of(const std::vector<ModelCall>& calls, std::size_t from, std::size_t end) {
  std::vector<std::uint32_t> operators;
  for (std::size_t i = from; i < end; ++i) operators.push_back(calls[i].which);
  return operators;
}

/// Returns the passes of the first step that has both. Calls of an optimizer's step between them count as forward.
std::optional<Passes> first_passes(const std::vector<ModelCall>& calls) {
  const auto next = [&calls](std::size_t from, Pass pass) {
    while (from < calls.size() && calls[from].pass != pass) ++from;
    return from;
  };
  Passes passes{.forward = next(0, Pass::kForward)};
  passes.backward = next(passes.forward, Pass::kBackward);
  if (passes.backward == calls.size()) return std::nullopt;
  passes.end = passes.backward;
  while (passes.end < calls.size() && calls[passes.end].pass == Pass::kBackward) ++passes.end;
  return passes;
}

}  // namespace

RepeatedPart repeated_part_of(std::span<const std::uint32_t> sequence) {
  RepeatedPart best;
  for (std::size_t period = 1; period <= std::min(sequence.size() / 2, kLongestPeriod); ++period) {
    std::size_t run = 0;  // elements up to here that equal the one a period later
    for (std::size_t i = 0; i + period < sequence.size(); ++i) {
      run = sequence[i] == sequence[i + period] ? run + 1 : 0;
      const std::size_t count = run / period + 1;
      if (run >= period && count * period > best.count * best.length) best = {i + 1 - run, period, count};
    }
  }
  return best;
}

std::vector<ModelCall> calls_of_typical_step(const Capture& capture) {
  const Recording& recording = capture.recording;
  if (recording.step.empty()) return {};  // a task graph, which nobody ran
  std::map<std::int32_t, std::vector<ModelCall>> calls_of;
  for (ModelCall& call : model_calls(capture)) calls_of[recording.step[call.first.index()]].push_back(std::move(call));
  std::map<std::int32_t, Time> end_of;
  for (const TaskId task : capture.dag.tasks()) {
    Time& end = end_of.try_emplace(recording.step[task.index()], Time::min()).first->second;
    end = std::max(end, recording.finish[task.index()]);
  }
  std::vector<std::pair<Duration, std::int32_t>> lengths;
  for (const auto& [index, calls] : calls_of) {
    if (index < 0 || !first_passes(calls)) continue;
    const RecordedStep& step = recording.steps[static_cast<std::size_t>(index)];
    if (step.whole && step.asked) lengths.emplace_back(end_of[index] - recording.start[step.first.index()], index);
  }
  if (lengths.empty()) return {};
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return std::move(calls_of[middle->second]);
}

Passes passes_of(const std::vector<ModelCall>& calls) {
  if (const std::optional<Passes> passes = first_passes(calls)) return *passes;
  throw CannotAnswer({},
                     "no whole step has a forward and a backward pass; expected a trace of training with PyTorch with "
                     "record_shapes=True");
}

StepLayers layers_of(const std::vector<ModelCall>& calls) {
  StepLayers layers{.passes = passes_of(calls)};
  layers.down = repeated_part_of(operators_of(calls, layers.passes.forward, layers.passes.backward));
  layers.back = repeated_part_of(operators_of(calls, layers.passes.backward, layers.passes.end));
  layers.count = layers.down.count;
  if (layers.count < 2 || layers.back.count + 1 < layers.count) {
    throw CannotAnswer({},
                       fmt::format("the forward pass repeats {} layers and the backward pass {}; expected a model of "
                                   "equal layers, and a trace with record_shapes=True",
                                   layers.down.count, layers.back.count));
  }
  // What comes after the layers of the backward pass belongs to the first layer, so the last periods are the layers'.
  const std::size_t skipped = layers.back.count > layers.count ? layers.back.count - layers.count : 0;
  layers.down.first += layers.passes.forward;
  layers.back.first += layers.passes.backward + skipped * layers.back.length;
  return layers;
}

void need_all_layers(const OperatorTable& table, const std::vector<ModelCall>& calls, const StepLayers& layers) {
  std::map<std::uint32_t, std::size_t> of_layer;  // products by operator
  std::map<std::uint32_t, std::size_t> outside;
  std::size_t products = 0;
  for (std::size_t i = layers.passes.forward; i < layers.passes.backward; ++i) {
    if (table.operators[calls[i].which].work.flops <= 0) continue;
    if (i < layers.forward_of(0) || i >= layers.forward_of(layers.count)) {
      ++outside[calls[i].which];
    } else if (i < layers.forward_of(1)) {
      ++of_layer[calls[i].which];
      ++products;
    }
  }
  if (products < 2) return;  // one product may be another layer, such as the last one
  std::size_t more = calls.size();
  for (const auto& [which, count] : of_layer) more = std::min(more, outside[which] / count);
  if (more == 0) return;
  throw CannotAnswer({},
                     fmt::format("the forward pass has the products of {} layers, but only {} of them have the same "
                                 "calls in the same order, so that the others are not known; expected a model of "
                                 "equal layers, and a trace without torch.compile",
                                 layers.count + more, layers.count));
}

void need_gradients_of_layers(const Capture& capture, const std::vector<ModelCall>& calls, const StepLayers& layers) {
  const std::map<TaskId, TaskId> call_of = calls_by_work(device_launches(capture));
  const Recording& recording = capture.recording;
  std::vector<Time> begins;  // of the backward passes of the layers, of the last layer first
  for (std::size_t layer = layers.count; layer-- > 0;)
    begins.push_back(launch_time(recording, call_of, calls[layers.backward_of(layer)].first));
  const TaskId end = calls[layers.backward_end_of(0) - 1].last;
  const Time last = launch_time(recording, call_of, end);
  std::vector<bool> has_gradient(layers.count + 1);
  for (const Gradient& gradient : capture.gradients) {
    if (recording.step[gradient.ready.index()] != recording.step[end.index()]) continue;
    const Time ready = recording.finish[gradient.ready.index()];
    const auto layer = std::upper_bound(begins.begin(), begins.end(), ready) - begins.begin();
    if (ready <= last || layer < static_cast<std::ptrdiff_t>(layers.count))
      has_gradient[static_cast<std::size_t>(layer)] = true;
  }
  // What ends the last layer's backward pass may count as the part after the layers.
  const auto with = std::count(has_gradient.begin() + 1, has_gradient.end(), true);
  if (with + 1 >= static_cast<std::ptrdiff_t>(layers.count)) return;
  throw CannotAnswer({}, fmt::format("{} of the {} repeated layers have no gradients when their backward pass ends, so "
                                     "that it is not known which gradients are theirs; expected a trace of training "
                                     "with PyTorch without torch.compile",
                                     static_cast<std::ptrdiff_t>(layers.count) - with, layers.count));
}

}  // namespace stepsim
