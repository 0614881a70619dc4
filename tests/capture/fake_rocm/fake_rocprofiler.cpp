// The part of rocprofiler-sdk 1.0.0 that a tool for traces uses, and of rocprofiler-register that loads tools. What it
// does comes from AMD's registration.cpp, buffer.cpp, hip/stream.cpp and marker/range_marker.cpp.
//
// Environment variables:
//   FAKE_ROCM_VERSION=0.5.0     the version that it reports
//   FAKE_ROCM_REFUSE=N          refuses to record buffer kind N
//   FAKE_ROCM_REFUSE_EVENTS=N   refuses callbacks of kind N
//   FAKE_ROCM_NO_START=1        contexts cannot be started
//   FAKE_ROCM_HANG=1            the flush at the program's end never returns
//   FAKE_ROCM_DROP=N            every N-th record is dropped and counted

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/capture/fake_rocm/recorder.h"

namespace fake_rocm {
namespace {

std::uint64_t number(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// A tool's callback for some operations; an empty set: all.
struct Follower {
  std::set<std::int32_t> operations;
  abi::EventCallback callback = nullptr;
  void* data = nullptr;
};

struct Context {
  bool active = false;
  std::map<abi::BufferKind, std::set<std::int32_t>> buffered;  // an empty set: all operations
  std::map<abi::CallbackKind, Follower> followed;
  std::map<std::uint64_t, std::vector<std::uint64_t>> external;  // stacks by thread
};

/// Two halves, one of which is filled while the other is read. A buffer that discards has one: while the other is in
/// turn, its records are lost without being counted.
struct Buffer {
  std::vector<std::vector<unsigned char>> records[2];
  std::vector<abi::BufferKind> kinds[2];
  std::size_t bytes = 0;
  std::size_t most = 0;
  std::size_t watermark = 0;
  int policy = 0;
  int filling = 0;
  abi::BufferCallback callback = nullptr;
  void* data = nullptr;
};

std::mutex mutex;
std::mutex flushing;
std::map<std::uint64_t, Context> contexts;
Buffer buffer;
constexpr std::uint64_t kBuffer = 300;
std::atomic<int> state{0};  // of rocprofiler_is_initialized()
std::atomic<bool> ending{false};
std::atomic<std::uint64_t> correlations{0};
std::atomic<std::uint64_t> dropped{0};
std::vector<abi::Tool> tools;

std::uint64_t this_thread() { return static_cast<std::uint64_t>(::gettid()); }

void finalize() {
  ending = true;
  for (const abi::Tool& tool : tools) {
    if (tool.finalize != nullptr) tool.finalize(tool.data);
  }
  state = 1;
}

/// Returns the elements of ROCP_TOOL_LIBRARIES. If there is a ':', the text after the last one is ignored.
std::vector<std::string> tool_libraries() {
  const char* const variable = std::getenv("ROCP_TOOL_LIBRARIES");
  std::string text = variable == nullptr ? "" : variable;
  std::vector<std::string> found;
  if (!text.empty() && text.find(':') == std::string::npos) found.push_back(text);
  for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':')) {
    if (colon > 0) found.push_back(text.substr(0, colon));
    text.erase(0, colon + 1);
  }
  return found;
}

void flush() {
  const std::lock_guard one(flushing);
  std::unique_lock lock(mutex);
  const int full = buffer.filling;
  buffer.filling = 1 - full;
  buffer.bytes = 0;
  std::vector<std::vector<unsigned char>> records = std::move(buffer.records[full]);
  std::vector<abi::BufferKind> kinds = std::move(buffer.kinds[full]);
  buffer.records[full].clear();
  buffer.kinds[full].clear();
  lock.unlock();
  std::vector<abi::RecordHeader> headers;
  for (std::size_t i = 0; i < records.size(); ++i)
    headers.push_back({abi::kTracingCategory, static_cast<std::uint32_t>(kinds[i]), records[i].data()});
  std::vector<abi::RecordHeader*> pointers;
  pointers.reserve(headers.size());
  for (abi::RecordHeader& header : headers) pointers.push_back(&header);
  if (!pointers.empty()) buffer.callback({}, {kBuffer}, pointers.data(), pointers.size(), buffer.data, dropped);
}

}  // namespace

