#include "tests/capture/fake_nccl/fake_nccl.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <thread>

#include "capture/nccl/abi.h"
#include "tests/capture/fake_cuda/fake_cuda.h"

namespace fake_nccl {
namespace {

namespace nccl = stepsim::capture::nccl;
namespace event = stepsim::capture::nccl::event;
using stepsim::capture::nccl::kSuccess;
using stepsim::capture::nccl::ProxyOp;
using stepsim::capture::nccl::ProxyOpArguments;
using stepsim::capture::nccl::State;
using stepsim::capture::nccl::StateArguments;

/// Calls the profiler plugin. Each subclass uses one version of NCCL's interface.
class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual void init(void** context, int* mask, const char* name, std::uint64_t id, int ranks, int rank) = 0;
  virtual void* group(void* context) = 0;
  /// The calls of one outermost group, a call in it, and a launch for it; null before version 5.
  virtual void* calls(void* context, bool captured) = 0;
  virtual void* call(void* context, void* calls, bool is_message) = 0;
  virtual void* launch(void* context, void* calls) = 0;
  virtual void* operation(void* context, void* group, void* call, const Operation& what, std::uint64_t sequence,
                          int rank) = 0;
  virtual void* proxy_op(void* context, void* operation, const ProxyOp& what) = 0;
  virtual void* proxy_step(void* context, void* proxy_op) = 0;
  virtual void* channel(void* context, void* operation, std::uint8_t channel, std::uint64_t timer) = 0;
  virtual void change(void* handle, State state, std::uint64_t number) = 0;
  virtual void stop(void* handle) = 0;
  virtual void finalize(void* context) = 0;
  [[nodiscard]] virtual int version() const = 0;
};

template <int Version, class Table, class Descriptor>
class PluginOf : public Plugin {
 public:
  PluginOf(const void* table, std::uint64_t id, const char* name)
      : table_(*static_cast<const Table*>(table)), id_(id), name_(name) {}

  void init(void** context, int* mask, const char* name, std::uint64_t id, int ranks, int rank) override {
    const int result = [&] {
      if constexpr (Version >= 5) {
        return table_.init(context, id, mask, name, 1, ranks, rank, nullptr);
      } else if constexpr (Version == 4) {
        return table_.init(context, mask, name, id, 1, ranks, rank, nullptr);
      } else {
        return table_.init(context, mask);
      }
    }();
    if (result != kSuccess) std::fprintf(stderr, "fake NCCL: init returned %d\n", result);
  }

  void* group(void* context) override {
    Descriptor event{};
    event.type = event::kGroup;
    return start(context, event);
  }

  void* calls(void* context, bool captured) override {
    if (Version < 5) return nullptr;
    Descriptor event{};
    event.type = static_cast<decltype(event.type)>(event::kGroupCalls);
    event.group_calls.captured = captured;
    void* const handle = start(context, event);
    // The ends of ncclGroupStart() and the begin of ncclGroupEnd().
    for (const int state : {23, 24}) change(handle, static_cast<State>(state), 0);
    return handle;
  }

  void* call(void* context, void* calls, bool is_message) override {
    return start_call(context, calls, is_message ? event::kMessageCall : event::kCollectiveCall);
  }

  void* launch(void* context, void* calls) override { return start_call(context, calls, event::kKernelLaunch); }

  void* operation(void* context, void* group, void* call, const Operation& what, std::uint64_t sequence,
                  int rank) override {
    Descriptor event{};
    event.rank = rank;
    event.parent = Version < 5 ? group : call;
    if (what.peer >= 0) {
      event.type = event::kMessage;
      fill(event.message, what, group);
      event.message.peer = what.peer;
    } else {
      event.type = event::kCollective;
      fill(event.collective, what, group);
      event.collective.sequence = sequence;
      event.collective.algorithm = "RING";
      event.collective.protocol = "LL";
      event.collective.channels = kChannels;
    }
    return start(context, event);
  }

