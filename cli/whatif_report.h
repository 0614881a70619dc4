#ifndef STEPSIM_CLI_WHATIF_REPORT_H
#define STEPSIM_CLI_WHATIF_REPORT_H

#include <string>
#include <vector>

#include "cli/output.h"
#include "cli/provenance.h"
#include "cli/scenario_options.h"
#include "scenarios/interval.h"

namespace stepsim::cli {

/// A scenario beside the job as it was captured, both predicted in the same way.
struct WhatIfAnswer {
  std::string name;  ///< of the scenario; may be empty
  scenarios::Prediction baseline;
  scenarios::Prediction scenario;
  scenarios::AnswerInterval interval;    ///< of the scenario
  std::vector<std::string> changes;      ///< as they could be typed after --set
  std::vector<std::string> assumptions;  ///< the scenario's own
};

/// {"schema":"stepsim.whatif/1", ...} (design.md 9).
void write_whatif(Output& out, const Asked& asked, const WhatIfAnswer& answer, const Provenance& provenance);

/// For people: the answer in a sentence, then where the difference comes from.
[[nodiscard]] std::string whatif_text(const Asked& asked, const WhatIfAnswer& answer);

}  // namespace stepsim::cli

#endif
