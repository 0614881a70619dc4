#ifndef STEPSIM_CLI_WORK_BESIDE_H
#define STEPSIM_CLI_WORK_BESIDE_H

#include <functional>
#include <string>
#include <string_view>

namespace stepsim::cli {

/// The path of a file called `name` beside the input `first`, which commands write where no -o says another. Throws
/// UsageError if a file is there that, by its first bytes, is not `ours`.
[[nodiscard]] std::string beside(const std::string& first, std::string_view name,
                                 const std::function<bool(std::string_view head)>& ours);

}  // namespace stepsim::cli

#endif
