#ifndef STEPSIM_CAPTURE_INLINE_H
#define STEPSIM_CAPTURE_INLINE_H

/// The inline profiler: labels in a program, measured while it trains, after HugeCTR's idea. One header, C++17, nothing
/// of stepsim behind it (docs/inline-profiler.md).
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
/// Every macro is an empty statement, whose arguments are not evaluated, unless STEPSIM_PROFILING is defined. Then they
/// obey the file prof.schedule ('stepsim schedule' writes it): in each iteration one range is measured, on every stream
/// that has it, so that measuring disturbs next to nothing of what is measured. After the schedule's last line, or when
/// the program exits before, HOST.prof.json is written, in the form of HugeCTR's V1; with RANK or OMPI_COMM_WORLD_RANK
/// in the environment HOST.rankN.prof.json. 'stepsim timeline' and 'stepsim scaling' show it. Both files lie in
/// $STEPSIM_PROFILING_DIR, else $PROFILING_DIR, else the working folder.
///
/// Where CUDA's headers are, streams are cudaStream_t and ranges are measured by CUDA events on them; the program links
/// the CUDA runtime. Without them, or with STEPSIM_PROFILING_HOST_CLOCK defined, streams are any pointers, and the
/// host's steady clock is read.
///
/// Never throws and never ends the program: what goes wrong (no schedule, a label that is stopped and was not started,
/// a failing call of CUDA, a full disk) costs measurements, and one line on standard error says so. Calls may come from
/// any thread; those for iterations from one. A stream that is being captured into a CUDA graph is not measured. Takes
/// a lock in warm-up iterations, and later for the one name that is measured.

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

// Programs may mix files that see CUDA's headers and files that do not: each kind has a profiler of its own.
#ifdef STEPSIM_PROFILING_CUDA
inline namespace cuda {

using Stream = cudaStream_t;

/// A mark on a stream. Fails where CUDA does, and leaves no error behind but those of others.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  // No destructor: events live as long as the profiler, which the program's end outlives no CUDA call for.

  [[nodiscard]] bool record(Stream stream) noexcept {
    if (!made_) made_ = done(cudaEventCreateWithFlags(&event_, cudaEventBlockingSync));
    return made_ && done(cudaEventRecord(event_, stream));
  }
  /// Waits for both, then nanoseconds from `begin` to `end`; negative where that fails.
  [[nodiscard]] static std::int64_t between(const Event& begin, const Event& end) noexcept {
    float milliseconds = 0;
    constexpr double kNanoseconds = 1e6;
    if (!done(cudaEventSynchronize(begin.event_)) || !done(cudaEventSynchronize(end.event_)) ||
        !done(cudaEventElapsedTime(&milliseconds, begin.event_, end.event_)))
      return -1;
    return static_cast<std::int64_t>(static_cast<double>(milliseconds) * kNanoseconds + 0.5);
  }
  /// Whether marks on the stream would be of its work, now. An error of the program's own that nobody has asked for yet
  /// is left for it to find.
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

/// A moment.
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

/// A line of prof.schedule: what is measured in one iteration.
struct ScheduleLine {
  std::string name;
  std::string layer;
  std::int64_t iteration = 0;
  std::int64_t occurrence = 0;
};

struct Schedule {
  std::int64_t warmup = 0;
  std::vector<ScheduleLine> lines;  ///< that of iteration warmup + k + 1 at k
  std::string problem;              ///< why it cannot be used; empty if it can
};

/// "12"; a negative number where the text is none that fits.
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

/// The fields of a line, which single blanks divide.
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

/// `name` stands for the file in the problem: "prof.schedule:3: ...".
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
        return refuse("'" + line + "' is no number of warm-up iterations; expected one of at least 1");
      continue;
    }
    if (fields.size() == 1 && fields[0].empty()) continue;
    constexpr std::size_t kFields = 4;
    if (fields.size() != kFields) return refuse("'" + line + "'; expected name, iteration, layer and occurrence");
    ScheduleLine made{fields[0], fields[2], number_in(fields[1]), number_in(fields[3])};
    const std::int64_t expected = schedule.warmup + static_cast<std::int64_t>(schedule.lines.size()) + 1;
    if (made.iteration != expected)
      return refuse("iteration '" + fields[1] + "'; expected " + std::to_string(expected) +
                    ", as lines follow each other");
    if (made.name.empty() || made.occurrence < 0)
      return refuse("'" + line + "'; expected a name, and an occurrence from 0 on");
    schedule.lines.push_back(std::move(made));
  }
  if (schedule.lines.empty()) {
    ++number;
    return refuse("the schedule ends here; expected ranges to be measured, as 'stepsim schedule' writes them");
  }
  return schedule;
}

