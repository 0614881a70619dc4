#ifndef STEPSIM_CAPTURE_CUPTI_TRANSLATOR_H
#define STEPSIM_CAPTURE_CUPTI_TRANSLATOR_H

#include <array>
#include <atomic>
#include <cstdint>

#include "capture/cupti/library.h"
#include "capture/writer/producer.h"

namespace stepsim::capture::cupti {

/// Converts CUPTI's records to those of a capture file. Thread-safe.
class Translator {
 public:
  /// `library` must outlive this object.
  explicit Translator(const Library& library) noexcept : library_(library) {}

  /// Converts `record` and adds it to `producer`. Records that a replay does not need are ignored.
  void add(const std::uint8_t* record, Producer& producer) noexcept;

 private:
  static constexpr std::uint32_t kMostCallbacks = 4096;
  using Names = std::array<std::atomic<const char*>, kMostCallbacks>;

  void add_kernel(const std::uint8_t* record, Producer& producer) noexcept;
  void add_graph(const std::uint8_t* record, Producer& producer) noexcept;
  void add_copy(const std::uint8_t* record, bool peer, Producer& producer) noexcept;
  void add_set(const std::uint8_t* record, Producer& producer) noexcept;
  void add_sync(const std::uint8_t* record, Producer& producer) noexcept;
  void add_event(const std::uint8_t* record, Producer& producer) noexcept;
  void add_call(const std::uint8_t* record, Domain domain, Producer& producer) noexcept;
  void add_overhead(const std::uint8_t* record, Producer& producer) noexcept;
  [[nodiscard]] const char* name_of_call(Domain domain, std::uint32_t callback) noexcept;
  [[nodiscard]] std::uint64_t graph_node(const std::uint8_t* record, std::size_t offset) const noexcept;

  const Library& library_;
  std::array<Names, 2> names_{};  ///< names of driver and runtime calls, filled on demand
};

}  // namespace stepsim::capture::cupti

#endif
