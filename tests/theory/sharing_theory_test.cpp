// Tests messages of several senders on one link against closed forms for kSharing (model/cost/network/maxmin.h).

#include <gtest/gtest.h>

#include <algorithm>

#include "model/cost/network/maxmin.h"
#include "model/job/topology.h"
#include "tests/model/cost/network/message_loop.h"

namespace stepsim::testing {
namespace {

/// Returns a cluster whose links carry a byte per nanosecond, without latency.
Cluster hosts(int count, double sharing) {
  Cluster cluster = star(static_cast<std::size_t>(count), {.bandwidth = Bandwidth::from_bytes_per_second(1e9)});
  cluster.network.set(kSharing, sharing);
  return cluster;
}

std::vector<std::int64_t> arrivals(const Cluster& cluster, const std::vector<Sending>& sendings) {
  std::vector<std::int64_t> times;
  for (const Passage& one : send_all(*find_network_model("maxmin"), cluster, sendings)) {
    times.push_back(one.arrived.value().time_since_epoch().count());
  }
  return times;
}

using Times = std::vector<std::int64_t>;
constexpr EndpointId kA{0};
constexpr EndpointId kB{1};
constexpr EndpointId kServer{2};

TEST(SharingTheoryTest, FairSendersIntoOneLinkEndTogether) {
  // Each message gets half of the link, so both take 2 * 1000 ns.
  EXPECT_EQ(arrivals(hosts(3, 1), {{kA, kServer, 1000}, {kB, kServer, 1000}}), (Times{2000, 2000}));
}

TEST(SharingTheoryTest, SerialSendersIntoOneLinkEndOneAfterTheOther) {
  // The first message has the link to itself for 1000 ns, then the second.
  EXPECT_EQ(arrivals(hosts(3, 0), {{kA, kServer, 1000}, {kB, kServer, 1000}}), (Times{1000, 2000}));
}

TEST(SharingTheoryTest, SerialKeepsTheOneThatCameFirst) {
  // B's message began 100 ns before A's, so it ends after its own 1000 bytes, and A's ends after both.
  EXPECT_EQ(arrivals(hosts(3, 0), {{kA, kServer, 1000, 100}, {kB, kServer, 1000}}), (Times{2000, 1000}));
}

TEST(SharingTheoryTest, BetweenTheyShareInTheRatioOfSharing) {
  // Weights of 1 and 1/3 give rates of 3/4 and 1/4 bytes per nanosecond. The first message ends at 1000 / (3/4) =
  // 4000/3 ns. By then the second has moved 1000/3 bytes, and the rest takes 2000/3 ns, so it ends at 2000 ns.
  EXPECT_EQ(arrivals(hosts(3, 1.0 / 3), {{kA, kServer, 1000}, {kB, kServer, 1000}}), (Times{1333, 2000}));
}

TEST(SharingTheoryTest, WeightsFallGeometricallyAlongTheLine) {
  // Weights of 1, 1/2 and 1/4 give rates of 4/7, 2/7 and 1/7 bytes per nanosecond. The first message ends at 1750 ns.
  // Then the second has 500 bytes left and the weights are 1 and 1/2, so it takes 500 / (2/3) = 750 ns more and ends at
  // 2500 ns. The third has then moved 250 + 250 bytes, and ends 500 ns later.
  EXPECT_EQ(arrivals(hosts(4, 0.5), {{EndpointId{0}, EndpointId{3}, 1000},
                                     {EndpointId{1}, EndpointId{3}, 1000},
                                     {EndpointId{2}, EndpointId{3}, 1000}}),
            (Times{1750, 2500, 3000}));
}

TEST(SharingTheoryTest, ThoseBehindTakeWhatTheFirstCannot) {
  // A's own link limits the first message to a quarter of the server's link. The second message gets three quarters.
  Cluster cluster = hosts(3, 0);
  cluster.links[0].bandwidth = Bandwidth::from_bytes_per_second(0.25e9);
  EXPECT_EQ(arrivals(cluster, {{kA, kServer, 1000}, {kB, kServer, 3000}}), (Times{4000, 4000}));
}

TEST(SharingTheoryTest, MessagesOfOneSenderShareFairlyWithEachOther) {
  // Both messages leave on A's link, so they share it fairly and take 2 * 1000 ns for any sharing.
  EXPECT_EQ(arrivals(hosts(3, 0), {{kA, kB, 1000}, {kA, kServer, 1000}}), (Times{2000, 2000}));
}

TEST(SharingTheoryTest, ASenderKeepsItsPlaceWhileItHasMessages) {
  // A's second message is ready when half of its first has been sent. The two share the link until the first ends, and
  // B's message waits for both.
  EXPECT_EQ(arrivals(hosts(3, 0), {{kA, kServer, 1000}, {kB, kServer, 1000}, {kA, kServer, 1000, 500}}),
            (Times{1500, 3000, 2000}));
}

TEST(SharingTheoryTest, ASenderThatHadNothingLeftGoesBehind) {
  // A's second message is ready when its first has left, or later. By then B is the first in the queue.
  for (const std::int64_t start : {1000, 1001}) {
    EXPECT_EQ(arrivals(hosts(3, 0), {{kA, kServer, 1000}, {kB, kServer, 1000}, {kA, kServer, 1000, start}}),
              (Times{1000, 2000, 3000}));
  }
}

TEST(SharingTheoryTest, AllSharingMovesTheSameBytesInTheSameTime) {
  // The link is never idle, so the last message ends when the bytes of all messages have moved.
  for (const double sharing : {0.0, 0.01, 0.3, 0.7, 0.999, 1.0}) {
    std::vector<Sending> sendings;
    for (std::size_t i = 0; i < 20; ++i)
      sendings.push_back({EndpointId{i % 5}, EndpointId{5}, 1000 + 37 * static_cast<std::int64_t>(i)});
    const Times times = arrivals(hosts(6, sharing), sendings);
    EXPECT_NEAR(static_cast<double>(*std::max_element(times.begin(), times.end())), 20 * 1000 + 37 * 190, 10)
        << sharing;
  }
}

}  // namespace
}  // namespace stepsim::testing
