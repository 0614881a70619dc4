// Compares the module's own declarations with AMD's headers. Built only if these are installed.

#include <gtest/gtest.h>
#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/buffer.h>
#include <rocprofiler-sdk/buffer_tracing.h>
#include <rocprofiler-sdk/callback_tracing.h>
#include <rocprofiler-sdk/context.h>
#include <rocprofiler-sdk/external_correlation.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/registration.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "capture/rocprofiler/abi.h"

namespace stepsim::capture::rocprofiler {
namespace {

#define EXPECT_SAME_OFFSET(Ours, ours, Theirs, theirs)       \
  EXPECT_EQ(offsetof(Ours, ours), offsetof(Theirs, theirs)); \
  EXPECT_EQ(sizeof(std::declval<Ours>().ours), sizeof(std::declval<Theirs>().theirs))

TEST(RocprofilerLayoutTest, Calls) {
  using Theirs = rocprofiler_buffer_tracing_hip_api_record_t;
  EXPECT_SAME_OFFSET(Call, size, Theirs, size);
  EXPECT_SAME_OFFSET(Call, kind, Theirs, kind);
  EXPECT_SAME_OFFSET(Call, operation, Theirs, operation);
  EXPECT_SAME_OFFSET(Call, correlation, Theirs, correlation_id.internal);
  EXPECT_SAME_OFFSET(Call, external, Theirs, correlation_id.external);
  EXPECT_SAME_OFFSET(Call, ancestor, Theirs, correlation_id.ancestor);
  EXPECT_SAME_OFFSET(Call, start, Theirs, start_timestamp);
  EXPECT_SAME_OFFSET(Call, end, Theirs, end_timestamp);
  EXPECT_SAME_OFFSET(Call, thread, Theirs, thread_id);
}

TEST(RocprofilerLayoutTest, Copies) {
  using Theirs = rocprofiler_buffer_tracing_memory_copy_record_t;
  EXPECT_SAME_OFFSET(Copy, kind, Theirs, kind);
  EXPECT_SAME_OFFSET(Copy, operation, Theirs, operation);
  EXPECT_SAME_OFFSET(Copy, correlation, Theirs, correlation_id.internal);
  EXPECT_SAME_OFFSET(Copy, external, Theirs, correlation_id.external);
  EXPECT_SAME_OFFSET(Copy, thread, Theirs, thread_id);
  EXPECT_SAME_OFFSET(Copy, start, Theirs, start_timestamp);
  EXPECT_SAME_OFFSET(Copy, end, Theirs, end_timestamp);
  EXPECT_SAME_OFFSET(Copy, destination, Theirs, dst_agent_id);
  EXPECT_SAME_OFFSET(Copy, source, Theirs, src_agent_id);
  EXPECT_SAME_OFFSET(Copy, bytes, Theirs, bytes);
}

TEST(RocprofilerLayoutTest, Dispatches) {
  using Theirs = rocprofiler_buffer_tracing_kernel_dispatch_record_t;
  EXPECT_SAME_OFFSET(Dispatch, kind, Theirs, kind);
  EXPECT_SAME_OFFSET(Dispatch, operation, Theirs, operation);
  EXPECT_SAME_OFFSET(Dispatch, correlation, Theirs, correlation_id.internal);
  EXPECT_SAME_OFFSET(Dispatch, external, Theirs, correlation_id.external);
  EXPECT_SAME_OFFSET(Dispatch, thread, Theirs, thread_id);
  EXPECT_SAME_OFFSET(Dispatch, start, Theirs, start_timestamp);
  EXPECT_SAME_OFFSET(Dispatch, end, Theirs, end_timestamp);
  EXPECT_SAME_OFFSET(Dispatch, info, Theirs, dispatch_info);
  using TheirInfo = rocprofiler_kernel_dispatch_info_t;
  EXPECT_EQ(sizeof(DispatchInfo), sizeof(TheirInfo));
  EXPECT_SAME_OFFSET(DispatchInfo, agent, TheirInfo, agent_id);
  EXPECT_SAME_OFFSET(DispatchInfo, queue, TheirInfo, queue_id);
  EXPECT_SAME_OFFSET(DispatchInfo, kernel, TheirInfo, kernel_id);
  EXPECT_SAME_OFFSET(DispatchInfo, dispatch, TheirInfo, dispatch_id);
  EXPECT_SAME_OFFSET(DispatchInfo, group_segment_bytes, TheirInfo, group_segment_size);
  EXPECT_SAME_OFFSET(DispatchInfo, workgroup, TheirInfo, workgroup_size);
  EXPECT_SAME_OFFSET(DispatchInfo, grid, TheirInfo, grid_size);
}

TEST(RocprofilerLayoutTest, Events) {
  using Theirs = rocprofiler_callback_tracing_record_t;
  EXPECT_EQ(sizeof(Event), sizeof(Theirs)) << "it is passed by value";
  EXPECT_SAME_OFFSET(Event, context, Theirs, context_id);
  EXPECT_SAME_OFFSET(Event, thread, Theirs, thread_id);
  EXPECT_SAME_OFFSET(Event, correlation, Theirs, correlation_id.internal);
  EXPECT_SAME_OFFSET(Event, kind, Theirs, kind);
  EXPECT_SAME_OFFSET(Event, operation, Theirs, operation);
  EXPECT_SAME_OFFSET(Event, phase, Theirs, phase);
  EXPECT_SAME_OFFSET(Event, payload, Theirs, payload);
  using TheirSymbol = rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t;
  EXPECT_SAME_OFFSET(KernelSymbol, kernel, TheirSymbol, kernel_id);
  EXPECT_SAME_OFFSET(KernelSymbol, name, TheirSymbol, kernel_name);
  EXPECT_SAME_OFFSET(KernelSymbol, vector_registers, TheirSymbol, arch_vgpr_count);
  EXPECT_SAME_OFFSET(StreamEvent, stream, rocprofiler_callback_tracing_hip_stream_data_t, stream_id);
  using TheirMarker = rocprofiler_callback_tracing_marker_api_data_t;
  EXPECT_SAME_OFFSET(MarkerEvent, message, TheirMarker, args.roctxMarkA.message);
  EXPECT_SAME_OFFSET(MarkerEvent, message, TheirMarker, args.roctxThreadRangeA.message);
  EXPECT_SAME_OFFSET(MarkerEvent, message, TheirMarker, args.roctxProcessRangeA.message);
}

TEST(RocprofilerLayoutTest, TheRest) {
  EXPECT_SAME_OFFSET(RecordHeader, category, rocprofiler_record_header_t, category);
  EXPECT_SAME_OFFSET(RecordHeader, kind, rocprofiler_record_header_t, kind);
  EXPECT_SAME_OFFSET(RecordHeader, payload, rocprofiler_record_header_t, payload);
  EXPECT_LE(sizeof(Agent), sizeof(rocprofiler_agent_v0_t));
  EXPECT_SAME_OFFSET(Agent, id, rocprofiler_agent_v0_t, id);
  EXPECT_SAME_OFFSET(Agent, type, rocprofiler_agent_v0_t, type);
  EXPECT_SAME_OFFSET(Agent, memory_banks, rocprofiler_agent_v0_t, mem_banks_count);
  EXPECT_SAME_OFFSET(Agent, compute_units, rocprofiler_agent_v0_t, cu_count);
  EXPECT_SAME_OFFSET(Agent, architecture, rocprofiler_agent_v0_t, gfx_target_version);
  EXPECT_SAME_OFFSET(Agent, location, rocprofiler_agent_v0_t, location_id);
  EXPECT_SAME_OFFSET(Agent, domain, rocprofiler_agent_v0_t, domain);
  EXPECT_SAME_OFFSET(Agent, clock, rocprofiler_agent_v0_t, max_engine_clk_fcompute);
  EXPECT_SAME_OFFSET(Agent, banks, rocprofiler_agent_v0_t, mem_banks);
  EXPECT_EQ(sizeof(MemoryBank), sizeof(rocprofiler_agent_mem_bank_t));
  EXPECT_SAME_OFFSET(MemoryBank, heap, rocprofiler_agent_mem_bank_t, heap_type);
  EXPECT_SAME_OFFSET(MemoryBank, bytes, rocprofiler_agent_mem_bank_t, size_in_bytes);
  EXPECT_SAME_OFFSET(Agent, product_name, rocprofiler_agent_v0_t, product_name);
  EXPECT_SAME_OFFSET(Agent, number, rocprofiler_agent_v0_t, logical_node_type_id);
  EXPECT_EQ(sizeof(ClientId), sizeof(rocprofiler_client_id_t));
  EXPECT_SAME_OFFSET(ClientId, name, rocprofiler_client_id_t, name);
  EXPECT_EQ(sizeof(Tool), sizeof(rocprofiler_tool_configure_result_t));
  EXPECT_SAME_OFFSET(Tool, initialize, rocprofiler_tool_configure_result_t, initialize);
  EXPECT_SAME_OFFSET(Tool, finalize, rocprofiler_tool_configure_result_t, finalize);
  EXPECT_SAME_OFFSET(Tool, data, rocprofiler_tool_configure_result_t, tool_data);
  EXPECT_EQ(sizeof(Id), sizeof(rocprofiler_context_id_t));
  EXPECT_EQ(sizeof(Id), sizeof(rocprofiler_buffer_id_t));
  EXPECT_EQ(sizeof(std::uint64_t), sizeof(rocprofiler_user_data_t));
}

template <class Ours>
int number(Ours value) {
  return static_cast<int>(value);
}

TEST(RocprofilerLayoutTest, Numbers) {
  EXPECT_EQ(number(BufferKind::kHipCall), ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API);
  EXPECT_EQ(number(BufferKind::kCopy), ROCPROFILER_BUFFER_TRACING_MEMORY_COPY);
  EXPECT_EQ(number(BufferKind::kDispatch), ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH);
  EXPECT_EQ(number(CallbackKind::kHipCall), ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API);
  EXPECT_EQ(number(CallbackKind::kMarkerControl), ROCPROFILER_CALLBACK_TRACING_MARKER_CONTROL_API);
  EXPECT_EQ(number(CallbackKind::kCodeObject), ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT);
  EXPECT_EQ(number(CallbackKind::kHipStream), ROCPROFILER_CALLBACK_TRACING_HIP_STREAM);
  EXPECT_EQ(number(CallbackKind::kMarkerRange), ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API);
  EXPECT_EQ(number(Phase::kNone), ROCPROFILER_CALLBACK_PHASE_NONE);
  EXPECT_EQ(number(Phase::kEnter), ROCPROFILER_CALLBACK_PHASE_ENTER);
  EXPECT_EQ(number(Phase::kEnter), ROCPROFILER_CALLBACK_PHASE_LOAD);
  EXPECT_EQ(number(Phase::kExit), ROCPROFILER_CALLBACK_PHASE_EXIT);
  EXPECT_EQ(number(kTracingCategory), ROCPROFILER_BUFFER_CATEGORY_TRACING);
  EXPECT_EQ(kDiscard, ROCPROFILER_BUFFER_POLICY_DISCARD);
  EXPECT_EQ(kLossless, ROCPROFILER_BUFFER_POLICY_LOSSLESS);
  EXPECT_EQ(number(kGpu), ROCPROFILER_AGENT_TYPE_GPU);
  EXPECT_EQ(kAgentVersion, ROCPROFILER_AGENT_INFO_VERSION_0);
  EXPECT_EQ(kSuccess, ROCPROFILER_STATUS_SUCCESS);
  EXPECT_EQ(kError, ROCPROFILER_STATUS_ERROR);
  EXPECT_EQ(kConfigurationLocked, ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
  EXPECT_EQ(operation::kKernelSymbol, ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER);
  EXPECT_EQ(operation::kStreamCreate, ROCPROFILER_HIP_STREAM_CREATE);
  EXPECT_EQ(operation::kStreamSet, ROCPROFILER_HIP_STREAM_SET);
  EXPECT_EQ(operation::kHostToHost, ROCPROFILER_MEMORY_COPY_HOST_TO_HOST);
  EXPECT_EQ(operation::kHostToDevice, ROCPROFILER_MEMORY_COPY_HOST_TO_DEVICE);
  EXPECT_EQ(operation::kDeviceToHost, ROCPROFILER_MEMORY_COPY_DEVICE_TO_HOST);
  EXPECT_EQ(operation::kDeviceToDevice, ROCPROFILER_MEMORY_COPY_DEVICE_TO_DEVICE);
  EXPECT_EQ(operation::kDispatched, ROCPROFILER_KERNEL_DISPATCH_COMPLETE);
  EXPECT_EQ(operation::kMark, ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxMarkA);
  EXPECT_EQ(operation::kThreadRange, ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxThreadRangeA);
  EXPECT_EQ(operation::kRange, ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxProcessRangeA);
  EXPECT_EQ(operation::kPause, ROCPROFILER_MARKER_CONTROL_API_ID_roctxProfilerPause);
  EXPECT_EQ(operation::kResume, ROCPROFILER_MARKER_CONTROL_API_ID_roctxProfilerResume);
}

}  // namespace
}  // namespace stepsim::capture::rocprofiler
