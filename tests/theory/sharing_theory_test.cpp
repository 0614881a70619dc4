// Messages of several senders on one link: closed forms for kSharing (model/cost/network/maxmin.h).

#include <gtest/gtest.h>

#include <algorithm>

#include "model/cost/network/maxmin.h"
#include "tests/model/cost/network/message_loop.h"

namespace stepsim::testing {
namespace {

/// Hosts whose links carry a byte per nanosecond, without latency.
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
  // Both take 2 B / C.
  EXPECT_EQ(arrivals(hosts(3, 1), {{kA, kServer, 1000}, {kB, kServer, 1000}}), (Times{2000, 2000}));
}

TEST(SharingTheoryTest, SerialSendersIntoOneLinkEndOneAfterTheOther) {
  // The first has the link to itself for B / C, then the second.
  EXPECT_EQ(arrivals(hosts(3, 0), {{kA, kServer, 1000}, {kB, kServer, 1000}}), (Times{1000, 2000}));
}

TEST(SharingTheoryTest, SerialKeepsTheOneThatCameFirst) {
  // B began 100 ns before A, so it ends after its 1000 bytes, and A after both.
  EXPECT_EQ(arrivals(hosts(3, 0), {{kA, kServer, 1000, 100}, {kB, kServer, 1000}}), (Times{2000, 1000}));
}

TEST(SharingTheoryTest, BetweenTheyShareInTheRatioOfSharing) {
  // Weights 1 and 1/3 give rates 3/4 and 1/4. The first ends at 1000 / (3/4) = 4000/3. By then the second has moved
  // 1000/3, and the rest takes 2000/3, so it ends at 2000.
  EXPECT_EQ(arrivals(hosts(3, 1.0 / 3), {{kA, kServer, 1000}, {kB, kServer, 1000}}), (Times{1333, 2000}));
}

TEST(SharingTheoryTest, WeightsFallGeometricallyAlongTheLine) {
  // Weights 1, 1/2, 1/4 give rates 4/7, 2/7, 1/7. The first ends at 1750. Then the second has 500 left and the weight
  // 1 to the third's 1/2: 500 / (2/3) = 750, so it ends at 2500. The third has then moved 250 + 250 and has 500 left,
  // so it ends at 3000.
  EXPECT_EQ(arrivals(hosts(4, 0.5), {{EndpointId{0}, EndpointId{3}, 1000},
                                     {EndpointId{1}, EndpointId{3}, 1000},
                                     {EndpointId{2}, EndpointId{3}, 1000}}),
            (Times{1750, 2500, 3000}));
}

TEST(SharingTheoryTest, ThoseBehindTakeWhatTheFirstCannot) {
  // The first is limited to a quarter of the link by its own link; the second gets three quarters.
  Cluster cluster = hosts(3, 0);
  cluster.links[0].bandwidth = Bandwidth::from_bytes_per_second(0.25e9);
  EXPECT_EQ(arrivals(cluster, {{kA, kServer, 1000}, {kB, kServer, 3000}}), (Times{4000, 4000}));
}

TEST(SharingTheoryTest, MessagesOfOneSenderShareFairlyWithEachOther) {
  // Both leave on A's link, so they take 2 B / C for any sharing.
  EXPECT_EQ(arrivals(hosts(3, 0), {{kA, kB, 1000}, {kA, kServer, 1000}}), (Times{2000, 2000}));
}

TEST(SharingTheoryTest, ASenderKeepsItsPlaceWhileItHasMessages) {
  // A's second message is ready when half of its first has been sent. Both share the link until the first ends, and B
  // waits for both.
  EXPECT_EQ(arrivals(hosts(3, 0), {{kA, kServer, 1000}, {kB, kServer, 1000}, {kA, kServer, 1000, 500}}),
            (Times{1500, 3000, 2000}));
}

TEST(SharingTheoryTest, ASenderThatHadNothingLeftGoesBehind) {
  // A's second message is ready when its first has left, or later. By then B is the first.
  for (const std::int64_t start : {1000, 1001}) {
    EXPECT_EQ(arrivals(hosts(3, 0), {{kA, kServer, 1000}, {kB, kServer, 1000}, {kA, kServer, 1000, start}}),
              (Times{1000, 2000, 3000}));
  }
}

TEST(SharingTheoryTest, AllSharingMovesTheSameBytesInTheSameTime) {
  // The link is never idle, so the last message ends at the sum of all bytes.
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
