#ifndef STEPSIM_CAPTURE_CUPTI_TRANSLATOR_H
#define STEPSIM_CAPTURE_CUPTI_TRANSLATOR_H

#include <array>
#include <atomic>
#include <cstdint>

#include "capture/cupti/library.h"
#include "capture/writer/producer.h"

namespace stepsim::capture::cupti {

/// Turns CUPTI's records into those of a capture file. Any number of threads may use one.
class Translator {
 public:
  /// `library` must outlive this.
  explicit Translator(const Library& library) noexcept : library_(library) {}

  /// Adds what `record` says to `producer`. Records of kinds that a replay does not need add nothing.
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
  std::array<Names, 2> names_{};  ///< of driver and runtime calls, as far as they were asked for
};

}  // namespace stepsim::capture::cupti

#endif
