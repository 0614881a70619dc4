#ifndef STEPSIM_CAPTURE_INLINE_H
#define STEPSIM_CAPTURE_INLINE_H

/// The inline profiler measures labelled ranges of a program while it trains, following an idea of HugeCTR. It is a
/// single C++17 header that does not depend on the rest of stepsim (docs/reference/other-tools.md).
///
///     for (...) {
///       STEPSIM_ITERATION();            // or STEPSIM_ITERATION_BEGIN(), and STEPSIM_ITERATION_END() before the next
///       {
///         STEPSIM_RANGE("fprop", stream);  // until the end of the block
///         gemm<<<..., stream>>>(...);
///       }
///       STEPSIM_RANGE_START("bprop", stream);
///       ...
///       STEPSIM_RANGE_STOP("bprop", stream);
///     }
///
/// Unless STEPSIM_PROFILING is defined, every macro is an empty statement whose arguments are not evaluated. If it is
/// defined, the macros follow the file prof.schedule ('stepsim schedule' writes it): each iteration measures one range,
/// on every stream that has it, so that measuring hardly disturbs the program. After the last line of the schedule, or
/// when the program exits earlier, the profiler writes HOST.prof.json in the V1 format of HugeCTR's profiler; if RANK,
/// OMPI_COMM_WORLD_RANK or SLURM_PROCID is set to N, the name is HOST.rankN.prof.json. 'stepsim timeline' and 'stepsim
/// scaling' show this file. The schedule is read from, and the result is written to, $STEPSIM_PROFILING_DIR, else
/// $PROFILING_DIR, else the working folder.
///
/// If CUDA's headers are available, streams are cudaStream_t and ranges are measured by CUDA events on them; the
/// program must link the CUDA runtime. Otherwise, or if STEPSIM_PROFILING_HOST_CLOCK is defined, streams are arbitrary
/// pointers, and times come from the host's steady clock.
///
/// The profiler never throws and never ends the program. Problems (no schedule, a label that is stopped but was not
/// started, a failing CUDA call, a full disk) only lose measurements, and are reported in one line on standard error.
/// Any thread may use ranges; only one thread may mark iterations. A stream that is being captured into a CUDA graph is
/// not measured. The profiler takes a lock in warm-up iterations, and later only for the range that is measured.

#ifndef STEPSIM_PROFILING

#define STEPSIM_ITERATION() static_cast<void>(0)
#define STEPSIM_ITERATION_BEGIN() static_cast<void>(0)
#define STEPSIM_ITERATION_END() static_cast<void>(0)
#define STEPSIM_RANGE(label, stream) static_cast<void>(0)
#define STEPSIM_RANGE_START(label, stream) static_cast<void>(0)
#define STEPSIM_RANGE_STOP(label, stream) static_cast<void>(0)

#else

