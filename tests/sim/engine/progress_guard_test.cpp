#include "sim/engine/replay_state.h"

#include <gtest/gtest.h>

#include "model/base/error.h"
#include "model/job/topology.h"
#include "sim/engine/engine.h"
#include "tests/sim/dag_maker.h"
#include "tests/thrown_by.h"

/// Tests network models that break their contract: the replay must fail with an error instead of running forever.
namespace stepsim::sim::progress_guard_test {
namespace {

using stepsim::testing::thrown_by;

constexpr Time at(std::int64_t nanoseconds) { return Time{Duration{nanoseconds}}; }

/// A network model whose next event stays at 7 ns and whose message never arrives.
class NeverAdvances : public Network {
 public:
  ChannelId channel(EndpointId, EndpointId, Latency) override { return ChannelId{0}; }
  Passage start(MessageId, ChannelId, Bytes, Time) override {
    due_ = at(7);
    return {};
  }
  Time next() override { return due_; }

 protected:
  Time due_ = Time::max();
};

/// A network model in which each event is a nanosecond before the previous one.
class RunsBackwards : public NeverAdvances {
 public:
  void advance(Time now, std::vector<Notification>&) override { due_ = now - Duration{1}; }
};

template <class Bad>
constexpr NetworkModel model(std::string_view name) {
  return {.name = name, .make = [](const Cluster&) -> std::unique_ptr<Network> { return std::make_unique<Bad>(); }};
}

std::string error_under(const NetworkModel& bad) {
  testing::DagMaker maker;
  const LaneId link = maker.lane(0);
  maker.builder.lane(link).from = EndpointId{0};
  maker.builder.lane(link).to = EndpointId{1};
  maker.task(link, 0);
  const Dag dag = maker.build();
  const Cluster cluster = star(2, {});
  Machine machine{dag};
  machine.set_network(bad, cluster);
  return thrown_by<InternalError>([&] { return replay(dag, machine); }, "none");
}

TEST(ProgressGuardTest, AModelThatStandsStillIsAnErrorThatNamesItAndTheInstant) {
  static constexpr NetworkModel kBad = model<NeverAdvances>("stands_still");
  EXPECT_EQ(error_under(kBad),
            "network model stands_still does not get on: 1000 events at 7 ns without news of any message");
}

TEST(ProgressGuardTest, AModelThatGoesBackInTimeIsAnErrorThatNamesItAndTheInstant) {
  static constexpr NetworkModel kBad = model<RunsBackwards>("goes_back");
  EXPECT_EQ(error_under(kBad), "network model goes_back goes back in time: to an event at 6 ns when it is 7 ns");
}

TEST(ProgressGuardTest, AnyNumberOfEventsAtOneInstantIsProgressIfEachTellsOfAMessage) {
  ProgressGuard guard{"good"};
  for (std::size_t i = 0; i < 3 * ProgressGuard::kMostQuietEvents; ++i) {
    EXPECT_NO_THROW(guard.advanced(at(5), at(5), 1));
    EXPECT_NO_THROW(guard.advanced(at(5), at(5), 0));
  }
}

}  // namespace
}  // namespace stepsim::sim::progress_guard_test
