// Writes the cluster of an answer as cluster.yaml. Comments at the top state its origin and, if it was calibrated, how
// well each value fits and what is assumed.

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

void write_cluster_file(const Answer& answer, OutputFile& out) {
  const Provenance& provenance = answer.provenance;
  std::string text = fmt::format("Made by stepsim {} ({}): {}\n", provenance.version, provenance.commit,
                                 shown(provenance.command, 2000));
  for (const InputFile& input : provenance.inputs)
    text += fmt::format("- from {}\n", shown(to_text(input), kLongestRemark));
  if (answer.calibration != nullptr) text += calibration_text(*answer.calibration);
  out.write(commented(text) + cluster_yaml(*answer.cluster));
}

}  // namespace

extern const Exporter cluster_file_exporter{
    .name = "cluster",
    .extension = "yaml",
    .alias = "yml",
    .summary = "cluster.yaml, for --cluster",
    .accepts = Content::kCluster,
    .write = write_cluster_file,
};

}  // namespace stepsim::sim
