// Compares the division of a device's time into compute, communication, copies and idle with a count of every
// nanosecond.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "sim/stats/device_use.h"
#include "tests/property/random_dag.h"
#include "tests/sim/stats/measured_maker.h"

namespace stepsim {
namespace {

using testing::MeasuredMaker;
using testing::test_seed;

constexpr int kCases = 500;
constexpr int kEnd = 60;
constexpr int kStreams = 3;

/// The kinds of work that run on each stream in each nanosecond.
struct Instants {
  std::array<std::array<std::array<bool, 3>, kEnd>, kStreams> runs{};  ///< [stream][instant][compute, comm., copy]

  [[nodiscard]] bool any(int instant, std::size_t part) const {
    return std::ranges::any_of(runs,
                               [&](const auto& stream) { return stream[static_cast<std::size_t>(instant)][part]; });
  }
};

/// Computes the TimeUse of a stream from `begin` to `end` by counting nanoseconds. A `stream` of -1 is the whole
/// device.
sim::TimeUse counted(const Instants& instants, int stream, int begin, int end) {
  sim::TimeUse use{.span = Duration{end - begin}};
  for (int t = begin; t < end; ++t) {
    std::array<bool, 3> own{};
    for (std::size_t part = 0; part < own.size(); ++part) {
      own[part] = stream < 0 ? instants.any(t, part)
                             : instants.runs[static_cast<std::size_t>(stream)][static_cast<std::size_t>(t)][part];
    }
    const Duration one{1};
    if (own[0]) use.compute += one;
    if (own[1]) (instants.any(t, 0) ? use.hidden_communication : use.exposed_communication) += one;
    if (own[2]) (instants.any(t, 0) || instants.any(t, 1) ? use.hidden_copies : use.exposed_copies) += one;
    if (!own[0] && !own[1] && !own[2]) use.idle += one;
  }
  return use;
}

void expect_equal(const sim::TimeUse& use, const sim::TimeUse& expected) {
  EXPECT_EQ(use.span, expected.span);
  EXPECT_EQ(use.compute, expected.compute);
  EXPECT_EQ(use.exposed_communication, expected.exposed_communication);
  EXPECT_EQ(use.hidden_communication, expected.hidden_communication);
  EXPECT_EQ(use.exposed_copies, expected.exposed_copies);
  EXPECT_EQ(use.hidden_copies, expected.hidden_copies);
  EXPECT_EQ(use.idle, expected.idle);
}

TEST(DeviceUsePropertyTest, DividesTimeAsACountOfEveryNanosecondDoes) {
  constexpr std::array kKinds{TaskKind::kKernel, TaskKind::kCollective, TaskKind::kCopy};
  for (std::uint32_t seed = test_seed(); seed < test_seed() + kCases && !HasFailure(); ++seed) {
    SCOPED_TRACE("STEPSIM_TEST_SEED=" + std::to_string(seed));
    std::mt19937 generator{seed};
    const auto below = [&generator](int end) { return std::uniform_int_distribution<int>(0, end - 1)(generator); };
    MeasuredMaker maker;
    std::array<LaneId, kStreams> lanes;
    for (std::size_t s = 0; s < lanes.size(); ++s) lanes[s] = maker.stream(0, 0, "stream " + std::to_string(s));
    Instants instants;
    std::array<bool, kStreams> used{};
    int first = kEnd;
    int last = 0;
    for (int i = 1 + below(12); i > 0; --i) {
      const auto stream = static_cast<std::size_t>(below(kStreams));
      const auto part = static_cast<std::size_t>(below(3));
      const int begin = below(kEnd - 1);
      const int end = begin + 1 + below(std::min(20, kEnd - begin - 1) + (begin + 1 < kEnd ? 0 : 1));
      maker.add(lanes[stream], kKinds[part], "work", begin, end);
      for (int t = begin; t < end; ++t) instants.runs[stream][static_cast<std::size_t>(t)][part] = true;
      used[stream] = true;
      first = std::min(first, begin);
      last = std::max(last, end);
    }
    const Capture capture = maker.make();
    const TraceDetails details;
    const std::vector<sim::DeviceUse> devices = sim::device_use(sim::measured_work(capture, details));
    ASSERT_EQ(devices.size(), 1U);
    expect_equal(devices.front().use, counted(instants, -1, first, last));
    const sim::TimeUse& use = devices.front().use;
    EXPECT_EQ(use.compute + use.exposed_communication + use.exposed_copies + use.idle, use.span);
    std::size_t next = 0;
    for (int s = 0; s < kStreams; ++s) {
      if (!used[static_cast<std::size_t>(s)]) continue;
      expect_equal(devices.front().streams[next++].use, counted(instants, s, first, last));
    }
  }
}

}  // namespace
}  // namespace stepsim
