#ifndef STEPSIM_MODEL_CALIBRATION_COLLECTIVES_H
#define STEPSIM_MODEL_CALIBRATION_COLLECTIVES_H

#include <optional>

#include "model/calibration/calibration.h"
#include "model/job/recording.h"

namespace stepsim {

/// The network as the capture's collectives show it; nothing if none has a known payload and
/// took time.
///
/// A rank's link is busy from the last arrival at a collective to the end of its last member.
/// Collectives that overlap share the link, so each uninterrupted busy period is one sample:
///
///     length = messages * alpha + bytes / goodput
///
/// with what the rank sends or receives in it by the algorithm's rounds, whichever is more. A
/// ring all-reduce of n members counts 2 (n - 1) / n of its payload. Long periods vary more, so
/// samples are weighted by 1 / bytes; the two parts are fitted apart only where the periods' mean
/// messages differ at least twofold. The goodput becomes the efficiency of job.yaml's bandwidth, or the bandwidth where
/// that is missing or less; alpha beyond the links' latency is the message overhead.
///
/// Ranks lie on hosts as network_of_job_file() puts them, else each has a link of its own.
/// O(collectives * members + shapes * rounds * members).
[[nodiscard]] std::optional<Calibration> calibrate_collectives(const Capture& capture);

}  // namespace stepsim

#endif
