#ifndef STEPSIM_SIM_EXPORT_SYNTHETIC_H
#define STEPSIM_SIM_EXPORT_SYNTHETIC_H

#include <cstdint>

#include "model/job/recording.h"
#include "sim/engine/timeline.h"
#include "sim/output/provenance.h"
#include "sim/output/write_file.h"

namespace stepsim::sim {

/// The events that represent the communication of a simulated job.
enum class CommEvents : std::uint8_t {
  kOperations,  ///< one event per tensor and step, from its first stage's start to its last stage's end
  kStages,      ///< one event per stage of each partition, without the time in queues
};

/// Writes a replay in the format of dPRO's synthetic.json, a Chrome trace:
///
///     {"ph":"X","name":"BW.fc1","cat":"operator","pid":"host0.rank1","tid":"operators","ts":12.5,"dur":3,
///      "args":{"name":"BW.fc1","step":2,"cnt":2}}
///
/// cat is operator, Comm or ServerOp. Times are microseconds from the start of the replay. cnt counts the events with
/// that name and pid from 0. Tasks of zero duration have no event. Rows with overlapping tasks are split into several
/// tids. For jobs without stages of partitions, both settings write one event per task. O(tasks log tasks).
void write_synthetic(const Capture& capture, const Timeline& timeline, CommEvents communication,
                     const Provenance& provenance, OutputFile& out);

}  // namespace stepsim::sim

#endif
