// Checks every collective algorithm against the meaning of its operation and against its least possible cost. The
// rounds are carried out on sets of contributions, and timed without contention.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/cost/collective/algorithm.h"

namespace stepsim {
namespace {

constexpr CollectiveOp kOps[] = {CollectiveOp::kAllReduce, CollectiveOp::kReduceScatter, CollectiveOp::kAllGather,
                                 CollectiveOp::kAllToAll,  CollectiveOp::kBroadcast,     CollectiveOp::kReduce,
                                 CollectiveOp::kSendRecv};
constexpr std::uint32_t kMembers[] = {1, 2, 3, 4, 5, 7, 8, 13, 16};
constexpr std::int64_t kBytes[] = {0, 1, 15, 16, 997, 4096, 720'720, 1'234'567};

/// Returns every supported shape of a model.
std::vector<CollectiveShape> shapes_of(const CollectiveModel& model) {
  std::vector<CollectiveShape> shapes;
  for (const CollectiveOp op : kOps) {
    for (const std::uint32_t members : kMembers) {
      for (const std::int64_t bytes : kBytes) {
        for (const std::uint32_t per_host : {1U, 2U, 4U}) {
          const bool has_root = op == CollectiveOp::kBroadcast || op == CollectiveOp::kReduce;
          const bool sends = op == CollectiveOp::kSendRecv;
          const CollectiveShape shape{op,           members,
                                      Bytes{bytes}, has_root || sends ? members / 2 : 0,
                                      per_host,     Bytes{sends ? bytes / per_host / 3 : 0}};
          if (model.supports(shape)) shapes.push_back(shape);
        }
      }
    }
  }
  return shapes;
}

std::string text_of(const CollectiveShape& shape) {
  return "op " + std::to_string(static_cast<int>(shape.op)) + ", " + std::to_string(shape.members) + " members of " +
         std::to_string(shape.members_per_host) + " a host, root " + std::to_string(shape.root) + ", " +
         std::to_string(shape.bytes.count()) + " bytes";
}

std::vector<Send> sends_of(const CollectiveModel& model, const CollectiveShape& shape, std::uint32_t member,
                           std::uint32_t round) {
  std::vector<Send> sends;
  model.sends(shape, member, round, sends);
  return sends;
}

class CollectiveTheoryTest : public ::testing::TestWithParam<const CollectiveModel*> {};

INSTANTIATE_TEST_SUITE_P(EveryAlgorithm, CollectiveTheoryTest,
                         ::testing::ValuesIn(collective_models().begin(), collective_models().end()),
                         [](const auto& entry) { return std::string(entry.param->name); });

TEST_P(CollectiveTheoryTest, MembersReceiveWhatOthersSendThem) {
  const CollectiveModel& model = *GetParam();
  const std::vector<CollectiveShape> shapes = shapes_of(model);
  EXPECT_FALSE(shapes.empty());
  for (const CollectiveShape& shape : shapes) {
    for (std::uint32_t round = 0; round < model.rounds(shape); ++round) {
      std::vector<std::uint32_t> received(shape.members, 0);
      for (std::uint32_t member = 0; member < shape.members; ++member) {
        const std::vector<Send> sends = sends_of(model, shape, member, round);
        EXPECT_LE(sends.size(), 1U) << "one message out at a time keeps a round free of contention";
        for (const Send& send : sends) {
          ASSERT_LT(send.to, shape.members);
          EXPECT_NE(send.to, member);
          ++received[send.to];
        }
      }
      for (std::uint32_t member = 0; member < shape.members; ++member) {
        EXPECT_EQ(received[member], model.receives(shape, member, round))
            << text_of(shape) << ", member " << member << ", round " << round;
      }
    }
  }
}

TEST_P(CollectiveTheoryTest, RoundsWithoutContentionTakeTheClosedForm) {
  const CollectiveModel& model = *GetParam();
  // At 3 bytes per nanosecond, messages that differ by a byte mostly take the same time; at 1 GB/s they do not.
  for (const double rate : {3e9, 1e9}) {
    const MessageCost cost{Duration{1'700}, Bandwidth::from_bytes_per_second(rate)};
    for (const CollectiveShape& shape : shapes_of(model)) {
      std::vector<Duration> ready(shape.members);
      for (std::uint32_t round = 0; round < model.rounds(shape); ++round) {
        std::vector<Duration> next = ready;
        for (std::uint32_t member = 0; member < shape.members; ++member) {
          for (const Send& send : sends_of(model, shape, member, round)) {
            const Duration arrival = ready[member] + cost.alpha + transfer_time(send.bytes, cost.rate);
            if (!send.left_behind) next[member] = std::max(next[member], arrival);
            next[send.to] = std::max(next[send.to], arrival);
          }
        }
        ready = next;
      }
      EXPECT_EQ(model.closed_form(shape, cost), *std::max_element(ready.begin(), ready.end())) << text_of(shape);
      if (model.ends == nullptr) continue;
      const auto time = [&](Bytes bytes) { return cost.alpha + transfer_time(bytes, cost.rate); };
      EXPECT_EQ(model.ends(shape, time), ready) << text_of(shape);
    }
  }
}

/// Returns the size of the parts of a payload, of which the last may reach beyond its end.
std::int64_t part_size(const CollectiveShape& shape) {
  return (shape.bytes.count() + shape.members - 1) / shape.members;
}

// The data that a member has: for each piece of the payload, one bit for each member whose contribution is in it. The
// payload is cut into pieces at the borders of all sends.
using Held = std::vector<std::uint32_t>;

class Carried {
 public:
  Carried(const CollectiveModel& model, const CollectiveShape& shape) : model_(model), shape_(shape) {
    cut_into_pieces();
    for (std::uint32_t member = 0; member < shape.members; ++member) held_.push_back(at_first(member));
    for (std::uint32_t round = 0; round < model.rounds(shape); ++round) carry_out(round);
  }

  [[nodiscard]] std::size_t pieces() const { return borders_.size() - 1; }
  [[nodiscard]] std::int64_t bytes_of(std::size_t piece) const { return borders_[piece + 1] - borders_[piece]; }
  [[nodiscard]] const Held& held(std::uint32_t member) const { return held_[member]; }
  [[nodiscard]] bool consistent() const { return consistent_; }

 private:
  void cut_into_pieces() {
    borders_ = {0, shape_.bytes.count()};
    for (std::uint32_t round = 0; round < model_.rounds(shape_); ++round) {
      for (std::uint32_t member = 0; member < shape_.members; ++member) {
        for (const Send& send : sends_of(model_, shape_, member, round)) {
          borders_.push_back(send.offset.count());
          borders_.push_back((send.offset + send.bytes).count());
        }
      }
    }
    std::sort(borders_.begin(), borders_.end());
    std::erase_if(borders_, [this](std::int64_t border) { return border > shape_.bytes.count(); });
    borders_.erase(std::unique(borders_.begin(), borders_.end()), borders_.end());
  }

  [[nodiscard]] Held at_first(std::uint32_t member) const {
    const std::uint32_t own = 1U << member;
    switch (shape_.op) {
      case CollectiveOp::kAllGather: {  // the member has only its own part
        Held held(pieces(), 0);
        for (std::size_t piece = 0; piece < pieces(); ++piece) {
          const std::int64_t size = part_size(shape_);
          const bool is_own = borders_[piece] >= member * size && borders_[piece + 1] <= (member + 1) * size;
          if (is_own) held[piece] = own;
        }
        return held;
      }
      // NOLINTBEGIN(modernize-return-braced-init-list): braces would make a list of two
      case CollectiveOp::kBroadcast:
      case CollectiveOp::kSendRecv: return Held(pieces(), member == shape_.root ? own : 0);
      default:
        return Held(pieces(), own);
        // NOLINTEND(modernize-return-braced-init-list)
    }
  }

  /// Carries out the sends of a round. Arriving data either is added to the data that the receiver has, or replaces it.
  /// Data that is added must contain none of the receiver's contributions. Data that replaces must contain all of them.
  void carry_out(std::uint32_t round) {
    const std::vector<Held> before = held_;
    for (std::uint32_t member = 0; member < shape_.members; ++member) {
      for (const Send& send : sends_of(model_, shape_, member, round)) {
        for (std::size_t piece = 0; piece < pieces(); ++piece) {
          if (borders_[piece] < send.offset.count() || borders_[piece + 1] > (send.offset + send.bytes).count())
            continue;
          std::uint32_t& there = held_[send.to][piece];
          const std::uint32_t arriving = before[member][piece];
          const bool adds = (there & arriving) == 0;
          const bool replaces = (there & ~arriving) == 0;
          consistent_ = consistent_ && arriving != 0 && (adds || replaces);
          there |= arriving;
        }
      }
    }
  }

  const CollectiveModel& model_;
  const CollectiveShape& shape_;
  std::vector<std::int64_t> borders_;
  std::vector<Held> held_;
  bool consistent_ = true;
};

/// Whether `held` is the result that the operation promises this member for a piece.
bool is_expected_result(const CollectiveShape& shape, std::uint32_t member, std::uint32_t held) {
  const std::uint32_t all = (1U << shape.members) - 1;
  switch (shape.op) {
    case CollectiveOp::kAllReduce: return held == all;
    case CollectiveOp::kAllGather: return held != 0;
    case CollectiveOp::kReduce: return member != shape.root || held == all;
    case CollectiveOp::kBroadcast:
    case CollectiveOp::kSendRecv: return held == 1U << shape.root;
    default: return true;
  }
}

void expect_done(const CollectiveShape& shape, const Carried& carried) {
  const std::uint32_t all = (1U << shape.members) - 1;
  for (std::size_t piece = 0; piece < carried.pieces(); ++piece) {
    std::uint32_t complete = 0;
    for (std::uint32_t member = 0; member < shape.members; ++member) {
      const std::uint32_t held = carried.held(member)[piece];
      complete += held == all ? 1 : 0;
      EXPECT_TRUE(is_expected_result(shape, member, held))
          << text_of(shape) << ", member " << member << " holds " << held;
    }
    if (shape.op == CollectiveOp::kReduceScatter) {
      EXPECT_EQ(complete, 1U) << text_of(shape) << ", piece " << piece;
    }
  }
}

TEST_P(CollectiveTheoryTest, RoundsDoWhatTheOperationPromises) {
  const CollectiveModel& model = *GetParam();
  for (const CollectiveShape& shape : shapes_of(model)) {
    if (shape.op == CollectiveOp::kAllToAll || shape.bytes == Bytes{} || shape.members == 1) continue;
    const Carried carried(model, shape);
    EXPECT_TRUE(carried.consistent()) << text_of(shape);
    expect_done(shape, carried);
  }
}

TEST_P(CollectiveTheoryTest, ReduceScatterLeavesEveryMemberItsOwnPart) {
  const CollectiveModel& model = *GetParam();
  for (const CollectiveShape& shape : shapes_of(model)) {
    if (shape.op != CollectiveOp::kReduceScatter || shape.members == 1) continue;
    const Carried carried(model, shape);
    for (std::uint32_t member = 0; member < shape.members; ++member) {
      std::int64_t bytes = 0;
      for (std::size_t piece = 0; piece < carried.pieces(); ++piece) {
        if (carried.held(member)[piece] == (1U << shape.members) - 1) bytes += carried.bytes_of(piece);
      }
      const std::int64_t before = std::min(member * part_size(shape), shape.bytes.count());
      const std::int64_t own = std::min((member + 1) * part_size(shape), shape.bytes.count()) - before;
      EXPECT_EQ(bytes, own) << text_of(shape) << ", member " << member;
    }
  }
}

TEST_P(CollectiveTheoryTest, AllToAllCarriesOneMessageFromEachMemberToEachOther) {
  const CollectiveModel& model = *GetParam();
  for (const CollectiveShape& shape : shapes_of(model)) {
    if (shape.op != CollectiveOp::kAllToAll) continue;
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> messages;
    for (std::uint32_t member = 0; member < shape.members; ++member) {
      std::int64_t sent = 0;
      for (std::uint32_t round = 0; round < model.rounds(shape); ++round) {
        for (const Send& send : sends_of(model, shape, member, round)) {
          ++messages[{member, send.to}];
          sent += send.bytes.count();
        }
      }
      EXPECT_EQ(sent, (shape.members - 1) * part_size(shape)) << text_of(shape);
    }
    EXPECT_EQ(messages.size(), std::size_t{shape.members} * (shape.members - 1));
    for (const auto& [pair, count] : messages) EXPECT_EQ(count, 1) << text_of(shape);
  }
}

/// Returns the bytes that `member` sends in all rounds.
std::int64_t bytes_sent(const CollectiveModel& model, const CollectiveShape& shape, std::uint32_t member) {
  std::int64_t sent = 0;
  for (std::uint32_t round = 0; round < model.rounds(shape); ++round) {
    for (const Send& send : sends_of(model, shape, member, round)) sent += send.bytes.count();
  }
  return sent;
}

/// Expects that every member sends as little as possible (Patarasuk and Yuan 2009): in an all-reduce 2 (n - 1) / n of
/// the payload, and in a reduce-scatter or an all-gather half of that.
void expect_lower_bound(const CollectiveModel& model, const CollectiveShape& shape) {
  const std::int64_t half = shape.bytes.count() / shape.members * (shape.members - 1);
  for (std::uint32_t member = 0; member < shape.members; ++member) {
    EXPECT_EQ(bytes_sent(model, shape, member), (shape.op == CollectiveOp::kAllReduce ? 2 : 1) * half)
        << model.name << ", " << text_of(shape);
  }
}

TEST(CollectiveBytesTest, AllButTreesSendTheFewestBytesThereCanBe) {
  std::size_t checked = 0;
  for (const CollectiveModel* const model : collective_models()) {
    if (model->name == "tree") continue;
    for (const CollectiveShape& shape : shapes_of(*model)) {
      const bool bounded = shape.op == CollectiveOp::kAllReduce || shape.op == CollectiveOp::kReduceScatter ||
                           shape.op == CollectiveOp::kAllGather;
      const bool folds = model->name == "halving_doubling" && (shape.members & (shape.members - 1)) != 0;
      if (!bounded || folds || shape.bytes.count() % shape.members != 0) continue;
      expect_lower_bound(*model, shape);
      ++checked;
    }
  }
  EXPECT_GT(checked, 100U);
}

TEST(CollectiveBytesTest, TreeSendsThePayloadOnceOverEachOfItsEdges) {
  for (const CollectiveModel* const model : collective_models()) {
    if (model->name != "tree") continue;
    for (const CollectiveShape& shape : shapes_of(*model)) {
      std::int64_t sent = 0;
      for (std::uint32_t member = 0; member < shape.members; ++member) sent += bytes_sent(*model, shape, member);
      const std::int64_t directions = shape.op == CollectiveOp::kAllReduce ? 2 : 1;
      EXPECT_EQ(sent, directions * (shape.members - 1) * shape.bytes.count()) << text_of(shape);
    }
  }
}

// The expected times are the textbook's formulas for equal parts, with n = 8, 720,720 bytes and 1 GB/s.
TEST(CollectiveFormulaTest, EqualPartsCostWhatTheTextbookSays) {
  const MessageCost cost{Duration{1'000}, Bandwidth::from_bytes_per_second(1e9)};
  const CollectiveShape all_reduce{CollectiveOp::kAllReduce, 8, Bytes{720'720}, 0, 4};
  const auto time = [&](std::string_view asked, const CollectiveShape& shape) {
    return model_for(shape, find_collective_model(asked))->closed_form(shape, cost);
  };

  EXPECT_EQ(time("ring", all_reduce), Duration{14 * 1'000 + 14 * 720'720 / 8});
  EXPECT_EQ(time("direct", all_reduce), Duration{14 * 1'000 + 14 * 720'720 / 8});
  EXPECT_EQ(time("halving_doubling", all_reduce), Duration{6 * 1'000 + 14 * 720'720 / 8});
  EXPECT_EQ(time("tree", all_reduce), Duration{6 * (1'000 + 720'720)});
  EXPECT_EQ(time("hierarchical", all_reduce), Duration{6 * (1'000 + 720'720 / 4) + 2 * (1'000 + 720'720 / 8)});

  const CollectiveShape send{CollectiveOp::kSendRecv, 2, Bytes{4'194'304}};
  EXPECT_EQ(time("", send), Duration{1'000 + 4'194'304});
  // With two slices, the broadcast takes n - 2 + 2 times alpha plus the time of half of the bytes.
  const CollectiveShape broadcast{CollectiveOp::kBroadcast, 8, Bytes{720'720}};
  EXPECT_EQ(time("ring", broadcast), Duration{8 * (1'000 + 720'720 / 2)});
}

}  // namespace
}  // namespace stepsim
