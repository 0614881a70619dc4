#include "model/cost/network/network.h"

namespace stepsim {

extern const NetworkModel recorded_network;
const NetworkModel recorded_network{
    .name = "recorded",
    .summary = "each transfer keeps its recorded duration",
    .formula = "t = recorded duration",
    .source = "the capture",
    .ignores = "any effect of changed sizes, links or timing on a transfer",
    .otherwise = "any other model if something changes",
};

}  // namespace stepsim