#if !defined(STEPSIM_PROFILING_HOST_CLOCK) && defined(__has_include)
#if __has_include(<cuda_runtime_api.h>)
#include <cuda_runtime_api.h>
#define STEPSIM_PROFILING_CUDA 1
#endif
#endif

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <istream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace stepsim {
namespace profiling {

// Programs may mix source files with and without CUDA's headers; each kind uses a separate profiler.
#ifdef STEPSIM_PROFILING_CUDA
inline namespace cuda {

using Stream = cudaStream_t;

/// A CUDA event. If a CUDA call in a member function fails, the function clears the error of that call, so that the
/// program does not see it.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  // The destructor does not destroy the CUDA event: events live until the process ends, when CUDA can no longer be
  // called.

  [[nodiscard]] bool record(Stream stream) noexcept {
    if (!made_) made_ = done(cudaEventCreateWithFlags(&event_, cudaEventBlockingSync));
    return made_ && done(cudaEventRecord(event_, stream));
  }
  /// Waits for both events and returns the nanoseconds from `begin` to `end`; negative on failure.
  [[nodiscard]] static std::int64_t between(const Event& begin, const Event& end) noexcept {
    float milliseconds = 0;
    constexpr double kNanoseconds = 1e6;
    if (!done(cudaEventSynchronize(begin.event_)) || !done(cudaEventSynchronize(end.event_)) ||
        !done(cudaEventElapsedTime(&milliseconds, begin.event_, end.event_)))
      return -1;
    return static_cast<std::int64_t>(static_cast<double>(milliseconds) * kNanoseconds + 0.5);
  }
  /// True if events can be recorded on the stream now. If the program has an unread CUDA error, returns false and keeps
  /// the error for the program to find.
  [[nodiscard]] static bool usable(Stream stream) noexcept {
    if (cudaPeekAtLastError() != cudaSuccess) return false;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return done(cudaStreamIsCapturing(stream, &status)) && status == cudaStreamCaptureStatusNone;
  }
  [[nodiscard]] static int device() noexcept {
    int device = 0;
    return done(cudaGetDevice(&device)) ? device : 0;
  }
  static void use_device(int device) noexcept { static_cast<void>(done(cudaSetDevice(device))); }

 private:
  static bool done(cudaError_t error) noexcept {
    if (error == cudaSuccess) return true;
    static_cast<void>(cudaGetLastError());
    return false;
  }

  cudaEvent_t event_ = nullptr;
  bool made_ = false;
};

#else
inline namespace host_clock {

using Stream = const void*;

/// A point in time on the host.
class Event {
 public:
  [[nodiscard]] bool record(Stream /*stream*/) noexcept {
    time_ = std::chrono::steady_clock::now();
    return true;
  }
  [[nodiscard]] static std::int64_t between(const Event& begin, const Event& end) noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(end.time_ - begin.time_).count();
  }
  [[nodiscard]] static bool usable(Stream /*stream*/) noexcept { return true; }
  [[nodiscard]] static int device() noexcept { return 0; }
  static void use_device(int /*device*/) noexcept {}

 private:
  std::chrono::steady_clock::time_point time_;
};

#endif

/// A line of prof.schedule: the range to measure in one iteration.
struct ScheduleLine {
  std::string name;
  std::string layer;
  std::int64_t iteration = 0;
  std::int64_t occurrence = 0;
};

struct Schedule {
  std::int64_t warmup = 0;
  std::vector<ScheduleLine> lines;  ///< lines[k] is for iteration warmup + k + 1
  std::string problem;              ///< why the schedule is unusable; empty if it is usable
};

/// Parses a number such as "12". Returns -1 if the text is not a number or has more than 18 digits.
inline std::int64_t number_in(std::string_view text) noexcept {
  constexpr std::size_t kMostDigits = 18;
  if (text.empty() || text.size() > kMostDigits) return -1;
  std::int64_t number = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return -1;
    number = number * 10 + (digit - '0');
  }
  return number;
}

/// Returns the fields of a line, separated by single blanks.
inline std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == ' ') {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

/// Reads a schedule. `name` is the file's name in messages: "prof.schedule:3: ...".
inline Schedule read_schedule(std::istream& in, const std::string& name) {
  Schedule schedule;
  std::string line;
  std::int64_t number = 0;
  const auto refuse = [&](const std::string& what) {
    schedule.problem = name + ':' + std::to_string(number) + ": " + what;
    return schedule;
  };
  while (std::getline(in, line)) {
    ++number;
    const std::vector<std::string> fields = fields_of(line);
    if (number == 1) {
      schedule.warmup = number_in(fields[0]);
      if (fields.size() != 1 || schedule.warmup < 1)
        return refuse("'" + line + "' is not a number of warm-up iterations; expected a whole number from 1");
      continue;
    }
    if (fields.size() == 1 && fields[0].empty()) continue;
    constexpr std::size_t kFields = 4;
    if (fields.size() != kFields) return refuse("'" + line + "'; expected name, iteration, layer and occurrence");
    ScheduleLine made{fields[0], fields[2], number_in(fields[1]), number_in(fields[3])};
    const std::int64_t expected = schedule.warmup + static_cast<std::int64_t>(schedule.lines.size()) + 1;
    if (made.iteration != expected)
      return refuse("iteration '" + fields[1] + "'; expected " + std::to_string(expected) + " in this line");
    if (made.name.empty() || made.occurrence < 0)
      return refuse("'" + line + "'; expected a name, and an occurrence from 0 on");
    schedule.lines.push_back(std::move(made));
  }
  if (schedule.lines.empty()) {
    ++number;
    return refuse("the schedule lists no ranges; expected a file that 'stepsim schedule' wrote");
  }
  return schedule;
}

/// The measurements of one scheduled range on one stream.
struct Measured {
  const ScheduleLine* range = nullptr;  ///< first schedule line with this name and occurrence
  int device = 0;
  Stream stream{};
  std::int64_t start_index = -1;
  std::int64_t end_index = -1;
  Event start;
  Event stop;
  bool started = false;  ///< true if started in this iteration
  bool stopped = false;
  std::vector<std::int64_t> lengths;  ///< in nanoseconds, one per measured iteration
  std::vector<std::int64_t> offsets;
};

/// Returns `text` as a JSON string.
inline std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    constexpr unsigned char kFirstPrintable = 0x20;
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < kFirstPrintable) {
      char escaped[8];
      static_cast<void>(std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c)));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// Formats nanoseconds as milliseconds, with a decimal point in any locale.
