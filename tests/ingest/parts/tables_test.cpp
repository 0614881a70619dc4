#include "ingest/parts/tables.h"

#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ingest/parts/like_traces.h"

namespace stepsim::ingest {
namespace {

Time at(std::int64_t nanoseconds) { return Time{Duration{nanoseconds}}; }

/// A trace with two events and at least one row in each table.
HostDeviceTrace trace_of_all_tables() {
  HostDeviceTrace trace;
  trace.texts = {"op", "kernel", "allreduce", "Float"};
  trace.tracks = {{"10", "11", "main", false, -1, -1}, {"0", "7", "stream", true, 0, 7}};
  for (std::uint32_t i = 0; i < 2; ++i) {
    trace.start.push_back(at(100 * std::int64_t{i}));
    trace.duration.push_back(Duration{50});
    trace.kind.push_back(i == 0 ? EventKind::kOp : EventKind::kKernel);
    trace.name.emplace_back(i);
    trace.track.emplace_back(i);
    trace.correlation.set(i, 7);
    trace.detail.set(i, 0);
    trace.operator_of.set(i, 0);
    trace.launch_of.set(i, 0);
  }
  trace.details = {{.bytes = Bytes{8}, .collective = TextId{2}, .group = ProcessGroupId{0}, .dtype = TextId{3}}};
  trace.operators = {{"aten::mm", "[[2, 3]]", {}, {{{2, 3}}}}};
  trace.launches = {{1, 2, 3, 4}};
  trace.steps = {{0, 1}};
  trace.modules = {{TrackId{0}, TextId{0}, at(5), Duration{6}}};
  trace.memory = {{at(9), TrackId{0}, 77, 1, Bytes{-10}, Bytes{11}, Bytes{12}}};
  trace.overheads = {{TextId{0}, at(13), Duration{14}}};
  trace.hand_overs = {{0, 1}};
  trace.groups = {{.name = TextId{1}, .size = 2, .ranks = {0, 1}}};
  trace.storage_uses = {{0, true, 5}};
  trace.collective_calls = {{0, true, 5}};
  trace.python = {{TrackId{0}, TextId{1}, at(7), Duration{8}}};
  trace.flops_of = {{0, 1e9}};
  trace.transports.emplace_back().group = "g";
  return trace;
}

template <class Value>
void change(Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    value = !value;
  } else if constexpr (std::is_enum_v<Value>) {
    value = static_cast<Value>(value == Value{} ? 1 : 0);
  } else if constexpr (std::is_same_v<Value, std::string>) {
    value += "x";
  } else if constexpr (std::is_same_v<Value, Work>) {
    value.flops += 1;
  } else if constexpr (std::is_same_v<Value, Time> || std::is_same_v<Value, Duration>) {
    value += Duration{1};
  } else if constexpr (std::is_same_v<Value, Bytes>) {
    value += Bytes{1};
  } else if constexpr (requires { value.valid(); }) {
    value = value.value() == 0 ? Value{1U} : Value{0U};
  } else if constexpr (requires { value.emplace_back(); }) {
    value.emplace_back();
  } else {
    value += 1;
  }
}

/// Changes field number `wanted`, counted over all rows of all tables but those of tracks, whose names may differ
/// between ranks.
class Changing {
 public:
  explicit Changing(std::size_t wanted) : wanted_(wanted) {}

  template <Role kRole, class Column>
  void column(Field<kRole, Column> column) {
    if (fields_++ != wanted_) return;
    auto value = column.value[1];
    change(value);
    if constexpr (requires { column.value.set(1, value); }) {
      column.value.set(1, value);
    } else {
      column.value[1] = value;
    }
  }
  static void rows(std::vector<Track>& /*tracks*/) {}
  template <class Row>
  void rows(std::vector<Row>& rows) {
    for (Row& row : rows) {
      for_each_in(
          [this](auto field) {
            if (fields_++ == wanted_) change(field.value);
          },
          fields(row));
    }
  }
  [[nodiscard]] std::size_t count() const noexcept { return fields_; }

 private:
  std::size_t wanted_;
  std::size_t fields_ = 0;
};

/// Traces that differ in any field of any table are not alike, whoever added the field.
TEST(TablesTest, EveryFieldCountsWhereTracesAreCompared) {
  Changing counting(static_cast<std::size_t>(-1));
  HostDeviceTrace counted = trace_of_all_tables();
  for_each_table(counting, counted);
  ASSERT_GT(counting.count(), 70U);
  for (std::size_t i = 0; i <= counting.count(); ++i) {
    LikeTraces like;
    HostDeviceTrace one = trace_of_all_tables();
    HostDeviceTrace other = trace_of_all_tables();
    for_each_table(Changing(i), other);
    const SharedEvents first = like.share(one);
    const SharedEvents second = like.share(other);
    ASSERT_NE(first.trace, nullptr);
    const bool changed = i < counting.count();
    EXPECT_EQ(first.trace != second.trace, changed) << "field " << i;
  }
}

TEST(TablesTest, AllTimesMove) {
  HostDeviceTrace trace = trace_of_all_tables();
  trace.windows = {{at(1), at(2)}};
  move_earlier(trace, Duration{1'000});
  EXPECT_EQ(trace.start, (std::vector{at(-1'000), at(-900)}));
  EXPECT_EQ(trace.modules[0].begin, at(-995));
  EXPECT_EQ(trace.python[0].begin, at(-993));
  EXPECT_EQ(trace.memory[0].time, at(-991));
  EXPECT_EQ(trace.overheads[0].start, at(-987));
  EXPECT_EQ(trace.windows[0].begin, at(-999));
  EXPECT_EQ(trace.windows[0].end, at(-998));
  EXPECT_EQ(trace.duration[0], Duration{50});
}

TEST(TablesTest, TimesOutOfRangeStay) {
  HostDeviceTrace trace = trace_of_all_tables();
  trace.start[1] = Time::max();
  move_earlier(trace, Duration{-5});
  EXPECT_EQ(trace.start[0], at(5));
  EXPECT_EQ(trace.start[1], Time::max());
}

}  // namespace
}  // namespace stepsim::ingest
