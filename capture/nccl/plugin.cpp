#include "capture/nccl/plugin.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <type_traits>

#include "capture/nccl/recorder.h"
#include "capture/nccl/summary_file.h"
#include "capture/session/session.h"
#include "capture/session/settings.h"
#include "capture/tracer/shared_library.h"
#include "model/wire/environment.h"

namespace stepsim::capture::nccl {
namespace {

/// What records NCCL in this process: a recorder that writes to the file of a session, or to a summary. Never freed,
/// because NCCL may call the plugin until the process ends.
struct Capture {
  Recorder& recorder;
  const Owner& owner;
  Session* session = nullptr;
  SummaryFile* summary = nullptr;
  /// False in a child of fork(), which inherits its parent's handles but must not write to the parent's file.
  [[nodiscard]] bool is_ours() const noexcept { return owner.is_here(); }
};
std::mutex making;
std::atomic<Capture*> the_capture{nullptr};  // changed with the lock

/// The context that init() returns for a communicator and that NCCL passes to later calls.
struct Context {
  Capture* capture = nullptr;
  Communicator* communicator = nullptr;
  Context* before = nullptr;  ///< previous context in the list
};

/// The last element of a linked list of all contexts. They are never freed, because NCCL may still use a context after
/// finalize().
std::atomic<Context*> last_context{nullptr};

Context* keep(Context* made) noexcept {
  made->before = last_context.load(std::memory_order_relaxed);
  while (
      !last_context.compare_exchange_weak(made->before, made, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return made;
}

/// RCCL, AMD's NCCL, loads the same plugin from the same variable. It only appends members to descriptors. Its timer of
/// channels is wall_clock64(), whose rate depends on the GPU (globaltimer() in its src/device/common.h).
bool is_rccl() { return !mapped_libraries("librccl.so").empty(); }

Target target_of_session(Session& session) {
  return {.sink = new CaptureSink(session.writer()),
          .now = []() noexcept { return Session::current()->now(); },
          .thread = []() noexcept { return Session::current()->thread(); },
          .recording = []() noexcept { return Session::current()->is_wanted(); },
          .has_device_timer = !is_rccl()};
}

Target target_of_summary(SummaryFile& file) {
  return {.sink = &file.summary(),
          .now = system_now,
          .thread = system_thread,
          .recording = []() noexcept { return true; },
          .has_device_timer = !is_rccl()};
}

void finish() {
  const Capture* const capture = the_capture.load(std::memory_order_acquire);
  if (capture == nullptr || !capture->is_ours()) return;
  capture->recorder.record_lost();
  capture->session != nullptr ? capture->session->finish() : capture->summary->finish();
}

/// Returns how many events may be in progress at a time: as many as fit into a sixteenth of the session's buffer. There
/// may be one event for each transfer of each channel to each peer, several thousand in total.
std::uint32_t event_capacity(const Session& session) {
  constexpr std::size_t kShare = 16;
  constexpr std::size_t kBytesOfEvent = 128;
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(session.buffer_bytes() / kShare / kBytesOfEvent, EventHandle::kMostSlots));
}

const char* variable(const char* name) { return std::getenv(name); }

Capture* make_capture() {
  const Identity identity = identity_from(variable);
  const Settings settings = settings_from(variable, identity.rank);
  if (!settings.nccl_summary) {
    Session* const session = Session::start(Session::Loader::kNccl);
    if (session == nullptr) return nullptr;
    auto* const recorder = new Recorder(target_of_session(*session), event_capacity(*session));
    session->at_each_file([recorder] { recorder->describe_all(); });
    return new Capture{.recorder = *recorder, .owner = session->owner(), .session = session};
  }
  constexpr std::uint32_t kEvents = 1U << 14U;
  SummaryFile* const file = SummaryFile::start(settings, identity);
  if (file == nullptr) return nullptr;
  auto* const recorder = new Recorder(target_of_summary(*file), kEvents);
  return new Capture{.recorder = *recorder, .owner = file->owner(), .summary = file};
}

/// Returns what records this process; null if nothing does. A child of fork() gets a capture of its own.
Capture* current_capture() {
  const std::lock_guard lock(making);
  Capture* capture = the_capture.load(std::memory_order_relaxed);
  if (capture != nullptr && capture->owner.is_surely_here()) return capture;
  capture = make_capture();
  if (capture == nullptr) return nullptr;
  the_capture.store(capture, std::memory_order_release);
  std::atexit(finish);
  return capture;
}

bool is_off() noexcept {
  const char* const value = std::getenv(wire::kNcclVariable);
  return value != nullptr && std::string_view(value) == "0";
}

/// The functions of one version of NCCL's profiler interface. `Descriptor` is the type that describes its events.
template <int Version, class Descriptor>
struct Interface {
  static Result init(void** context, int* activation) noexcept {
    return begin(context, activation, nullptr, 0, 0, -1, 0);
  }
  static Result init_v4(void** context, int* activation, const char* name, std::uint64_t id, int nodes, int ranks,
                        int rank, Logger) noexcept {
    return begin(context, activation, name, id, ranks, rank, nodes);
  }
  static Result init_v5(void** context, std::uint64_t id, int* activation, const char* name, int nodes, int ranks,
                        int rank, Logger) noexcept {
    return begin(context, activation, name, id, ranks, rank, nodes);
  }

  static Result begin(void** context, int* activation, const char* name, std::uint64_t id, int ranks, int rank,
                      int nodes) noexcept try {
    *context = nullptr;
    *activation = 0;
    if (is_off()) return kSuccess;
    Capture* const capture = current_capture();
    if (capture == nullptr) return kSuccess;
    Communicator* const communicator = capture->recorder.begin_communicator(Version);
    if (communicator == nullptr) return kSuccess;
    *context = keep(new Context{capture, communicator});
    *activation = static_cast<int>(asked_by(*capture));
    capture->recorder.describe(*communicator, name, id, ranks, rank, nodes);
    return kSuccess;
  } catch (...) {
    return kSuccess;
  }

  static Result start_event(void* context, void** handle, Descriptor* descriptor) noexcept {
    *handle = nullptr;
    const auto* const known = static_cast<const Context*>(context);
    if (known == nullptr || !known->capture->is_ours()) return kSuccess;
    // NCCL also begins events that were not asked for, if they are parents of others that were.
    if ((descriptor->type & asked_by(*known->capture)) == 0) return kSuccess;
    Recorder& recorder = known->capture->recorder;
    Communicator& communicator = *known->communicator;
    switch (std::uint64_t{descriptor->type}) {
      case event::kGroup: *handle = recorder.begin_group(); break;
      case event::kCollective: *handle = begin_collective(*known, *descriptor); break;
      case event::kMessage: *handle = begin_message(*known, *descriptor); break;
      case event::kProxyOp:
        *handle = recorder.begin_proxy_op(communicator, descriptor->parent, descriptor->proxy_op);
        break;
      case event::kProxyStep: *handle = recorder.begin_proxy_step(communicator, descriptor->parent); break;
      case event::kKernelChannel: {
        const auto& channel = descriptor->kernel_channel;
        std::uint64_t timer = 0;
        if constexpr (Version > kVersionWithChannels) timer = channel.timer;
        *handle = recorder.begin_channel(communicator, descriptor->parent, channel.channel, timer);
        break;
      }
      case event::kGroupCalls: *handle = recorder.begin_calls(descriptor->group_calls.captured); break;
      // NCCL passes the handle of a call to the operation, which belongs to the calls of the whole group.
      case event::kCollectiveCall:
      case event::kMessageCall: *handle = descriptor->parent; break;
      case event::kKernelLaunch: *handle = recorder.begin_launch(communicator, descriptor->parent); break;
      default: break;
    }
    return kSuccess;
  }

  static Result stop_event(void* handle) noexcept {
    if (Recorder* const recorder = recorder_of(handle)) recorder->end(handle);
    return kSuccess;
  }

  static Result record_event_state(void* handle, int state, void* arguments) noexcept {
    Recorder* const recorder = recorder_of(handle);
    if (recorder == nullptr) return kSuccess;
    std::uint64_t number = 0;
    if constexpr (Version > kVersionWithChannels) {
      if (arguments != nullptr) number = static_cast<const StateArguments*>(arguments)->number;
    } else {
      // Before v4, the states of proxy operations have these arguments; other states have none, or smaller ones.
      const bool of_proxy_op =
          state >= static_cast<int>(State::kProxyOpFirst) && state <= static_cast<int>(State::kProxyOpLast);
      if (of_proxy_op && arguments != nullptr) number = static_cast<const ProxyOpArguments*>(arguments)->transferred;
    }
    recorder->change(handle, static_cast<State>(state), number);
    return kSuccess;
  }

  static Result finalize(void* context) noexcept {
    const auto* const known = static_cast<const Context*>(context);
    if (known == nullptr || !known->capture->is_ours()) return kSuccess;
    known->capture->recorder.end_communicator(*known->communicator);
    if (known->capture->session != nullptr) known->capture->session->writer().flush();
    return kSuccess;
  }

 private:
  /// Returns the types of events that this version has and `capture` needs. A summary needs collectives and what
  /// their times are taken from.
  static constexpr std::uint64_t asked_by(const Capture& capture) noexcept {
    constexpr std::uint64_t kTimed = Version >= kVersionWithChannels ? event::kKernelChannel : event::kProxyOp;
    constexpr std::uint64_t kCalls =
        event::kGroupCalls | event::kCollectiveCall | event::kMessageCall | event::kKernelLaunch;
    if (capture.summary != nullptr) return event::kCollective | kTimed;
    return event::kGroup | event::kCollective | event::kMessage | event::kProxyOp | event::kProxyStep | kTimed |
           (Version >= kVersionWithCalls ? kCalls : 0);
  }

  static Recorder* recorder_of(const void* handle) noexcept {
    if (handle == nullptr) return nullptr;
    const Capture* const capture = the_capture.load(std::memory_order_acquire);
    return capture != nullptr && capture->is_ours() ? &capture->recorder : nullptr;
  }

  /// Before v4, init() does not receive the communicator's id and rank, so they are read from the first operation that
  /// states them. From v4 on, does nothing.
  template <class Event>
  static void describe_by(const Context& context, const Descriptor& descriptor, const Event& event) noexcept {
    if constexpr (Version <= kVersionWithChannels) {
      if (event.communicator == 0 || context.communicator->id.load(std::memory_order_relaxed) != 0) return;
      context.capture->recorder.describe(*context.communicator, event.communicator_name, event.communicator, 0,
                                         descriptor.rank, 0);
    }
  }

  template <class Event>
  static void* group_of(const Descriptor& descriptor, const Event& event) noexcept {
    if constexpr (requires { event.group; }) {
      return event.group;
    } else {
      return descriptor.parent;
    }
  }

  static void* calls_of(const Descriptor& descriptor) noexcept {
    return Version >= kVersionWithCalls ? descriptor.parent : nullptr;
  }

  static void* begin_collective(const Context& context, const Descriptor& descriptor) noexcept {
    const auto& event = descriptor.collective;
    describe_by(context, descriptor, event);
    return context.capture->recorder.begin_operation(*context.communicator, {.function = event.function,
                                                                             .element_type = event.element_type,
                                                                             .algorithm = event.algorithm,
                                                                             .protocol = event.protocol,
                                                                             .elements = event.elements,
                                                                             .sequence = event.sequence,
                                                                             .root = event.root,
                                                                             .channels = event.channels,
                                                                             .group = group_of(descriptor, event),
                                                                             .calls = calls_of(descriptor)});
  }

  static void* begin_message(const Context& context, const Descriptor& descriptor) noexcept {
    const auto& event = descriptor.message;
    describe_by(context, descriptor, event);
    Operation operation{.is_message = true,
                        .function = event.function,
                        .element_type = event.element_type,
                        .elements = event.elements,
                        .sequence = static_cast<std::uint64_t>(event.peer),
                        .group = group_of(descriptor, event),
                        .calls = calls_of(descriptor)};
    if constexpr (requires { event.channels; }) operation.channels = event.channels;
    return context.capture->recorder.begin_operation(*context.communicator, operation);
  }
};

constexpr char kName[] = "stepsim";

template <class Table, int Version, class Descriptor>
constexpr Table table() {
  using Of = Interface<Version, Descriptor>;
  Table made{.name = kName,
             .init = nullptr,
             .start_event = Of::start_event,
             .stop_event = Of::stop_event,
             .record_event_state = Of::record_event_state,
             .finalize = Of::finalize};
  if constexpr (std::is_same_v<decltype(made.init), InitV5>) {
    made.init = Of::init_v5;
  } else if constexpr (std::is_same_v<decltype(made.init), InitV4>) {
    made.init = Of::init_v4;
  } else {
    made.init = Of::init;
  }
  return made;
}

}  // namespace
}  // namespace stepsim::capture::nccl

extern "C" {
namespace nccl = stepsim::capture::nccl;
const nccl::ProfilerV2 ncclProfiler_v2 = nccl::table<nccl::ProfilerV2, 2, nccl::DescriptorV2>();
const nccl::ProfilerV3 ncclProfiler_v3 = nccl::table<nccl::ProfilerV3, 3, nccl::DescriptorV3>();
const nccl::ProfilerV4 ncclProfiler_v4 = nccl::table<nccl::ProfilerV4, 4, nccl::DescriptorV4>();
const nccl::ProfilerV5 ncclProfiler_v5 = nccl::table<nccl::ProfilerV5, 5, nccl::DescriptorV5>();
const nccl::ProfilerV6 ncclProfiler_v6 = nccl::table<nccl::ProfilerV6, 6, nccl::DescriptorV6>();
}
