#include "capture/rocprofiler/tracer.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/tracer/translation.h"

namespace stepsim::capture::rocprofiler {

namespace {

/// Beginnings of the names of HIP calls that do no work, start none and wait for none. Programs make thousands of them
/// in a step.
constexpr std::array<std::string_view, 18> kUselessCalls{"hipApiName",           "hipDeviceCanAccessPeer",
                                                         "hipDeviceGet",         "hipDriverGetVersion",
                                                         "hipEventCreate",       "hipEventDestroy",
                                                         "hipEventQuery",        "hipExtGetLastError",
                                                         "hipFuncGetAttribute",  "hipGetDevice",
                                                         "hipGetError",          "hipGetLastError",
                                                         "hipModuleOccupancy",   "hipOccupancy",
                                                         "hipPeekAtLastError",   "hipPointerGetAttribute",
                                                         "hipRuntimeGetVersion", "hipSetDevice"};

bool is_useless(std::string_view name) noexcept {
  return std::any_of(kUselessCalls.begin(), kUselessCalls.end(),
                     [name](std::string_view beginning) { return name.starts_with(beginning); });
}

constexpr std::string_view kProfilerStart = "hipProfilerStart";
constexpr std::string_view kProfilerStop = "hipProfilerStop";

/// The names of HIP calls by their operation, the operations that are recorded, and those that start and stop a
/// recording.
struct Calls {
  std::vector<const char*> names;
  std::vector<std::int32_t> recorded;
  std::vector<std::int32_t> of_profiler;
};

Calls calls_of(const Functions& functions) {
  constexpr std::int32_t kMost = 2048;
  Calls calls;
  for (std::int32_t operation = 0; operation < kMost; ++operation) {
    const char* name = nullptr;
    if (functions.query_operation_name(BufferKind::kHipCall, operation, &name, nullptr) != kSuccess) name = nullptr;
    calls.names.push_back(name);
    if (name == nullptr) continue;
    if (!is_useless(name)) calls.recorded.push_back(operation);
    if (name == kProfilerStart || name == kProfilerStop) calls.of_profiler.push_back(operation);
  }
  return calls;
}

std::uint64_t memory_of(const Agent& agent) noexcept {
  constexpr std::uint32_t kVisible = 1;  // to the host
  constexpr std::uint32_t kHidden = 2;
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; agent.banks != nullptr && i < agent.memory_banks; ++i) {
    const MemoryBank& bank = agent.banks[i];
    if (bank.heap == kVisible || bank.heap == kHidden) bytes += bank.bytes;
  }
  return bytes;
}

void describe_agent(const Agent& agent, std::uint16_t number, Producer& producer) noexcept {
  std::array<char, 32> place{};
  std::snprintf(place.data(), place.size(), "%04x:%02x:%02x.%x", agent.domain, agent.location >> 8U & 0xFFU,
                agent.location >> 3U & 0x1FU, agent.location & 7U);
  add_device({.number = number,
              .name = agent.product_name == nullptr ? "" : agent.product_name,
              .place = place.data(),
              .memory = memory_of(agent),
              .processors = agent.compute_units,
              .clock_khz = agent.clock * 1'000,
              .architecture = agent.architecture},
             producer);
}

}  // namespace

// NVTX numbers its ranges from 1.
Tracer::Tracer(TracerSettings settings, Writer& writer)
    : capture::Tracer(writer), settings_(std::move(settings)), next_range_(std::uint64_t{1} << 63U) {}

void Tracer::start(bool record_at_once) {
  std::string problem = load(library_);
  if (problem.empty()) problem = configure();
  if (!problem.empty()) return give_up(wire::Status::kNoCupti, problem);
  works_.store(true, std::memory_order_release);
  if (record_at_once) record(Recording::kOn, std::chrono::milliseconds::zero());
  describe_library();
}

void Tracer::describe_again() noexcept try {
  if (repeat_why_not()) return;
  describe_library();
  for (const std::string& what : missing_) say(wire::Status::kIncomplete, what);
  describe_devices();
} catch (...) {
  return;
}

void Tracer::describe_library() {
  describe("rocprofiler_version", library_.version);
  describe("rocprofiler_path", library_.path);
}

