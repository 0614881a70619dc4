#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "scenarios/change/plan.h"
#include "scenarios/change/selection.h"
#include "scenarios/change/what_if.h"

// What-if `loader`: makes the data loader faster or slower. The training process then waits less or longer for the
// batches that the loader's processes make.
//
// `scale` multiplies the waits. `workers` predicts an upper bound on what more loader processes would save. If the W
// captured processes are never idle and their number becomes N, a batch takes W / N of its captured time, which is the
// time from the end of the previous wait to the arrival of the batch. The batch therefore arrives earlier by 1 - W / N
// of that time. If this is more than the wait, the difference shortens later waits, as if the queue of batches were
// unlimited. The result is an upper bound, because processes that share a CPU, a disk or a network may become slower,
// and a real queue has only `prefetch_factor` batches.

namespace stepsim::scenarios {
namespace {

constexpr std::array kLoaderParameters{
    Parameter{"scale", value::scale_from(0, "0.5"), "factor on the waits for batches; 0 = batches are always ready",
              "1"},
    Parameter{"workers", value::count_from(1, 65'536) | value::factor("2x"),
              "data-loading processes per rank; predicts the most that they can save", "1x"},
};

std::vector<TaskId> selected_waits(const Selector& selector, const Capture& capture) {
  std::vector<TaskId> tasks = selector.select(capture);
  std::erase_if(tasks, [&capture](TaskId task) { return capture.dag.kind(task) != TaskKind::kLoader; });
  return tasks;
}

/// True if the capture contains a PyTorch DataLoader without worker processes, which loads data in the thread that
/// calls it.
bool loads_in_thread(const Dag& dag) {
  for (std::size_t i = 0; i < dag.name_count(); ++i) {
    if (dag.name(NameId{i}).find("_SingleProcessDataLoaderIter") != std::string_view::npos) return true;
  }
  return false;
}

/// Returns the selected waits for a data loader. Throws InputError at `value` if there are none, or CannotAnswer if the
/// capture has none.
std::vector<TaskId> waits_of(const Selector& selector, const Capture& capture, const YamlField& value) {
  std::vector<TaskId> tasks = selected_waits(selector, capture);
  if (tasks.empty() && !selector.is_all())
    value.fail("the selection has no wait for data-loading processes; expected a selection with some");
  if (tasks.empty() && loads_in_thread(capture.dag)) {
    cannot_answer(value,
                  "the capture loads data in the training process (num_workers is 0); expected "
                  "compute{name=DataLoader}.scale, or a capture with num_workers above 0");
  }
  if (tasks.empty()) {
    cannot_answer(value,
                  "the capture has no wait of 100 us or more for data-loading processes; expected CPU activities of a "
                  "PyTorch DataLoader with num_workers above 0");
  }
  return tasks;
}

/// Returns the requested number of loader processes divided by the captured number.
double growth_of(const Change& change, const YamlField& value, const Plan& plan) {
  if (const std::optional<double> factor = factor_of(value)) return *factor;
  std::uint32_t workers = 1;
  change.read("workers", workers);
  if (!plan.job.loader_workers) {
    static_cast<void>(waits_of(change.selector(), *plan.captured, value));  // a capture without waits has no processes
    cannot_answer(
        value,
        "the number of data-loading processes is unknown; expected job.yaml's loader_workers, or a factor such as 2x");
  }
  return static_cast<double>(workers) / static_cast<double>(*plan.job.loader_workers);
}

/// The deliveries of batches to a thread so far.
struct Deliveries {
  Time last;         ///< time of the last batch; initially that of the batch before the recording
  Duration early{};  ///< total time by which batches arrived before they were needed
};

/// Changes the durations of `waits` as described at the top of this file. The number of loader processes is `growth`
/// times the captured number. `waits` are in ascending order, so those of a thread are in order of time. Precondition:
/// the capture has recorded times, which every capture with waits for a data loader has.
void save_waits(const Capture& capture, const std::vector<TaskId>& waits, double growth,
                std::vector<Duration>& durations) {
  const Recording& recording = capture.recording;
  std::map<LaneId, Deliveries> threads;
  std::map<LaneId, Time> ends;  // of the threads' last tasks
  for (const TaskId task : capture.dag.tasks()) {
    threads.try_emplace(capture.dag.lane_id(task), Deliveries{.last = recording.start[task.index()]});
    ends[capture.dag.lane_id(task)] = recording.finish[task.index()];
  }
  // The time from the batch before the recording to its start is taken to be as long as that from the last batch to the
  // end.
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const LaneId lane = capture.dag.lane_id(waits[i]);
    const bool is_last = i + 1 == waits.size() || capture.dag.lane_id(waits[i + 1]) != lane;
    if (is_last) threads.at(lane).last -= ends.at(lane) - recording.finish[waits[i].index()];
  }
  for (const TaskId wait : waits) {
    Deliveries& thread = threads.at(capture.dag.lane_id(wait));
    const Duration took = recording.finish[wait.index()] - thread.last;
    thread.last = recording.finish[wait.index()];
    Duration& duration = durations[wait.index()];
    if (growth < 1) {
      duration += scaled(took, 1 / growth - 1);
      continue;
    }
    thread.early += took - scaled(took, 1 / growth);
    const Duration saved = std::min(duration, thread.early);
    duration -= saved;
    thread.early -= saved;
  }
}

void apply_workers(const Change& change, const YamlField& value, Plan& plan) {
  const double growth = growth_of(change, value, plan);
  if (growth == 1) return;
  plan.other_loader_workers = true;
  if (growth > 1) {
    plan.assumptions.push_back({"loader_workers",
                                "The captured loader processes were never idle and share no bottleneck, so "
                                "loader.workers gives the most that more processes can save."});
  }
  plan.add_rule(
      Plan::Turn::kTimes,
      [selector = change.selector(), value, growth](const Capture& capture, std::vector<Duration>& durations) {
        save_waits(capture, waits_of(selector, capture, value), growth, durations);
      },
      &change);
}

void apply_scale(const Change& change, Plan& plan) {
  double factor = 1;
  const YamlField* const scale = change.read("scale", factor);
  if (factor == 1) return;
  plan.other_loader = true;
  plan.add_rule(
      Plan::Turn::kFactors,
      [selector = change.selector(), value = *scale, factor](const Capture& capture, std::vector<Duration>& durations) {
        for (const TaskId wait : waits_of(selector, capture, value))
          durations[wait.index()] = scaled(durations[wait.index()], factor);
      },
      &change);
}

void apply_loader(const Change& change, Plan& plan) {
  if (const YamlField* const workers = change.find("workers")) apply_workers(change, *workers, plan);
  apply_scale(change, plan);
}

}  // namespace

extern const WhatIf loader_what_if{
    .name = "loader",
    .summary = "Speed up or slow down the data loader: the time that the CPU waits for batches",
    .ignores = "what loader processes share (CPU cores, disk, network), and that they work only a few batches ahead",
    .parameters = kLoaderParameters,
    .kind = kind_is<AnswerKind::kLoader>,
    .selected = selected_by<selected_waits>,
    .apply = apply_loader,
};

}  // namespace stepsim::scenarios
