// Compares what is read from real nsys exports with SQL queries on them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ingest/load/load.h"
#include "tests/ingest/read_text.h"
#include "tests/source_folder.h"

namespace stepsim::ingest {
namespace {

std::filesystem::path exports() { return shared_folder() / "traces" / "nsys"; }

/// Returns the numbers in the first row of a query's result.
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

/// Returns the number of events of a kind and their total duration.
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
    const auto& trace = std::get<HostDeviceTrace>(sink.parts[part].part);
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
    // This file has no records of events, so only the waits for streams (syncType 3) can be compared.
    EXPECT_EQ(sum_of(trace, EventKind::kSync),
              expected("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "globalPid", "syncType = 3"));
  }
}

/// The capture's iteration is the longest span of a process, and its graph contains all device work.
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

/// The export has every table of schema 3.17 but contains only three calls.
TEST(NsysCapturesTest, AnExportWithoutDeviceWorkIsItsCalls) {
  const std::filesystem::path file = exports() / "full-schema-3.17.2.sqlite";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is absent";
  const PartSink sink = read(file);
  ASSERT_EQ(sink.parts.size(), 1U);
  const auto& trace = std::get<HostDeviceTrace>(sink.parts[0].part);
  EXPECT_EQ(trace.size(), 3U);
  EXPECT_EQ(trace.device_name, "");  // empty, because the process used no device
  for (const std::string_view table : {"CUPTI_ACTIVITY_KIND_KERNEL", "NVTX_EVENTS"})
    EXPECT_EQ(sink.diagnostics.count_of(fmt::format("missing table: {}", table)), 1U) << table;
}

std::filesystem::path fresh(const std::string& file) { return shared_folder() / "traces" / "fresh" / file; }

const HostDeviceTrace& trace_of(const PartSink& sink, std::size_t part = 0) {
  return std::get<HostDeviceTrace>(sink.parts.at(part).part);
}

std::int64_t count_of(const HostDeviceTrace& trace, std::string_view name) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) count += trace.text(trace.name[i]) == name ? 1 : 0;
  return count;
}

/// Returns the number of waits whose call has a name that matches `calls`, and how many of them wait for an event that
/// was recorded before.
std::array<std::int64_t, 2> waits_by_call(const std::filesystem::path& file, const std::string& calls) {
  return ask<2>(file, fmt::format("SELECT count(*), ifnull(sum(EXISTS (SELECT 1 FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT e "
                                  "WHERE e.eventId = s.eventId AND e.contextId = s.contextId AND e.globalPid = "
                                  "s.globalPid AND e.correlationId < s.correlationId)), 0) FROM "
                                  "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION s JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON "
                                  "r.correlationId = s.correlationId AND r.globalTid >> 24 = s.globalPid >> 24 JOIN "
                                  "StringIds n ON n.id = r.nameId WHERE n.value GLOB '{}'",
                                  calls));
}

/// In these files syncType is 0 everywhere or has the values of 2020, and no event has an eventSyncId. So the kinds of
/// waits must follow from the names of the calls.
TEST(NsysCapturesTest, WaitsAreOfTheKindsThatTheirCallsSay) {
  for (const std::string name : {"nsys-jsun/result.sqlite", "nsys-dlprof/with-relu.sqlite"}) {
    const std::filesystem::path file = fresh(name);
    if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is absent";
    const PartSink sink = read(file);
    const HostDeviceTrace& trace = trace_of(sink);
    EXPECT_EQ(sink.skipped, 0U) << name;
    EXPECT_EQ(count_of(trace, "Context Sync"), waits_by_call(file, "cudaDeviceSynchronize*")[0]) << name;
    EXPECT_EQ(count_of(trace, "Stream Sync"), waits_by_call(file, "cudaStreamSynchronize*")[0]) << name;
    EXPECT_EQ(count_of(trace, "Event Sync"), waits_by_call(file, "cudaEvent[QS]*")[1]) << name;
    EXPECT_EQ(count_of(trace, "Stream Wait Event"), waits_by_call(file, "cudaStreamWaitEvent*")[1]) << name;
    EXPECT_GT(sum_of(trace, EventKind::kSync)[0], 60) << name;
  }
}

