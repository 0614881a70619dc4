#ifndef STEPSIM_MODEL_COST_NETWORK_MAXMIN_H
#define STEPSIM_MODEL_COST_NETWORK_MAXMIN_H

#include "model/job/cluster.h"

namespace stepsim {

/// How messages of several senders share a link that is too narrow for all: 1 = fairly (max-min),
/// 0 = one after the other, between = as docs/models.md says ("Sharing").
extern const NetworkParameterOf<double> kSharing;

/// A sender keeps its turn on a link while it has messages, as TCP may do for 100 ms and more; else
/// each message waits for a turn of its own. With it, sharing 0 serves whole senders one after the
/// other. Not in cluster.yaml: only the interval of an answer sets it.
extern const NetworkParameterOf<bool> kSendersKeepTurn;

}  // namespace stepsim

#endif
