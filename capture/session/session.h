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

/// The capture of this process. It writes CUPTI's records, NVTX ranges and step marks to one file.
///
/// There is at most one session, and it is never destroyed, because CUPTI may call it until the process ends. Its
/// functions do not throw. They do not wait for other threads, with two exceptions: step marks wait for each other, and
/// the end of the program waits for the file. In a child of fork() all calls do nothing.
///
/// Recording is on from the start, so that CUPTI's instrumentation is set up before the first step. Step marks switch
/// it on and off as the schedule demands. When recording is switched off, CUDA calls stop being recorded immediately.
/// Device work is recorded for one more step, because it runs after the calls that launch it. If a schedule is given
/// and no step is marked during a minute of recording, recording ends.
class Session {
 public:
  /// The library that loaded this module.
  enum class Loader { kCuda, kNccl };
  /// Returns the session of this process and starts it if necessary. Returns null if the environment does not ask for a
  /// session, or if its file cannot be created. A session that NCCL starts does not use CUPTI.
  static Session* start(Loader loader) noexcept;
  /// Returns the session; null if none was started.
  static Session* current() noexcept;

  void mark_step() noexcept;
  void begin_range(std::uint64_t id, const char* name) noexcept;
  void end_range(std::uint64_t id) noexcept;
  /// Records an instant with a name, which may be null.
  void mark(const char* name) noexcept;
  /// Writes the remaining records and marks the capture as complete. Called at the end of the program.
  void finish() noexcept;

  // The functions below are for modules that write other records to the same file.
  [[nodiscard]] Writer& writer() noexcept { return *writer_; }
  [[nodiscard]] std::uint64_t now() const noexcept;     ///< time on the file's clock
  [[nodiscard]] std::uint32_t thread() const noexcept;  ///< number of the calling thread, as in records of calls
  [[nodiscard]] ::pid_t owner() const noexcept { return owner_; }
  [[nodiscard]] std::size_t buffer_bytes() const noexcept { return settings_.buffer_bytes; }
  /// True if the schedule selects the current step. Also valid if CUPTI does not work.
  [[nodiscard]] bool is_wanted() const noexcept { return wanted_.load(std::memory_order_relaxed); }

 private:
  enum class Recording : int { kOff, kDraining, kOn };

  Session(Settings settings, std::unique_ptr<Writer> writer);
  static std::unique_ptr<Writer> make_file(const Settings& settings);
  void describe(const Identity& identity, Loader loader);
  void start_cupti();
  /// Stops using CUPTI and records the reason.
  void give_up(wire::Status status, std::string_view why) noexcept;
  [[nodiscard]] bool another_client() const noexcept;
  void start_helper();
  /// Called by the helper thread: makes CUPTI deliver its records, and checks for other clients.
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
  bool system_threads_ = false;  ///< true if CUPTI uses the system's thread ids
  std::atomic<bool> cupti_works_{false};
  std::mutex marks_;
  std::uint64_t next_step_ = 0;  ///< guarded by marks_
  std::atomic<bool> marked_{false};
  std::atomic<bool> wanted_{true};
  std::atomic<Recording> recording_{Recording::kOff};
  std::mutex helping_;  ///< held while the helper calls CUPTI, and while the program ends
  std::atomic<bool> flush_wanted_{false};
  bool ended_ = false;  ///< guarded by helping_
  std::atomic<std::uint64_t> first_delivery_{0};
};

}  // namespace stepsim::capture

#endif
