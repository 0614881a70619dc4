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

// A faster data loader: the host waits less for batches that other processes make.
//
// `scale` multiplies the waits. `workers` asks how much of them more processes would save at most. W processes that are
// never idle and become N make a batch in W / N of the time. A batch took from the end of the wait for the one before
// to its own arrival, so it comes earlier by 1 - W / N of that, and what a batch comes before it is needed is kept for
// the next one, as a queue of batches without bound would keep it. It is an upper bound of the gain: processes that
// have to share a processor, a disk or a network make a batch no faster, and a queue of `prefetch_factor` batches keeps
// less.

namespace stepsim::scenarios {
namespace {

constexpr std::uint32_t kMostLoaderWorkers = 65536;

constexpr std::array kLoaderParameters{
    Parameter{"scale", "a number such as 0.5 from 0", "of the waits for batches; 0: they are always there", "1"},
    Parameter{"workers", "a whole number from 1, or a factor such as 2x",
              "of the processes of a rank that load data: what is saved at most", "1x"},
};

std::vector<TaskId> selected_waits(const Selector& selector, const Capture& capture) {
  std::vector<TaskId> tasks = selector.select(capture);
  std::erase_if(tasks, [&capture](TaskId task) { return capture.dag.kind(task) != TaskKind::kLoader; });
  return tasks;
}

/// Whether a DataLoader without processes of its own works in the thread that asks it.
bool loads_in_thread(const Dag& dag) {
  for (std::size_t i = 0; i < dag.name_count(); ++i) {
    if (dag.name(NameId{i}).find("_SingleProcessDataLoaderIter") != std::string_view::npos) return true;
  }
  return false;
}

/// Throws CannotAnswer at `value` if none of the selected tasks is a wait for a data loader.
std::vector<TaskId> waits_of(const Selector& selector, const Capture& capture, const YamlField& value) {
  std::vector<TaskId> tasks = selected_waits(selector, capture);
  if (tasks.empty() && !selector.is_all())
    value.fail("what is selected does not wait for processes that load data; expected some that does");
  if (tasks.empty() && loads_in_thread(capture.dag)) {
    cannot_answer(value,
                  "the capture loads data in the training process (num_workers is 0), which is work of the host; "
                  "expected compute{name=DataLoader}.scale, or a capture with num_workers above 0");
  }
  if (tasks.empty()) {
    cannot_answer(value,
                  "the capture shows no wait of 100 us or more for processes that load data; expected a trace with CPU "
                  "activities of a PyTorch DataLoader with num_workers above 0");
  }
  return tasks;
}

/// How many times as many processes load data as were captured.
double growth_of(const YamlField& value, const Plan& plan) {
  if (const std::optional<double> factor = factor_of(value)) return *factor;
  const std::uint32_t workers = value.count(1, kMostLoaderWorkers);
  if (!plan.job.loader_workers) {
    cannot_answer(value,
                  "the capture does not say how many processes load data; expected job.yaml's loader_workers, or a "
                  "factor such as 2x");
  }
  return static_cast<double>(workers) / static_cast<double>(*plan.job.loader_workers);
}

/// What a thread has got of its data loader so far.
struct Deliveries {
  Time last;         ///< when it got a batch last; at first when its recording begins
  Duration early{};  ///< how long before they were needed batches came
};

/// `waits` are ascending, so those of a thread are in order of time. Precondition: recorded times, which every capture
/// with such waits has.
void save_waits(const Capture& capture, const std::vector<TaskId>& waits, double growth,
                std::vector<Duration>& durations) {
  const Recording& recording = capture.recording;
  std::map<LaneId, Deliveries> threads;
  for (const TaskId task : capture.dag.tasks())
    threads.try_emplace(capture.dag.lane_id(task), Deliveries{.last = recording.start[task.index()]});
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
  const double growth = growth_of(value, plan);
  if (growth == 1) return;
  plan.other_loader_workers = true;
  if (growth > 1) {
    plan.assumptions.push_back({"loader_workers",
                                "loader.workers says what more processes save at most: as if those captured were never "
                                "idle and shared nothing that limits them"});
  }
  plan.rules.emplace_back(
      [selector = change.selector(), value, growth](const Capture& capture, std::vector<Duration>& durations) {
        save_waits(capture, waits_of(selector, capture, value), growth, durations);
      });
}

void apply_scale(const Change& change, const YamlField& value, Plan& plan) {
  const double factor = scale_of(value, 0);
  if (factor == 1) return;
  plan.other_loader = true;
  plan.rules.emplace_back(
      [selector = change.selector(), value, factor](const Capture& capture, std::vector<Duration>& durations) {
        for (const TaskId wait : waits_of(selector, capture, value))
          durations[wait.index()] = scaled(durations[wait.index()], factor);
      });
}

void apply_loader(const Change& change, Plan& plan) {
  if (const YamlField* const workers = change.find("workers")) apply_workers(change, *workers, plan);
  if (const YamlField* const scale = change.find("scale")) apply_scale(change, *scale, plan);
}

}  // namespace

extern const WhatIf loader_what_if;
const WhatIf loader_what_if{
    .name = "loader",
    .summary = "a faster or slower data loader: how long the host waits for batches that other processes make",
    .ignores =
        "what loader processes share: processor cores, disk, network; and that they only work ahead a few batches",
    .parameters = kLoaderParameters,
    .selected = selected_by<selected_waits>,
    .apply = apply_loader,
};

}  // namespace stepsim::scenarios
