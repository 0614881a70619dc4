// Tests the components of network models: channels, the earliest of several clocks, heaps, fluids (messages whose bytes
// are moving), and queues of senders.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <random>
#include <utility>

#include "model/cost/network/channels.h"
#include "model/cost/network/fluids.h"
#include "model/job/topology.h"

namespace stepsim::parts_test {
namespace {

Time at(std::int64_t nanoseconds) { return Time{Duration{nanoseconds}}; }

TEST(ChannelsTest, AChannelSumsLatenciesAndTakesTheNarrowestGoodput) {
  Cluster cluster = star(2, {.bandwidth = Bandwidth::from_bytes_per_second(1e9), .latency = Duration{50}});
  cluster.links[3].efficiency = 0.5;
  Channels channels{cluster};
  const Channel& channel = channels[channels.find(EndpointId{0}, EndpointId{1}, Latency::kLast)];
  EXPECT_EQ(channel.links, (Route{LinkId{0}, LinkId{3}}));
  EXPECT_EQ(channel.route_latency, Duration{100});
  EXPECT_EQ(channel.transfer(Bytes{1000}), Duration{2000});
}

TEST(ChannelsTest, LaterStopsAtTheEndOfTime) {
  EXPECT_EQ(later(at(5), Duration{7}), at(12));
  EXPECT_EQ(later(kEndOfTime, Duration{1}), kEndOfTime);
  EXPECT_EQ(later(at(1), Duration::max()), kEndOfTime);
}

/// Sixty senders wait for one link. The first parameter is the sharing: the weight of each sender is the weight of the
/// sender before it, multiplied by the sharing. The second parameter is the number of places with different weights.
class LongQueueTest : public ::testing::TestWithParam<std::pair<double, int>> {
 protected:
  LongQueueTest() {
    for (std::uint32_t i = 0; i < kSenders; ++i) {
      queues_.add_channel({.from = EndpointId{i}, .to = EndpointId{kSenders}, .links = {LinkId{0}}});
      queues_.enter(ChannelId{i}, at(0));
    }
    queues_.settle();
  }
  static constexpr std::uint32_t kSenders = 60;
  SenderQueues queues_{GetParam().first, 1};
};

TEST_P(LongQueueTest, WeightsFallUntilThatMakesNoDifference) {
  const auto [sharing, places] = GetParam();
  for (std::uint32_t i = 0; i < kSenders; ++i) {
    const int power = std::min<int>(static_cast<int>(i), places - 1);
    EXPECT_DOUBLE_EQ(queues_.weight(ChannelId{i}), std::pow(std::max(sharing, 0x1p-40), power)) << i;
  }
}

TEST_P(LongQueueTest, OnlyThoseInFrontAreToldWhenTheFirstLeaves) {
  queues_.leave(ChannelId{0});
  queues_.settle();
  EXPECT_EQ(queues_.settled().size(), static_cast<std::size_t>(GetParam().second) - 1);
  EXPECT_EQ(queues_.weight(ChannelId{1}), 1);
}

// Each place in the queue has a smaller weight than the place before it, at least up to the 17th place, and further as
// long as weights are at least 2^-40. With a sharing of 0.5 the different weights are 0.5^0 to 0.5^40. With 0.9 all 60
// places differ, because 0.9^59 is far above 2^-40.
INSTANTIATE_TEST_SUITE_P(Sharings, LongQueueTest,
                         ::testing::Values(std::pair{0.5, 41}, std::pair{0.0, 17}, std::pair{0.9, 60}));

TEST(EarliestTest, GivesTheEarliestAndOfThoseTheSmallestNumber) {
  Earliest clocks;
  EXPECT_EQ(clocks.time(), Time::max());
  for (int i = 0; i < 5; ++i) clocks.add();
  EXPECT_EQ(clocks.time(), Time::max());
  clocks.set(4, at(10));
  clocks.set(2, at(10));
  clocks.set(3, at(20));
  EXPECT_EQ(clocks.clock(), 2U);
  clocks.set(2, at(30));
  EXPECT_EQ(clocks.clock(), 4U);
  EXPECT_EQ(clocks.time(), at(10));
}

TEST(EarliestTest, EqualsALinearSearchWhileClocksAreSetAndAdded) {
  std::mt19937 generator{1};
  Earliest clocks;
  std::vector<Time> times;
  for (int step = 0; step < 3000; ++step) {
    if (step % 20 == 0) {
      EXPECT_EQ(clocks.add(), times.size());
      times.push_back(Time::max());
    }
    const std::size_t clock = generator() % times.size();
    times[clock] = generator() % 10 == 0 ? Time::max() : at(static_cast<std::int64_t>(generator() % 100));
    clocks.set(clock, times[clock]);
    const auto first = std::min_element(times.begin(), times.end());
    ASSERT_EQ(clocks.time(), *first);
    if (*first == Time::max()) continue;
    ASSERT_EQ(clocks.clock(), static_cast<std::size_t>(first - times.begin()));
  }
}

TEST(HeapPoolTest, EveryHeapEqualsAPriorityQueueWhileAllOfThemGrowAndShrink) {
  std::mt19937 generator{1};
  HeapPool<int> pool;
  std::array<HeapPool<int>::Heap, 7> heaps;
  std::array<std::priority_queue<int, std::vector<int>, std::greater<>>, 7> expected;
  for (int step = 0; step < 20'000; ++step) {
    const std::size_t i = generator() % heaps.size();
    const bool grows = step % 4'000 < 2'000;
    if (expected[i].empty() || generator() % 3 < (grows ? 2U : 1U)) {
      const int item = static_cast<int>(generator() % 1'000);
      pool.push(heaps[i], item);
      expected[i].push(item);
    } else {
      pool.pop(heaps[i]);
      expected[i].pop();
    }
    ASSERT_EQ(heaps[i].empty(), expected[i].empty());
    if (expected[i].empty()) continue;
    ASSERT_EQ(pool.top(heaps[i]), expected[i].top());
  }
}

/// Returns the time at which the first of the moving messages ends, as settle() reports it, or Time::max() if there is
/// none. A clock of Fluids is a counter of moved bytes; the tests that call this function have one clock.
Time next_end(Fluids& fluids) {
  Time end = Time::max();
  fluids.settle([&end](std::uint32_t, Time time) { end = time; });
  return end;
}

TEST(FluidsTest, AMessageEndsWhenItsBytesHaveMoved) {
  // Of the message's 100 bytes, 40 move in the first 20 ns at 2 bytes per nanosecond, and 60 at half a byte.
  Fluids fluids;
  fluids.add_channel();
  const std::uint32_t clock = fluids.add_clock();
  fluids.enter(ChannelId{0}, MessageId{7}, Bytes{100}, at(0));
  fluids.put_on(clock, ChannelId{0}, at(0));
  fluids.set_rate(clock, 2, at(0));
  EXPECT_EQ(next_end(fluids), at(50));
  fluids.set_rate(clock, 0.5, at(20));
  EXPECT_EQ(next_end(fluids), at(140));
  std::vector<Fluids::Ended> ended;
  fluids.finish(clock, at(140), ended);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended.front().message, MessageId{7});
  EXPECT_EQ(fluids.messages(ChannelId{0}), 0U);
  EXPECT_EQ(next_end(fluids), Time::max());
}

TEST(FluidsTest, AChannelTakesItsCountFromClockToClock) {
  // A clock of Fluids sets the rate of the channels that are on it. While the channel is on the first clock, 40 of the
  // message's 100 bytes move, at 1 byte per nanosecond. On the second clock, the other 60 bytes move at 3 bytes per
  // nanosecond.
  Fluids fluids;
  fluids.add_channel();
  fluids.add_clock();
  fluids.add_clock();
  fluids.set_rate(0, 1, at(0));
  fluids.set_rate(1, 3, at(0));
  fluids.enter(ChannelId{0}, MessageId{0}, Bytes{100}, at(0));
  fluids.put_on(0, ChannelId{0}, at(0));
  fluids.put_on(1, ChannelId{0}, at(40));
  Time end = Time::max();
  fluids.settle([&end](std::uint32_t clock, Time time) {
    if (clock == 1) end = time;
  });
  EXPECT_EQ(end, at(60));
}

TEST(FluidsTest, MessagesThatEndWithinHalfANanosecondEndTogether) {
  Fluids fluids;
  fluids.add_channel();
  fluids.add_channel();
  const std::uint32_t clock = fluids.add_clock();
  fluids.set_rate(clock, 10, at(0));
  fluids.enter(ChannelId{0}, MessageId{0}, Bytes{1001}, at(0));
  fluids.enter(ChannelId{1}, MessageId{1}, Bytes{1004}, at(0));
  fluids.enter(ChannelId{1}, MessageId{2}, Bytes{1006}, at(0));
  fluids.put_on(clock, ChannelId{0}, at(0));
  fluids.put_on(clock, ChannelId{1}, at(0));
  EXPECT_EQ(next_end(fluids), at(100));
  std::vector<Fluids::Ended> ended;
  fluids.finish(clock, at(100), ended);
  EXPECT_EQ(ended.size(), 2U);
  EXPECT_EQ(fluids.messages(ChannelId{1}), 1U);
}

TEST(FluidsTest, MessagesMoveInProportionToTheirChannelsWeight) {
  // Messages of weight 1 move 2 bytes per nanosecond on this clock. The message of the first channel has weight 1/4 for
  // 40 ns and moves 20 of its 100 bytes. Then it has weight 1, and the other 80 bytes take 40 ns. The message of the
  // second channel always has weight 1, so its 100 bytes take 50 ns.
  Fluids fluids;
  fluids.add_channel();
  fluids.add_channel();
  const std::uint32_t clock = fluids.add_clock();
  fluids.set_rate(clock, 2, at(0));
  fluids.set_weight(ChannelId{0}, 0.25, at(0));
  for (const std::size_t channel : {0U, 1U}) {
    fluids.enter(ChannelId{channel}, MessageId{channel}, Bytes{100}, at(0));
    fluids.put_on(clock, ChannelId{channel}, at(0));
  }
  EXPECT_EQ(next_end(fluids), at(50));
  fluids.set_weight(ChannelId{0}, 1, at(40));
  std::vector<Fluids::Ended> ended;
  fluids.finish(clock, at(50), ended);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended.front().message, MessageId{1});
  EXPECT_EQ(next_end(fluids), at(80));
}

TEST(FluidsTest, AHeavyChannelIsExactBehindALightOneOnTheSameClock) {
  // A clock of Fluids counts the bytes that a message of weight 1 would move. At first the clock has only a message of
  // weight 2^-80, which moves one byte per nanosecond. So the clock counts 2^80 bytes per nanosecond, and after 1000 ns
  // its count is so large that a double cannot represent a difference of one byte. Then a message of 500 bytes and
  // weight 1 joins, and the rate of the clock falls to one byte per nanosecond, so this message takes 500 ns. After
  // that, the clock has its former rate again, and the light message moves its other 1000 bytes in 1000 ns.
  constexpr double kLight = 0x1p-80;
  Fluids fluids;
  fluids.add_channel();
  fluids.add_channel();
  const std::uint32_t clock = fluids.add_clock();
  fluids.set_rate(clock, 1 / kLight, at(0));
  fluids.set_weight(ChannelId{0}, kLight, at(0));
  fluids.enter(ChannelId{0}, MessageId{0}, Bytes{2000}, at(0));
  fluids.put_on(clock, ChannelId{0}, at(0));
  EXPECT_EQ(next_end(fluids), at(2000));
  fluids.enter(ChannelId{1}, MessageId{1}, Bytes{500}, at(1000));
  fluids.put_on(clock, ChannelId{1}, at(1000));
  fluids.set_rate(clock, 1, at(1000));
  EXPECT_EQ(next_end(fluids), at(1500));
  std::vector<Fluids::Ended> ended;
  fluids.finish(clock, at(1500), ended);
  ASSERT_EQ(ended.size(), 1U);
  fluids.set_rate(clock, 1 / kLight, at(1500));
  EXPECT_EQ(next_end(fluids), at(2500));
}

/// Has one channel from each of the endpoints 0, 1 and 2 to endpoint 3.
struct SenderQueuesTest : ::testing::Test {
  SenderQueuesTest() {
    for (std::size_t i = 0; i < 3; ++i) {
      queues.add_channel(channels[channels.find(EndpointId{i}, EndpointId{3}, Latency::kFirst)]);
    }
  }
  std::vector<double> weights() {
    queues.settle();
    return {queues.weight(ChannelId{0}), queues.weight(ChannelId{1}), queues.weight(ChannelId{2})};
  }

