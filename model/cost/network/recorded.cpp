#include "model/cost/network/network.h"

namespace stepsim {

extern const NetworkModel recorded_network;
const NetworkModel recorded_network{
    .name = "recorded",
    .summary = "every transfer takes as long as it was recorded",
    .formula = "t = recorded duration",
    .source = "the capture",
    .ignores = "whatever a change of sizes, links or timing would do to a transfer",
    .otherwise = "any other model, as soon as something is changed",
};

}  // namespace stepsim
