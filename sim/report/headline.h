#ifndef STEPSIM_SIM_REPORT_HEADLINE_H
#define STEPSIM_SIM_REPORT_HEADLINE_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/calibration/calibration.h"
#include "model/job/recording.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/perturbation.h"
#include "sim/analysis/summary.h"
#include "sim/report/document.h"

namespace stepsim::sim {

/// The id of the assumption that another cluster than the captured one was given, and of what it does: what is measured
/// and what is replayed then differ by more than errors.
constexpr std::string_view kClusterFile = "cluster_file";

/// The first line of a replay's report: what, how much, in which unit, how far to trust it.
[[nodiscard]] std::string headline(const Capture& capture, const Summary& summary);

/// Why perturbation_test() made no test of the graph, a clause: "the ranks have different numbers of steps".
[[nodiscard]] std::string untested_reason(const Capture& capture);

/// How far the graph was tested, and how much of the step rests on waits that were measured and not on dependencies
/// that are known. Empty for a task graph. On a cluster that was
/// given (kClusterFile among the capture's assumptions) it says that instead.
[[nodiscard]] std::string trust_line(const Capture& capture, const Summary& summary, const CriticalPath& path,
                                     const std::optional<Perturbation>& perturbation);

/// The first line of a calibration's report: what was fitted, and how far to trust it.
[[nodiscard]] std::string headline(const Calibration& calibration);

// What a reader must know of a capture before any figure, in every command. Warning and caution are one sentence, or
// empty.

/// That the capture is not what it looks like: without its device work, a sample, captures that nothing
/// ties, or that what it cannot say was guessed because there is no job.yaml.
[[nodiscard]] std::string warning_of(const Capture& capture);

/// What the capture lost without which no prediction from it, and no comparison with it, can be trusted; a clause that
/// goes on after "the capture": "lacks its device work: 260 launches and not one kernel". Empty if it lost no such
/// thing.
[[nodiscard]] std::string essential_loss(const Capture& capture);

/// Which parts of the input could not be used, and which command says what that costs.
[[nodiscard]] std::string caution_of(const Diagnostics& diagnostics);

/// A sentence each of `diagnostics` that is worth a look: what it is, how often, what to do, and where data was lost
/// first. The rest, which is of no consequence and names nothing, shares one sentence.
[[nodiscard]] std::vector<Sentence> diagnostic_sentences(const Diagnostics& diagnostics);

/// Adds the caution and a section "Input" where something is wrong with the files that a document is about.
void add_input_defects(Document& document, const Diagnostics& diagnostics);

/// "recorded, an iteration takes 105 ms; a step takes 100 ms when nobody records it (measured_step of job.yaml): the
/// profiler slows this job by 5.0 %". Where that is not seen: "+5.00 %, no more than recorded steps differ (the
/// shortest takes 99 ms)".
[[nodiscard]] std::string to_text(const Slowing& slowing);

}  // namespace stepsim::sim

#endif
