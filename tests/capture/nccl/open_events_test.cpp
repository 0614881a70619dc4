#include "capture/nccl/recorder.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <thread>
#include <vector>

namespace stepsim::capture::nccl {
namespace {

using Kind = EventHandle::Kind;

TEST(NcclEventHandle, PacksWhatItHolds) {
  for (const Kind kind : {Kind::kGroup, Kind::kOperation, Kind::kChannel, Kind::kProxyOp, Kind::kProxyStep}) {
    for (const std::uint32_t number : {1U, 77U, 0xFFFFFFFFU}) {
      const EventHandle made{
          .kind = kind, .is_send = number == 77, .slot = EventHandle::kMostSlots - 1, .number = number};
      ASSERT_NE(made.pack(), nullptr);
      const auto read = EventHandle::unpack(made.pack());
      ASSERT_TRUE(read);
      EXPECT_EQ(read->kind, kind);
      EXPECT_EQ(read->is_send, made.is_send);
      EXPECT_EQ(read->slot, made.slot);
      EXPECT_EQ(read->number, number);
    }
  }
}

TEST(NcclEventHandle, OthersAreNone) {
  EXPECT_FALSE(EventHandle::unpack(nullptr));
  for (const std::uintptr_t number : {std::uintptr_t{8}, ~std::uintptr_t{0}}) {
    EXPECT_FALSE(EventHandle::unpack(std::bit_cast<void*>(number))) << number;
  }
}

TEST(NcclOpenEvents, AreThereUntilTheyAreTaken) {
  OpenEvents events(2);
  const auto first = events.add({.start = 5}, Kind::kChannel);
  const auto second = events.add({.start = 6, .is_send = true}, Kind::kProxyStep);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(second->is_send);
  EXPECT_FALSE(events.add({}, Kind::kChannel)) << "there is room for two";
  ASSERT_NE(events.find(*first), nullptr);
  events.find(*first)->bytes = 9;
  const auto taken = events.take(*first);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->start, 5U);
  EXPECT_EQ(taken->bytes, 9U);
  EXPECT_FALSE(events.take(*first)) << "once";
  EXPECT_EQ(events.find(*first), nullptr);
  const auto third = events.add({.start = 7}, Kind::kChannel);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->slot, first->slot);
  EXPECT_EQ(events.find(*first), nullptr) << "the slot is another event's now";
  EXPECT_EQ(events.find({.kind = Kind::kChannel, .slot = 1'000'000, .number = 1}), nullptr);
}

TEST(NcclOpenEvents, OfManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 5'000;
  OpenEvents events(16);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (std::uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&events, &wrong, t] {
      for (int i = 0; i < kRounds; ++i) {
        const auto handle = events.add({.start = t}, Kind::kProxyStep);
        const auto event = handle ? events.take(*handle) : std::nullopt;
        if (!event || event->start != t) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace stepsim::capture::nccl
