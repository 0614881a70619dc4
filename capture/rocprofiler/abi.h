#ifndef STEPSIM_CAPTURE_ROCPROFILER_ABI_H
#define STEPSIM_CAPTURE_ROCPROFILER_ABI_H

#include <array>
#include <cstddef>
#include <cstdint>

/// The parts of rocprofiler-sdk's interface, version 1, that this module uses: numbers, functions, and records up to
/// the last member that is read. They are repeated here so that the module builds without ROCm. Within version 1,
/// members and numbers are only appended. A test compares them with AMD's headers. Source: rocprofiler-sdk/fwd.h,
/// registration.h, context.h, buffer.h, buffer_tracing.h, callback_tracing.h, external_correlation.h, agent.h and
/// marker/api_args.h of rocprofiler-sdk 1.0.0 (ROCm 7.0).
namespace stepsim::capture::rocprofiler {

inline constexpr std::uint32_t kMajorVersion = 1;

/// Corresponds to rocprofiler_status_t.
using Status = int;
inline constexpr Status kSuccess = 0;
inline constexpr Status kError = 1;
inline constexpr Status kConfigurationLocked = 16;

/// What rocprofiler_is_initialized() reports while it calls tools to be configured.
inline constexpr int kInitializing = -1;

/// Corresponds to rocprofiler_context_id_t and rocprofiler_buffer_id_t.
struct Id {
  std::uint64_t handle = 0;
};

/// Values of rocprofiler_buffer_tracing_kind_t.
enum class BufferKind : std::uint32_t { kHipCall = 5, kCopy = 10, kDispatch = 11 };
/// Values of rocprofiler_callback_tracing_kind_t.
enum class CallbackKind : std::uint32_t {
  kHipCall = 5,
  kMarkerControl = 8,
  kCodeObject = 10,
  kHipStream = 20,
  kMarkerRange = 21
};
/// Values of rocprofiler_callback_phase_t. A code object is loaded in the phase kEnter.
enum class Phase : std::uint32_t { kNone = 0, kEnter = 1, kExit = 2 };

inline constexpr std::uint32_t kTracingCategory = 1;  ///< ROCPROFILER_BUFFER_CATEGORY_TRACING
inline constexpr int kDiscard = 1;                    ///< ROCPROFILER_BUFFER_POLICY_DISCARD
inline constexpr int kLossless = 2;                   ///< ROCPROFILER_BUFFER_POLICY_LOSSLESS
inline constexpr std::uint32_t kGpu = 2;              ///< ROCPROFILER_AGENT_TYPE_GPU
inline constexpr int kAgentVersion = 1;               ///< ROCPROFILER_AGENT_INFO_VERSION_0

/// Values of rocprofiler_..._operation_t and rocprofiler_marker_..._api_id_t.
namespace operation {
inline constexpr std::int32_t kKernelSymbol = 2;                        // of kCodeObject
inline constexpr std::int32_t kStreamCreate = 1, kStreamSet = 3;        // of kHipStream
inline constexpr std::int32_t kHostToHost = 1, kHostToDevice = 2,       // of kCopy
    kDeviceToHost = 3, kDeviceToDevice = 4;                             //
inline constexpr std::int32_t kDispatched = 2;                          // of kDispatch
inline constexpr std::int32_t kMark = 0, kThreadRange = 1, kRange = 2;  // of kMarkerRange
inline constexpr std::int32_t kPause = 0, kResume = 1;                  // of kMarkerControl
}  // namespace operation

/// Corresponds to rocprofiler_record_header_t.
struct RecordHeader {
  std::uint32_t category;
  std::uint32_t kind;
  const void* payload;
};

/// Corresponds to rocprofiler_buffer_tracing_hip_api_record_t. Times are nanoseconds of CLOCK_BOOTTIME; `thread` is the
/// system's id.
struct Call {
  std::uint64_t size;
  BufferKind kind;
  std::int32_t operation;
  std::uint64_t correlation;
  std::uint64_t external;  ///< what the tool pushed when the call began
  std::uint64_t ancestor;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t thread;
};

/// Corresponds to rocprofiler_buffer_tracing_memory_copy_record_t.
struct Copy {
  std::uint64_t size;
  BufferKind kind;
  std::int32_t operation;
  std::uint64_t correlation;
  std::uint64_t external;
  std::uint64_t thread;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t destination;  ///< an agent
  std::uint64_t source;       ///< an agent
  std::uint64_t bytes;
};

/// Corresponds to rocprofiler_kernel_dispatch_info_t.
struct DispatchInfo {
  std::uint64_t size;
  std::uint64_t agent;
  std::uint64_t queue;
  std::uint64_t kernel;
  std::uint64_t dispatch;
  std::uint32_t private_segment_bytes;
  std::uint32_t group_segment_bytes;  ///< shared memory per block
  std::array<std::uint32_t, 3> workgroup;
  std::array<std::uint32_t, 3> grid;  ///< in threads
  std::array<std::uint8_t, 56> reserved;
};

/// Corresponds to rocprofiler_buffer_tracing_kernel_dispatch_record_t.
struct Dispatch {
  std::uint64_t size;
  BufferKind kind;
  std::int32_t operation;
  std::uint64_t correlation;
  std::uint64_t external;
  std::uint64_t thread;
  std::uint64_t start;
  std::uint64_t end;
  DispatchInfo info;
};

/// Corresponds to rocprofiler_callback_tracing_record_t.
struct Event {
  Id context;
  std::uint64_t thread;
  std::uint64_t correlation;
  std::uint64_t external;
  std::uint64_t ancestor;
  CallbackKind kind;
  std::int32_t operation;
  Phase phase;
  const void* payload;
};

/// Corresponds to rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t.
struct KernelSymbol {
  std::uint64_t size;
  std::uint64_t kernel;
  std::uint64_t code_object;
  const char* name;  ///< mangled, with the ending ".kd"
  std::uint64_t object;
  std::uint32_t argument_bytes;
  std::uint32_t argument_alignment;
  std::uint32_t group_segment_bytes;
  std::uint32_t private_segment_bytes;
  std::uint32_t scalar_registers;
  std::uint32_t vector_registers;  ///< per thread
};

/// Corresponds to rocprofiler_callback_tracing_hip_stream_data_t.
struct StreamEvent {
  std::uint64_t size;
  std::uint64_t stream;  ///< 0 = the default stream
};

/// Corresponds to rocprofiler_callback_tracing_marker_api_data_t of marks and ranges.
struct MarkerEvent {
  std::uint64_t size;
  const char* message;
};

/// Corresponds to rocprofiler_agent_mem_bank_t.
struct MemoryBank {
  std::uint32_t heap;  ///< 1 or 2 = memory of the device
  std::uint32_t flags;
  std::uint32_t width;
  std::uint32_t clock;
  std::uint64_t bytes;
};

/// Corresponds to rocprofiler_agent_v0_t.
struct Agent {
  std::uint64_t size;
  std::uint64_t id;
  std::uint32_t type;
  std::array<std::uint32_t, 2> not_used;
  std::uint32_t memory_banks;
  std::array<std::uint32_t, 10> not_used_2;
  std::uint32_t compute_units;
  std::array<std::uint32_t, 6> not_used_3;
  std::uint32_t architecture;  ///< 10,000 x major + 100 x minor + patch
  std::uint32_t not_used_4;
  std::uint32_t location;  ///< bus x 256 + device x 8 + function
  std::uint32_t domain;    ///< of the PCI bus
  std::array<std::uint32_t, 6> not_used_5;
  std::uint32_t clock;  ///< largest, in MHz
  std::array<std::uint32_t, 20> not_used_6;
  const MemoryBank* banks;
  std::array<const void*, 4> not_used_7;
  const char* product_name;
  const char* model_name;
  std::uint32_t node;
  std::int32_t logical_node;
  std::int32_t number;  ///< among the agents of its type
};

/// Corresponds to rocprofiler_client_id_t.
struct ClientId {
  std::size_t size;
  const char* name;
  std::uint32_t handle;
};
/// Corresponds to rocprofiler_tool_configure_result_t.
struct Tool {
  std::size_t size;
  int (*initialize)(void (*finalize)(ClientId), void* data);
  void (*finalize)(void* data);
  void* data;
};
/// The type of rocprofiler_configure(), which a tool exports. It returns null to record nothing.
using Configure = Tool*(std::uint32_t version, const char* version_text, std::uint32_t priority, ClientId* client);

/// Corresponds to rocprofiler_buffer_tracing_cb_t. `dropped` counts all records that the buffer had no room for.
using BufferCallback = void (*)(Id context, Id buffer, RecordHeader** headers, std::size_t count, void* data,
                                std::uint64_t dropped);
/// Corresponds to rocprofiler_callback_tracing_cb_t. `kept` is the same value in the phases kEnter and kExit.
using EventCallback = void (*)(Event event, std::uint64_t* kept, void* data);
/// Corresponds to rocprofiler_query_available_agents_cb_t.
using AgentsCallback = Status (*)(int version, const void** agents, std::size_t count, void* data);

struct Functions {
  Status (*get_version)(std::uint32_t* major, std::uint32_t* minor, std::uint32_t* patch) = nullptr;
  const char* (*get_status_string)(Status) = nullptr;
  Status (*is_initialized)(int* status) = nullptr;
  Status (*get_timestamp)(std::uint64_t*) = nullptr;
  Status (*query_agents)(int version, AgentsCallback, std::size_t agent_bytes, void* data) = nullptr;
  Status (*query_operation_name)(BufferKind, std::int32_t, const char** name, std::uint64_t* length) = nullptr;
  Status (*create_context)(Id*) = nullptr;
  Status (*start_context)(Id) = nullptr;
  Status (*stop_context)(Id) = nullptr;
  Status (*create_buffer)(Id context, std::size_t bytes, std::size_t watermark, int policy, BufferCallback, void* data,
                          Id* buffer) = nullptr;
  Status (*flush_buffer)(Id) = nullptr;
  Status (*configure_buffer)(Id context, BufferKind, const std::int32_t* operations, std::size_t count,
                             Id buffer) = nullptr;
  Status (*configure_callback)(Id context, CallbackKind, const std::int32_t* operations, std::size_t count,
                               EventCallback, void* data) = nullptr;
  Status (*push_external)(Id context, std::uint64_t thread, std::uint64_t value) = nullptr;
  Status (*pop_external)(Id context, std::uint64_t thread, std::uint64_t* value) = nullptr;
};

}  // namespace stepsim::capture::rocprofiler

#endif