  void* proxy_op(void* context, void* operation, const ProxyOp& what) override {
    Descriptor event{};
    event.type = event::kProxyOp;
    event.parent = operation;
    event.proxy_op = what;
    return start(context, event);
  }

  void* proxy_step(void* context, void* proxy_op) override {
    Descriptor event{};
    event.type = event::kProxyStep;
    event.parent = proxy_op;
    return start(context, event);
  }

  void* channel(void* context, void* operation, std::uint8_t channel, std::uint64_t timer) override {
    if constexpr (Version < 3) return nullptr;
    Descriptor event{};
    event.type = event::kKernelChannel;
    event.parent = operation;
    event.kernel_channel.channel = channel;
    if constexpr (Version >= 4) event.kernel_channel.timer = timer;
    return start(context, event);
  }

  void change(void* handle, State state, std::uint64_t number) override {
    if (handle == nullptr) return;
    StateArguments arguments{number};
    ProxyOpArguments older{number, 1};
    void* const passed = Version >= 4 ? static_cast<void*>(&arguments) : static_cast<void*>(&older);
    table_.record_event_state(handle, static_cast<int>(state), passed);
  }
  void stop(void* handle) override {
    if (handle != nullptr) table_.stop_event(handle);
  }
  void finalize(void* context) override { table_.finalize(context); }
  [[nodiscard]] int version() const override { return Version; }

 private:
  void* start(void* context, Descriptor& event) {
    void* handle = &event;  // the plugin must overwrite this value
    if (table_.start_event(context, &handle, &event) != kSuccess) std::fprintf(stderr, "fake NCCL: an error\n");
    return handle;
  }

  void* start_call(void* context, void* calls, std::uint64_t type) {
    if (Version < 5) return nullptr;
    Descriptor event{};
    event.type = static_cast<decltype(event.type)>(type);
    event.parent = calls;
    return start(context, event);
  }

  template <class Event>
  void fill(Event& event, const Operation& what, void* group) {
    event.function = what.function;
    event.element_type = what.element_type;
    event.elements = what.elements;
    if constexpr (requires { event.group; }) event.group = group;
    if constexpr (Version <= 3) {
      event.communicator_name = name_.c_str();
      event.communicator = id_;
    }
  }

  const Table& table_;
  std::uint64_t id_;
  std::string name_;
};

template <int Version, class Table, class Descriptor>
std::unique_ptr<Plugin> load(void* library, std::uint64_t id, const char* name) {
  const std::string symbol = "ncclProfiler_v" + std::to_string(Version);
  const void* const table = ::dlsym(library, symbol.c_str());
  if (table == nullptr) return nullptr;
  return std::make_unique<PluginOf<Version, Table, Descriptor>>(table, id, name);
}

std::unique_ptr<Plugin> load_plugin(std::uint64_t id, const char* name) {
  const char* const path = std::getenv("NCCL_PROFILER_PLUGIN");
  if (path == nullptr || std::string_view(path) == "none") return nullptr;
  void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  const char* const asked = std::getenv("FAKE_NCCL_VERSION");
  switch (asked == nullptr ? 6 : std::atoi(asked)) {
    case 2: return load<2, nccl::ProfilerV2, nccl::DescriptorV2>(library, id, name);
    case 3: return load<3, nccl::ProfilerV3, nccl::DescriptorV3>(library, id, name);
    case 4: return load<4, nccl::ProfilerV4, nccl::DescriptorV4>(library, id, name);
    case 5: return load<5, nccl::ProfilerV5, nccl::DescriptorV5>(library, id, name);
    default: return load<6, nccl::ProfilerV6, nccl::DescriptorV6>(library, id, name);
  }
}

fake_cuda::Kernel kernel_of(const Call& call) {
  const Operation& first = call.operations.front();
  const std::string function = first.peer >= 0 ? "SendRecv" : std::string(first.function) + "_RING_LL";
  // The names are never freed, because CUPTI keeps pointers to them until the program ends.
  static auto& names = *new std::map<std::string, std::string>;
  const std::string& name = names.try_emplace(function, "ncclDevKernel_" + function).first->second;
  return {.mangled_name = name.c_str(), .duration = call.duration, .blocks = kChannels};
}

}  // namespace