std::string Tracer::configure() {
  const Functions& f = library_.functions;
  set_clock();
  // A buffer that blocks is in fact two, of which one is filled while the other is read; reading never waits. One that
  // discards has no second buffer in rocprofiler-sdk 1.0.0, which loses everything until the next flush.
  const std::size_t bytes = settings_.buffer_bytes / 2;
  Status result = f.create_context(&always_);
  if (result == kSuccess) result = f.create_context(&work_);
  if (result == kSuccess) result = f.create_buffer(work_, bytes, bytes / 2, kLossless, on_records, this, &buffer_);
  if (result == kSuccess) {
    configure_kinds();
    result = f.start_context(always_);
  }
  if (result != kSuccess)
    return "rocprofiler-sdk does not work: " + to_text(library_) + ": " + to_text(library_, result);
  describe_devices();
  return {};
}

void Tracer::configure_kinds() {
  const Functions& f = library_.functions;
  const auto expect = [this](Status result, const char* what) {
    if (result == kSuccess) return;
    missing_.push_back(to_text(library_) + " does not record " + what + ": " + to_text(library_, result));
    say(wire::Status::kIncomplete, missing_.back());
  };
  using Operations = std::vector<std::int32_t>;
  const auto follow = [&](CallbackKind kind, const char* what, const Operations& operations = {}) {
    expect(f.configure_callback(always_, kind, operations.data(), operations.size(), on_event, this), what);
  };
  follow(CallbackKind::kCodeObject, "names of kernels");
  follow(CallbackKind::kHipStream, "streams");
  follow(CallbackKind::kMarkerRange, "roctx ranges");
  Calls calls = calls_of(f);
  if (settings_.on_profiler_call) follow(CallbackKind::kMarkerControl, "roctxProfilerPause()");
  if (settings_.on_profiler_call && !calls.of_profiler.empty())  // an empty list would select all calls
    follow(CallbackKind::kHipCall, "hipProfilerStart()", calls.of_profiler);
  expect(f.configure_buffer(work_, BufferKind::kHipCall, calls.recorded.data(), calls.recorded.size(), buffer_),
         "HIP calls");
  expect(f.configure_buffer(work_, BufferKind::kCopy, nullptr, 0, buffer_), "memory copies");
  expect(f.configure_buffer(work_, BufferKind::kDispatch, nullptr, 0, buffer_), "kernels");
  translator_.set_calls(std::move(calls.names));
}

void Tracer::describe_devices() {
  const Status result = library_.functions.query_agents(kAgentVersion, on_agents, sizeof(Agent), this);
  if (result == kSuccess) return;
  say(wire::Status::kIncomplete,
      to_text(library_) + " does not report the devices: " + to_text(library_, result) + "; their work is recorded");
}

/// Reads both clocks several times and keeps the reading that took the shortest time.
void Tracer::set_clock() {
  constexpr int kReadings = 8;
  std::uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < kReadings; ++i) {
    std::uint64_t theirs = 0;
    const std::uint64_t before = system_now();
    if (library_.functions.get_timestamp(&theirs) != kSuccess) return;
    const std::uint64_t took = system_now() - before;
    if (took >= shortest) continue;
    shortest = took;
    clock_behind_ = before + took / 2 - theirs;
  }
  translator_.set_clock(clock_behind_);
}

void Tracer::record(Recording wanted, std::chrono::milliseconds) noexcept try {
  const Recording before = recording();
  if (!works() || before == wanted) return;
  const bool on = wanted == Recording::kOn;
  if (on != (before == Recording::kOn)) {
    const Functions& f = library_.functions;
    const Status result = on ? f.start_context(work_) : f.stop_context(work_);
    if (result != kSuccess && on) {
      return give_up(wire::Status::kNoCupti,
                     "recording could not begin: " + to_text(library_) + ": " + to_text(library_, result));
    }
  }
  recording_.store(wanted, std::memory_order_release);
} catch (...) {
  return;
}

void Tracer::tend() noexcept {
  if (works()) static_cast<void>(library_.functions.flush_buffer(buffer_));
}

void Tracer::finish() noexcept { tend(); }

void Tracer::abandon() noexcept {
  if (!works_.exchange(false)) return;
  say(wire::Status::kIncomplete,
      "rocprofiler-sdk did not deliver its last records when the program ended: they are lost");
}