  Cluster cluster = star(4, {.bandwidth = Bandwidth::from_bytes_per_second(1e9)});
  Channels channels{cluster};
  SenderQueues queues{0.5, 8};
};

TEST_F(SenderQueuesTest, TheOneThatCameFirstIsInFront) {
  queues.enter(ChannelId{2}, at(1));
  queues.enter(ChannelId{0}, at(2));
  queues.enter(ChannelId{1}, at(3));
  EXPECT_EQ(weights(), (std::vector<double>{0.5, 0.25, 1}));
}

TEST_F(SenderQueuesTest, OfOneInstantTheSmallerEndpointIsInFront) {
  queues.enter(ChannelId{1}, at(1));
  queues.enter(ChannelId{2}, at(1));
  queues.enter(ChannelId{0}, at(1));
  EXPECT_EQ(weights(), (std::vector<double>{1, 0.5, 0.25}));
}

TEST_F(SenderQueuesTest, ThoseBehindMoveUpWhenOneHasNothingLeft) {
  queues.enter(ChannelId{0}, at(1));
  queues.enter(ChannelId{0}, at(1));
  queues.enter(ChannelId{1}, at(2));
  queues.leave(ChannelId{0});
  EXPECT_EQ(weights()[1], 0.5);
  queues.leave(ChannelId{0});
  EXPECT_EQ(weights()[1], 1);
}

TEST_F(SenderQueuesTest, OnlyChannelsWhoseSenderMovedAreSettledAgain) {
  for (std::size_t i = 0; i < 3; ++i) queues.enter(ChannelId{i}, at(1));
  queues.settle();
  queues.enter(ChannelId{1}, at(2));
  queues.settle();
  EXPECT_TRUE(queues.settled().empty());
  queues.leave(ChannelId{0});
  queues.settle();
  EXPECT_EQ(queues.settled(), (std::vector<ChannelId>{ChannelId{1}, ChannelId{2}}));
}

TEST_F(SenderQueuesTest, AQueueOfThousandsStillHasWeightsAboveZero) {
  SenderQueues serial{0, 2};
  Channel channel{.links = {LinkId{0}}};
  for (std::size_t i = 0; i < 3000; ++i) {
    channel.from = EndpointId{i};
    serial.add_channel(channel);
    serial.enter(ChannelId{i}, at(0));
  }
  serial.settle();
  EXPECT_EQ(serial.weight(ChannelId{0}), 1);
  EXPECT_GT(serial.weight(ChannelId{2999}), 0);
}

}  // namespace
}  // namespace stepsim::parts_test
