#ifndef STEPSIM_INGEST_FORMATS_KINETO_OPERATORS_H
#define STEPSIM_INGEST_FORMATS_KINETO_OPERATORS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/chrome/chrome_events.h"
#include "ingest/parts/text_table.h"
#include "model/job/operator_work.h"

namespace stepsim::ingest {

/// Numbers the distinct calls: operator, recorded shapes and types. What a call does is worked
/// out once. Calls repeat in every layer and step, so most of them cost a look into a small cache
/// and a comparison.
class KinetoOperators {
 public:
  /// The number of a call; nothing if its args hold no tensor's shape (convolutions excepted: their
  /// name alone tells something), or if the operator never launches anything. `name` is the id of event.name.
  [[nodiscard]] std::optional<std::uint32_t> number_of(const ChromeEvent& event, TextId name);
  /// The same of a call that no event records: what its event's Input Dims, Input type and Concrete Inputs would be.
  [[nodiscard]] std::optional<std::uint32_t> number_of(std::string_view operator_name, TextId name,
                                                       std::string_view dims, std::string_view types,
                                                       std::string_view settings);
  /// The distinct calls, by number.
  [[nodiscard]] std::vector<OperatorTable::Operator> take() && { return std::move(operators_); }

 private:
  enum class Launches : std::uint8_t { kUnknown, kNothing, kSomething };

  /// A call as its record has it.
  struct RawCall {
    std::string_view name;
    std::string_view dims;
    std::string_view types;
    std::string_view settings;  // Concrete Inputs, of operators whose work depends on them
  };
  static constexpr std::size_t kCached = 1024;

  [[nodiscard]] std::optional<std::uint32_t> number_of(const RawCall& raw);
  [[nodiscard]] static RawCall raw_call(const ChromeEvent& event);
  [[nodiscard]] static OperatorTable::Operator described(const RawCall& raw);
  [[nodiscard]] static std::size_t place_of(const RawCall& raw) noexcept;
  [[nodiscard]] std::uint32_t look_up(const RawCall& raw);
  [[nodiscard]] bool launches_nothing(std::string_view name, TextId id);

  std::vector<Launches> launches_;                  // by TextId
  std::string key_;                                 // a member to keep its memory
  TextTable keys_;                                  // name, dims, types and settings, one a line
  std::vector<OperatorTable::Operator> operators_;  // by key
  std::vector<std::uint32_t> cache_ = std::vector<std::uint32_t>(kCached, 0);  // the latest key at each place_of
};

}  // namespace stepsim::ingest

#endif
