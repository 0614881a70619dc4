#ifndef STEPSIM_MODEL_COST_NETWORK_MAXMIN_H
#define STEPSIM_MODEL_COST_NETWORK_MAXMIN_H

#include "model/job/cluster.h"

namespace stepsim {

/// How messages of several senders share a link that is too narrow for all: 1 = fairly (max-min), 0 = one after the
/// other; docs/internals/models.md, "Sharing", describes values in between.
extern const NetworkParameterOf<double> kSharing;

/// If true, a sender keeps its turn on a link while it has messages, as TCP may do for 100 ms and more. Otherwise each
/// message waits for a separate turn. If true, sharing 0 serves one sender completely after another. This is not a key
/// of cluster.yaml: it is set only to compute the range of a prediction.
extern const NetworkParameterOf<bool> kSendersKeepTurn;

}  // namespace stepsim

#endif
