#ifndef STEPSIM_CAPTURE_SESSION_SESSION_H
#define STEPSIM_CAPTURE_SESSION_SESSION_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "capture/nvtx/ranges.h"
#include "capture/session/requests.h"
#include "capture/session/settings.h"
#include "capture/tracer/tracer.h"
#include "capture/writer/process.h"
#include "capture/writer/writer.h"

namespace stepsim::capture {

/// The capture of this process. It writes the records of CUPTI or rocprofiler-sdk, NVTX or roctx ranges, and step marks
/// to one file, or, if it is idle until `stepsim capture --attach` or a signal asks for a recording, to one file for
/// each recording.
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
  /// session, or if its file cannot be created. An idle session has no file at first. A session that NCCL starts uses
  /// neither CUPTI nor rocprofiler-sdk.
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
  /// Calls `write` at the beginning of each later file, in the helper thread. Call it at most once.
  void at_each_file(std::function<void()> write) noexcept;

 private:
  Session(Settings settings, Loader loader, const Identity& identity, std::unique_ptr<Writer> writer);
  [[nodiscard]] std::unique_ptr<Tracer> make_tracer(Loader loader);
  /// Opens a file in the folder of the settings. Returns false and sets errno on failure.
  [[nodiscard]] static bool make_file(const Settings& settings, Writer& writer);
  void describe();
  void start_helper();
  /// Switches recording to what the schedule and the window demand. Needs marks_.
  void follow(bool wanted) noexcept;
  /// Opens or closes the window of time in which the schedule applies. If steps are marked, this has an effect at the
  /// next mark, so that each recorded step is whole.
  void open_window(bool open) noexcept;
  /// Called by the helper thread every 0.1 s: opens and closes the window at its times and at the largest size.
  void watch_bounds() noexcept;

  // Recordings of an idle session (recordings.cpp). The helper thread calls these functions.
  void become_idle();
  /// Called every 0.1 s: does what requests and signals ask for, and completes a recording that is over.
  void serve() noexcept;
  void begin_recording(Settings settings);
  void stop_recording() noexcept;
  void end_recording_if_over();

  void add(const wire::Record& record) noexcept;

  Settings settings_;
  const Loader loader_;
  const Identity identity_;
  Owner owner_;
  std::unique_ptr<Writer> writer_;
  Tracer& tracer_;  ///< never destroyed, like the session
  std::mutex marks_;
  std::uint64_t next_step_ = 0;   ///< guarded by marks_, like the next five members
  std::uint64_t first_step_ = 0;  ///< from which the schedule counts
  bool window_ = false;
  bool is_done_ = false;        ///< the schedule has ended
  bool ignores_marks_ = false;  ///< recording is about to begin, or ended within a step, which therefore must not end
  std::function<void()> at_each_file_;
  std::atomic<bool> wanted_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::optional<std::chrono::steady_clock::time_point> opened_;  ///< used only by the helper, like the next member
  std::optional<std::chrono::steady_clock::time_point> closed_;
  std::optional<Requests> requests_;   ///< none unless the session is idle at first; used by the helper, like the next
  bool is_recording_ = false;          ///< an idle session has a file
  int signals_ = 0;                    ///< how many were obeyed
  int started_by_signal_ = 0;          ///< how many recordings they began
  Recording state_ = Recording::kOff;  ///< as it was found last
  std::chrono::steady_clock::time_point state_since_;  ///< when it was found first
  std::mutex ending_;                                  ///< guards ends_ and delivered_
  std::condition_variable changed_;
  bool ends_ = false;       ///< the program ends
  bool delivered_ = false;  ///< CUPTI has delivered everything
};

}  // namespace stepsim::capture

#endif