TEST(NsysCapturesTest, RanksAndSizesAreThoseOfNcclsJson) {
  const std::filesystem::path file = fresh("nsys-ddp53/ddp53_profile.sqlite");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is absent";
  const PartSink sink = read(file);
  ASSERT_EQ(sink.parts.size(), 2U);
  for (std::size_t part = 0; part < 2; ++part) {
    const HostDeviceTrace& trace = trace_of(sink, part);
    ASSERT_TRUE(trace.rank);
    EXPECT_EQ(trace.world_size, 2);
    const std::string of_process = fmt::format("(globalTid >> 24) & 16777215 = {}", sink.parts[part].of.substr(8));
    EXPECT_EQ(*trace.rank, ask<1>(file,
                                  "SELECT json_extract(jsonText, '$.Rank') FROM NVTX_EVENTS WHERE jsonText LIKE "
                                  "'%CUDA device%' AND " +
                                      of_process)[0]);
    for (const std::string operation : {"AllReduce", "Broadcast"}) {
      std::array<std::int64_t, 2> found{};
      for (const EventDetail& detail : trace.details) {
        if (!detail.collective.valid() ||
            trace.text(detail.collective) != (operation[0] == 'A' ? "allreduce" : "broadcast"))
          continue;
        ++found[0];
        found[1] += detail.bytes.count();
      }
      EXPECT_EQ(found,
                ask<2>(file, fmt::format("SELECT count(*), sum(json_extract(jsonText, '$.\"Message size [bytes]\"')) "
                                         "FROM NVTX_EVENTS n JOIN StringIds s ON s.id = n.textId WHERE s.value = "
                                         "'nccl{}' AND {}",
                                         operation, of_process)));
    }
  }
}

/// The file was captured with emit_nvtx(record_shapes=True). A product of (b, m, k) and (b, k, n) has 2 b m k n
/// operations.
TEST(NsysCapturesTest, ShapesAreThoseInTheNamesOfRanges) {
  const std::filesystem::path file = fresh("nsys-cs336-a100/small_bwd_A100.sqlite");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is absent";
  const PartSink sink = read(file);
  const HostDeviceTrace& trace = trace_of(sink);
  std::array<std::int64_t, 2> found{};
  for (std::size_t event = 0; event < trace.size(); ++event) {
    const std::uint32_t which = trace.operator_of[event];
    if (which == HostDeviceTrace::kNone || trace.text(trace.name[event]) != "aten::bmm") continue;
    ++found[0];
    found[1] += static_cast<std::int64_t>(trace.operators[which].work.flops);
  }
  EXPECT_EQ(found,
            ask<2>(file,
                   "WITH bmm AS (SELECT '[' || substr(text, instr(text, 'sizes = ') + 9, instr(text, ', input_op_ids"
                   "') - instr(text, 'sizes = ') - 9) AS sizes FROM NVTX_EVENTS WHERE text LIKE 'aten::bmm,%') "
                   "SELECT count(*), sum(2 * json_extract(sizes, '$[0][0]') * json_extract(sizes, '$[0][1]') * "
                   "json_extract(sizes, '$[0][2]') * json_extract(sizes, '$[1][2]')) FROM bmm"));
}

/// The autograd thread launches nearly all work of the backward pass, but the range of that pass is on the main thread.
TEST(NsysCapturesTest, ARangeIsAroundWhatItsThreadHasAnotherOneLaunch) {
  const std::filesystem::path file = fresh("nsys-cs336-a100/small_bwd_A100.sqlite");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is absent";
  const Capture capture = load(std::vector{file.string()}, {});
  for (const std::string name : {"backward pass", "forward pass"}) {
    std::array<std::int64_t, 2> found{};
    for (const AnnotationTable::Use& use : capture.annotations.uses) {
      if (capture.annotations.names[use.which] != name) continue;
      ++found[0];
      found[1] += capture.dag.duration(use.task).count();
    }
    EXPECT_EQ(found, ask<2>(file, fmt::format("SELECT count(*), sum(w.end - w.start) FROM (SELECT start, end, "
                                              "correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL SELECT start, "
                                              "end, correlationId FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL SELECT "
                                              "start, end, correlationId FROM CUPTI_ACTIVITY_KIND_MEMSET) w JOIN "
                                              "CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId) JOIN NVTX_EVENTS n "
                                              "ON n.text = '{}' AND r.start >= n.start AND r.start < n.end",
                                              name)))
        << name;
  }
}

/// Broadcasts end on their root about 513 us before they end on the other rank. All-reduces end at most 186 us apart.
TEST(NsysCapturesTest, RanksMeetInTheirAllReducesWhereARootIsAhead) {
  const std::filesystem::path file = fresh("nsys-ddp53/ddp53_profile.sqlite");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is absent";
  const Capture capture = load(std::vector{file.string()}, {});
  EXPECT_EQ(capture.diagnostics.count_of("ranks_not_merged"), 0U);
  EXPECT_EQ(capture.diagnostics.count_of("collective_ends_disagree"), 0U);
  std::array<std::int64_t, 2> found{};
  for (std::size_t i = 0; i < capture.dag.rendezvous_count(); ++i) {
    const Collective& collective = capture.dag.collective(RendezvousId{i});
    if (collective.op != CollectiveOp::kAllReduce) continue;
    ++found[0];
    found[1] += collective.bytes.count();
  }
  EXPECT_EQ(found, ask<2>(file,
                          "SELECT count(*) / 2, sum(json_extract(jsonText, '$.\"Message size [bytes]\"')) / 2 FROM "
                          "NVTX_EVENTS n JOIN StringIds s ON s.id = n.textId WHERE s.value = 'ncclAllReduce'"));
}

}  // namespace
}  // namespace stepsim::ingest