struct Communicator::Inner {
  std::unique_ptr<Plugin> plugin;
  void* context = nullptr;
  int rank = 0;
  int ranks = 0;
  std::map<std::string, std::uint64_t> sequence;  // number of operations so far, by function

  /// Reports a transfer to the plugin. If `end` is false, the end of the transfer is not reported.
  void transfer(void* proxy_op, bool is_send, bool end) const {
    void* const step = plugin->proxy_step(context, proxy_op);
    const bool waits_for_peer = plugin->version() >= 4;
    // Until a step has transferred data, NCCL reports the byte count of the previous step (here 77).
    plugin->change(step, is_send ? State::kSendGpuWait : State::kReceiveWait, 77);
    fake_cuda::work(is_send ? kDeviceWait : kNetworkWait);
    if (is_send && waits_for_peer) {
      plugin->change(step, State::kSendPeerWait, 77);
      fake_cuda::work(kPeerWait);
    }
    plugin->change(step, is_send ? State::kSendWait : State::kReceiveFlushWait, kBytesOfTransfer);
    fake_cuda::work(is_send ? kNetworkWait : kFlushWait);
    if (!is_send) {
      plugin->change(step, State::kReceiveGpuWait, kBytesOfTransfer);
      fake_cuda::work(kDeviceWait);
    }
    if (end) plugin->stop(step);
  }

  void proxy(void* operation, const Mischief& done) const {
    for (std::uint8_t channel = 0; channel < kChannels; ++channel) {
      const auto timer = static_cast<std::uint64_t>(1'000'000 + fake_cuda::now() % 1'000'000'000);
      void* const on_device = plugin->channel(context, operation, channel, timer);
      for (const bool is_send : {true, false}) {
        const ProxyOp what{.process = done.of_other_process ? ::getpid() + 1 : ::getpid(),
                           .channel = channel,
                           .peer = (rank + 1) % ranks,
                           .steps = kTransfers,
                           .chunk_bytes = static_cast<int>(kBytesOfTransfer),
                           .is_send = is_send ? 1 : 0};
        void* const op = plugin->proxy_op(context, operation, what);
        for (int i = 0; i < kTransfers; ++i) transfer(op, is_send, !done.leave_open);
        if (plugin->version() < 4)
          plugin->change(op, static_cast<State>(is_send ? 2 : 5), kTransfers * kBytesOfTransfer);
        if (!done.leave_open) plugin->stop(op);
      }
      plugin->change(on_device, State::kKernelChannelStop, timer + static_cast<std::uint64_t>(kChannelTime));
      if (!done.leave_open) plugin->stop(on_device);
    }
  }

  /// Launches the kernel of a call. If a CUDA graph captures the launch, no kernel runs.
  void launch(const Call& call, void* calls, bool captured) const {
    void* const handle = plugin == nullptr ? nullptr : plugin->launch(context, calls);
    fake_cuda::work(kLaunchTime);
    if (!captured) fake_cuda::launch(kernel_of(call), call.stream);
    if (plugin != nullptr) plugin->stop(handle);
  }

  /// Reports what a call enqueues, and on a proxy thread how it is done.
  void report(const Call& call, const std::vector<void*>& calls, const Mischief& done) {
    if (plugin == nullptr) return;
    void* const group = plugin->group(context);
    std::vector<void*> operations;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Operation& what = call.operations[i];
      operations.push_back(plugin->operation(context, group, calls[i], what, sequence[what.function]++, rank));
    }
    for (void* const operation : operations) plugin->stop(operation);
    plugin->stop(group);
    std::thread([&] {
      for (void* const operation : operations) proxy(operation, done);
      if (done.flood > 0) flood(operations.front(), done.flood);
    }).join();
  }

