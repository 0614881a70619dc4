#ifndef STEPSIM_INGEST_FORMATS_KINETO_ARGUMENTS_H
#define STEPSIM_INGEST_FORMATS_KINETO_ARGUMENTS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/chrome/chrome_events.h"
#include "ingest/parts/part.h"
#include "ingest/parts/text_table.h"
#include "model/job/operator_work.h"
#include "model/job/task_tables.h"

namespace stepsim::ingest {

/// The interpretation of the events of a Kineto category.
struct KinetoCategory {
  std::string_view name;
  EventKind kind = EventKind::kOp;
  bool used = true;
};

/// Returns null if Kineto has no category of this name.
[[nodiscard]] const KinetoCategory* find_kineto_category(std::string_view name) noexcept;

/// The args of a Kineto event that stepsim uses. Views are raw JSON text and valid as long as the args. A number may be
/// written as a string. -1 and empty mean absent.
struct KinetoArguments {
  std::int64_t correlation = -1;
  std::optional<std::int64_t> device;
  std::optional<std::int64_t> stream;  ///< -1 = all streams
  std::int64_t bytes = 0;
  std::int64_t wait_stream = -1;
  std::int64_t wait_correlation = -1;
  std::int64_t sequence = -1;
  std::int64_t in_elements = 0;
  std::int64_t out_elements = 0;
  std::int64_t source_rank = -1;
  std::int64_t destination_rank = -1;
  std::string_view external_id;  ///< number of the operator around it
  std::string_view collective;
  std::string_view dtype;
  std::string_view group_ranks;
  std::string_view group_name;
  std::string_view input_dims;
  std::string_view input_types;
  std::string_view concrete_inputs;
  std::string_view grid;
  std::string_view block;
  std::int64_t registers = -1;  ///< registers per thread
  std::int64_t shared_memory = -1;

  /// Reads the args of `event`. If a key occurs twice, the last one counts.
  explicit KinetoArguments(const ChromeEvent& event);

 private:
  void take(std::string_view key, std::string_view value);
};

/// Size of a collective's or an operator's data.
struct DataSize {
  std::int64_t elements = 0;
  std::int64_t bytes = 0;     ///< 0 if the element type is unknown
  bool type_assumed = false;  ///< the trace does not state the element type; 4 bytes are assumed
};

/// Returns the size of an operator's largest input, from Input Dims and Input type. The tensors of a list count
/// together.
[[nodiscard]] DataSize largest_input(const KinetoArguments& arguments);

/// Returns the launch parameters of a kernel; nullopt if grid, block, registers or shared memory is missing. CUPTI
/// records all of them.
[[nodiscard]] std::optional<KernelLaunch> launch_of(const KinetoArguments& arguments);

/// Assigns a number to each distinct call. Calls are the same if operator, recorded shapes and types, and relevant
/// settings are equal. The work of each distinct call is computed once. Calls repeat in every layer and step, so most
/// of them cost a lookup in a small cache and a comparison.
class KinetoOperators {
 public:
  /// Returns the number of a call. Returns nullopt if the operator never launches anything, or if its args have no
  /// tensor shape (except for convolutions, whose name alone is informative). `name` is the id of event.name.
  [[nodiscard]] std::optional<std::uint32_t> number_of(const ChromeEvent& event, TextId name);
  /// Like number_of(event, name), for a call that has no event. `dims`, `types` and `settings` are the texts that its
  /// event would have as Input Dims, Input type and Concrete Inputs.
  [[nodiscard]] std::optional<std::uint32_t> number_of(std::string_view operator_name, TextId name,
                                                       std::string_view dims, std::string_view types,
                                                       std::string_view settings);
  /// Returns the distinct calls. The number of a call is its index.
  [[nodiscard]] std::vector<OperatorTable::Operator> take() && { return std::move(operators_); }

 private:
  enum class Launches : std::uint8_t { kUnknown, kNothing, kSomething };

  /// The recorded texts that identify a call.
  struct RawCall {
    std::string_view name;
    std::string_view dims;
    std::string_view types;
    std::string_view settings;  // Concrete Inputs of operators whose work depends on them
  };
  static constexpr std::size_t kCached = 1024;

  [[nodiscard]] std::optional<std::uint32_t> number_of(const RawCall& raw);
  [[nodiscard]] static RawCall raw_call(const ChromeEvent& event);
  [[nodiscard]] static OperatorTable::Operator described(const RawCall& raw);
  [[nodiscard]] static std::size_t place_of(const RawCall& raw) noexcept;
  [[nodiscard]] std::uint32_t look_up(const RawCall& raw);
  [[nodiscard]] bool launches_nothing(std::string_view name, TextId id);

  std::vector<Launches> launches_;                  // whether an operator launches anything, by the TextId of its name
  std::string key_;                                 // a member only to reuse its memory
  TextTable keys_;                                  // name, dims, types and settings, one per line
  std::vector<OperatorTable::Operator> operators_;  // by the number of the key in keys_
  std::vector<std::uint32_t> cache_;                // index: place_of(call); value: the latest such call's number
};

}  // namespace stepsim::ingest

#endif
