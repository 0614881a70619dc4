// Real exports against what SQL says of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ingest/load/load.h"
#include "tests/ingest/read_text.h"
#include "tests/source_folder.h"

namespace stepsim::ingest {
namespace {

std::filesystem::path exports() { return shared_folder() / "traces" / "nsys"; }

/// The numbers in the first row that a query gives.
template <std::size_t count>
std::array<std::int64_t, count> ask(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
  EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
  std::array<std::int64_t, count> numbers{};
  for (std::size_t i = 0; i < count; ++i) numbers[i] = sqlite3_column_int64(statement, static_cast<int>(i));
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return numbers;
}

/// How many events of a kind there are, and how long they are in all.
std::array<std::int64_t, 2> sum_of(const HostDeviceTrace& trace, EventKind kind) {
  std::array<std::int64_t, 2> sum{};
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace.kind[i] != kind) continue;
    ++sum[0];
    sum[1] += trace.duration[i].count();
  }
  return sum;
}

PartSink read(const std::filesystem::path& file) {
  Input input = Input::open(file.string());
  PartSink sink;
  format_named("nsys").read(input, sink);
  return sink;
}

TEST(NsysCapturesTest, TwoGpusHaveTheEventsThatSqlCounts) {
  const std::filesystem::path file = exports() / "h100-2gpu-1s.sqlite";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is absent";
  const PartSink sink = read(file);
  ASSERT_EQ(sink.parts.size(), 2U);
  EXPECT_EQ(sink.skipped, 0U);
  for (const std::size_t part : {0U, 1U}) {
    const HostDeviceTrace& trace = std::get<HostDeviceTrace>(sink.parts[part].part);
    const auto expected = [&](const std::string& table, const std::string& id, const std::string& where = "1") {
      return ask<2>(
          file, fmt::format("SELECT count(*), sum(end - start) FROM {} WHERE ({} >> 24) & 16777215 = {} AND {}", table,
                            id, part == 0 ? 111 : 112, where));
    };
    EXPECT_EQ(sum_of(trace, EventKind::kKernel), expected("CUPTI_ACTIVITY_KIND_KERNEL", "globalPid"));
    EXPECT_EQ(sum_of(trace, EventKind::kMemcpy), expected("CUPTI_ACTIVITY_KIND_MEMCPY", "globalPid"));
    EXPECT_EQ(sum_of(trace, EventKind::kMemset), expected("CUPTI_ACTIVITY_KIND_MEMSET", "globalPid"));
    EXPECT_EQ(sum_of(trace, EventKind::kRuntimeCall), expected("CUPTI_ACTIVITY_KIND_RUNTIME", "globalTid"));
    EXPECT_EQ(sum_of(trace, EventKind::kOp), expected("NVTX_EVENTS", "globalTid", "text LIKE '%, op_id = %'"));
    EXPECT_EQ(sum_of(trace, EventKind::kAnnotation),
              expected("NVTX_EVENTS", "globalTid", "text NOT LIKE '%, op_id = %'"));
    // No record of an event is in this file, so of the waits only those for streams say something.
    EXPECT_EQ(sum_of(trace, EventKind::kSync),
              expected("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "globalPid", "syncType = 3"));
  }
}

/// The capture's iteration is the longest span of a process, and no device work gets lost on the way to a Dag.
TEST(NsysCapturesTest, TwoGpusAreTwoRanksOfOneJob) {
  const std::filesystem::path file = exports() / "h100-2gpu-1s.sqlite";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is absent";
  const Capture capture = load(std::vector{file.string()}, {});
  EXPECT_EQ(capture.recording.ranks, (std::vector<Rank>{0, 1}));
  std::int64_t busy = 0;
  std::int64_t pieces = 0;
  for (std::size_t i = 0; i < capture.dag.task_count(); ++i) {
    if (capture.dag.lane(TaskId{i}).kind != LaneKind::kStream) continue;
    ++pieces;
    busy += capture.dag.duration(TaskId{i}).count();
  }
  const auto expected = ask<2>(
      file,
      "SELECT count(*), sum(end - start) FROM (SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL SELECT "
      "start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMSET)");
  EXPECT_EQ(pieces, expected[0]);
  EXPECT_EQ(busy, expected[1]);
}

/// Every table of schema 3.17, but three calls are all that happened.
TEST(NsysCapturesTest, AnExportWithoutDeviceWorkIsItsCalls) {
  const std::filesystem::path file = exports() / "full-schema-3.17.2.sqlite";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is absent";
  const PartSink sink = read(file);
  ASSERT_EQ(sink.parts.size(), 1U);
  const HostDeviceTrace& trace = std::get<HostDeviceTrace>(sink.parts[0].part);
  EXPECT_EQ(trace.size(), 3U);
  EXPECT_EQ(trace.device_name, "");  // it used none
  for (const std::string_view table : {"CUPTI_ACTIVITY_KIND_KERNEL", "NVTX_EVENTS"})
    EXPECT_EQ(sink.diagnostics.count_of(fmt::format("missing table: {}", table)), 1U) << table;
}

}  // namespace
}  // namespace stepsim::ingest
