#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "scenarios/change/plan.h"
#include "scenarios/change/what_if.h"

// What-if `start`: lets ranks begin earlier or later. In a replay, the delay between the first rank's begin and another
// rank's begin is as captured; all later times follow from the tasks.

namespace stepsim::scenarios {
namespace {

constexpr std::array kStartParameters{
    Parameter{"delay", value::time("0us") | value::factor("0.5x"), "start of the selected ranks after the first rank",
              "1x"},
};

/// Returns the recorded start of each rank's first task.
std::map<Rank, Time> starts_of(const Capture& capture) {
  std::map<Rank, Time> first;
  for (std::size_t i = 0; i < capture.recording.start.size(); ++i) {
    const Time start = capture.recording.start[i];
    const auto [rank, is_new] = first.try_emplace(capture.dag.lane(TaskId{i}).rank, start);
    if (!is_new) rank->second = std::min(rank->second, start);
  }
  return first;
}

/// Returns the capture with the recorded times of `ranks` shifted. If `delay` is a time, each of these ranks then
/// begins this long after the first rank. If `delay` is a factor, it multiplies the captured delays.
Capture moved(Capture capture, const std::set<Rank>& ranks, const YamlField& delay) {
  const std::map<Rank, Time> starts = starts_of(capture);
  Time begin = Time::max();
  for (const auto& [rank, start] : starts) begin = std::min(begin, start);
  const auto factor = factor_of(delay);
  std::map<Rank, Duration> by;
  for (const auto& [rank, start] : starts) {
    if (!ranks.contains(rank)) continue;
    const Duration captured = start - begin;
    by[rank] = (factor ? scaled(captured, *factor) : delay.duration()) - captured;
  }
  for (std::size_t i = 0; i < capture.recording.start.size(); ++i) {
    const auto shift = by.find(capture.dag.lane(TaskId{i}).rank);
    if (shift == by.end()) continue;
    capture.recording.start[i] += shift->second;
    capture.recording.finish[i] += shift->second;
  }
  return capture;
}

void apply_start(const Change& change, Plan& plan) {
  const YamlField* const delay = change.find("delay");
  if (delay == nullptr) return;
  const auto factor = factor_of(*delay);
  if (!factor) static_cast<void>(delay->duration());  // throws if the value is neither a factor nor a time
  if (factor == 1) return;
  const Capture& captured = *plan.captured;
  if (captured.parameter_server != nullptr) {
    cannot_answer(
        *delay,
        "workers of a parameter-server job do not start together; expected a job whose ranks meet in collectives");
  }
  if (starts_of(captured).size() < 2)
    cannot_answer(*delay, "the capture has fewer than two ranks with a start; expected the traces of all ranks");
  std::set<Rank> ranks;
  for (const TaskId task : change.selector().select(captured)) ranks.insert(captured.dag.lane(task).rank);
  plan.add_edit(change, [ranks, value = *delay](const Capture& capture) { return moved(capture, ranks, value); });
}

}  // namespace

extern const WhatIf start_what_if{
    .name = "start",
    .summary = "Let ranks start earlier or later",
    .ignores = "why a rank starts late: a slow input pipeline delays every step",
    .parameters = kStartParameters,
    .asks = {sim::Question::kRanks},
    .selected = selected_by<selected_tasks>,
    .apply = apply_start,
};

}  // namespace stepsim::scenarios