inline std::string milliseconds(std::int64_t nanoseconds) {
  constexpr std::int64_t kMillisecond = 1'000'000;
  std::string rest = std::to_string(nanoseconds % kMillisecond);
  rest.insert(0, 6 - rest.size(), '0');
  return std::to_string(nanoseconds / kMillisecond) + '.' + rest;
}

inline std::string milliseconds(const std::vector<std::int64_t>& all) {
  std::string out = "[";
  for (const std::int64_t one : all) {
    if (out.size() > 1) out += ',';
    out += milliseconds(one);
  }
  return out + ']';
}

inline const char* first_set(std::initializer_list<const char*> names) noexcept {
  for (const char* const name : names) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return nullptr;
}

class Profiler {
 public:
  /// Reads prof.schedule in `folder`, which is empty or ends in '/'. The results are written to the same folder.
  /// Without a usable schedule, prints a message and measures nothing.
  explicit Profiler(std::string folder) : process_(getpid()), folder_(std::move(folder)) {
    const std::string path = folder_ + "prof.schedule";
    std::ifstream file(path);
    if (file) {
      schedule_ = read_schedule(file, path);
    } else {
      schedule_.problem = "there is no " + path + ", which 'stepsim schedule' writes";
    }
    if (!schedule_.problem.empty()) {
      stop(schedule_.problem);
      return;
    }
    for (const ScheduleLine& line : schedule_.lines) {
      ranges_.try_emplace(std::pair(line.name, line.occurrence), &line);
      names_.insert(line.name);
    }
    running_.store(true, std::memory_order_release);
  }
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  /// Returns the profiler of the process; null if it could not be created. It is never destroyed, so it is usable until
  /// the process ends.
  static Profiler* get() noexcept {
    static Profiler* const only = make();
    return only;
  }

  /// Begins an iteration, and ends the previous one if it is still open.
  void begin_iteration() noexcept {
    guarded([this] {
      if (in_iteration_) leave_iteration();
      if (!running_.load(std::memory_order_relaxed)) return;
      ++iteration_;
      met_.clear();
      open_.clear();
      const std::int64_t line = iteration_ - schedule_.warmup - 1;
      warming_up_.store(line < 0, std::memory_order_relaxed);
      const ScheduleLine* const active = line < 0 ? nullptr : &schedule_.lines[static_cast<std::size_t>(line)];
      if (active != nullptr) mark_streams(*active);
      begin_ = std::chrono::steady_clock::now();
      in_iteration_ = true;
      active_.store(active, std::memory_order_release);
    });
  }

  void end_iteration() noexcept {
    guarded([this] {
      if (in_iteration_) leave_iteration();
    });
  }