void load_tools() {
  std::vector<std::pair<abi::Configure*, abi::ClientId>> found;
  for (const std::string& name : tool_libraries()) {
    void* const library = ::dlopen(name.c_str(), RTLD_LOCAL | RTLD_LAZY);
    void* const configure = library == nullptr ? nullptr : ::dlsym(library, "rocprofiler_configure");
    if (configure != nullptr)
      found.emplace_back(reinterpret_cast<abi::Configure*>(configure), abi::ClientId{24, nullptr, 0});
  }
  if (found.empty()) return;
  state = abi::kInitializing;
  std::atexit(finalize);
  for (auto& [configure, client] : found) {
    const abi::Tool* const tool = configure(10'000, "1.0.0", 0, &client);
    if (tool != nullptr) tools.push_back(*tool);
  }
  for (const abi::Tool& tool : tools) static_cast<void>(tool.initialize([](abi::ClientId) {}, tool.data));
  state = 1;
}

std::uint64_t next_correlation() { return ++correlations; }

bool is_active(abi::BufferKind kind, std::int32_t operation) {
  const std::lock_guard lock(mutex);
  return std::any_of(contexts.begin(), contexts.end(), [&](const auto& one) {
    const auto found = one.second.buffered.find(kind);
    return one.second.active && found != one.second.buffered.end() &&
           (found->second.empty() || found->second.contains(operation));
  });
}

std::uint64_t external() {
  const std::lock_guard lock(mutex);
  for (const auto& [id, context] : contexts) {
    const auto found = context.external.find(this_thread());
    if (found != context.external.end() && !found->second.empty()) return found->second.back();
  }
  return 0;
}

void add(abi::BufferKind kind, const void* record, std::size_t bytes) {
  static const std::uint64_t drop = number("FAKE_ROCM_DROP", 0);
  static std::atomic<std::uint64_t> added{0};
  std::unique_lock lock(mutex);
  if (drop > 0 && ++added % drop == 0) {
    ++dropped;
    return;
  }
  if (buffer.policy == abi::kDiscard && buffer.filling == 1) return;
  if (buffer.bytes + bytes > buffer.most) {
    lock.unlock();
    flush();
    lock.lock();
  }
  const auto* const begin = static_cast<const unsigned char*>(record);
  buffer.records[buffer.filling].emplace_back(begin, begin + bytes);
  buffer.kinds[buffer.filling].push_back(kind);
  buffer.bytes += bytes;
  if (buffer.bytes < buffer.watermark) return;
  lock.unlock();
  flush();
}

Notice::Notice(abi::CallbackKind kind, std::int32_t operation, const void* payload, abi::Phase phase)
    : event_{.context = {},
             .thread = this_thread(),
             .correlation = 0,
             .external = 0,
             .ancestor = 0,
             .kind = kind,
             .operation = operation,
             .phase = phase,
             .payload = payload} {
  std::unique_lock lock(mutex);
  for (const auto& [id, context] : contexts) {
    const auto found = context.followed.find(kind);
    if (!context.active || found == context.followed.end()) continue;
    const auto [operations, callback, data] = found->second;
    if (!operations.empty() && !operations.contains(operation)) continue;
    followed_ = true;
    lock.unlock();
    callback(event_, &kept_, data);
    return;
  }
}

void Notice::exit() {
  if (!followed_) return;
  std::unique_lock lock(mutex);
  for (const auto& [id, context] : contexts) {
    const auto found = context.followed.find(event_.kind);
    if (found == context.followed.end()) continue;
    event_.phase = abi::Phase::kExit;
    const auto [operations, callback, data] = found->second;
    lock.unlock();
    callback(event_, &kept_, data);
    return;
  }
}

}  // namespace fake_rocm

namespace abi = fake_rocm::abi;
using fake_rocm::contexts;
using fake_rocm::number;

