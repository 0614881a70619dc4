#ifndef STEPSIM_INGEST_FORMATS_KINETO_ARGUMENTS_H
#define STEPSIM_INGEST_FORMATS_KINETO_ARGUMENTS_H

#include <cstdint>
#include <optional>
#include <string_view>

#include "ingest/chrome/chrome_events.h"
#include "model/job/kernel_launch.h"

namespace stepsim::ingest {

/// What stepsim uses of a Kineto event's args. Views are raw JSON text and valid as long as the
/// args. A number may be written as a string. -1 and empty mean absent.
struct KinetoArguments {
  std::int64_t correlation = -1;
  std::optional<std::int64_t> device;
  std::optional<std::int64_t> stream;  ///< -1: all streams
  std::int64_t bytes = 0;
  std::int64_t wait_stream = -1;
  std::int64_t wait_correlation = -1;
  std::int64_t sequence = -1;
  std::int64_t in_elements = 0;
  std::int64_t out_elements = 0;
  std::int64_t source_rank = -1;
  std::int64_t destination_rank = -1;
  std::string_view collective;
  std::string_view dtype;
  std::string_view group_ranks;
  std::string_view group_name;
  std::string_view input_dims;
  std::string_view input_types;
  std::string_view concrete_inputs;
  std::string_view grid;
  std::string_view block;
  std::int64_t registers = -1;  ///< a thread
  std::int64_t shared_memory = -1;

  /// If a key occurs twice, the last one counts.
  explicit KinetoArguments(const ChromeEvent& event);

 private:
  void take(std::string_view key, std::string_view value);
};

/// Size of a collective's or an operator's data.
struct DataSize {
  std::int64_t elements = 0;
  std::int64_t bytes = 0;     ///< 0 if the element type is unknown
  bool type_assumed = false;  ///< the trace names no element type: 4 bytes each
};

/// Bytes of one element; 0 if the type is unknown. Types are named as c10 ("BFloat16") or C++
/// ("c10::BFloat16", "long int") does.
[[nodiscard]] std::int64_t element_size(std::string_view dtype) noexcept;

/// Size of the largest of an operator's inputs, from Input Dims and Input type. The tensors
/// of a list count together.
[[nodiscard]] DataSize largest_input(const KinetoArguments& arguments);

/// How a kernel was launched; nothing unless its grid, block, registers and shared memory are all recorded, as by
/// CUPTI.
[[nodiscard]] std::optional<KernelLaunch> launch_of(const KinetoArguments& arguments);

}  // namespace stepsim::ingest

#endif
