#ifndef STEPSIM_CLI_REPORT_WHATIF_REPORT_H
#define STEPSIM_CLI_REPORT_WHATIF_REPORT_H

#include <string>
#include <vector>

#include "cli/program/provenance.h"
#include "cli/report/json_parts.h"
#include "cli/work/scenario_options.h"
#include "cli/work/work.h"
#include "scenarios/answer/interval.h"
#include "sim/report/document.h"
#include "sim/report/link_use.h"
#include "sim/report/summary.h"

namespace stepsim::cli {

/// One of the two replays that are compared, looked at.
struct PredictionView {
  PredictionView(const scenarios::Prediction& prediction, const Cluster& cluster);

  Duration iteration{};
  sim::Summary summary;
  sim::RankBreakdown slowest;  ///< of the rank with the longest iteration; of two the first
  NamedPath path;              ///< of one iteration
  std::vector<sim::LinkUse> links;
  double iterations = 1;  ///< that the replay holds, warm-up included
};

/// A scenario beside the job as it was captured, both predicted in the same way.
struct WhatIfAnswer {
  std::string name;  ///< of the scenario; may be empty
  scenarios::Prediction baseline;
  scenarios::Prediction scenario;
  scenarios::AnswerInterval interval;  ///< of the scenario
  Cluster cluster;                     ///< of the scenario
  std::vector<std::string> changes;    ///< as they could be typed after --set
  Assumptions assumptions;             ///< all that the answer rests on
};

/// For people: the answer in a sentence, why it is a range, where the difference comes from. For
/// programs: {"schema":"stepsim.whatif/1", ...} (design.md 9). Refers to all of its arguments.
[[nodiscard]] sim::Document whatif_document(const Asked& asked, const WhatIfAnswer& answer,
                                            const Provenance& provenance);

/// The object of --json.
void write_whatif(JsonWriter& json, const Asked& asked, const WhatIfAnswer& answer, const PredictionView& baseline,
                  const PredictionView& scenario, const Provenance& provenance);

/// (value - base) / base; 0 of nothing.
[[nodiscard]] double relative(Duration value, Duration base);

/// A link of either replay, by its name; the busier of the two first, none that stands idle in both.
struct LinkPair {
  std::string name;
  sim::LinkUse baseline;
  sim::LinkUse scenario;
};
[[nodiscard]] std::vector<LinkPair> busiest_links(const WhatIfAnswer& answer, const Cluster& before,
                                                  const PredictionView& baseline, const PredictionView& scenario);

}  // namespace stepsim::cli

#endif
