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

/// The id of the assumption that a cluster other than the captured one was given. Measured and replayed times then
/// differ for more reasons than model error.
constexpr std::string_view kClusterFile = "cluster_file";

/// Returns the first line of a replay's report: the quantity, its value with a unit, and how reliable it is.
[[nodiscard]] std::string headline(const Capture& capture, const Summary& summary, const CriticalPath& path);

/// True if the steps of the slowest rank differ by more than a fifth, so that no single one stands for them.
[[nodiscard]] bool steps_differ(const Summary& summary);

/// Returns what limits the pace: "the CPU", "the GPU", "communication", "waiting for data", "waiting" or "several
/// things in turn"; empty without device work. If a thread waits for data in more than half of the device's idle time,
/// that is the limit. Otherwise the distances of steps decide; where they do not, the larger half of the path does.
[[nodiscard]] std::string_view limit_of(const Summary& summary, const CriticalPath& path);

/// Returns the reason why perturbation_test() did not test the graph, as a clause: "the ranks have different numbers of
/// steps".
[[nodiscard]] std::string untested_reason(const Capture& capture);

/// Returns a line about how the graph was tested, and how much of the step depends on measured waits rather than known
/// dependencies. The line is empty for a task graph. If another cluster was given (kClusterFile is among the capture's
/// assumptions), the line states this instead.
[[nodiscard]] std::string trust_line(const Capture& capture, const Summary& summary, const CriticalPath& path,
                                     const std::optional<Perturbation>& perturbation);

/// True if each host of a calibrated cluster stands for a rank, and the capture says that ranks share hosts.
[[nodiscard]] bool hosts_stand_for_ranks(const Cluster& cluster, const Capture& capture);

/// Returns the first line of a calibration's report: what was fitted, and how reliable it is.
[[nodiscard]] std::string headline(const Calibration& calibration, const Capture& capture);

// The functions below return texts that a reader must see before any figure, in every command. Warning and caution are
// one sentence, or empty.

/// Returns a warning if the capture is not what it appears to be: it lacks device work, it is a sample, its parts
/// cannot be connected, or the job was guessed because there is no job.yaml.
[[nodiscard]] std::string warning_of(const Capture& capture);

/// Returns what the capture lost, if this loss makes every prediction and every comparison untrustworthy. The text is a
/// clause that continues "the capture ...": "lacks its device work: 260 launches and not one kernel". The text is empty
/// if nothing essential was lost.
[[nodiscard]] std::string essential_loss(const Capture& capture);

/// Returns which parts of the input could not be used, and which command shows the consequences.
[[nodiscard]] std::string caution_of(const Diagnostics& diagnostics);

/// Returns one sentence for each important diagnostic: what it is, how often it occurred, what to do, and where data
/// was first lost. Minor diagnostics are in JSON only.
[[nodiscard]] std::vector<Sentence> diagnostic_sentences(const Diagnostics& diagnostics);

/// Adds the caution and a section "Input" if something is wrong with the input files.
void add_input_defects(Document& document, const Diagnostics& diagnostics);

/// Describes the slowdown by the profiler, for example: "recorded, an iteration takes 105 ms; a step takes 100 ms when
/// nobody records it (measured_step of job.yaml): the profiler slows this job by 5.0 %". If it is not significant:
/// "+5.00 %, no more than recorded steps differ (the shortest takes 99 ms)".
[[nodiscard]] std::string to_text(const Slowing& slowing);

}  // namespace stepsim::sim

#endif
