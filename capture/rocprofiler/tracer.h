#ifndef STEPSIM_CAPTURE_ROCPROFILER_TRACER_H
#define STEPSIM_CAPTURE_ROCPROFILER_TRACER_H

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "capture/nvtx/ranges.h"
#include "capture/rocprofiler/library.h"
#include "capture/rocprofiler/translator.h"
#include "capture/tracer/tracer.h"
#include "capture/writer/process.h"
#include "capture/writer/writer.h"

namespace stepsim::capture::rocprofiler {

struct TracerSettings {
  std::size_t buffer_bytes = 0;  ///< of all buffers that rocprofiler-sdk fills
  nvtx::Listener ranges;         ///< receives roctx ranges and marks
  /// Called when the program calls roctxProfilerResume() or hipProfilerStart() (true), or roctxProfilerPause() or
  /// hipProfilerStop() (false). May be empty.
  std::function<void(bool)> on_profiler_call;
};

/// Records HIP calls and device work of this process through rocprofiler-sdk. Several tools can use it side by side.
///
/// Two contexts are used. One is always active: names of kernels, streams and ranges. HIP streams must be followed from
/// their creation: rocprofiler-sdk 1.0.0 throws an exception through the program's call when it is asked for a stream
/// that was created while nobody followed streams. The other context, of calls and device work, is switched. Device
/// work belongs to the contexts that are active when it is launched and is delivered even if they have been stopped
/// since, so kDraining is the same as kOff.
///
/// A record of device work has the queue, which several HIP streams may share, but not the stream. Therefore the stream
/// of a HIP call is pushed as the external correlation id of its thread while the call runs.
class Tracer : public capture::Tracer {
 public:
  Tracer(TracerSettings settings, Writer& writer);

  /// Must be called while rocprofiler-sdk initialises this tool.
  void start(bool record_at_once) override;
  void describe_again() noexcept override;
  /// After tend(), which waits for the buffer.
  [[nodiscard]] bool has_delivered() const noexcept override { return true; }
  void record(Recording wanted, std::chrono::milliseconds longest) noexcept override;
  void tend() noexcept override;
  void finish() noexcept override;
  void abandon() noexcept override;
  [[nodiscard]] std::uint64_t now() const noexcept override;  ///< time on the system's clock, at rocprofiler's pace
  [[nodiscard]] std::uint32_t thread() const noexcept override;

 private:
  /// Creates contexts and a buffer. Returns why that is impossible; empty if it is not.
  [[nodiscard]] std::string configure();
  void configure_kinds();
  void describe_library();
  void describe_devices();
  void set_clock();
  void follow_stream(const Event& event, std::uint64_t& kept) noexcept;
  void follow_range(const Event& event, std::uint64_t& kept) noexcept;
  void take_event(const Event& event, std::uint64_t& kept);
  void take_records(RecordHeader** headers, std::size_t count, std::uint64_t dropped) noexcept;

  static void on_event(Event event, std::uint64_t* kept, void* tracer) noexcept;
  static void on_records(Id context, Id buffer, RecordHeader** headers, std::size_t count, void* tracer,
                         std::uint64_t dropped) noexcept;
  static Status on_agents(int version, const void** agents, std::size_t count, void* tracer) noexcept;

  TracerSettings settings_;
  Owner owner_;
  Library library_;
  Translator translator_;
  Id always_;  ///< context
  Id work_;    ///< context
  Id buffer_;
  std::vector<std::string> missing_;  ///< what is not recorded, as sentences for the user
  std::uint64_t clock_behind_ = 0;    ///< the system's clock minus rocprofiler's, modulo 2^64
  std::atomic<std::uint64_t> next_range_;
  std::atomic<std::uint64_t> known_dropped_{0};
};

}  // namespace stepsim::capture::rocprofiler

#endif
