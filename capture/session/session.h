#ifndef STEPSIM_CAPTURE_SESSION_SESSION_H
#define STEPSIM_CAPTURE_SESSION_SESSION_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "capture/nvtx/ranges.h"
#include "capture/session/settings.h"
#include "capture/tracer/tracer.h"
#include "capture/writer/process.h"
#include "capture/writer/writer.h"

namespace stepsim::capture {

/// The capture of this process. It writes the records of CUPTI or rocprofiler-sdk, NVTX or roctx ranges, and step marks
/// to one file.
///
/// There is at most one session, and it is never destroyed, because CUPTI may call it until the process ends. Its
/// functions do not throw. They do not wait for other threads, with three exceptions: step marks wait for each other, a
/// mark that begins a recording waits up to 2 s for CUPTI to finish a flush, and the end of the program waits up to 5 s
/// for CUPTI and 10 s for the file. In a child of fork() all calls do nothing.
///
/// Without a schedule, recording is on from the start, for a minute if no step is marked. With one, nothing is recorded
/// before the first step that it selects: the driver of CUDA 13.0 gives wrong correlation ids to CUDA graphs if
/// recording ends and begins again. Step marks switch recording on and off. When it is switched off, CUDA calls stop
/// being recorded immediately. Device work is recorded for one more step, because it runs after the calls that launch
/// it.
class Session {
 public:
  /// The library that loaded this module.
  enum class Loader { kCuda, kRocm, kNccl };
  /// Returns the session of this process and starts it if necessary. Returns null if the environment does not ask for a
  /// session, or if its file cannot be created. A session that NCCL starts uses neither CUPTI nor rocprofiler-sdk.
  static Session* start(Loader loader) noexcept;
  /// Returns the session; null if none was started.
  static Session* current() noexcept;
  /// Returns functions that pass ranges and marks to the session; without one they do nothing.
  static nvtx::Listener listener() noexcept;

  void mark_step() noexcept;
  void begin_range(std::uint64_t id, const char* name) noexcept;
  void end_range(std::uint64_t id) noexcept;
  /// Records an instant with a name, which may be null.
  void mark(const char* name) noexcept;
  /// Writes the remaining records and marks the capture as complete. Called at the end of the program.
  void finish() noexcept;

  // The functions below are for modules that write other records to the same file.
  [[nodiscard]] Writer& writer() noexcept { return *writer_; }
  [[nodiscard]] std::uint64_t now() const noexcept { return tracer_.now(); }        ///< time on the file's clock
  [[nodiscard]] std::uint32_t thread() const noexcept { return tracer_.thread(); }  ///< as in records of calls
  [[nodiscard]] const Owner& owner() const noexcept { return owner_; }
  [[nodiscard]] std::size_t buffer_bytes() const noexcept { return settings_.buffer_bytes; }
  /// True if the schedule selects the current step. Also valid if CUPTI does not work.
  [[nodiscard]] bool is_wanted() const noexcept { return wanted_.load(std::memory_order_relaxed); }

 private:
  Session(Settings settings, std::unique_ptr<Writer> writer, Loader loader);
  [[nodiscard]] std::unique_ptr<Tracer> make_tracer(Loader loader);
  static std::unique_ptr<Writer> make_file(const Settings& settings);
  void describe(const Identity& identity, Loader loader);
  void start_helper();
  /// Switches recording to what the schedule and the window demand. Needs marks_.
  void follow(bool wanted) noexcept;
  /// Opens or closes the window of time in which the schedule applies. If steps are marked, this has an effect at the
  /// next mark, so that each recorded step is whole.
  void open_window(bool open) noexcept;
  /// Called by the helper thread every 0.1 s: opens and closes the window at its times and at the largest size.
  void watch_bounds() noexcept;
  void add(const wire::Record& record) noexcept;

  Settings settings_;
  Owner owner_;
  std::unique_ptr<Writer> writer_;
  Tracer& tracer_;  ///< never destroyed, like the session
  std::mutex marks_;
  std::uint64_t next_step_ = 0;  ///< guarded by marks_
  bool window_ = false;          ///< guarded by marks_
  bool ignores_marks_ = false;   ///< guarded by marks_; recording ended within a step, which therefore must not end
  std::atomic<bool> wanted_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::optional<std::chrono::steady_clock::time_point> opened_;  ///< used only by the helper, like the next member
  std::optional<std::chrono::steady_clock::time_point> closed_;
  std::mutex ending_;  ///< guards ends_ and delivered_
  std::condition_variable changed_;
  bool ends_ = false;       ///< the program ends
  bool delivered_ = false;  ///< CUPTI has delivered everything
};

}  // namespace stepsim::capture

#endif
