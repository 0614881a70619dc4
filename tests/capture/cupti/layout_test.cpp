// Compares the offsets in capture/cupti/abi.h with NVIDIA's headers, for the newest version of each of CUPTI's records
// and for each older version that a library may deliver.

#include <cupti.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>

#include "capture/cupti/abi.h"
#include "model/wire/record.h"

namespace stepsim::capture::cupti {
namespace {

template <class Record>
void check_kernel() {
  namespace at = offset::kernel;
  EXPECT_EQ(offsetof(Record, registersPerThread), at::kRegisters);
  EXPECT_EQ(offsetof(Record, start), at::kStart);
  EXPECT_EQ(offsetof(Record, end), at::kEnd);
  EXPECT_EQ(offsetof(Record, deviceId), at::kDevice);
  EXPECT_EQ(offsetof(Record, streamId), at::kStream);
  EXPECT_EQ(offsetof(Record, gridX), at::kGrid);
  EXPECT_EQ(offsetof(Record, blockX), at::kBlock);
  EXPECT_EQ(offsetof(Record, staticSharedMemory), at::kStaticShared);
  EXPECT_EQ(offsetof(Record, dynamicSharedMemory), at::kDynamicShared);
  EXPECT_EQ(offsetof(Record, correlationId), at::kCorrelation);
  EXPECT_EQ(offsetof(Record, name), at::kName);
}

template <class Record>
void check_copy() {
  namespace at = offset::copy;
  EXPECT_EQ(offsetof(Record, copyKind), at::kKind);
  EXPECT_EQ(offsetof(Record, srcKind), at::kSource);
  EXPECT_EQ(offsetof(Record, dstKind), at::kDestination);
  EXPECT_EQ(offsetof(Record, bytes), at::kBytes);
  EXPECT_EQ(offsetof(Record, start), at::kStart);
  EXPECT_EQ(offsetof(Record, end), at::kEnd);
  EXPECT_EQ(offsetof(Record, deviceId), at::kDevice);
  EXPECT_EQ(offsetof(Record, streamId), at::kStream);
}

template <class Record>
void check_set() {
  namespace at = offset::set;
  EXPECT_EQ(offsetof(Record, bytes), at::kBytes);
  EXPECT_EQ(offsetof(Record, start), at::kStart);
  EXPECT_EQ(offsetof(Record, end), at::kEnd);
  EXPECT_EQ(offsetof(Record, deviceId), at::kDevice);
  EXPECT_EQ(offsetof(Record, streamId), at::kStream);
  EXPECT_EQ(offsetof(Record, correlationId), at::kCorrelation);
  EXPECT_EQ(offsetof(Record, memoryKind), at::kMemory);
}

TEST(CuptiLayoutTest, KernelsOfAllVersions) {
  check_kernel<CUpti_ActivityKernel3>();
  check_kernel<CUpti_ActivityKernel4>();
  check_kernel<CUpti_ActivityKernel5>();
  check_kernel<CUpti_ActivityKernel6>();
  check_kernel<CUpti_ActivityKernel7>();
  check_kernel<CUpti_ActivityKernel8>();
  check_kernel<CUpti_ActivityKernel9>();
  EXPECT_EQ(offsetof(CUpti_ActivityKernel5, graphNodeId), offset::kernel::kGraphNode);
  EXPECT_EQ(offsetof(CUpti_ActivityKernel9, graphNodeId), offset::kernel::kGraphNode);
  EXPECT_EQ(offsetof(CUpti_ActivityKernel6, graphId), offset::kernel::kGraph);
  EXPECT_EQ(offsetof(CUpti_ActivityKernel9, graphId), offset::kernel::kGraph);
  EXPECT_EQ(sizeof(CUpti_ActivityKernel4), offset::kernel::kGraphNode) << "it ends where the node would be";
}

TEST(CuptiLayoutTest, CopiesOfAllVersions) {
  check_copy<CUpti_ActivityMemcpy>();
  check_copy<CUpti_ActivityMemcpy3>();
  check_copy<CUpti_ActivityMemcpy4>();
  check_copy<CUpti_ActivityMemcpy5>();
  check_copy<CUpti_ActivityMemcpyPtoP>();
  check_copy<CUpti_ActivityMemcpyPtoP2>();
  check_copy<CUpti_ActivityMemcpyPtoP3>();
  check_copy<CUpti_ActivityMemcpyPtoP4>();
  EXPECT_EQ(offsetof(CUpti_ActivityMemcpy, correlationId), offset::copy::kCorrelation);
  EXPECT_EQ(offsetof(CUpti_ActivityMemcpy5, correlationId), offset::copy::kCorrelation);
  EXPECT_EQ(offsetof(CUpti_ActivityMemcpy3, graphNodeId), offset::copy::kGraphNode);
  EXPECT_EQ(offsetof(CUpti_ActivityMemcpyPtoP, correlationId), offset::peer_copy::kCorrelation);
  EXPECT_EQ(offsetof(CUpti_ActivityMemcpyPtoP4, correlationId), offset::peer_copy::kCorrelation);
  EXPECT_EQ(offsetof(CUpti_ActivityMemcpyPtoP2, graphNodeId), offset::peer_copy::kGraphNode);
}

TEST(CuptiLayoutTest, MemsetsOfAllVersions) {
  check_set<CUpti_ActivityMemset>();
  check_set<CUpti_ActivityMemset2>();
  check_set<CUpti_ActivityMemset3>();
  check_set<CUpti_ActivityMemset4>();
  EXPECT_EQ(offsetof(CUpti_ActivityMemset2, graphNodeId), offset::set::kGraphNode);
}

template <class Record>
void check_sync() {
  namespace at = offset::sync;
  EXPECT_EQ(offsetof(Record, type), at::kType);
  EXPECT_EQ(offsetof(Record, start), at::kStart);
  EXPECT_EQ(offsetof(Record, end), at::kEnd);
  EXPECT_EQ(offsetof(Record, correlationId), at::kCorrelation);
  EXPECT_EQ(offsetof(Record, contextId), at::kContext);
  EXPECT_EQ(offsetof(Record, streamId), at::kStream);
  EXPECT_EQ(offsetof(Record, cudaEventId), at::kEvent);
}

template <class Record>
void check_event() {
  namespace at = offset::event;
  EXPECT_EQ(offsetof(Record, correlationId), at::kCorrelation);
  EXPECT_EQ(offsetof(Record, contextId), at::kContext);
  EXPECT_EQ(offsetof(Record, streamId), at::kStream);
  EXPECT_EQ(offsetof(Record, eventId), at::kEvent);
}

TEST(CuptiLayoutTest, WaitsAndEventsWithAndWithoutTheIdsThatJoinThem) {
  check_sync<CUpti_ActivitySynchronization>();
  check_event<CUpti_ActivityCudaEvent>();
#if CUPTI_API_VERSION >= 26
  check_sync<CUpti_ActivitySynchronization2>();
  check_event<CUpti_ActivityCudaEvent2>();
  EXPECT_EQ(offsetof(CUpti_ActivitySynchronization2, cudaEventSyncId), offset::sync::kSyncId);
  EXPECT_EQ(offsetof(CUpti_ActivityCudaEvent2, cudaEventSyncId), offset::event::kSyncId);
#endif
}

TEST(CuptiLayoutTest, TheRest) {
  {
    namespace at = offset::call;
    EXPECT_EQ(offsetof(CUpti_ActivityAPI, cbid), at::kCallback);
    EXPECT_EQ(offsetof(CUpti_ActivityAPI, start), at::kStart);
    EXPECT_EQ(offsetof(CUpti_ActivityAPI, end), at::kEnd);
    EXPECT_EQ(offsetof(CUpti_ActivityAPI, threadId), at::kThread);
    EXPECT_EQ(offsetof(CUpti_ActivityAPI, correlationId), at::kCorrelation);
    EXPECT_EQ(offsetof(CUpti_ActivityAPI, returnValue), at::kReturned);
  }
  {
    namespace at = offset::external;
    EXPECT_EQ(offsetof(CUpti_ActivityExternalCorrelation, externalKind), at::kKind);
    EXPECT_EQ(offsetof(CUpti_ActivityExternalCorrelation, externalId), at::kId);
    EXPECT_EQ(offsetof(CUpti_ActivityExternalCorrelation, correlationId), at::kCorrelation);
  }
  {
    namespace at = offset::overhead;
    EXPECT_EQ(offsetof(CUpti_ActivityOverhead, overheadKind), at::kKind);
    EXPECT_EQ(offsetof(CUpti_ActivityOverhead, objectId), at::kObject);
    EXPECT_EQ(offsetof(CUpti_ActivityOverhead, start), at::kStart);
    EXPECT_EQ(offsetof(CUpti_ActivityOverhead, end), at::kEnd);
  }
  {
    namespace at = offset::context;
    EXPECT_EQ(offsetof(CUpti_ActivityContext, contextId), at::kContext);
    EXPECT_EQ(offsetof(CUpti_ActivityContext, deviceId), at::kDevice);
  }
  {
    namespace at = offset::stream;
    EXPECT_EQ(offsetof(CUpti_ActivityStream, contextId), at::kContext);
    EXPECT_EQ(offsetof(CUpti_ActivityStream, streamId), at::kStream);
    EXPECT_EQ(offsetof(CUpti_ActivityStream, priority), at::kPriority);
    EXPECT_EQ(offsetof(CUpti_ActivityStream, flag), at::kFlag);
    EXPECT_EQ(static_cast<int>(CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT),
              static_cast<int>(wire::StreamKind::kBlocking));
    EXPECT_EQ(static_cast<int>(CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING),
              static_cast<int>(wire::StreamKind::kNonBlocking));
    EXPECT_EQ(static_cast<int>(CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL), static_cast<int>(wire::StreamKind::kDefault));
  }
  {
    namespace at = offset::device;
    EXPECT_EQ(offsetof(CUpti_ActivityDevice4, id), at::kDevice);
    EXPECT_EQ(offsetof(CUpti_ActivityDevice4, name), at::kName);
    EXPECT_EQ(offsetof(CUpti_ActivityDevice4, globalMemoryBandwidth), at::kBandwidth);
    EXPECT_EQ(offsetof(CUpti_ActivityDevice4, globalMemorySize), at::kMemory);
    EXPECT_EQ(offsetof(CUpti_ActivityDevice4, coreClockRate), at::kClock);
    EXPECT_EQ(offsetof(CUpti_ActivityDevice4, numMultiprocessors), at::kProcessors);
    EXPECT_EQ(offsetof(CUpti_ActivityDevice4, computeCapabilityMajor), at::kMajor);
    EXPECT_EQ(offsetof(CUpti_ActivityDevice4, computeCapabilityMinor), at::kMinor);
    EXPECT_EQ(offsetof(CUpti_ActivityDevice4, uuid), at::kUuid);
  }
  {
    namespace at = offset::graph;
    EXPECT_EQ(offsetof(CUpti_ActivityGraphTrace, correlationId), at::kCorrelation);
    EXPECT_EQ(offsetof(CUpti_ActivityGraphTrace, start), at::kStart);
    EXPECT_EQ(offsetof(CUpti_ActivityGraphTrace, end), at::kEnd);
    EXPECT_EQ(offsetof(CUpti_ActivityGraphTrace, deviceId), at::kDevice);
    EXPECT_EQ(offsetof(CUpti_ActivityGraphTrace, graphId), at::kGraph);
    EXPECT_EQ(offsetof(CUpti_ActivityGraphTrace, streamId), at::kStream);
  }
}

TEST(CuptiLayoutTest, Numbers) {
  const auto check = [](Activity ours, CUpti_ActivityKind theirs) {
    EXPECT_EQ(static_cast<std::uint32_t>(ours), static_cast<std::uint32_t>(theirs));
  };
  check(Activity::kMemcpy, CUPTI_ACTIVITY_KIND_MEMCPY);
  check(Activity::kMemset, CUPTI_ACTIVITY_KIND_MEMSET);
  check(Activity::kDriver, CUPTI_ACTIVITY_KIND_DRIVER);
  check(Activity::kRuntime, CUPTI_ACTIVITY_KIND_RUNTIME);
  check(Activity::kDevice, CUPTI_ACTIVITY_KIND_DEVICE);
  check(Activity::kContext, CUPTI_ACTIVITY_KIND_CONTEXT);
  check(Activity::kStream, CUPTI_ACTIVITY_KIND_STREAM);
  check(Activity::kConcurrentKernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  check(Activity::kOverhead, CUPTI_ACTIVITY_KIND_OVERHEAD);
  check(Activity::kMemcpyPeer, CUPTI_ACTIVITY_KIND_MEMCPY2);
  check(Activity::kCudaEvent, CUPTI_ACTIVITY_KIND_CUDA_EVENT);
  check(Activity::kSynchronization, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  check(Activity::kExternalCorrelation, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  check(Activity::kGraphTrace, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  EXPECT_EQ(static_cast<int>(Domain::kDriver), CUPTI_CB_DOMAIN_DRIVER_API);
  EXPECT_EQ(static_cast<int>(Domain::kRuntime), CUPTI_CB_DOMAIN_RUNTIME_API);
  EXPECT_EQ(kMaxLimitReached, CUPTI_ERROR_MAX_LIMIT_REACHED);
  EXPECT_EQ(kMultipleSubscribers, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  EXPECT_EQ(kFlushForced, static_cast<std::uint32_t>(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  EXPECT_EQ(kNotCompatible, CUPTI_ERROR_NOT_COMPATIBLE);
  EXPECT_EQ(kNotInitialised, CUPTI_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(kInsufficientPrivileges, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  EXPECT_EQ(kUnknown, CUPTI_ERROR_UNKNOWN);
  EXPECT_EQ(static_cast<int>(kDriverGetVersion), CUPTI_DRIVER_TRACE_CBID_cuDriverGetVersion);
  EXPECT_EQ(static_cast<int>(kProfilerStart), CUPTI_DRIVER_TRACE_CBID_cuProfilerStart);
  EXPECT_EQ(static_cast<int>(kProfilerStop), CUPTI_DRIVER_TRACE_CBID_cuProfilerStop);
  EXPECT_EQ(static_cast<int>(Attribute::kZeroedBuffers), CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER);
#if CUPTI_API_VERSION >= 130'000
  EXPECT_EQ(static_cast<int>(Attribute::kBuffersPerThread), CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER);
  EXPECT_EQ(sizeof(SubscriberParams), sizeof(CUpti_SubscriberParams));
  EXPECT_EQ(offsetof(SubscriberParams, name), offsetof(CUpti_SubscriberParams, subscriberName));
  EXPECT_EQ(offsetof(SubscriberParams, name_of_other), offsetof(CUpti_SubscriberParams, oldSubscriberName));
  EXPECT_EQ(offsetof(SubscriberParams, size_of_other), offsetof(CUpti_SubscriberParams, oldSubscriberSize));
  EXPECT_GE(kSubscriberNameBytes, std::size_t{CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN});
  EXPECT_EQ(offsetof(CUpti_CallbackData, callbackSite), 0U);
  EXPECT_EQ(CUPTI_API_EXIT, 1);
#endif
  EXPECT_EQ(kSystemThreadIds, static_cast<std::uint32_t>(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM));
}

}  // namespace
}  // namespace stepsim::capture::cupti