  void start(std::string_view name, Stream stream) noexcept {
    if (!concerns(name)) return;
    guarded([&] {
      const Key key{std::string(name), Event::device(), stream};
      const std::int64_t occurrence = met_[key]++;
      open_[key].push_back(occurrence);
      Measured* const found = find(key, occurrence, warming_up_.load(std::memory_order_relaxed));
      if (found == nullptr) return;
      const ScheduleLine* const active = active_.load(std::memory_order_relaxed);
      if (active == nullptr || active->occurrence != occurrence) return;
      found->started = Event::usable(stream) && found->start.record(stream);
    });
  }

  void stop(std::string_view name, Stream stream) noexcept {
    if (!concerns(name)) return;
    guarded([&] {
      const Key key{std::string(name), Event::device(), stream};
      const auto open = open_.find(key);
      if (open == open_.end() || open->second.empty()) {
        ++unmatched_;
        return;
      }
      const std::int64_t occurrence = open->second.back();
      open->second.pop_back();
      Measured* const found = find(key, occurrence, false);
      if (found == nullptr) return;
      if (found->end_index < 0) found->end_index = next_index_++;
      if (found->started) found->stopped = Event::usable(stream) && found->stop.record(stream);
    });
  }

 private:
  using Key = std::tuple<std::string, int, Stream>;

  static Profiler* make() noexcept {
    try {
      const char* const folder = first_set({"STEPSIM_PROFILING_DIR", "PROFILING_DIR"});
      auto made = std::make_unique<Profiler>(folder == nullptr ? std::string() : std::string(folder) + '/');
      static_cast<void>(std::atexit([] {
        if (Profiler* const only = get(); only != nullptr) only->write_rest();
      }));
      return made.release();
    } catch (...) {
      return nullptr;
    }
  }

  /// Runs `work` under the lock, unless the profiler has stopped. An exception in `work` stops the profiler.
  template <class Work>
  void guarded(const Work& work) noexcept {
    if (!running_.load(std::memory_order_acquire)) return;
    try {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (running_.load(std::memory_order_relaxed)) work();
    } catch (const std::exception& error) {
      stop(error.what());
    } catch (...) {
      stop("an unknown exception");
    }
  }

  /// True if start() or stop() of a range with this name matters in the current iteration: during warm-up if the
  /// schedule contains the name, later if this iteration measures it. Takes no lock.
  [[nodiscard]] bool concerns(std::string_view name) const noexcept {
    if (!running_.load(std::memory_order_acquire)) return false;
    if (warming_up_.load(std::memory_order_relaxed)) return names_.find(name) != names_.end();
    const ScheduleLine* const active = active_.load(std::memory_order_acquire);
    return active != nullptr && active->name == name;
  }

  /// Returns the measurements of this occurrence of a range, on the key's device and stream. Returns null if the
  /// schedule does not contain it. If there are no measurements yet, adds them if `may_add`, else returns null.
  [[nodiscard]] Measured* find(const Key& key, std::int64_t occurrence, bool may_add) {
    const auto range = ranges_.find(std::pair(std::get<0>(key), occurrence));
    if (range == ranges_.end()) return nullptr;
    const auto place = places_.find(std::pair(key, occurrence));
    if (place != places_.end()) return place->second;
    if (!may_add) return nullptr;
    measured_.push_back(std::make_unique<Measured>());
    Measured* const made = measured_.back().get();
    made->range = range->second;
    made->device = std::get<1>(key);
    made->stream = std::get<2>(key);
    made->start_index = next_index_++;
    places_.emplace(std::pair(key, occurrence), made);
    return made;
  }

  [[nodiscard]] static bool is_of(const Measured& one, const ScheduleLine& line) {
    return one.range->occurrence == line.occurrence && one.range->name == line.name;
  }

