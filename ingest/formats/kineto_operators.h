#ifndef STEPSIM_INGEST_FORMATS_KINETO_OPERATORS_H
#define STEPSIM_INGEST_FORMATS_KINETO_OPERATORS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ingest/chrome_events.h"
#include "ingest/text_table.h"
#include "model/device/operator_work.h"

namespace stepsim::ingest {

/// Gives calls of one operator with the same recorded shapes one number, and works out once
/// what each does. Calls repeat in every layer and step, so this costs a hash and a comparison.
class KinetoOperators {
 public:
  /// The number of an operator's call; nothing if its args tell no tensor's shape.
  [[nodiscard]] std::optional<std::uint32_t> number_of(const ChromeEvent& event);
  /// Hands the distinct calls over, by number.
  [[nodiscard]] std::vector<OperatorTable::Operator> take() && { return std::move(operators_); }

 private:
  std::string key_;  // kept for its memory
  TextTable keys_;
  std::vector<OperatorTable::Operator> operators_;  // by key
};

}  // namespace stepsim::ingest

#endif
