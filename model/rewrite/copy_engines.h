#ifndef STEPSIM_MODEL_REWRITE_COPY_ENGINES_H
#define STEPSIM_MODEL_REWRITE_COPY_ENGINES_H

#include "model/job/recording.h"

namespace stepsim {

/// Whether the capture has copies between host and device on streams. O(tasks).
[[nodiscard]] bool has_stream_copies(const Capture& capture);

/// The capture with such copies on engines, one for each device and direction. A copy to the device no longer waits for
/// the kernels before it on its stream, but the kernels after it still wait for it. A copy to the host still waits for
/// the kernels before it, but the kernels after it no longer wait for it. O(tasks log tasks + edges).
[[nodiscard]] Capture with_copies_apart(const Capture& capture);

}  // namespace stepsim

#endif