  void leave_iteration() {
    in_iteration_ = false;
    warming_up_.store(false, std::memory_order_relaxed);
    const std::int64_t length =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin_).count();
    const ScheduleLine* const active = active_.exchange(nullptr);
    if (active == nullptr) {
      if (iteration_ == schedule_.warmup && measured_.empty())
        stop("no range of the schedule was met in the warm-up iterations");
      return;
    }
    take_measurements(*active);
    iterations_.push_back(length);
    if (iterations_.size() == schedule_.lines.size()) finish();
  }

  /// Records an event at the start of the iteration, on each stream on which the range of `line` occurred before.
  void mark_streams(const ScheduleLine& line) {
    const int device = Event::device();
    for (const std::unique_ptr<Measured>& one : measured_) {
      if (!is_of(*one, line)) continue;
      one->started = one->stopped = false;
      auto& [event, marked] = begins_[std::pair(one->device, one->stream)];
      if (event == nullptr) event = std::make_unique<Event>();
      Event::use_device(one->device);
      marked = Event::usable(one->stream) && event->record(one->stream);
    }
    Event::use_device(device);
  }

  void take_measurements(const ScheduleLine& line) {
    for (const std::unique_ptr<Measured>& one : measured_) {
      if (!is_of(*one, line)) continue;
      const auto& [event, marked] = begins_[std::pair(one->device, one->stream)];
      const bool whole = marked && one->started && one->stopped;
      const std::int64_t length = whole ? Event::between(one->start, one->stop) : -1;
      const std::int64_t offset = whole ? Event::between(*event, one->start) : -1;
      if (length < 0 || offset < 0) {
        ++lost_;
        continue;
      }
      one->lengths.push_back(length);
      one->offsets.push_back(offset);
    }
  }

  void say(const std::string& text) const noexcept {
    static_cast<void>(std::fputs(("stepsim: inline profiler: " + text + '\n').c_str(), stderr));
  }

  void stop(const std::string& why) noexcept {
    running_.store(false, std::memory_order_release);
    try {
      say(why + "; nothing is measured");
    } catch (...) {
    }
  }

  /// At exit, writes the results of an unfinished schedule. A forked child writes nothing.
  void write_rest() noexcept {
    guarded([this] {
      if (process_ != getpid() || iterations_.empty()) return;
      say("the program ends after " + std::to_string(iterations_.size()) + " of " +
          std::to_string(schedule_.lines.size()) + " iterations of the schedule");
      finish();
    });
  }

  void finish() {
    running_.store(false, std::memory_order_release);
    const std::string host = host_name();
    const char* const rank = first_set({"RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"});
    const std::string path =
        folder_ + host + (rank != nullptr ? std::string(".rank") + rank : std::string()) + ".prof.json";
    const std::string temporary = path + ".tmp";
    {
      static_cast<void>(std::remove(temporary.c_str()));             // left over, or a link that others have put there
      std::FILE* const file = std::fopen(temporary.c_str(), "wbx");  // x: does not write to an existing file
      bool written = file != nullptr && std::fputs(json(host).c_str(), file) >= 0;
      written = file != nullptr && std::fclose(file) == 0 && written;
      if (!written || std::rename(temporary.c_str(), path.c_str()) != 0) {
        static_cast<void>(std::remove(temporary.c_str()));
        return say(path + " cannot be written");
      }
    }
    say(path + " has " + std::to_string(measured_.size()) + " ranges" +
        (lost_ > 0 ? ", without " + std::to_string(lost_) + " measurements that failed" : std::string()) +
        (unmatched_ > 0 ? "; " + std::to_string(unmatched_) + " stops had no start" : std::string()));
  }

  [[nodiscard]] static std::string host_name() {
    constexpr std::size_t kLongest = 256;
    char name[kLongest] = {};
    return gethostname(name, kLongest - 1) == 0 && name[0] != '\0' ? name : "localhost";
  }

  [[nodiscard]] std::string json(const std::string& host) const {
    std::string out = "{\"events\":[";
    for (const std::unique_ptr<Measured>& one : measured_) {
      if (one != measured_.front()) out += ',';
      char stream[32];
      static_cast<void>(std::snprintf(stream, sizeof stream, "%p", static_cast<const void*>(one->stream)));
      out += "{\"device_id\":" + std::to_string(one->device) + ",\"end_index\":" + std::to_string(one->end_index) +
             ",\"iter_start_to_event_start_times_ms\":" + milliseconds(one->offsets) +
             ",\"layer_name\":" + quoted(one->range->layer) + ",\"measured_times_ms\":" + milliseconds(one->lengths) +
             ",\"name\":" + quoted(one->range->name) +
             ",\"same_name_events_occured_order_in_code\":" + std::to_string(one->range->occurrence) +
             ",\"start_index\":" + std::to_string(one->start_index) + ",\"stream\":" + quoted(stream) + '}';
    }
    return out + "],\"host_name\":" + quoted(host) + ",\"iter_time_ms\":" + milliseconds(iterations_) + "}\n";
  }

  std::atomic<bool> running_{false};
  std::atomic<bool> warming_up_{false};
  std::atomic<const ScheduleLine*> active_{nullptr};  ///< range being measured; null between iterations and in warm-up
  std::mutex mutex_;                                  ///< guards the members below
  pid_t process_;
  std::string folder_;
  Schedule schedule_;
  std::map<std::pair<std::string, std::int64_t>, const ScheduleLine*> ranges_;  ///< by name and occurrence
  std::set<std::string, std::less<> > names_;                                   ///< names in ranges_
  std::map<Key, std::int64_t> met_;                                             ///< number of starts in this iteration
  std::map<Key, std::vector<std::int64_t> > open_;  ///< occurrences that are started and not yet stopped
  std::map<std::pair<Key, std::int64_t>, Measured*> places_;
  std::map<std::pair<int, Stream>, std::pair<std::unique_ptr<Event>, bool> > begins_;  ///< iteration starts by stream
  std::vector<std::unique_ptr<Measured> > measured_;  ///< in the order of their first starts
  std::int64_t next_index_ = 0;
  std::int64_t iteration_ = 0;
  bool in_iteration_ = false;
  std::chrono::steady_clock::time_point begin_;
  std::vector<std::int64_t> iterations_;
  std::int64_t lost_ = 0;
  std::int64_t unmatched_ = 0;
};

