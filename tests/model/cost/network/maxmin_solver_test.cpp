#include "model/cost/network/maxmin_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "tests/model/cost/network/solver_case.h"
#include "tests/nightly.h"

namespace stepsim {
namespace {

using Case = stepsim::testing::SolverCase;

/// Checks that every class has the rate that water filling gives it.
void expect_right(Case& one) {
  const std::optional<std::string> wrong = one.mismatch();
  ASSERT_FALSE(wrong.has_value()) << *wrong;
}

TEST(MaxMinSolverTest, OneFlowGetsItsNarrowestLink) {
  // The rate is min(10, 4, 7).
  Case one{{10, 4, 7}};
  const FlowClassId flow = one.add({0, 1, 2});
  EXPECT_EQ(one.level(flow), 4);
  EXPECT_EQ(one.solver.bottleneck(flow), 1U);
}

TEST(MaxMinSolverTest, FlowsOfOneLinkGetEqualShares) {
  // n flows with the rate x share a link of capacity 12, so n x = 12.
  Case one{{12}};
  const FlowClassId first = one.add({0});
  EXPECT_EQ(one.level(first), 12);
  const FlowClassId second = one.add({0}, 2);
  EXPECT_EQ(one.level(first), 4);
  EXPECT_EQ(one.level(second), 4);
  one.set(second, 0);
  EXPECT_EQ(one.level(first), 12);
}

TEST(MaxMinSolverTest, WhatALimitedFlowLeavesGoesToTheOthers) {
  // Link 1 limits b to 2. Link 0 carries a + b = 10, so a = 8.
  Case one{{10, 2}};
  const FlowClassId a = one.add({0});
  const FlowClassId b = one.add({0, 1});
  EXPECT_EQ(one.level(b), 2);
  EXPECT_EQ(one.level(a), 8);
}

TEST(MaxMinSolverTest, WeightsDivideALinkInProportion) {
  // The rate is x per unit of weight, so x (1 + 3) = 8, and the rates are 2 and 6.
  Case one{{8}};
  const FlowClassId light = one.add({0}, 1);
  const FlowClassId heavy = one.add({0}, 3);
  EXPECT_EQ(one.level(light), 2);
  EXPECT_EQ(one.level(heavy), 2);
}

TEST(MaxMinSolverTest, ChainOfLinksIsTheTextbookExample) {
  // The example resembles Bertsekas & Gallager, figure 6.12: one long flow over three links, and short flows on each of
  // them. Link 1 divides its 6 equally between two short flows and the long flow, which gets 2. The other short flows
  // get the rest of their links, 10 - 2 and 9 - 2.
  Case one{{10, 6, 9}};
  const FlowClassId along = one.add({0, 1, 2});
  const FlowClassId left = one.add({0});
  const FlowClassId middle = one.add({1}, 2);
  const FlowClassId right = one.add({2});
  EXPECT_EQ(one.level(along), 2);
  EXPECT_EQ(one.level(middle), 2);
  EXPECT_EQ(one.level(left), 8);
  EXPECT_EQ(one.level(right), 7);
}

TEST(MaxMinSolverTest, ChangesReachLinksThatAreNotTouched) {
  // After flow a ends, flow b grows from 5 to 6, its half of link 1, and flow c shrinks from 7 to 6.
  Case one{{10, 12, 9}};
  const FlowClassId a = one.add({0});
  const FlowClassId b = one.add({0, 1, 2});
  const FlowClassId c = one.add({1});
  EXPECT_EQ(one.level(b), 5);
  EXPECT_EQ(one.level(c), 7);
  one.set(a, 0);
  EXPECT_EQ(one.level(b), 6);
  EXPECT_EQ(one.level(c), 6);
}

TEST(MaxMinSolverTest, ALinkCrossedTwiceCarriesAFlowTwice) {
  // The flow crosses the link twice, so 2 x = 10.
  Case one{{10}};
  EXPECT_EQ(one.level(one.add({0, 0})), 5);
}

TEST(MaxMinSolverTest, TinyWeightsGetWhatOthersLeave) {
  // Another link limits the heavy flow to 4. The light flow gets the remaining 6, however small its weight is.
  Case one{{10, 4}};
  const FlowClassId heavy = one.add({0, 1});
  const FlowClassId light = one.add({0}, 1e-24);
  EXPECT_EQ(one.level(heavy), 4);
  EXPECT_DOUBLE_EQ(one.level(light) * 1e-24, 6);
}

TEST(MaxMinSolverTest, TellsWhatASolveChanged) {
  Case one{{10, 4, 5}};
  const FlowClassId a = one.add({0});
  one.add({2});
  one.solver.solve();
  EXPECT_EQ(one.solver.changed_links(), (std::vector<std::uint32_t>{0, 2}));
  one.set(a, 2);
  one.solver.solve();
  EXPECT_EQ(one.solver.changed_links(), std::vector<std::uint32_t>{0});
  EXPECT_TRUE(one.solver.moved_classes().empty());
  one.solver.solve();
  EXPECT_TRUE(one.solver.changed_links().empty());
}

/// Makes a case with random routes over a random number of links, with equal or different capacities.
std::unique_ptr<Case> random_case(std::mt19937& generator) {
  const auto any = [&](std::uint32_t below) { return static_cast<std::uint32_t>(generator() % below); };
  const std::uint32_t links = 1 + any(12);
  std::vector<double> capacities;
  for (std::uint32_t l = 0; l < links; ++l) capacities.push_back(any(2) == 0 ? 10 : 1 + any(1000) / 10.0);
  auto made = std::make_unique<Case>(capacities);
  const std::uint32_t classes = 1 + any(25);
  for (std::uint32_t c = 0; c < classes; ++c) {
    std::vector<std::uint32_t> route;
    for (std::uint32_t hop = 1 + any(4); hop > 0; --hop) {
      const std::uint32_t link = any(links);
      if (std::find(route.begin(), route.end(), link) == route.end()) route.push_back(link);
    }
    made->add(route, any(3));
  }
  return made;
}

TEST(MaxMinSolverTest, RandomCasesEqualWaterFilling) {
  std::mt19937 generator{7};
  for (int i = 0; i < 500; ++i) {
    const std::unique_ptr<Case> one = random_case(generator);
    expect_right(*one);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(MaxMinSolverTest, RandomChangesOneByOneEqualWaterFillingFromScratch) {
  std::mt19937 generator{11};
  for (int i = 0; i < 100; ++i) {
    const std::unique_ptr<Case> one = random_case(generator);
    for (int change = 0; change < 40; ++change) {
      for (auto together = 1 + generator() % 3; together > 0; --together) {
        const FlowClassId id{generator() % one->routes.size()};
        one->set(id, generator() % 3 == 0 ? 0 : 1 + static_cast<double>(generator() % 5));
      }
      expect_right(*one);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(MaxMinSolverTest, SmallCasesEqualWaterFillingWhileSeveralWeightsChangeAtOnce) {
  // The cases have so few links and classes that the links limit each other in every possible order.
  for (std::uint32_t seed = 0; seed < stepsim::testing::samples(6000); ++seed) {
    std::mt19937 generator{seed};
    const auto any = [&](std::uint32_t below) { return static_cast<std::uint32_t>(generator() % below); };
    const std::uint32_t links = 2 + any(3);
    std::vector<double> capacities;
    for (std::uint32_t l = 0; l < links; ++l) capacities.push_back(1 + any(3));
    Case one{capacities};
    for (std::uint32_t classes = 1 + any(5); classes > 0; --classes) {
      const std::uint32_t first = any(links);
      const std::uint32_t second = any(links);
      one.add(first == second ? stepsim::testing::SolverRoute{first} : stepsim::testing::SolverRoute{first, second}, 0);
    }
    for (int change = 0; change < 12; ++change) {
      for (std::uint32_t together = 1 + any(3); together > 0; --together) {
        one.set(FlowClassId{any(static_cast<std::uint32_t>(one.routes.size()))},
                any(3) == 0 ? 0 : std::pow(0.5, any(3)));
      }
      expect_right(one);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(MaxMinSolverTest, AStarOfServersEqualsWaterFillingWhileFlowsComeAndGo) {
  // Workers 0 to 7 push to servers 0 to 2. Links 0 to 7 lead out of the workers, links 8 to 10 into the servers.
  std::mt19937 generator{5};
  Case one{std::vector<double>(11, 100.0)};
  for (std::uint32_t w = 0; w < 8; ++w) {
    for (std::uint32_t s = 0; s < 3; ++s) one.add({w, 8 + s}, 0);
  }
  for (int change = 0; change < 2000; ++change) {
    const FlowClassId id{generator() % one.routes.size()};
    const double weight = one.weights[id.index()];
    one.set(id, weight > 0 && generator() % 2 == 0 ? weight - 1 : weight + 1);
    expect_right(one);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(MaxMinSolverTest, ManyClassesOnFewLinksEqualWaterFillingWhileAllOfThemChange) {
  // 24 workers send to 2 servers. The servers' links are nearly always the limit; a few workers have slow links of
  // their own.
  std::mt19937 generator{3};
  std::vector<double> capacities(26, 100.0);
  for (std::size_t w = 0; w < 24; w += 5) capacities[w] = 12;
  Case one{capacities};
  for (std::uint32_t w = 0; w < 24; ++w) {
    for (std::uint32_t s = 0; s < 2; ++s) one.add({w, 24 + s}, 0);
  }
  for (unsigned change = 0; change < stepsim::testing::samples(3000); ++change) {
    const FlowClassId id{generator() % one.routes.size()};
    const bool fewer = one.weights[id.index()] > 0 && generator() % 100 < (change / 500 % 2 == 0 ? 40U : 60U);
    one.set(id, one.weights[id.index()] + (fewer ? -1 : 1));
    expect_right(one);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

/// Weights are powers of a ratio (the sharing), as for senders that queue for a link (SenderQueues). Many classes have
/// the same level but different limiting links, and these links change.
TEST(MaxMinSolverTest, PowersOfASharingAsWeightsEqualWaterFillingWhileQueuesMove) {
  for (const double sharing : {0.5, 0.1, 0.3, 1.0 / 3, 0.9, 0x1p-40}) {
    SCOPED_TRACE(sharing);
    std::mt19937 generator{17};
    Case one{std::vector<double>(12, 0.119625)};
    for (std::uint32_t w = 0; w < 3; ++w) {
      for (std::uint32_t s = 0; s < 3; ++s) {
        one.add({2 * w, 2 * s + 7}, 0);
        one.add({2 * s + 6, 2 * w + 1}, 0);
      }
    }
    for (unsigned change = 0; change < stepsim::testing::samples(3000); ++change) {
      for (auto together = 1 + generator() % 4; together > 0; --together) {
        const FlowClassId id{generator() % one.routes.size()};
        one.set(id, generator() % 3 == 0 ? 0 : std::pow(sharing, generator() % 3));
      }
      expect_right(one);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace stepsim