extern "C" {

abi::Status rocprofiler_get_version(std::uint32_t* major, std::uint32_t* minor, std::uint32_t* patch) {
  const char* const text = std::getenv("FAKE_ROCM_VERSION");
  return std::sscanf(text == nullptr ? "1.0.0" : text, "%u.%u.%u", major, minor, patch) == 3 ? abi::kSuccess
                                                                                             : abi::kError;
}
const char* rocprofiler_get_status_string(abi::Status status) {
  return status == abi::kConfigurationLocked ? "Function call is not valid outside of configuration" : "General error";
}
abi::Status rocprofiler_is_initialized(int* status) {
  *status = fake_rocm::state;
  return abi::kSuccess;
}
abi::Status rocprofiler_get_timestamp(std::uint64_t* time) {
  *time = static_cast<std::uint64_t>(fake_rocm::now());
  return abi::kSuccess;
}
abi::Status rocprofiler_query_available_agents(int version, abi::AgentsCallback callback, std::size_t bytes,
                                               void* data) {
  constexpr std::size_t kAgentBytes = 312;
  if (version != abi::kAgentVersion || bytes > kAgentBytes) return abi::kError;
  static abi::Agent cpu{};
  cpu.size = kAgentBytes;
  cpu.id = fake_rocm::kCpu;
  cpu.type = 1;
  cpu.product_name = "Fake CPU";
  static abi::Agent gpu = cpu;
  gpu.id = fake_rocm::kGpu;
  gpu.type = abi::kGpu;
  gpu.product_name = "Fake AMD GPU 192GB";
  gpu.logical_node = 1;
  gpu.compute_units = 304;
  gpu.architecture = 90'402;
  gpu.location = 0xC108;
  gpu.clock = 2'100;
  static const std::array<abi::MemoryBank, 2> banks{
      {{.heap = 1, .bytes = std::uint64_t{192} << 30U}, {.heap = 4, .bytes = 65'536}}};
  gpu.memory_banks = 2;
  gpu.banks = banks.data();
  const void* agents[] = {&cpu, &gpu};
  return callback(version, agents, 2, data);
}
abi::Status rocprofiler_query_buffer_tracing_kind_operation_name(abi::BufferKind kind, std::int32_t operation,
                                                                 const char** name, std::uint64_t*) {
  static const std::map<std::int32_t, const char*> names{
      {81, "hipEventRecord"},   {109, "hipGetLastError"},      {214, "hipLaunchKernel"},
      {268, "hipMemcpyAsync"},  {324, "hipProfilerStart"},     {325, "hipProfilerStop"},
      {334, "hipStreamCreate"}, {346, "hipStreamSynchronize"}, {348, "hipStreamWaitEvent"}};
  const auto found = names.find(operation);
  if (kind != abi::BufferKind::kHipCall || found == names.end()) return abi::kError;
  *name = found->second;
  return abi::kSuccess;
}
abi::Status rocprofiler_create_context(abi::Id* context) {
  if (fake_rocm::state != abi::kInitializing) return abi::kConfigurationLocked;
  const std::lock_guard lock(fake_rocm::mutex);
  context->handle = 100 + contexts.size();
  contexts[context->handle] = {};
  return abi::kSuccess;
}
abi::Status rocprofiler_start_context(abi::Id context) {
  if (number("FAKE_ROCM_NO_START", 0) == 1) return abi::kError;
  const std::lock_guard lock(fake_rocm::mutex);
  contexts.at(context.handle).active = true;
  return abi::kSuccess;
}
abi::Status rocprofiler_stop_context(abi::Id context) {
  const std::lock_guard lock(fake_rocm::mutex);
  contexts.at(context.handle).active = false;
  return abi::kSuccess;
}
abi::Status rocprofiler_create_buffer(abi::Id, std::size_t bytes, std::size_t watermark, int policy,
                                      abi::BufferCallback callback, void* data, abi::Id* made) {
  if (fake_rocm::state != abi::kInitializing) return abi::kConfigurationLocked;
  fake_rocm::buffer.most = bytes;
  fake_rocm::buffer.watermark = watermark;
  fake_rocm::buffer.policy = policy;
  fake_rocm::buffer.callback = callback;
  fake_rocm::buffer.data = data;
  made->handle = fake_rocm::kBuffer;
  return abi::kSuccess;
}
abi::Status rocprofiler_flush_buffer(abi::Id) {
  while (fake_rocm::ending && number("FAKE_ROCM_HANG", 0) == 1) std::this_thread::sleep_for(std::chrono::hours{1});
  fake_rocm::flush();
  return abi::kSuccess;
}
abi::Status rocprofiler_configure_buffer_tracing_service(abi::Id context, abi::BufferKind kind,
                                                         const std::int32_t* operations, std::size_t count, abi::Id) {
  if (fake_rocm::state != abi::kInitializing) return abi::kConfigurationLocked;
  if (number("FAKE_ROCM_REFUSE", 0) == static_cast<std::uint64_t>(kind)) return abi::kError;
  const std::lock_guard lock(fake_rocm::mutex);
  contexts.at(context.handle).buffered[kind] = std::set<std::int32_t>(operations, operations + count);
  return abi::kSuccess;
}
abi::Status rocprofiler_configure_callback_tracing_service(abi::Id context, abi::CallbackKind kind,
                                                           const std::int32_t* operations, std::size_t count,
                                                           abi::EventCallback callback, void* data) {
  if (fake_rocm::state != abi::kInitializing) return abi::kConfigurationLocked;
  if (number("FAKE_ROCM_REFUSE_EVENTS", 0) == static_cast<std::uint64_t>(kind)) return abi::kError;
  const std::lock_guard lock(fake_rocm::mutex);
  contexts.at(context.handle).followed[kind] = {std::set<std::int32_t>(operations, operations + count), callback, data};
  return abi::kSuccess;
}
abi::Status rocprofiler_push_external_correlation_id(abi::Id context, std::uint64_t thread, std::uint64_t value) {
  const std::lock_guard lock(fake_rocm::mutex);
  contexts.at(context.handle).external[thread].push_back(value);
  return abi::kSuccess;
}
abi::Status rocprofiler_pop_external_correlation_id(abi::Id context, std::uint64_t thread, std::uint64_t* value) {
  const std::lock_guard lock(fake_rocm::mutex);
  std::vector<std::uint64_t>& stack = contexts.at(context.handle).external[thread];
  if (stack.empty()) return abi::kError;
  *value = stack.back();
  stack.pop_back();
  return abi::kSuccess;
}
}
