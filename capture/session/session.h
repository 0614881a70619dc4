#ifndef STEPSIM_CAPTURE_SESSION_SESSION_H
#define STEPSIM_CAPTURE_SESSION_SESSION_H

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "capture/cupti/translator.h"
#include "capture/session/cupti_buffers.h"
#include "capture/session/settings.h"
#include "capture/writer/writer.h"

namespace stepsim::capture {

/// The capture of this process: what CUPTI delivers, NVTX ranges and marks of steps, on their way into one file.
///
/// There is at most one, and it is never destroyed: CUPTI may call until the process is gone. Nothing throws out of it,
/// and nothing waits for another thread, but marks for each other and the end of the program for the file. In a child
/// of fork() all calls do nothing.
///
/// Recording is on from the start, so that instrumentation is made before the first step. Marks switch it as the
/// schedule says. When it ends, calls are no longer recorded at once, and device work one step later, because it runs
/// behind the calls. Where a schedule is given, and no step marked for a minute of recording, recording ends.
class Session {
 public:
  /// By whom this module was loaded.
  enum class Loader { kCuda, kNccl };
  /// Starts the session of this process, if the environment asks for one and there is none yet. Null if not. One that
  /// NCCL starts leaves CUPTI to others.
  static Session* start(Loader loader) noexcept;
  /// The session, if one was started.
  static Session* current() noexcept;

  void mark_step() noexcept;
  void begin_range(std::uint64_t id, const char* name) noexcept;
  void end_range(std::uint64_t id) noexcept;
  /// An instant.
  void mark(const char* name) noexcept;
  /// The program ends: writes all that there is.
  void finish() noexcept;

  // For those who record something else in the same file.
  [[nodiscard]] Writer& writer() noexcept { return *writer_; }
  [[nodiscard]] std::uint64_t now() const noexcept;     ///< on the clock of the file
  [[nodiscard]] std::uint32_t thread() const noexcept;  ///< as records of calls number it
  [[nodiscard]] ::pid_t owner() const noexcept { return owner_; }
  [[nodiscard]] std::size_t buffer_bytes() const noexcept { return settings_.buffer_bytes; }
  /// Whether the schedule wants what happens now. Also where CUPTI does not work.
  [[nodiscard]] bool is_wanted() const noexcept { return wanted_.load(std::memory_order_relaxed); }

 private:
  enum class Recording : int { kOff, kDraining, kOn };

  Session(Settings settings, std::unique_ptr<Writer> writer);
  static std::unique_ptr<Writer> make_file(const Settings& settings);
  void describe(const Identity& identity, Loader loader);
  void start_cupti();
  /// Nothing will be recorded, for this reason.
  void give_up(wire::Status status, std::string_view why) noexcept;
  [[nodiscard]] bool another_client() const noexcept;
  void start_helper();
  /// Of the helper: makes CUPTI deliver what it has, and looks for other clients.
  void help() noexcept;
  void record(Recording wanted) noexcept;
  void set_calls(bool on) noexcept;
  void set_device_work(bool on) noexcept;
  void add(const wire::Record& record) noexcept;

  static void on_buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* most) noexcept;
  static void on_buffer_completed(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                                  std::size_t filled) noexcept;

  Settings settings_;
  ::pid_t owner_;
  std::unique_ptr<Writer> writer_;
  cupti::Library library_;
  cupti::Translator translator_{library_};
  CuptiBuffers buffers_;
  bool system_threads_ = false;  ///< CUPTI numbers threads as the system does
  std::atomic<bool> cupti_works_{false};
  std::mutex marks_;
  std::uint64_t next_step_ = 0;  ///< guarded by marks_
  std::atomic<bool> marked_{false};
  std::atomic<bool> wanted_{true};
  std::atomic<Recording> recording_{Recording::kOff};
  std::mutex helping_;  ///< held while the helper calls CUPTI, and once the program ends
  std::atomic<bool> flush_wanted_{false};
  bool ended_ = false;  ///< guarded by helping_
  std::atomic<std::uint64_t> first_delivery_{0};
};

}  // namespace stepsim::capture

#endif
