#ifndef STEPSIM_CAPTURE_ROCPROFILER_TRANSLATOR_H
#define STEPSIM_CAPTURE_ROCPROFILER_TRANSLATOR_H

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/rocprofiler/abi.h"
#include "capture/writer/producer.h"

namespace stepsim::capture::rocprofiler {

/// Converts rocprofiler-sdk's records to those of a capture file. The functions set_...() and add_device() must be
/// called before the first record arrives; the others are thread-safe.
class Translator {
 public:
  /// Sets the difference between the system's clock and that of the records, in nanoseconds modulo 2^64.
  void set_clock(std::uint64_t behind) noexcept { clock_behind_ = behind; }
  /// Sets the names of HIP calls, by their operation. The texts must live as long as the process.
  void set_calls(std::vector<const char*> names) noexcept { calls_ = std::move(names); }
  void add_device(std::uint64_t agent, std::uint16_t number) { devices_.emplace(agent, number); }

  /// Returns the name of a HIP call; empty if it is not known.
  [[nodiscard]] std::string_view name_of_call(std::int32_t operation) const noexcept;

  /// Remembers the name of a kernel, to which dispatches refer by a number.
  void add_kernel(const KernelSymbol& symbol);
  /// Converts a record and adds it to `producer`. Records that a replay does not need are ignored.
  void add(const RecordHeader& header, Producer& producer) noexcept;

  /// Returns the value that is pushed for work of a stream, and that its records then have.
  [[nodiscard]] static constexpr std::uint64_t mark_of_stream(std::uint64_t stream) noexcept { return stream + 1; }

 private:
  struct Kernel {
    std::string name;
    std::uint32_t registers = 0;
  };

  void add_call(const Call& call, Producer& producer) const noexcept;
  void add_copy(const Copy& copy, Producer& producer) const noexcept;
  void add_dispatch(const Dispatch& dispatch, Producer& producer) noexcept;
  /// Returns null if the kernel is not known. The pointer stays valid.
  [[nodiscard]] const Kernel* kernel(std::uint64_t number) noexcept;
  [[nodiscard]] std::uint16_t device(std::uint64_t agent) const noexcept;

  std::uint64_t clock_behind_ = 0;
  std::vector<const char*> calls_;
  std::unordered_map<std::uint64_t, std::uint16_t> devices_;  ///< GPUs by agent
  std::mutex kernels_mutex_;
  std::unordered_map<std::uint64_t, Kernel> kernels_;  ///< guarded by kernels_mutex_; nothing is erased
};

}  // namespace stepsim::capture::rocprofiler

#endif
