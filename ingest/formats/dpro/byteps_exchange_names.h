#ifndef STEPSIM_INGEST_FORMATS_DPRO_BYTEPS_EXCHANGE_NAMES_H
#define STEPSIM_INGEST_FORMATS_DPRO_BYTEPS_EXCHANGE_NAMES_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stepsim::ingest {

/// A name such as "t0~PART1.PUSH", divided.
struct ExchangeName {
  std::string tensor;           ///< "t0"
  std::int32_t partition = -1;  ///< 1; -1 if the tensor is not divided
  std::string_view operation;   ///< "PUSH"; a view into the name
};

/// Nothing if there is no dot, no tensor, or no number behind "~PART".
[[nodiscard]] std::optional<ExchangeName> exchange_name(std::string_view name);

/// The 3 of "server_3", given "server_"; nothing if the text is anything else.
[[nodiscard]] std::optional<std::int32_t> node_number(std::string_view node, std::string_view role);

}  // namespace stepsim::ingest

#endif
