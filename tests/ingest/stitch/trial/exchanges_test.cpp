#include "ingest/stitch/trial/exchanges.h"

#include <gtest/gtest.h>

namespace stepsim::ingest {
namespace {

using Kind = MessageEvent::Kind;

/// Messages of tensor 0 between workers and servers. Each message takes 10 ns.
class Messages {
 public:
  Messages& add(Kind kind, std::int32_t worker, std::int32_t server, std::int64_t ns) {
    trace.events.push_back({0, Time{Duration{ns}}, Duration{10}, -1, kind, worker, server});
    return *this;
  }

  /// Adds a whole exchange that begins at `ns` on the worker's clock. Its messages begin 100 ns apart. The server's
  /// clock is ahead by `ahead` nanoseconds.
  Messages& exchange(std::int32_t worker, std::int32_t server, std::int64_t ns, std::int64_t ahead) {
    add(Kind::kPushRequest, worker, server, ns).add(Kind::kPushResponse, worker, server, ns + 100 + ahead);
    return add(Kind::kPullRequest, worker, server, ns + 200).add(Kind::kPullResponse, worker, server, ns + 300 + ahead);
  }

  MessageTrace trace;
};

TEST(ExchangesTest, RequestsAndResponsesAreCountedEachOnItsOwnClock) {
  Messages messages;
  messages.trace.tensors = {"t"};
  messages.exchange(0, 0, 10'000, -9'000).exchange(0, 0, 20'000, -9'000);
  const std::vector<Exchange> exchanges = exchanges_of(messages.trace);
  ASSERT_EQ(exchanges.size(), 2U);
  for (const Exchange& exchange : exchanges) {
    for (const auto& message : exchange.messages) EXPECT_TRUE(message.has_value());
    EXPECT_EQ((exchange[Kind::kPullResponse]->start - exchange[Kind::kPushRequest]->start).count(), 300 - 9'000);
  }
}

TEST(ExchangesTest, APullWithoutItsPushIsAnExchangeOfItsOwn) {
  Messages messages;
  messages.trace.tensors = {"t"};
  messages.add(Kind::kPullRequest, 0, 0, 50).add(Kind::kPushRequest, 0, 0, 100).add(Kind::kPullRequest, 0, 0, 150);
  const std::vector<Exchange> exchanges = exchanges_of(messages.trace);
  ASSERT_EQ(exchanges.size(), 2U);
  EXPECT_FALSE(exchanges[0][Kind::kPushRequest].has_value());
  EXPECT_TRUE(exchanges[1][Kind::kPushRequest].has_value());
}

TEST(ExchangeClocksTest, AnOffsetIsTheMiddleOfWhatCausesAllowAndBoundsAddUpOverServers) {
  Messages messages;
  // The clocks of worker 0 and server 0 agree. Server 0's clock is ahead of worker 1's clock by 5000 ns.
  messages.exchange(0, 0, 10'000, 0).exchange(1, 0, 10'000, 5'000);
  const auto clocks = align_by_exchanges(exchanges_of(messages.trace));
  // Each message begins 90 ns after the previous one ended, so the exchanges of a worker with a server leave an error
  // of up to 90 ns either way.
  const AlignedClock& server = clocks.at({true, 0});
  EXPECT_EQ(server.offset, Duration{0});
  EXPECT_EQ(server.residual, Duration{90});
  const AlignedClock& worker = clocks.at({false, 1});
  EXPECT_EQ(worker.offset, Duration{-5'000});
  EXPECT_EQ(worker.residual, Duration{180});
}

TEST(ExchangeClocksTest, AWorkerThatSharesNoServerIsNotKnown) {
  Messages messages;
  messages.exchange(0, 0, 10'000, 0).exchange(1, 1, 10'000, 0);
  EXPECT_FALSE(align_by_exchanges(exchanges_of(messages.trace)).at({false, 1}).known);
}

TEST(ExchangeClocksTest, DamagedTimesOverflowNothing) {
  Messages messages;
  constexpr std::int64_t kFar = 2'200'000'000'000'000'000;
  messages.exchange(0, 0, kFar, -kFar).exchange(1, 0, 0, kFar);
  const auto clocks = align_by_exchanges(exchanges_of(messages.trace));

  // The exchanges leave an error of up to 90 ns either way.
  EXPECT_EQ(clocks.at({true, 0}).offset, Duration{-kFar});
  EXPECT_EQ(clocks.at({true, 0}).residual, Duration{90});
  // Worker 1's clock would be 139 years behind worker 0's clock.
  EXPECT_FALSE(clocks.at({false, 1}).known);
}

}  // namespace
}  // namespace stepsim::ingest
