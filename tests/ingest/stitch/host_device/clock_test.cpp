// Tests the computed differences of hosts' clocks and their uncertainties. Times of hand-made traces are in
// microseconds; each expected value is computed from the times next to it.

#include "ingest/stitch/host_device/host_device.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/ingest/stitched.h"
#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest::clock_test {
namespace {

using testing::stitched;
using testing::TraceMaker;
using testing::us;

struct Part {
  double begin;
  double end;
};

/// Builds a host whose calls of one collective have these times. Its clock is ahead by `ahead` microseconds.
HostDeviceTrace host(const std::string& name, const std::string& call, const std::vector<Part>& parts, double ahead = 0,
                     std::int64_t bytes = 4096) {
  TraceMaker maker;
  for (const Part& part : parts) {
    const std::uint32_t event =
        maker.add(EventKind::kAnnotation, call, maker.thread("1"), part.begin + ahead, part.end - part.begin);
    maker.detail(event).bytes = Bytes{bytes};
  }
  maker.trace.host_name = name;
  return maker.trace;
}

/// Adds a call to the only thread, with as many bytes as the first call.
void add_call(HostDeviceTrace& trace, const std::string& call, double begin, double end) {
  trace.start.emplace_back(us(static_cast<std::int64_t>(begin)));
  trace.duration.push_back(us(static_cast<std::int64_t>(end - begin)));
  trace.kind.push_back(EventKind::kAnnotation);
  trace.name.emplace_back(TextId{trace.texts.size()});
  trace.texts.push_back(call);
  trace.track.push_back(trace.track[0]);
  trace.detail.set(trace.size() - 1, 0);
}

HostClock second_clock(const std::vector<HostDeviceTrace>& traces) {
  const Capture capture = stitched(traces);
  EXPECT_EQ(capture.recording.clocks.at(0).offset, Duration{});
  EXPECT_EQ(capture.recording.clocks.at(0).residual, Duration{});
  return capture.recording.clocks.at(1);
}

TEST(ClockTest, CollectivesOnHostsLeaveOpenWhatCausesAllow) {
  // Neither host ends an all-reduce before the other one has begun it. In the first all-reduce, b begins at 20 us and a
  // ends at 100 us, so b's clock is ahead by at least 20 - 100 us. a begins at 0 us and b ends at 104 us, so b's clock
  // is ahead by at most 104 us. The estimate is the difference of the ends, 4 us. The second all-reduce is longer and
  // has the same difference, so it does not reduce the uncertainty. (b's clock is in addition ahead by 7300 us, which
  // these times leave out.)
  const HostClock clock = second_clock({host("a", "gloo:all_reduce", {{0, 100}, {1000, 1200}}),
                                        host("b", "gloo:all_reduce", {{20, 104}, {1000, 1204}}, 7300)});

  EXPECT_EQ(clock.offset, us(7300 + 4));
  EXPECT_EQ(clock.residual, us(104 - 4));
  EXPECT_EQ(clock.spread, Duration{});
}

TEST(ClockTest, ResidualCoversALinkThatIsSlowerInOneDirection) {
  // In a ring of two ranks, a message takes 300 us from a to b and 100 us from b to a. There are two rounds. If both
  // ranks begin together, b has its second chunk after 2 * 300 us. a gets its second chunk 100 us after b got its
  // first, after 300 + 100 us. So b always ends 200 us later, and no recorded time distinguishes that from a clock that
  // is 200 us ahead.
  const std::vector<Part> on_a{{0, 400}, {1000, 1400}, {2000, 2400}};
  const std::vector<Part> on_b{{0, 600}, {1000, 1600}, {2000, 2600}};

  const HostClock clock = second_clock({host("a", "gloo:all_reduce", on_a), host("b", "gloo:all_reduce", on_b)});

  EXPECT_EQ(clock.offset, us(200));
  EXPECT_EQ(clock.residual, us(200 + 400));  // from the estimate, 200 us, to the lower bound, 0 - 400 us
  EXPECT_EQ(clock.spread, Duration{});
}

TEST(ClockTest, BarrierNarrowsWhatLongCollectivesLeaveOpen) {
  // A barrier takes 2 us on each host, and b begins 1 us after a. So b's clock is ahead by at least 1 - 2 us and at
  // most 1 + 2 us, in addition to the -50,000 us.
  HostDeviceTrace a = host("a", "gloo:all_reduce", {{0, 400}, {1000, 1400}});
  HostDeviceTrace b = host("b", "gloo:all_reduce", {{0, 600}, {1000, 1600}}, -50'000);
  add_call(a, "gloo:barrier", 3000, 3002);
  add_call(b, "gloo:barrier", 3001 - 50'000, 3003 - 50'000);

  const HostClock clock = second_clock({a, b});

  EXPECT_LE(clock.residual, us(4));
  EXPECT_LE(clock.offset - us(-50'000), clock.residual);
  EXPECT_EQ(clock.spread, us(200) - (clock.offset - us(-50'000)));
}

TEST(ClockTest, QuickestTransfersCorrectEndsThatAreLateOnOneSide) {
  // b's clock is ahead by 3000 us. In three of four collectives, b ends 30 us after a, so the median difference of the
  // recorded ends is 3030 us. In every fourth collective, one host begins 10 us late, and both end 50 us after that. No
  // collective is assumed to take less than these 50 us after its last begin. The late host is a in half of these
  // collectives and b in the other half, so b's clock is ahead by at least and at most 3000 us.
  std::vector<Part> on_a;
  std::vector<Part> on_b;
  for (int i = 0; i < 16; ++i) {
    const double begin = 1000.0 * i;
    if (i % 4 != 0) {
      on_a.push_back({begin, begin + 60});
      on_b.push_back({begin, begin + 90});
    } else {
      const double a_late = i % 8 == 0 ? 10 : 0;
      const double b_late = i % 8 == 0 ? 0 : 10;
      on_a.push_back({begin + a_late, begin + 60});
      on_b.push_back({begin + b_late, begin + 60});
    }
  }
  const HostClock clock = second_clock({host("a", "gloo:all_reduce", on_a), host("b", "gloo:all_reduce", on_b, 3000)});

  EXPECT_EQ(clock.offset, us(3000));
  EXPECT_EQ(clock.residual, us(50));  // the late host begins at 10 us, the other one ends at 60 us
  EXPECT_EQ(clock.spread, us(30));
}

TEST(ClockTest, DeviceCollectivesEndTogetherAndCountAlone) {
  TraceMaker a;
  TraceMaker b;
  for (int i = 0; i < 3; ++i) {
    for (TraceMaker* maker : {&a, &b}) {
      const double ahead = maker == &b ? 500 : 0;
      maker->add(EventKind::kKernel, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", maker->stream(14),
                 1000 * i + ahead + 5 * i, 100);
      // The calls of gloo show a different offset. They are ignored.
      maker->add(EventKind::kAnnotation, "gloo:barrier", maker->thread("1"), 1000 * i + 3 * ahead, 100);
    }
  }
  a.trace.host_name = "a";
  b.trace.host_name = "b";

  const HostClock clock = second_clock({a.trace, b.trace});

  EXPECT_EQ(clock.offset, us(500));
  EXPECT_EQ(clock.residual, Duration{});
}

/// Builds two hosts with messages in both directions. Each message takes 100 us, and the call of its sender returns
/// after 70 us.
std::vector<HostDeviceTrace> messages(double ahead) {
  HostDeviceTrace a = host("a", "gloo:send", {{0, 70}, {1000, 1070}});
  HostDeviceTrace b = host("b", "gloo:recv", {{0, 100}, {1000, 1100}}, ahead);
  add_call(a, "gloo:recv", 2000, 2100);
  add_call(b, "gloo:send", 2000 + ahead, 2070 + ahead);
  return {a, b};
}

TEST(ClockTest, MessagesOfBothDirectionsMeetInTheMiddleForAnyOffset) {
  for (const double ahead : {0.0, 3e3, -3e3, 50e3, -50e3, 10e6, -10e6}) {
    const HostClock clock = second_clock(messages(ahead));

    // In both directions, a receive ends 100 us after its send began, and 30 us after its send ended.
    EXPECT_EQ(clock.offset, us(static_cast<std::int64_t>(ahead))) << ahead;
    EXPECT_EQ(clock.residual, us(100)) << ahead;
    EXPECT_EQ(clock.spread, us(30)) << ahead;
  }
}

TEST(ClockTest, MessagesOfOneDirectionDoNotTieClocks) {
  EXPECT_THROW((void)stitched({host("a", "gloo:send", {{0, 70}}), host("b", "gloo:recv", {{0, 100}})}), InputError);
}

TEST(ClockTest, RootedCollectivesLeaveOpenTheirWholeLength) {
  // A member that only sends may return before the other rank begins, so the times give no bound in one direction.
  // Instead, the two calls are assumed to overlap: the uncertainty is the length of the longer call, 40 us. The ends
  // differ by 40 - 10 us.
  for (const std::string name : {"gloo:broadcast", "gloo:reduce", "gloo:gather", "gloo:scatter"}) {
    const HostClock clock = second_clock({host("a", name, {{0, 10}}), host("b", name, {{0, 40}}, 1000)});

    EXPECT_EQ(clock.offset, us(1030)) << name;
    EXPECT_EQ(clock.residual, us(40)) << name;
  }
}

TEST(ClockTest, RootedCollectivesDoNotCountBesideOthers) {
  // The ends of an all-reduce differ by 1,000 us, and those of three rooted collectives, whose root returns early, by
  // 1,030 us.
  for (const std::string name : {"gloo:broadcast", "gloo:reduce", "gloo:gather", "gloo:scatter"}) {
    HostDeviceTrace a = host("a", "gloo:all_reduce", {{0, 40}});
    HostDeviceTrace b = host("b", "gloo:all_reduce", {{0, 40}}, 1000);
    for (const int at : {100, 200, 300}) {
      add_call(a, name, at, at + 10);
      add_call(b, name, at + 1000, at + 1040);
    }
    const HostClock clock = second_clock({a, b});
    EXPECT_EQ(clock.offset, us(1000)) << name;
    EXPECT_EQ(clock.residual, us(40)) << name;
  }
}

}  // namespace
}  // namespace stepsim::ingest::clock_test
