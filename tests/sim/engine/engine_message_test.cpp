#include <gtest/gtest.h>

#include <map>

#include "model/base/error.h"
#include "model/job/topology.h"
#include "sim/engine/engine.h"
#include "tests/sim/dag_maker.h"

/// Tests how the engine calls a network model for messages, and how it uses the results.
namespace stepsim::sim::engine_message_test {
namespace {

using stepsim::testing::DagMaker;

Time at(std::int64_t nanoseconds) { return Time{Duration{nanoseconds}}; }

constexpr Duration kLatency{100};

/// A network in which every message moves a byte per nanosecond. start() returns the time at which the message will
/// arrive, so the engine knows that time in advance.
class Wire : public Network {
 public:
  ChannelId channel(EndpointId, EndpointId, Latency) override { return ChannelId{0}; }
  Passage start(MessageId, ChannelId, Bytes bytes, Time now) override {
    const Time sent = now + Duration{bytes.count()};
    return Passage{sent, sent + kLatency};
  }
};

/// A Wire that reports the arrival of a message only when the message has left.
class LateWire : public Wire {
 public:
  Passage start(MessageId message, ChannelId, Bytes bytes, Time now) override {
    under_way_.emplace(now + Duration{bytes.count()}, message);
    return {};
  }
  Time next() override { return under_way_.empty() ? Time::max() : under_way_.begin()->first; }
  void advance(Time now, std::vector<Notification>& notifications) override {
    for (; !under_way_.empty() && under_way_.begin()->first == now; under_way_.erase(under_way_.begin())) {
      notifications.push_back({under_way_.begin()->second, {now, now + kLatency}});
    }
  }

 private:
  std::multimap<Time, MessageId> under_way_;
};

template <class Wire>
constexpr NetworkModel model(bool sender_continues_when_sent) {
  return {.name = "wire",
          .sender_continues_when_sent = sender_continues_when_sent,
          .make = [](const Cluster&) -> std::unique_ptr<Network> { return std::make_unique<Wire>(); }};
}

const NetworkModel kAtOnce = model<Wire>(false);
const NetworkModel kLate = model<LateWire>(false);
const NetworkModel kSenderGoesOn = model<Wire>(true);

class MessageMaker {
 protected:
  LaneId link(LaneOrder order) {
    return maker.builder.add_lane(
        {.name = "link", .kind = LaneKind::kLink, .order = order, .from = EndpointId{0}, .to = EndpointId{1}});
  }
  TaskId message(LaneId lane, std::int64_t bytes, std::int32_t priority = 0) {
    return maker.builder.add_task({.kind = TaskKind::kTransfer,
                                   .name = maker.builder.intern("message"),
                                   .lane = lane,
                                   .duration = Duration{12345},
                                   .bytes = Bytes{bytes},
                                   .priority = priority});
  }
  void run(const NetworkModel& network) {
    dag = maker.build();
    Machine machine{dag};
    machine.set_network(network, cluster);
    timeline = replay(dag, machine);
  }
  Time start(TaskId task) const { return timeline.start[maker.new_id(task).index()]; }
  Time finish(TaskId task) const { return timeline.finish[maker.new_id(task).index()]; }