/// What was measured of one scheduled range on one stream.
struct Measured {
  const ScheduleLine* range = nullptr;  ///< the first line of this name and occurrence
  int device = 0;
  Stream stream{};
  std::int64_t start_index = -1;
  std::int64_t end_index = -1;
  Event start;
  Event stop;
  bool started = false;  ///< in this iteration
  bool stopped = false;
  std::vector<std::int64_t> lengths;  ///< in nanoseconds, as the next
  std::vector<std::int64_t> offsets;
};

/// A JSON string.
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

/// Nanoseconds as milliseconds, in any locale with a point.
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
  /// Reads prof.schedule in `folder`, which ends in '/' or is empty, and writes there. Without a schedule that can be
  /// used it says so and stays idle.
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

  /// The one of the process. Lives as long as that, whatever is torn down before.
  static Profiler* get() noexcept {
    static Profiler* const only = make();
    return only;
  }

  /// Ends the iteration before, if nobody has.
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

  /// Runs `work` alone, unless the profiler has stopped. Whatever it throws stops the profiler.
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

  /// Whether a range of this name matters in this iteration. Takes no lock.
  [[nodiscard]] bool concerns(std::string_view name) const noexcept {
    if (!running_.load(std::memory_order_acquire)) return false;
    if (warming_up_.load(std::memory_order_relaxed)) return names_.find(name) != names_.end();
    const ScheduleLine* const active = active_.load(std::memory_order_acquire);
    return active != nullptr && active->name == name;
  }

  /// What is measured of a range on its stream; made, if `may_add`, where it is scheduled. Else null.
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

  /// Marks the iteration's start on the streams on which the range was met.
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

  /// At exit: of a schedule that was not finished, what there is. Nothing of a child that the program forked.
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
      std::ofstream file(temporary, std::ios::binary);
      file << json(host) << std::flush;
      if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
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
  std::atomic<const ScheduleLine*> active_{nullptr};  ///< of this iteration; null between iterations and in warm-up
  std::mutex mutex_;                                  ///< of all that follows
  pid_t process_;
  std::string folder_;
  Schedule schedule_;
  std::map<std::pair<std::string, std::int64_t>, const ScheduleLine*> ranges_;  ///< by name and occurrence
  std::set<std::string, std::less<> > names_;                                   ///< of ranges_
  std::map<Key, std::int64_t> met_;                                             ///< starts in this iteration
  std::map<Key, std::vector<std::int64_t> > open_;  ///< occurrences that were started and not stopped
  std::map<std::pair<Key, std::int64_t>, Measured*> places_;
  std::map<std::pair<int, Stream>, std::pair<std::unique_ptr<Event>, bool> > begins_;  ///< of the iteration, on streams
  std::vector<std::unique_ptr<Measured> > measured_;                                   ///< in the order of first starts
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

/// An iteration that lasts as long as this does.
struct Iteration {
  Iteration() noexcept { begin_iteration(); }
  ~Iteration() { end_iteration(); }
  Iteration(const Iteration&) = delete;
  Iteration& operator=(const Iteration&) = delete;
};

/// A range that lasts as long as this does. The name must live as long, as literals do.
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
