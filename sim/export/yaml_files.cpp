// Writes the YAML files that stepsim reads: the cluster of an answer, and its scenario. Comments at the top state the
// origin and, if the cluster was calibrated, how well each value fits and what is assumed.

#include <fmt/format.h>

#include <algorithm>

#include "model/base/text.h"
#include "sim/export/exporter.h"
#include "sim/output/cluster_yaml.h"
#include "sim/report/common_fields.h"
#include "sim/report/table_text.h"

namespace stepsim::sim {
namespace {

constexpr std::size_t kLongestRemark = 400;

/// Returns `text` with a hash sign before each line.
std::string commented(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += end == 0 ? "#\n" : fmt::format("# {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string calibration_text(const Calibration& calibration) {
  std::string text;
  if (!calibration.fits.empty()) text += "\nFitted values:\n" + to_text(table_of(kFit, calibration.fits));
  if (!calibration.assumptions.empty()) text += "\nAssumptions:\n";
  for (const Assumption& assumption : calibration.assumptions)
    text += fmt::format("- {}\n", shown(assumption.sentence, kLongestRemark));
  return text;
}

/// Returns who made the file, and from what.
std::string origin_of(const Provenance& provenance) {
  std::string text = fmt::format("Made by stepsim {} ({}): {}\n", provenance.version, provenance.commit,
                                 shown(provenance.command, 2000));
  for (const InputFile& input : provenance.inputs)
    text += fmt::format("- from {}\n", shown(to_text(input), kLongestRemark));
  return text;
}

void write_cluster_file(const Answer& answer, OutputFile& out) {
  std::string text = origin_of(answer.provenance);
  if (answer.calibration != nullptr) text += calibration_text(*answer.calibration);
  out.write(commented(text) + cluster_yaml(*answer.cluster));
}

void write_scenario_file(const Answer& answer, OutputFile& out) {
  out.write(commented(origin_of(answer.provenance)));
  out.write(answer.scenario);
}

}  // namespace

extern const Exporter cluster_exporter{
    .name = "cluster",
    .extension = "yaml",
    .alias = "yml",
    .summary = "cluster.yaml, for --cluster",
    .accepts = Content::kCluster,
    .write = write_cluster_file,
};

extern const Exporter scenario_exporter{
    .name = "scenario",
    .extension = "yaml",
    .alias = "yml",
    .summary = "the changes of a what-if, for -s",
    .accepts = Content::kScenario,
    .write = write_scenario_file,
};

extern const Exporter named_cluster_exporter{
    .name = "named-cluster",
    .extension = "cluster.yaml",
    .alias = "cluster.yml",
    .summary = "cluster.yaml, for --cluster, where .yaml is the scenario",
    .accepts = Content::kCluster,
    .write = write_cluster_file,
};

}  // namespace stepsim::sim