std::uint64_t Tracer::now() const noexcept {
  std::uint64_t time = 0;
  if (clock_behind_ == 0 || library_.functions.get_timestamp(&time) != kSuccess) return system_now();
  return time + clock_behind_;
}

std::uint32_t Tracer::thread() const noexcept { return system_thread(); }

void Tracer::on_event(Event event, std::uint64_t* kept, void* tracer) noexcept try {
  Tracer& self = *static_cast<Tracer*>(tracer);
  if (event.payload != nullptr && self.owner_.is_here()) self.take_event(event, *kept);
} catch (...) {
  return;
}

void Tracer::take_event(const Event& event, std::uint64_t& kept) {
  switch (event.kind) {
    case CallbackKind::kCodeObject:
      if (event.operation == operation::kKernelSymbol && event.phase == Phase::kEnter)
        translator_.add_kernel(*static_cast<const KernelSymbol*>(event.payload));
      return;
    case CallbackKind::kHipCall:
      if (event.phase == Phase::kExit)
        settings_.on_profiler_call(translator_.name_of_call(event.operation) == kProfilerStart);
      return;
    case CallbackKind::kHipStream: return follow_stream(event, kept);
    case CallbackKind::kMarkerRange: return follow_range(event, kept);
    case CallbackKind::kMarkerControl:
      if (event.phase == Phase::kExit && event.operation <= operation::kResume)
        settings_.on_profiler_call(event.operation == operation::kResume);
      return;
  }
}

void Tracer::follow_stream(const Event& event, std::uint64_t& kept) noexcept {
  if (event.operation != operation::kStreamSet) return;
  const Functions& f = library_.functions;
  if (event.phase == Phase::kEnter) {
    const std::uint64_t mark = Translator::mark_of_stream(static_cast<const StreamEvent*>(event.payload)->stream);
    const bool pushed = recording() == Recording::kOn && f.push_external(work_, event.thread, mark) == kSuccess;
    kept = pushed ? 1 : 0;
  } else if (kept == 1) {
    std::uint64_t mark = 0;
    static_cast<void>(f.pop_external(work_, event.thread, &mark));
  }
}

void Tracer::follow_range(const Event& event, std::uint64_t& kept) noexcept {
  const char* const name = static_cast<const MarkerEvent*>(event.payload)->message;
  if (event.operation == operation::kMark) {
    if (event.phase == Phase::kEnter) settings_.ranges.mark(name);
  } else if (event.operation == operation::kThreadRange || event.operation == operation::kRange) {
    if (event.phase == Phase::kExit) return settings_.ranges.end(kept);
    kept = next_range_.fetch_add(1, std::memory_order_relaxed);
    settings_.ranges.begin(kept, name);
  }
}

void Tracer::on_records(Id, Id, RecordHeader** headers, std::size_t count, void* tracer,
                        std::uint64_t dropped) noexcept {
  Tracer& self = *static_cast<Tracer*>(tracer);
  if (self.works()) self.take_records(headers, count, dropped);
}

void Tracer::take_records(RecordHeader** headers, std::size_t count, std::uint64_t dropped) noexcept {
  writer_.with_producer([&](Producer& producer) {
    for (std::size_t i = 0; i < count; ++i) translator_.add(*headers[i], producer);
  });
  const std::uint64_t known = known_dropped_.exchange(dropped, std::memory_order_relaxed);
  if (dropped > known) writer_.add_lost_before(dropped - known);
}

Status Tracer::on_agents(int, const void** agents, std::size_t count, void* tracer) noexcept try {
  Tracer& self = *static_cast<Tracer*>(tracer);
  for (std::size_t i = 0; i < count; ++i) {
    const Agent& agent = *static_cast<const Agent*>(agents[i]);
    if (agent.type != kGpu || agent.number < 0 || agent.number >= wire::Record::kNoDevice) continue;
    const auto number = static_cast<std::uint16_t>(agent.number);
    if (!self.works()) self.translator_.add_device(agent.id, number);  // later, other threads read the devices
    self.writer_.with_producer([&](Producer& producer) { describe_agent(agent, number, producer); });
  }
  return kSuccess;
} catch (...) {
  return kError;
}

}  // namespace stepsim::capture::rocprofiler
