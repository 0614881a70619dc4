#ifndef STEPSIM_SIM_EXPORT_CLUSTER_YAML_H
#define STEPSIM_SIM_EXPORT_CLUSTER_YAML_H

#include <string>

#include "model/calibration/calibration.h"
#include "model/job/cluster.h"
#include "sim/export/exporter.h"
#include "sim/report/table.h"

namespace stepsim::sim {

/// The cluster as cluster.yaml (docs/cluster.md): by its numbers where every host has one cable
/// to one switch, else link by link. Reading it gives the same cluster, as long as rates are
/// whole bytes a second, which those of files and calibration are, and names hold UTF-8.
[[nodiscard]] std::string cluster_yaml(const Cluster& cluster);

/// The same below comments that say who made it, how well each value fits and what is assumed.
[[nodiscard]] std::string calibration_yaml(const Calibration& calibration, const Provenance& provenance);

/// What was fitted: its value, from how many samples, how far they are off and what they are.
[[nodiscard]] Table fit_table(const Calibration& calibration);

}  // namespace stepsim::sim

#endif
