// Tests parameter-server jobs whose steps are sums of a few terms, under max-min sharing.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/cost/network/network.h"
#include "model/rewrite/parameter_server/job_graph.h"
#include "sim/analysis/summary.h"
#include "sim/engine/engine.h"
#include "tests/model/rewrite/parameter_server/workload_maker.h"

namespace stepsim::testing {
namespace {

constexpr double kRate = 1e9;  // a byte per nanosecond
constexpr Duration kLinkLatency{10'000};
constexpr Duration kLatency = kLinkLatency * 2;
constexpr Duration kHeader{100};
constexpr Duration kCompute = kForward + kBackward + kUpdate;
constexpr std::int64_t kTensor = 1'000'000;
constexpr Duration kWire{kTensor};

struct Replayed {
  Capture capture;
  sim::Timeline timeline;
};

Replayed replayed(const Capture& capture, const PsOptions& options) {
  Replayed result;
  const std::uint32_t endpoints = *options.job.workers + *options.job.servers;
  result.capture = build_parameter_server(capture, options, switch_of(endpoints, kRate, kLinkLatency));
  sim::Machine machine(result.capture.dag);
  machine.set_network(*find_network_model("maxmin"), *result.capture.cluster);
  result.timeline = sim::replay(result.capture.dag, machine);
  return result;
}

/// Returns the captured settings, except that all workers begin at the same time.
PsOptions in_step(const Capture& capture) {
  PsOptions options = as_captured(*capture.parameter_server);
  options.spread = false;
  return options;
}

/// Returns the time between the last two starts of FW.0 on rank 0.
Duration step_of(const Replayed& job) {
  std::vector<Time> starts;
  for (std::size_t i = 0; i < job.timeline.size(); ++i) {
    if (job.capture.dag.name(TaskId{i}) == "FW.0" && job.capture.dag.lane(TaskId{i}).rank == 0)
      starts.push_back(job.timeline.start[i]);
  }
  return starts.back() - starts[starts.size() - 2];
}

Duration step_of(const WorkloadMaker& maker, Control control = Control::kInline) {
  const Capture capture = maker.capture();
  PsOptions options = in_step(capture);
  options.job.control = control;
  return step_of(replayed(capture, options));
}

/// Expects equal times, except for the rounding of a few messages to whole nanoseconds.
void expect_close(Duration actual, Duration expected) {
  EXPECT_NEAR(static_cast<double>(actual.count()), static_cast<double>(expected.count()), 20);
}

TEST(PsTheory, OnePartitionGoesThroughItsStagesOneAfterAnother) {
  WorkloadMaker maker;
  maker.copy = Duration{30'000};
  // A step consists of compute, copy, push, acknowledgement, request, answer and copy.
  expect_close(step_of(maker), kCompute + maker.copy * 2 + kWire * 2 + kHeader * 2 + kLatency * 4);
}

TEST(PsTheory, ControlGoingFirstChangesNothingWhereNothingIsInLine) {
  WorkloadMaker maker;
  expect_close(step_of(maker, Control::kFirst), step_of(maker));
}

TEST(PsTheory, WorkersShareTheLinkOfTheirServer) {
  for (const std::uint32_t workers : {2U, 3U, 5U}) {
    WorkloadMaker maker;
    maker.workers = workers;
    expect_close(step_of(maker), kCompute + (kWire * 2 + kHeader * 2) * workers + kLatency * 4);
  }
}

TEST(PsTheory, AServerWithoutBytesToMoveCostsLatencyAndHeaders) {
  WorkloadMaker maker;
  maker.tensors = {Bytes{}};
  expect_close(step_of(maker), kCompute + kHeader * 2 + kLatency * 4);
}

TEST(PsTheory, PartitionsOfOneServerFollowEachOtherOnTheConnection) {
  WorkloadMaker maker;
  maker.tensors = {Bytes{3 * kTensor}};
  // Requests are sent inline, so they queue after the three pushes. The three answers follow when the first request has
  // arrived.
  expect_close(step_of(maker), kCompute + kWire * 3 + kHeader + kLatency + kWire * 3 + kLatency);
}

TEST(PsTheory, TensorsOfDifferentServersShareTheWorkersLink) {
  WorkloadMaker maker;
  maker.servers = 2;
  maker.tensors = {Bytes{2 * kTensor}};  // two partitions; djb2 sends keys 0 and 1 to different servers
  expect_close(step_of(maker), kCompute + kWire * 4 + kHeader * 4 + kLatency * 4);
}

/// With credit for one partition, a partition is copied when the previous one is acknowledged. The request and the
/// answer of the previous one arrive during the copy, because copying takes longer than a header.
TEST(PsTheory, CreditForOnePartitionMakesPushesWaitForAcknowledgements) {
  WorkloadMaker maker;
  maker.tensors = {Bytes{4 * kTensor}};
  maker.copy = Duration{30'000};
  const Capture capture = maker.capture();
  PsOptions options = in_step(capture);
  options.job.credit_bytes = Bytes{kTensor};
  const Duration round = maker.copy + kWire + kHeader + kLatency * 2;
  const Duration tail = kHeader + kLatency * 2 + kWire + maker.copy;
  expect_close(step_of(replayed(capture, options)), kCompute + round * 4 + tail);
}

/// Credit for one partition makes pushes wait for acknowledgements, also if control messages go first. Thousands of
/// messages take credit of the connection, and thousands of copies take the credit for partitions. Both kinds of credit
/// must be returned.
TEST(PsTheory, CreditOfCopiesAndOfConnectionsComesBackHoweverManyThereAre) {
  constexpr std::int64_t kPartitions = 3'000;
  constexpr Duration kPart{1'000};
  WorkloadMaker maker;
  maker.tensors = {Bytes{kPartitions * kPart.count()}};
  maker.copy = Duration{30'000};
  const Capture capture = maker.capture();
  PsOptions options = in_step(capture);
  options.warm_up = 1;
  options.job.partition_bytes = Bytes{kPart.count()};
  options.job.credit_bytes = Bytes{kPart.count()};
  options.job.control = Control::kFirst;
  const Duration round = maker.copy + kPart + kHeader + kLatency * 2;
  const Duration tail = kHeader + kLatency * 2 + kPart + maker.copy;
  expect_close(step_of(replayed(capture, options)), kCompute + round * kPartitions + tail);
}

/// The job has 100,000 partitions of two tensors. Those of the first tensor are back before the second tensor is ready.
/// The pushes of the second tensor go up one after another, followed by its first request, and the answers come back
/// one after another.
TEST(PsTheory, AHundredThousandPartitionsFollowEachOther) {
  constexpr std::int64_t kEach = 50'000;
  constexpr Duration kPart{1'000};
  WorkloadMaker maker;
  maker.tensors = {Bytes{kEach * kPart.count()}, Bytes{kEach * kPart.count()}};
  maker.scale = {100};
  const Capture capture = maker.capture();
  PsOptions options = in_step(capture);
  options.warm_up = 1;
  options.job.partition_bytes = Bytes{kPart.count()};
  const Duration compute = (kForward * 2 + kBackward * 2 + kUpdate) * 100;
  ASSERT_LT(kPart * kEach * 2 + kLatency * 2, kBackward * 100) << "the first tensor is back in time";
  expect_close(step_of(replayed(capture, options)), compute + kPart * kEach * 2 + kHeader + kLatency * 2);
}

/// Layer 1's tensor comes back long before it is needed, while other layers compute.
TEST(PsTheory, AcrossTheBarrierCommunicationHidesBehindOtherLayers) {
  WorkloadMaker maker;
  maker.tensors = {Bytes{}, Bytes{1'000}};
  const Capture capture = maker.capture();
  PsOptions options = in_step(capture);
  options.job.barrier = Barrier::kCross;
  // The step waits only for layer 0's tensor, because its backward pass is the last and its forward pass the first.
  const Duration exposed = kHeader * 2 + kLatency * 4;
  expect_close(step_of(replayed(capture, options)), (kForward + kBackward) * 2 + exposed);
}

TEST(PsTheory, ASlowWorkerKeepsTheOthersWaiting) {
  WorkloadMaker maker;
  maker.workers = 2;
  const Capture capture = maker.capture();
  PsOptions options = in_step(capture);
  options.compute_scale = {1, 3};
  // The slow worker pushes last and alone. The answers to both workers share the server's link.
  const Duration slow = (kForward + kBackward) * 3 + kWire + kLatency * 4 + kHeader * 2 + kUpdate * 3;
  const Duration step = step_of(replayed(capture, options));
  EXPECT_GE(step, slow + kWire);
  EXPECT_LE(step, slow + kWire * 2 + kHeader * 4);
}

TEST(PsTheory, AServersOneThreadSumsOnePushAfterAnother) {
  WorkloadMaker maker;
  maker.tensors = {Bytes{4 * kTensor}};
  const Capture capture = maker.capture();
  PsOptions options = in_step(capture);
  Cluster cluster = switch_of(2, kRate, kLinkLatency);
  cluster.rates.sum = Bandwidth::from_bytes_per_second(kRate / 10);  // a sum takes ten times as long as a push
  const auto step = [&](std::uint32_t threads) {
    options.job.server_threads = threads;
    Replayed job;
    job.capture = build_parameter_server(capture, options, cluster);
    sim::Machine machine(job.capture.dag);
    machine.set_network(*find_network_model("maxmin"), cluster);
    job.timeline = sim::replay(job.capture.dag, machine);
    return step_of(job);
  };
  // With four threads, the last push is followed by its sum and its answer. A single thread makes four sums one after
  // another, and the answers follow after the last one.
  expect_close(step(4), kCompute + kWire * 4 + kLatency + kWire * 10 + kLatency + kWire);
  expect_close(step(1), kCompute + kWire + kLatency + kWire * 10 * 4 + kLatency + kWire * 4);
}

// ---- messages that overtake others on a connection

/// The ends of two bulk messages and of a control message, which is called urgent.
struct Overtaking {
  Time first;
  Time second;
  Time urgent;
};

Overtaking overtaking(Control control, Duration when) {
  DagBuilder builder;
  Connection connection(builder, {.name = "to server", .from = EndpointId{0U}, .to = EndpointId{1U}}, control);
  const auto send = [&](Bytes bytes, bool urgent, Duration at) {
    const LaneId lane = builder.add_lane({.name = "thread"});
    const TaskId before = builder.add_task({.name = builder.intern("before"), .lane = lane, .duration = at});
    const Connection::Message message =
        connection.send({TaskKind::kTransfer, builder.intern(urgent ? "control" : "bulk"), bytes, urgent, {}});
    builder.add_edge(before, message.first, EdgeKind::kStage);
    return message.last;
  };
  const TaskId first = send(Bytes{kTensor}, false, Duration{0});
  const TaskId second = send(Bytes{kTensor}, false, Duration{1});
  const TaskId urgent = send(Bytes{100}, true, when);
  const DagBuilder::Result built = std::move(builder).build();
  const Cluster cluster = switch_of(2, kRate);
  sim::Machine machine(built.dag);
  machine.set_network(*find_network_model("maxmin"), cluster);
  const sim::Timeline timeline = sim::replay(built.dag, machine);
  const auto end = [&](TaskId task) { return timeline.finish[built.new_id[task.index()].index()]; };
  return {end(first), end(second), end(urgent)};
}

TEST(ConnectionTheory, InlineControlWaitsForWhatWasHandedOverBefore) {
  const Overtaking order = overtaking(Control::kInline, Duration{500'000});
  expect_close(order.urgent.time_since_epoch(), kWire * 2 + kHeader);
}

TEST(ConnectionTheory, ControlGoesAheadOfWhatIsQueued) {
  const Overtaking order = overtaking(Control::kFirst, Duration{500'000});
  expect_close(order.first.time_since_epoch(), kWire);
  expect_close(order.urgent.time_since_epoch(), kWire + kHeader);
  expect_close(order.second.time_since_epoch(), kWire * 2 + kHeader);
}

TEST(ConnectionTheory, ControlDoesNotGoAheadOfWhatTheSocketHolds) {
  // The sender begins the second message when 128 KiB of the first are left. The control message is ready after that.
  const Duration after_choice = kWire - Duration{kSocketBuffer.count()} + Duration{10'000};
  const Overtaking order = overtaking(Control::kFirst, after_choice);
  expect_close(order.second.time_since_epoch(), kWire * 2);
  expect_close(order.urgent.time_since_epoch(), kWire * 2 + kHeader);
}

}  // namespace
}  // namespace stepsim::testing
