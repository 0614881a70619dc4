#include "model/job/parameter_server/server_rules/server_rule.h"

namespace stepsim {

extern const ServerRule built_in_server_rule;
const ServerRule built_in_server_rule{
    .name = "built_in",
    .summary = "std::hash of the C++ library that the job ran with: only that job can work it out",
    .server_of = nullptr,
};

}  // namespace stepsim
