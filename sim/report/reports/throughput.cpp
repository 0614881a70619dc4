// Samples a second, where job.yaml says how many a worker takes in a step.

#include "sim/report/throughput.h"

#include <fmt/format.h>

#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

/// What the job takes when nobody records it, else as measured, else replayed.
Duration iteration_of(const Findings& findings) {
  const IterationReport& iteration = findings.summary.iteration;
  if (findings.capture.job.measured_step) return *findings.capture.job.measured_step;
  return findings.summary.measured ? iteration.measured : iteration.replayed;
}

std::vector<Section> throughput_sections(const Findings& findings) {
  const StepWork work = captured_work(findings.capture);
  if (!work.batch_size) return {};
  const Duration iteration = iteration_of(findings);
  return {{.title = "Throughput",
           .sentences = {fmt::format("{} {}, {} a device: each of {} worker{} takes {} samples in {}",
                                     rate_text(rate_in_all(work, iteration)), unit_of(work),
                                     rate_text(rate_of_device(work, iteration)), work.workers,
                                     work.workers == 1 ? "" : "s", *work.batch_size, stepsim::to_text(iteration))}}};
}

void throughput_members(JsonWriter& json, const Findings& findings) {
  const StepWork work = captured_work(findings.capture);
  json.key("throughput");
  if (!work.batch_size) {
    json.null();
    return;
  }
  begin_throughput(json, work, iteration_of(findings));
  json.end_object();
}

}  // namespace

extern const CaptureReport throughput_report;
const CaptureReport throughput_report{
    .id = "throughput", .in = kReplay, .sections = throughput_sections, .members = throughput_members};

}  // namespace stepsim::sim
