#ifndef STEPSIM_SIM_EXPORT_SYNTHETIC_H
#define STEPSIM_SIM_EXPORT_SYNTHETIC_H

#include <cstdint>

#include "model/job/recording.h"
#include "sim/engine/timeline.h"
#include "sim/output/provenance.h"
#include "sim/output/write_file.h"

namespace stepsim::sim {

/// What a simulated job's communication is written as.
enum class CommEvents : std::uint8_t {
  kOperations,  ///< an event for each tensor and step, from its first stage's start to its last stage's end
  kStages,      ///< an event for each stage of each partition, without the time in queues
};

/// Writes a replay in the uniform form of dPRO's synthetic.json, a Chrome trace:
///
///     {"ph":"X","name":"BW.fc1","cat":"operator","pid":"host0.rank1","tid":"operators","ts":12.5,"dur":3,
///      "args":{"name":"BW.fc1","step":2,"cnt":2}}
///
/// cat is operator, Comm or ServerOp, times are microseconds from the start of the replay, and cnt counts the events of
/// that name and pid from 0. Tasks that take no time have no event. Rows whose tasks overlap are several tids. Jobs
/// without stages of partitions have an event a task under either choice. O(tasks log tasks).
void write_synthetic(const Capture& capture, const Timeline& timeline, CommEvents communication,
                     const Provenance& provenance, OutputFile& out);

}  // namespace stepsim::sim

#endif
