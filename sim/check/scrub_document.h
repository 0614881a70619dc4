#ifndef STEPSIM_SIM_CHECK_SCRUB_DOCUMENT_H
#define STEPSIM_SIM_CHECK_SCRUB_DOCUMENT_H

#include <cstddef>
#include <string>
#include <vector>

#include "model/base/diagnostics.h"
#include "model/job/private_content.h"
#include "sim/output/provenance.h"
#include "sim/report/document.h"

namespace stepsim::sim {

/// What `convert --scrub` wrote.
struct Scrubbed {
  std::string output;  ///< the file, or the folder
  std::size_t files = 0;
  std::vector<PrivateContent> replaced;  ///< by kind; never the thing itself
  Diagnostics diagnostics;               ///< of the files
};

/// What was replaced, by kind. {"schema":"stepsim.scrub/1", ...} Refers to its arguments.
[[nodiscard]] Document scrub_document(const Scrubbed& scrubbed, const Provenance& provenance);

}  // namespace stepsim::sim

#endif
