#ifndef STEPSIM_CAPTURE_TRACER_TRACER_H
#define STEPSIM_CAPTURE_TRACER_TRACER_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "capture/writer/writer.h"

namespace stepsim::capture {

/// What is recorded: nothing; device work of earlier calls, which may still run; or calls and device work.
enum class Recording : int { kOff, kDraining, kOn };

/// Records calls and device work of this process through a vendor's library, and writes them to the capture file. There
/// is at most one tracer. It is never destroyed, because the library may call it until the process ends.
class Tracer {
 public:
  /// `writer` must outlive the tracer.
  explicit Tracer(Writer& writer) noexcept : writer_(writer) {}
  virtual ~Tracer() = default;
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  /// Loads the library and prepares it to record. If that fails, writes the reason to the file. Call it once. May throw
  /// std::bad_alloc.
  virtual void start(bool record_at_once) = 0;
  /// True if the tracer records, or can.
  [[nodiscard]] bool works() const noexcept { return works_.load(std::memory_order_acquire); }
  [[nodiscard]] Recording recording() const noexcept { return recording_.load(std::memory_order_relaxed); }

  /// Writes to a new file what an earlier one was told, or would have been: the library, the devices, and what does not
  /// work.
  virtual void describe_again() noexcept = 0;
  /// True if the library has delivered everything that it recorded.
  [[nodiscard]] virtual bool has_delivered() const noexcept = 0;

  /// Switches recording. If the library cannot switch now, waits for it at most `longest`; after that, tend() switches.
  virtual void record(Recording wanted, std::chrono::milliseconds longest) noexcept = 0;
  /// Makes the library deliver its records. One thread must call this once per second.
  virtual void tend() noexcept = 0;
  /// Makes the library deliver everything. May never return if the library hangs.
  virtual void finish() noexcept = 0;
  /// Writes to the file what is lost because finish() does not return.
  virtual void abandon() noexcept = 0;

  [[nodiscard]] virtual std::uint64_t now() const noexcept = 0;     ///< time on the file's clock, in nanoseconds
  [[nodiscard]] virtual std::uint32_t thread() const noexcept = 0;  ///< the calling thread, as in records of calls

 protected:
  /// Stops taking records and writes the reason.
  void give_up(wire::Status status, std::string_view why) noexcept;
  void say(wire::Status status, std::string_view what) noexcept { writer_.report(status, what, now()); }
  /// Writes again why the tracer does not work. Returns false if it works.
  bool repeat_why_not() noexcept;
  /// Writes a property of the whole capture.
  void describe(std::string_view key, std::string_view value) noexcept;

  Writer& writer_;
  std::atomic<bool> works_{false};
  std::atomic<Recording> recording_{Recording::kOff};

 private:
  wire::Status status_ = wire::Status::kRecording;  ///< if another one, why_not_ is the reason
  std::string why_not_;
};

}  // namespace stepsim::capture

#endif
