#include "cli/work/modelled.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "ingest/config/cluster_file.h"
#include "model/base/cannot_answer.h"
#include "model/base/text.h"
#include "model/cost/device/accelerator.h"
#include "model/rewrite/modelled_times.h"

namespace stepsim::cli {
namespace {

constexpr const char* kExample = "--cluster FILE whose devices have a model ('devices: {count: 8, model: H100}')";

InputLocation place_of(const Capture& capture) {
  return {capture.inputs.empty() ? std::string{} : capture.inputs.front().name, {}, {}};
}

/// Throws CannotAnswer if the file names none, or one that the library lacks.
const Accelerator& device_of(const Capture& capture, const CommonOptions& options, std::size_t tasks) {
  const std::string what = fmt::format("{} of its tasks say what they compute and not how long", tasks);
  if (!options.cluster_file) {
    throw CannotAnswer(place_of(capture),
                       fmt::format("{}; expected {}, a trace of torch.profiler of the same run "
                                   "beside it, or the question that needs no times ('stepsim tasks')",
                                   what, kExample));
  }
  std::vector<InputFile> read;
  const Cluster cluster = ingest::read_cluster_file(*options.cluster_file, read);
  const std::string model = cluster.devices.empty() ? std::string{} : cluster.devices.front().model;
  if (model.empty())
    throw CannotAnswer({*options.cluster_file, {}, {}},
                       fmt::format("{}, and no device has a model; expected {}", what, kExample));
  if (const Accelerator* const device = find_accelerator(model)) return *device;
  throw CannotAnswer({*options.cluster_file, {}, {}},
                     fmt::format("{}, and the device '{}' is not known; expected one of 'stepsim list devices'", what,
                                 shown(model, 60)));
}

/// Nothing was measured, and nothing in the graph takes any time or moves anything.
bool has_no_times(const Capture& capture) {
  if (!capture.recording.start.empty() || !capture.task_ids.empty()) return false;
  for (std::size_t i = 0; i < capture.dag.task_count(); ++i) {
    const TaskId task{i};
    if (capture.dag.duration(task) > Duration{} || capture.dag.bytes(task) > Bytes{}) return false;
  }
  return true;
}

}  // namespace

void model_missing_times(Capture& capture, const CommonOptions& options) {
  const UntimedWork untimed = untimed_work(capture);
  if (untimed.device > 0) capture = with_modelled_times(capture, device_of(capture, options, untimed.device));
  if (has_no_times(capture)) {
    throw CannotAnswer(
        place_of(capture),
        "none of its tasks says how long it took, and none works on a device that a model knows; expected "
        "a trace of torch.profiler of the same run beside it");
  }
  const bool has_network = options.cluster_file || options.network->make != nullptr;
  if (untimed.communication > 0 && !has_network) {
    throw CannotAnswer(place_of(capture),
                       fmt::format("{} of its collectives and messages say how much they move and not how long; "
                                   "expected --network maxmin and --cluster FILE, which time them",
                                   untimed.communication));
  }
}

}  // namespace stepsim::cli