inline void begin_iteration() noexcept {
  if (Profiler* const only = Profiler::get(); only != nullptr) only->begin_iteration();
}
inline void end_iteration() noexcept {
  if (Profiler* const only = Profiler::get(); only != nullptr) only->end_iteration();
}
inline void start(std::string_view name, Stream stream) noexcept {
  if (Profiler* const only = Profiler::get(); only != nullptr) only->start(name, stream);
}
inline void stop(std::string_view name, Stream stream) noexcept {
  if (Profiler* const only = Profiler::get(); only != nullptr) only->stop(name, stream);
}

/// Begins an iteration and ends it on destruction.
struct Iteration {
  Iteration() noexcept { begin_iteration(); }
  ~Iteration() { end_iteration(); }
  Iteration(const Iteration&) = delete;
  Iteration& operator=(const Iteration&) = delete;
};

/// Starts a range and stops it on destruction. The name must outlive the object; literals do.
class Range {
 public:
  Range(std::string_view name, Stream stream) noexcept : name_(name), stream_(stream) { start(name_, stream_); }
  ~Range() { stop(name_, stream_); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  std::string_view name_;
  Stream stream_;
};

}  // namespace
}  // namespace profiling
}  // namespace stepsim

#define STEPSIM_JOINED_(a, b) a##b
#define STEPSIM_JOINED(a, b) STEPSIM_JOINED_(a, b)
#define STEPSIM_ITERATION() const ::stepsim::profiling::Iteration STEPSIM_JOINED(stepsim_iteration_, __LINE__)
#define STEPSIM_ITERATION_BEGIN() ::stepsim::profiling::begin_iteration()
#define STEPSIM_ITERATION_END() ::stepsim::profiling::end_iteration()
#define STEPSIM_RANGE(label, stream) \
  const ::stepsim::profiling::Range STEPSIM_JOINED(stepsim_range_, __LINE__) { label, stream }
#define STEPSIM_RANGE_START(label, stream) ::stepsim::profiling::start(label, stream)
#define STEPSIM_RANGE_STOP(label, stream) ::stepsim::profiling::stop(label, stream)

#endif

#endif
