#ifndef STEPSIM_SIM_CHECK_CUT_DOCUMENT_H
#define STEPSIM_SIM_CHECK_CUT_DOCUMENT_H

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/diagnostics.h"
#include "sim/output/provenance.h"
#include "sim/report/document.h"

namespace stepsim::sim {

/// What `convert --steps --ranks --select --min-duration` wrote of a trace.
struct CutOut {
  std::string input;
  std::string output;
  std::uint64_t records = 0;   ///< of the input
  std::uint64_t events = 0;    ///< kept
  std::uint64_t flows = 0;     ///< kept: begins and ends of arrows
  std::uint64_t metadata = 0;  ///< kept: names of processes and threads
  Diagnostics diagnostics;     ///< of the input
};

/// {"schema":"stepsim.cut/1", ...}: of one file its counts, of several their sums and each file's. `output` is the file
/// or the folder of -o. What is wrong with the input is a caution, a section and "diagnostics". Refers to its
/// arguments. Precondition: there is a cut.
[[nodiscard]] Document cut_document(const std::vector<CutOut>& cuts, const std::string& output,
                                    const Provenance& provenance);

}  // namespace stepsim::sim

#endif