  void flood(void* operation, std::uint32_t transfers) const {
    const ProxyOp what{.process = ::getpid(), .channel = 0, .peer = 0, .steps = 1, .chunk_bytes = 1, .is_send = 1};
    void* const op = plugin->proxy_op(context, operation, what);
    std::vector<void*> steps(transfers);
    for (void*& step : steps) step = plugin->proxy_step(context, op);
    for (void* const step : steps) plugin->stop(step);
    plugin->stop(op);
  }
};

Communicator::Communicator(std::uint64_t id, const char* name, int ranks, int rank) : inner_(new Inner) {
  inner_->plugin = load_plugin(id, name);
  inner_->rank = rank;
  inner_->ranks = ranks;
  int mask = -1;
  if (inner_->plugin != nullptr) inner_->plugin->init(&inner_->context, &mask, name, id, ranks, rank);
  if (mask == 0) inner_->plugin.reset();
}

Communicator::~Communicator() {
  if (inner_->plugin != nullptr && inner_->context != nullptr) inner_->plugin->finalize(inner_->context);
}

/// Reports the calls of one outermost group. The caller ends the group.
Graph Communicator::ask(const std::vector<Call>& calls, bool captured) {
  Graph asked{.calls = calls};
  const Inner& first = *calls.front().communicator->inner_;
  if (first.plugin != nullptr) asked.group = first.plugin->calls(first.context, captured);
  for (const Call& call : calls) {
    const Inner& inner = *call.communicator->inner_;
    std::vector<void*>& handles = asked.handles.emplace_back();
    for (const Operation& what : call.operations) {
      void* const handle =
          inner.plugin == nullptr ? nullptr : inner.plugin->call(inner.context, asked.group, what.peer >= 0);
      handles.push_back(handle);
      if (inner.plugin != nullptr) inner.plugin->stop(handle);
    }
  }
  return asked;
}

void Communicator::run(const std::vector<Call>& calls, ReportedBy by) {
  const Graph asked = ask(calls, false);
  const auto report = [&](std::size_t i) {
    calls[i].communicator->inner_->report(calls[i], asked.handles[i], calls[i].communicator->mischief);
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i].communicator->inner_->launch(calls[i], asked.group, false);
    if (by == ReportedBy::kCaller) report(i);
  }
  if (by == ReportedBy::kCallback) {
    std::thread([&] {
      for (std::size_t i = calls.size(); i-- > 0;) report(i);
    }).join();
  }
  const Inner& first = *calls.front().communicator->inner_;
  if (first.plugin != nullptr) first.plugin->stop(asked.group);
}

void Communicator::run(const std::vector<Operation>& group, std::int64_t duration, std::uint32_t stream) {
  run({{this, group, duration, stream}});
}

Graph Communicator::capture(const std::vector<Call>& calls) {
  Graph asked = ask(calls, true);
  for (const Call& call : calls) call.communicator->inner_->launch(call, asked.group, true);
  const Inner& first = *calls.front().communicator->inner_;
  if (first.plugin != nullptr) first.plugin->stop(asked.group);
  return asked;
}

void Communicator::replay(const Graph& graph, std::uint32_t number, std::uint32_t stream) {
  std::vector<fake_cuda::Kernel> kernels;
  for (const Call& call : graph.calls) kernels.push_back(kernel_of(call));
  fake_cuda::launch_graph(number, kernels, stream);
  std::thread([&] {
    for (std::size_t i = 0; i < graph.calls.size(); ++i) {
      const Call& call = graph.calls[i];
      call.communicator->inner_->report(call, graph.handles[i], call.communicator->mischief);
    }
  }).join();
}

}  // namespace fake_nccl
