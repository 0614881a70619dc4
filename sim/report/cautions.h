#ifndef STEPSIM_SIM_REPORT_CAUTIONS_H
#define STEPSIM_SIM_REPORT_CAUTIONS_H

#include <string>
#include <vector>

#include "model/job/recording.h"
#include "sim/report/document.h"

/// What a reader must know of a capture before any figure, of whichever command. Warning and caution are one sentence,
/// or empty.
namespace stepsim::sim {

/// That the capture is not what it looks like: without its device work, a sample, captures that nothing
/// ties, or that what it cannot say was guessed because there is no job.yaml.
[[nodiscard]] std::string warning_of(const Capture& capture);

/// Which parts of the input could not be used. Refers to replay's section "Input".
[[nodiscard]] std::string caution_of(const Diagnostics& diagnostics);

/// A sentence each of `diagnostics` that is worth a look: what it is, how often, what to do, and where data was lost
/// first. The rest, which is of no consequence and names nothing, shares one sentence.
[[nodiscard]] std::vector<Sentence> diagnostic_sentences(const Diagnostics& diagnostics);

/// Adds the caution and a section "Input" where something is wrong with the files that a document is about.
void add_input_defects(Document& document, const Diagnostics& diagnostics);

}  // namespace stepsim::sim

#endif
