// Checks the offsets of the members of NCCL's descriptors. The expected numbers were printed by a program that was
// compiled with the declarations of nccl/profiler_v2.h to profiler_v6.h in NCCL's sources. The comments contain NCCL's
// names of the members. The offsets are those for 64-bit pointers.

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "capture/nccl/plugin.h"

namespace stepsim::capture::nccl {
namespace {

#define EXPECT_AT(version, member, offset) EXPECT_EQ(offsetof(Descriptor##version, member), std::size_t{offset})

TEST(NcclLayout, DescriptorOfV2) {
  EXPECT_AT(V2, parent, 8);                         // parentObj in NCCL
  EXPECT_AT(V2, rank, 16);                          // rank in NCCL
  EXPECT_AT(V2, collective.sequence, 40);           // coll.seqNumber in NCCL
  EXPECT_AT(V2, collective.function, 48);           // coll.func in NCCL
  EXPECT_AT(V2, collective.elements, 72);           // coll.count in NCCL
  EXPECT_AT(V2, collective.root, 80);               // coll.root in NCCL
  EXPECT_AT(V2, collective.element_type, 88);       // coll.datatype in NCCL
  EXPECT_AT(V2, collective.algorithm, 112);         // coll.algo in NCCL
  EXPECT_AT(V2, collective.protocol, 120);          // coll.proto in NCCL
  EXPECT_AT(V2, message.function, 40);              // p2p.func in NCCL
  EXPECT_AT(V2, message.element_type, 56);          // p2p.datatype in NCCL
  EXPECT_AT(V2, message.elements, 64);              // p2p.count in NCCL
  EXPECT_AT(V2, message.peer, 72);                  // p2p.peer in NCCL
  EXPECT_AT(V2, proxy_op.process, 24);              // proxyOp.pid in NCCL
  EXPECT_AT(V2, proxy_op.channel, 28);              // proxyOp.channelId in NCCL
  EXPECT_AT(V2, proxy_op.peer, 32);                 // proxyOp.peer in NCCL
  EXPECT_AT(V2, proxy_op.steps, 36);                // proxyOp.nSteps in NCCL
  EXPECT_AT(V2, proxy_op.is_send, 44);              // proxyOp.isSend in NCCL
  EXPECT_AT(V2, collective.communicator_name, 24);  // coll.name in NCCL
  EXPECT_AT(V2, collective.communicator, 32);       // coll.commHash in NCCL
  EXPECT_AT(V2, collective.channels, 104);          // coll.nMaxChannels in NCCL
  EXPECT_AT(V2, message.communicator_name, 24);     // p2p.name in NCCL
  EXPECT_AT(V2, message.communicator, 32);          // p2p.commHash in NCCL
}

TEST(NcclLayout, DescriptorOfV3) {
  EXPECT_AT(V3, parent, 8);                         // parentObj in NCCL
  EXPECT_AT(V3, rank, 16);                          // rank in NCCL
  EXPECT_AT(V3, collective.sequence, 40);           // coll.seqNumber in NCCL
  EXPECT_AT(V3, collective.function, 48);           // coll.func in NCCL
  EXPECT_AT(V3, collective.elements, 72);           // coll.count in NCCL
  EXPECT_AT(V3, collective.root, 80);               // coll.root in NCCL
  EXPECT_AT(V3, collective.element_type, 88);       // coll.datatype in NCCL
  EXPECT_AT(V3, collective.algorithm, 104);         // coll.algo in NCCL
  EXPECT_AT(V3, collective.protocol, 112);          // coll.proto in NCCL
  EXPECT_AT(V3, message.function, 40);              // p2p.func in NCCL
  EXPECT_AT(V3, message.element_type, 56);          // p2p.datatype in NCCL
  EXPECT_AT(V3, message.elements, 64);              // p2p.count in NCCL
  EXPECT_AT(V3, message.peer, 72);                  // p2p.peer in NCCL
  EXPECT_AT(V3, proxy_op.process, 24);              // proxyOp.pid in NCCL
  EXPECT_AT(V3, proxy_op.channel, 28);              // proxyOp.channelId in NCCL
  EXPECT_AT(V3, proxy_op.peer, 32);                 // proxyOp.peer in NCCL
  EXPECT_AT(V3, proxy_op.steps, 36);                // proxyOp.nSteps in NCCL
  EXPECT_AT(V3, proxy_op.is_send, 44);              // proxyOp.isSend in NCCL
  EXPECT_AT(V3, collective.communicator_name, 24);  // coll.name in NCCL
  EXPECT_AT(V3, collective.communicator, 32);       // coll.commHash in NCCL
  EXPECT_AT(V3, collective.channels, 96);           // coll.nMaxChannels in NCCL
  EXPECT_AT(V3, message.communicator_name, 24);     // p2p.name in NCCL
  EXPECT_AT(V3, message.communicator, 32);          // p2p.commHash in NCCL
  EXPECT_AT(V3, kernel_channel.channel, 24);        // kernelCh.channelId in NCCL
}

TEST(NcclLayout, DescriptorOfV4) {
  EXPECT_AT(V4, parent, 8);                    // parentObj in NCCL
  EXPECT_AT(V4, rank, 16);                     // rank in NCCL
  EXPECT_AT(V4, collective.sequence, 24);      // coll.seqNumber in NCCL
  EXPECT_AT(V4, collective.function, 32);      // coll.func in NCCL
  EXPECT_AT(V4, collective.elements, 56);      // coll.count in NCCL
  EXPECT_AT(V4, collective.root, 64);          // coll.root in NCCL
  EXPECT_AT(V4, collective.element_type, 72);  // coll.datatype in NCCL
  EXPECT_AT(V4, collective.algorithm, 88);     // coll.algo in NCCL
  EXPECT_AT(V4, collective.protocol, 96);      // coll.proto in NCCL
  EXPECT_AT(V4, message.function, 24);         // p2p.func in NCCL
  EXPECT_AT(V4, message.element_type, 40);     // p2p.datatype in NCCL
  EXPECT_AT(V4, message.elements, 48);         // p2p.count in NCCL
  EXPECT_AT(V4, message.peer, 56);             // p2p.peer in NCCL
  EXPECT_AT(V4, proxy_op.process, 24);         // proxyOp.pid in NCCL
  EXPECT_AT(V4, proxy_op.channel, 28);         // proxyOp.channelId in NCCL
  EXPECT_AT(V4, proxy_op.peer, 32);            // proxyOp.peer in NCCL
  EXPECT_AT(V4, proxy_op.steps, 36);           // proxyOp.nSteps in NCCL
  EXPECT_AT(V4, proxy_op.is_send, 44);         // proxyOp.isSend in NCCL
  EXPECT_AT(V4, collective.channels, 80);      // coll.nChannels in NCCL
  EXPECT_AT(V4, kernel_channel.channel, 24);   // kernelCh.channelId in NCCL
  EXPECT_AT(V4, message.channels, 60);         // p2p.nChannels in NCCL
  EXPECT_AT(V4, kernel_channel.timer, 32);     // kernelCh.pTimer in NCCL
}

TEST(NcclLayout, DescriptorOfV5) {
  EXPECT_AT(V5, parent, 8);                    // parentObj in NCCL
  EXPECT_AT(V5, rank, 16);                     // rank in NCCL
  EXPECT_AT(V5, collective.sequence, 24);      // coll.seqNumber in NCCL
  EXPECT_AT(V5, collective.function, 32);      // coll.func in NCCL
  EXPECT_AT(V5, collective.elements, 56);      // coll.count in NCCL
  EXPECT_AT(V5, collective.root, 64);          // coll.root in NCCL
  EXPECT_AT(V5, collective.element_type, 72);  // coll.datatype in NCCL
  EXPECT_AT(V5, collective.algorithm, 88);     // coll.algo in NCCL
  EXPECT_AT(V5, collective.protocol, 96);      // coll.proto in NCCL
  EXPECT_AT(V5, message.function, 24);         // p2p.func in NCCL
  EXPECT_AT(V5, message.element_type, 40);     // p2p.datatype in NCCL
  EXPECT_AT(V5, message.elements, 48);         // p2p.count in NCCL
  EXPECT_AT(V5, message.peer, 56);             // p2p.peer in NCCL
  EXPECT_AT(V5, proxy_op.process, 24);         // proxyOp.pid in NCCL
  EXPECT_AT(V5, proxy_op.channel, 28);         // proxyOp.channelId in NCCL
  EXPECT_AT(V5, proxy_op.peer, 32);            // proxyOp.peer in NCCL
  EXPECT_AT(V5, proxy_op.steps, 36);           // proxyOp.nSteps in NCCL
  EXPECT_AT(V5, proxy_op.is_send, 44);         // proxyOp.isSend in NCCL
  EXPECT_AT(V5, collective.channels, 80);      // coll.nChannels in NCCL
  EXPECT_AT(V5, kernel_channel.channel, 24);   // kernelCh.channelId in NCCL
  EXPECT_AT(V5, message.channels, 60);         // p2p.nChannels in NCCL
  EXPECT_AT(V5, kernel_channel.timer, 32);     // kernelCh.pTimer in NCCL
  EXPECT_AT(V5, collective.group, 104);        // coll.parentGroup in NCCL
  EXPECT_AT(V5, message.group, 64);            // p2p.parentGroup in NCCL
  EXPECT_AT(V5, group_calls.captured, 24);     // groupApi.graphCaptured in NCCL
}

TEST(NcclLayout, DescriptorOfV6) {
  EXPECT_AT(V6, parent, 8);                    // parentObj in NCCL
  EXPECT_AT(V6, rank, 16);                     // rank in NCCL
  EXPECT_AT(V6, collective.sequence, 24);      // coll.seqNumber in NCCL
  EXPECT_AT(V6, collective.function, 32);      // coll.func in NCCL
  EXPECT_AT(V6, collective.elements, 56);      // coll.count in NCCL
  EXPECT_AT(V6, collective.root, 64);          // coll.root in NCCL
  EXPECT_AT(V6, collective.element_type, 72);  // coll.datatype in NCCL
  EXPECT_AT(V6, collective.algorithm, 88);     // coll.algo in NCCL
  EXPECT_AT(V6, collective.protocol, 96);      // coll.proto in NCCL
  EXPECT_AT(V6, message.function, 24);         // p2p.func in NCCL
  EXPECT_AT(V6, message.element_type, 40);     // p2p.datatype in NCCL
  EXPECT_AT(V6, message.elements, 48);         // p2p.count in NCCL
  EXPECT_AT(V6, message.peer, 56);             // p2p.peer in NCCL
  EXPECT_AT(V6, proxy_op.process, 24);         // proxyOp.pid in NCCL
  EXPECT_AT(V6, proxy_op.channel, 28);         // proxyOp.channelId in NCCL
  EXPECT_AT(V6, proxy_op.peer, 32);            // proxyOp.peer in NCCL
  EXPECT_AT(V6, proxy_op.steps, 36);           // proxyOp.nSteps in NCCL
  EXPECT_AT(V6, proxy_op.is_send, 44);         // proxyOp.isSend in NCCL
  EXPECT_AT(V6, collective.channels, 80);      // coll.nChannels in NCCL
  EXPECT_AT(V6, kernel_channel.channel, 24);   // kernelCh.channelId in NCCL
  EXPECT_AT(V6, message.channels, 60);         // p2p.nChannels in NCCL
  EXPECT_AT(V6, kernel_channel.timer, 32);     // kernelCh.pTimer in NCCL
  EXPECT_AT(V6, collective.group, 104);        // coll.parentGroup in NCCL
  EXPECT_AT(V6, message.group, 64);            // p2p.parentGroup in NCCL
  EXPECT_AT(V6, group_calls.captured, 24);     // groupApi.graphCaptured in NCCL
}

#undef EXPECT_AT

/// Checks the layout of a version's table: a name, then the functions init, startEvent, stopEvent, recordEventState and
/// finalize.
template <class Table>
void check_table(const Table& table) {
  EXPECT_EQ(offsetof(Table, name), 0U);
  EXPECT_EQ(offsetof(Table, init), 8U);
  EXPECT_EQ(offsetof(Table, start_event), 16U);
  EXPECT_EQ(offsetof(Table, stop_event), 24U);
  EXPECT_EQ(offsetof(Table, record_event_state), 32U);
  EXPECT_EQ(offsetof(Table, finalize), 40U);
  EXPECT_EQ(std::string(table.name), "stepsim");
  EXPECT_TRUE(table.init && table.start_event && table.stop_event && table.record_event_state && table.finalize);
}

TEST(NcclLayout, TypesOfEvents) {
  EXPECT_EQ(event::kGroup, 1U);             // ncclProfileGroup in NCCL
  EXPECT_EQ(event::kCollective, 2U);        // ncclProfileColl in NCCL
  EXPECT_EQ(event::kMessage, 4U);           // ncclProfileP2p in NCCL
  EXPECT_EQ(event::kProxyOp, 8U);           // ncclProfileProxyOp in NCCL
  EXPECT_EQ(event::kProxyStep, 16U);        // ncclProfileProxyStep in NCCL
  EXPECT_EQ(event::kKernelChannel, 64U);    // ncclProfileKernelCh in NCCL
  EXPECT_EQ(event::kGroupCalls, 256U);      // ncclProfileGroupApi in NCCL
  EXPECT_EQ(event::kCollectiveCall, 512U);  // ncclProfileCollApi in NCCL
  EXPECT_EQ(event::kMessageCall, 1024U);    // ncclProfileP2pApi in NCCL
  EXPECT_EQ(event::kKernelLaunch, 2048U);   // ncclProfileKernelLaunch in NCCL
}

TEST(NcclLayout, TablesOfFunctions) {
  check_table(ncclProfiler_v2);
  check_table(ncclProfiler_v3);
  check_table(ncclProfiler_v4);
  check_table(ncclProfiler_v5);
  check_table(ncclProfiler_v6);
}

TEST(NcclLayout, NothingIsAskedForWithoutACapture) {
  void* context = this;
  int activation = -1;
  EXPECT_EQ(ncclProfiler_v6.init(&context, 1, &activation, nullptr, 1, 2, 0, nullptr), kSuccess);
  EXPECT_EQ(context, nullptr);
  EXPECT_EQ(activation, 0);
  DescriptorV6 event{};
  event.type = event::kCollective;
  void* handle = this;
  EXPECT_EQ(ncclProfiler_v6.start_event(context, &handle, &event), kSuccess);
  EXPECT_EQ(handle, nullptr);
  EXPECT_EQ(ncclProfiler_v6.record_event_state(handle, 8, nullptr), kSuccess);
  EXPECT_EQ(ncclProfiler_v6.stop_event(handle), kSuccess);
  EXPECT_EQ(ncclProfiler_v6.finalize(context), kSuccess);
}

}  // namespace
}  // namespace stepsim::capture::nccl