  DagMaker maker;
  Cluster cluster = star(2, {.bandwidth = Bandwidth::from_bytes_per_second(1e9)});
  Dag dag;
  Timeline timeline;
};

class EngineMessageTest : public MessageMaker, public ::testing::TestWithParam<const NetworkModel*> {
 protected:
  void run() { MessageMaker::run(*GetParam()); }
};

TEST_P(EngineMessageTest, AMessageEndsWhenItArrivesWhateverWasRecorded) {
  const LaneId lane = link(LaneOrder::kEdges);
  const TaskId first = message(lane, 50);
  const TaskId beside = message(lane, 70);
  const TaskId after = maker.task(maker.lane(1), 5, {first});
  run();
  EXPECT_EQ(finish(first), at(150));
  EXPECT_EQ(finish(beside), at(170));
  EXPECT_EQ(start(after), at(150));
}

TEST_P(EngineMessageTest, AConnectionSendsTheNextWhenTheBytesHaveLeft) {
  const LaneId lane = link(LaneOrder::kFifo);
  const TaskId first = message(lane, 50);
  const TaskId second = message(lane, 70);
  run();
  EXPECT_EQ(finish(first), at(150));
  EXPECT_EQ(start(second), at(50));
  EXPECT_EQ(finish(second), at(220)) << "one latency, not two";
}

TEST_P(EngineMessageTest, AControlMessageGoesAheadOfWhatIsQueuedNotOfWhatIsOnTheWay) {
  const LaneId lane = link(LaneOrder::kPriority);
  const TaskId bulk = message(lane, 50, 1);
  const TaskId queued = message(lane, 50, 1);
  const TaskId control = message(lane, 0, 0);
  const TaskId late = maker.task(maker.lane(1), 10);
  maker.builder.add_edge(late, control, EdgeKind::kData);
  run();
  EXPECT_EQ(finish(bulk), at(150));
  EXPECT_EQ(start(control), at(50));
  EXPECT_EQ(finish(control), at(150));
  EXPECT_EQ(start(queued), at(50));
}

TEST_P(EngineMessageTest, CreditComesBackWhenTheAcknowledgementArrives) {
  const LaneId pushes = maker.builder.add_lane({.name = "pushes", .order = LaneOrder::kFifo, .credit = Bytes{60}});
  const LaneId lane = link(LaneOrder::kEdges);
  std::vector<TaskId> copies;
  for (int i = 0; i < 2; ++i) {
    copies.push_back(maker.builder.add_task(
        {.name = maker.builder.intern("copy"), .lane = pushes, .duration = Duration{10}, .bytes = Bytes{60}}));
    const TaskId acknowledgement = message(lane, 0);
    maker.builder.add_edge(copies.back(), acknowledgement, EdgeKind::kStage);
    maker.builder.return_credit(acknowledgement, copies.back());
  }
  run();
  EXPECT_EQ(start(copies[1]), at(10 + kLatency.count()));
}

TEST_P(EngineMessageTest, AMessageThatIsReadyLaterIsHandedOverInOrderOfTime) {
  const LaneId lane = link(LaneOrder::kEdges);
  const TaskId late = maker.task(maker.lane(1), 1000);
  const TaskId second = message(lane, 10);
  maker.builder.add_edge(late, second, EdgeKind::kData);
  const TaskId first = message(lane, 10);
  run();
  EXPECT_EQ(finish(first), at(110));
  EXPECT_EQ(finish(second), at(1110));
}

INSTANTIATE_TEST_SUITE_P(Networks, EngineMessageTest, ::testing::Values(&kAtOnce, &kLate),
                         [](const auto& entry) { return entry.param == &kAtOnce ? "told_at_once" : "told_late"; });

class EngineSenderTest : public MessageMaker, public ::testing::Test {};

TEST_F(EngineSenderTest, WhereSendersGoOnTheirOwnNextWorkWaitsOnlyUntilTheMessageHasLeft) {
  const LaneId lane = link(LaneOrder::kEdges);
  const TaskId first = message(lane, 50);
  const TaskId next = message(lane, 50);
  maker.builder.add_edge(first, next, EdgeKind::kStream);
  const TaskId receiver = maker.task(maker.lane(1), 5, {first});
  run(kSenderGoesOn);
  EXPECT_EQ(start(next), at(50));
  EXPECT_EQ(start(receiver), at(150));
}

TEST_F(EngineSenderTest, AJobWithMoreEndpointsThanTheClusterIsRefused) {
  maker.builder.add_lane({.name = "link", .kind = LaneKind::kLink, .from = EndpointId{0}, .to = EndpointId{2}});
  maker.task(maker.lane(0), 1);
  EXPECT_THROW(run(kAtOnce), UsageError);
}

TEST_F(EngineSenderTest, AJobThatSendsWhereNoRouteGoesIsRefused) {
  cluster.uplinks.clear();
  message(link(LaneOrder::kEdges), 1);
  EXPECT_THROW(run(kAtOnce), UsageError);
}

}  // namespace
}  // namespace stepsim::sim::engine_message_test
