#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ingest/formats/format.h"
#include "ingest/parts/process_groups.h"
#include "model/base/error.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest {

extern const Format kineto_format;  // NOLINT(readability-redundant-declaration): redundant in unity builds only

namespace {

using stepsim::testing::thrown_by;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Read {
  HostDeviceTrace trace;
  PartSink sink;

  [[nodiscard]] std::uint64_t count(std::string_view name) const { return sink.diagnostics.count_of(name); }
};

Read read_file(std::string_view text, std::string name = "test.json") {
  Input input = Input::from_memory(text, std::move(name));
  Read read;
  kineto_format.read(input, read.sink);
  read.trace = std::get<HostDeviceTrace>(std::move(read.sink.parts.at(0).part));
  return read;
}

/// Reads `events`, and an operator "last" at 5 ms so that there is always something to replay.
Read read_events(const std::string& events, const std::string& members = "\"baseTimeNanoseconds\": 0") {
  return read_file("{" + members +
                   R"(, "traceEvents": [{"ph":"X","cat":"cpu_op","name":"last","pid":1,"tid":2,"ts":5000,"dur":1})" +
                   (events.empty() ? "" : ",") + events + "]}");
}

std::string event(std::string_view category, std::string_view name, std::string_view more = "") {
  return R"({"ph":"X","cat":")" + std::string{category} + R"(","name":")" + std::string{name} +
         R"(","pid":1,"tid":2,"ts":10,"dur":3)" + std::string{more} + "}";
}

std::string error_of(std::string_view text) {
  return thrown_by<InputError>([&] { return read_file(text); }, "no error");
}

int score(std::string_view head, std::string_view name = "x.json") { return kineto_format.recognise(name, head); }

// ---------------------------------------------------------------- which events are kept, and their kinds

TEST(KinetoTest, EveryCategoryOldAndNewHasItsKind) {
  const std::pair<const char*, EventKind> kinds[] = {
      {"cpu_op", EventKind::kOp},
      {"Operator", EventKind::kOp},
      {"user_annotation", EventKind::kAnnotation},
      {"cuda_runtime", EventKind::kRuntimeCall},
      {"cuda_driver", EventKind::kRuntimeCall},
      {"Runtime", EventKind::kRuntimeCall},
      {"mtia_runtime", EventKind::kRuntimeCall},
      {"xpu_runtime", EventKind::kRuntimeCall},
      {"xpu_driver", EventKind::kRuntimeCall},
      {"privateuse1_runtime", EventKind::kRuntimeCall},
      {"glow_runtime", EventKind::kRuntimeCall},
      {"hpu_op", EventKind::kRuntimeCall},
      {"kernel", EventKind::kKernel},
      {"Kernel", EventKind::kKernel},
      {"mtia_ccp_events", EventKind::kKernel},
      {"gpu_memcpy", EventKind::kMemcpy},
      {"Memcpy", EventKind::kMemcpy},
      {"gpu_memset", EventKind::kMemset},
      {"Memset", EventKind::kMemset},
      {"cuda_sync", EventKind::kSync},
      {"xpu_sync", EventKind::kSync},
      {"gpu_user_annotation", EventKind::kDeviceAnnotation},
  };
  for (const auto& [category, kind] : kinds) {
    const Read read = read_events(event(category, "a"));
    ASSERT_EQ(read.trace.size(), 2U) << category;
    EXPECT_EQ(read.trace.kind[1], kind) << category;
    const bool on_device = kind != EventKind::kOp && kind != EventKind::kAnnotation && kind != EventKind::kRuntimeCall;
    EXPECT_EQ(read.trace.tracks[read.trace.track[1].index()].on_device, on_device) << category;
  }
}

TEST(KinetoTest, AStepWrittenAsAnOperatorIsAnAnnotation) {
  EXPECT_EQ(read_events(event("Operator", "ProfilerStep#5")).trace.kind[1], EventKind::kAnnotation);
}

TEST(KinetoTest, RecordsThatAReplayDoesNotNeedAreCountedAndNotStored) {
  const Read read = read_events(
      event("python_function", "f") + "," + event("python_function", "g") + "," + event("overhead", "o") + "," +
      event("Trace", "t") + "," + event("marzipan", "m") +
      R"(,{"ph":"s","cat":"ac2g","id":1},{"ph":"f","cat":"ac2g","id":1},{"ph":"C","name":"c"},{"ph":"i","name":"i"},{"ph":"B","name":"b"})");
  EXPECT_EQ(read.trace.size(), 1U);
  EXPECT_THAT(read.trace.texts, ElementsAre("last", "o"));
  ASSERT_EQ(read.trace.overheads.size(), 1U);  // stored, because stats and check report it
  EXPECT_EQ(read.trace.text(read.trace.overheads[0].kind), "o");
  EXPECT_EQ(read.sink.events, 11U);
  EXPECT_EQ(read.sink.skipped, 0U);
  EXPECT_EQ(read.count("not used: python_function"), 2U);
  EXPECT_EQ(read.count("not used: Trace"), 1U);
  EXPECT_EQ(read.count("unknown category marzipan"), 1U);
  EXPECT_EQ(read.count("not used: flow"), 2U);
  EXPECT_EQ(read.count("not used: counter"), 1U);
  EXPECT_EQ(read.count("not used: instant"), 1U);
  EXPECT_EQ(read.count("not used: other phase"), 1U);
  for (const auto& entry : read.sink.diagnostics.entries())
    EXPECT_EQ(entry.severity == Severity::kInfo, entry.name != "unknown category marzipan") << entry.name;
}

/// Work with an unknown category is missing from the replay, so the warning states its share of the time.
TEST(KinetoTest, ACategoryThatIsNotUnderstoodAndHoldsTimeIsAWarningWithItsShare) {
  const Read read = read_events(R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":0,"dur":1000},)"
                                R"({"ph":"X","cat":"tpu_op","name":"b","pid":2,"tid":1,"ts":100,"dur":200},)"
                                R"({"ph":"X","cat":"tpu_op","name":"b","pid":2,"tid":1,"ts":200,"dur":200},)"
                                R"({"ph":"X","cat":"trifle","name":"c","pid":2,"tid":1,"ts":200,"dur":1})");
  ASSERT_EQ(read.count("unknown category tpu_op"), 2U);
  EXPECT_EQ(read.count("not used: other category"), 1U);
  for (const auto& entry : read.sink.diagnostics.entries()) {
    if (entry.name != "unknown category tpu_op") continue;
    EXPECT_EQ(entry.severity, Severity::kDataLoss);
    EXPECT_EQ(entry.detail, "6 % of the span");  // 100 to 400 us, of the 5,001 us until the end of "last"
  }
}

/// A trace in the form that torch_npu writes: processes have names, events have no categories, and flows lead from
/// calls to work.
constexpr std::string_view kAscendNames =
    R"({"ph":"M","name":"process_name","pid":7,"args":{"name":"CANN"}},)"
    R"({"ph":"M","name":"process_name","pid":8,"args":{"name":"Ascend Hardware"}},)"
    R"({"ph":"M","name":"process_name","pid":9,"args":{"name":"HCCL"}})";
constexpr std::string_view kAscendEvents =
    R"({"ph":"X","cat":"enqueue","name":"Enqueue","pid":1,"tid":1,"ts":"0","dur":5,"args":{"correlation_id":3}},)"
    R"({"ph":"X","cat":"dequeue","name":"Dequeue@aclnnMm","pid":1,"tid":2,"ts":"10","dur":50,"args":{"correlation_id":3}},)"
    R"({"ph":"X","name":"AscendCL@aclnnMm","pid":7,"tid":2,"ts":"12","dur":40},)"
    R"({"ph":"X","name":"Node@launch","pid":7,"tid":2,"ts":"20","dur":10},)"
    R"({"ph":"s","cat":"HostToDevice","name":"HostToDevice17","id":"17","pid":7,"tid":2,"ts":"25"},)"
    R"({"ph":"X","name":"MatMul","pid":8,"tid":4,"ts":"40","dur":100,"args":{"Task Type":"AI_CORE"}},)"
    R"({"ph":"f","cat":"HostToDevice","name":"HostToDevice17","id":"17","pid":8,"tid":4,"ts":"40"},)"
    R"({"ph":"X","name":"EVENT_WAIT","pid":8,"tid":4,"ts":"140","dur":60,"args":{"Task Type":"EVENT_WAIT_SQE"}},)"
    R"({"ph":"X","name":"Memcpy","pid":9,"tid":1,"ts":"150","dur":10},)"
    R"({"ph":"X","name":"hcom_allReduce__586_2_1","pid":9,"tid":0,"ts":"150","dur":30,)"
    R"("args":{"data_type":"FP16","count":1000}})";

/// Returns the number of the first event with this name.
std::size_t named(const HostDeviceTrace& trace, std::string_view name) {
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace.text(trace.name[i]) == name) return i;
  }
  ADD_FAILURE() << "no event " << name;
  return 0;
}

void expect_ascend(const Read& read) {
  const HostDeviceTrace& trace = read.trace;
  const std::size_t launch = named(trace, "launch");
  const std::size_t work = named(trace, "MatMul");
  EXPECT_EQ(trace.kind[launch], EventKind::kRuntimeCall);
  EXPECT_EQ(trace.track[launch], trace.track[named(trace, "Dequeue@aclnnMm")]) << "one thread, one row";
  EXPECT_EQ(trace.kind[work], EventKind::kKernel);
  EXPECT_GE(trace.correlation[work], 0);
  EXPECT_EQ(trace.correlation[work], trace.correlation[launch]) << "the innermost call made the launch";
  ASSERT_EQ(trace.hand_overs.size(), 1U);
  EXPECT_EQ(trace.hand_overs[0].from, named(trace, "Enqueue"));
  EXPECT_EQ(trace.hand_overs[0].to, named(trace, "Dequeue@aclnnMm"));
  const std::size_t collective = named(trace, "hcom_allReduce__586_2_1");
  const EventDetail* const detail = trace.detail_of(collective);
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(trace.text(detail->collective), "allreduce");
  EXPECT_EQ(key_of(trace, detail->group), "586");
  EXPECT_EQ(detail->sequence, 2);
  EXPECT_EQ(detail->bytes, Bytes{2000});
  EXPECT_EQ(read.count("not used: Ascend's waits, and parts of collectives"), 2U);
}

TEST(KinetoTest, AscendsProcessesAreReadAsCallsWorkAndCollectives) {
  expect_ascend(read_events(std::string(kAscendNames) + "," + std::string(kAscendEvents)));
}

TEST(KinetoTest, AnAscendLayerMayBeNamedAfterItsEvents) {
  const std::string after = std::string(kAscendEvents) + "," + std::string(kAscendNames);
  expect_ascend(read_events(after));
  // A process that no metadata record names stays unknown.
  EXPECT_EQ(read_events(after + R"(,{"ph":"X","name":"MatMul","pid":77,"tid":4,"ts":"40","dur":100})")
                .count("events without a category"),
            1U);
}

TEST(KinetoTest, WithoutCallsOfCannWhatAnOperatorEnqueuedLaunchesItsWork) {
  // Level 0: flows lead from operators to work. The outer operator and the inner one begin with the same enqueued call.
  const Read read = read_events(
      R"({"ph":"M","name":"process_name","pid":8,"args":{"name":"Ascend Hardware"}},)"
      R"({"ph":"X","cat":"cpu_op","name":"aten::copy_","pid":1,"tid":1,"ts":"0","dur":30,"args":{}},)"
      R"({"ph":"X","cat":"cpu_op","name":"aclnnCopy","pid":1,"tid":1,"ts":"4","dur":10,"args":{}},)"
      R"({"ph":"X","cat":"enqueue","name":"Enqueue","pid":1,"tid":1,"ts":"6","dur":5,"args":{"correlation_id":3}},)"
      R"({"ph":"X","cat":"dequeue","name":"Dequeue","pid":1,"tid":2,"ts":"20","dur":9,"args":{"correlation_id":3}},)"
      R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":"40","dur":10,"args":{}},)"
      R"({"ph":"X","cat":"enqueue","name":"Direct","pid":1,"tid":1,"ts":"42","dur":5,"args":{"correlation_id":4}},)"
      R"({"ph":"X","cat":"cpu_op","name":"aten::empty","pid":1,"tid":1,"ts":"60","dur":10,"args":{}},)"
      R"({"ph":"s","cat":"async_npu","name":"torch_to_npu","id":"11","pid":1,"tid":1,"ts":"0"},)"
      R"({"ph":"s","cat":"async_npu","name":"torch_to_npu","id":"12","pid":1,"tid":1,"ts":"4"},)"
      R"({"ph":"s","cat":"async_npu","name":"torch_to_npu","id":"13","pid":1,"tid":1,"ts":"40"},)"
      R"({"ph":"s","cat":"async_npu","name":"torch_to_npu","id":"14","pid":1,"tid":1,"ts":"60"},)"
      R"({"ph":"X","name":"Copy","pid":8,"tid":4,"ts":"50","dur":10,"args":{"Task Type":"AI_CORE"}},)"
      R"({"ph":"X","name":"Cast","pid":8,"tid":4,"ts":"62","dur":10,"args":{"Task Type":"AI_CORE"}},)"
      R"({"ph":"X","name":"MatMul","pid":8,"tid":4,"ts":"80","dur":10,"args":{"Task Type":"AI_CORE"}},)"
      R"({"ph":"X","name":"Other","pid":8,"tid":4,"ts":"100","dur":10,"args":{"Task Type":"AI_CORE"}},)"
      R"({"ph":"f","cat":"async_npu","name":"torch_to_npu","id":"11","pid":8,"tid":4,"ts":"50"},)"
      R"({"ph":"f","cat":"async_npu","name":"torch_to_npu","id":"12","pid":8,"tid":4,"ts":"62"},)"
      R"({"ph":"f","cat":"async_npu","name":"torch_to_npu","id":"13","pid":8,"tid":4,"ts":"80"},)"
      R"({"ph":"f","cat":"async_npu","name":"torch_to_npu","id":"14","pid":8,"tid":4,"ts":"100"})");
  const HostDeviceTrace& trace = read.trace;
  const auto correlation = [&trace](std::string_view name) -> std::int64_t {
    return trace.correlation[named(trace, name)];
  };
  EXPECT_EQ(trace.kind[named(trace, "Dequeue")], EventKind::kRuntimeCall);
  EXPECT_EQ(trace.kind[named(trace, "Enqueue")], EventKind::kOp);
  EXPECT_GE(correlation("Dequeue"), 0);
  EXPECT_EQ(correlation("Copy"), correlation("Dequeue"));
  EXPECT_EQ(correlation("Cast"), correlation("Dequeue"));
  EXPECT_EQ(trace.kind[named(trace, "Direct")], EventKind::kRuntimeCall) << "no thread took it";
  EXPECT_EQ(correlation("MatMul"), correlation("Direct"));
  EXPECT_NE(correlation("MatMul"), correlation("Copy"));
  EXPECT_EQ(correlation("Other"), -1) << "its operator enqueued nothing";
}

TEST(KinetoTest, WithoutCorrelationsTheExternalIdLinksCallsAndWork) {
  const auto one = [](std::string_view category, std::string_view name, int at, int id, std::string_view more = "") {
    return fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":1,"ts":{},"dur":2,"args":{{"External id":{}{}}}}},)",
        category, name, at, id, more);
  };
  std::string text = one("cuda_runtime", "hipGetDevice", 0, 5) + one("cuda_runtime", "hipLaunchKernel", 3, 5) +
                     one("cuda_runtime", "hipLaunchKernel", 6, 5) + one("cuda_runtime", "hipMemcpyWithStream", 9, 6) +
                     one("kernel", "first", 20, 5) + one("kernel", "second", 30, 5) + one("gpu_memcpy", "copy", 40, 6) +
                     one("kernel", "other", 50, 7);
  text.pop_back();
  const HostDeviceTrace trace = read_events(text).trace;
  const std::size_t launch = named(trace, "hipLaunchKernel");
  EXPECT_GE(trace.correlation[launch], 0);
  EXPECT_EQ(trace.correlation[named(trace, "first")], trace.correlation[launch]);
  EXPECT_EQ(trace.correlation[named(trace, "second")], trace.correlation[launch + 1]);
  EXPECT_NE(trace.correlation[launch], trace.correlation[launch + 1]);
  EXPECT_EQ(trace.correlation[named(trace, "copy")], trace.correlation[named(trace, "hipMemcpyWithStream")]);
  EXPECT_EQ(trace.correlation[named(trace, "hipGetDevice")], -1);
  EXPECT_EQ(trace.correlation[named(trace, "other")], -1);

  const std::string with_correlation = text + "," + one("kernel", "linked", 60, 5, R"(,"correlation":3)");
  const HostDeviceTrace linked = read_events(with_correlation.substr(0, with_correlation.size() - 1)).trace;
  EXPECT_EQ(linked.correlation[named(linked, "first")], -1) << "the trace has correlations";
}

TEST(KinetoTest, TheExternalIdJoinsDeviceWorkToTheCollectivesCall) {
  constexpr std::string_view kCall =
      R"({"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":1,"tid":1,"ts":0,"dur":9,"args":{"External id":8,)"
      R"("Collective name":"allreduce","In msg nelems":1000,"Out msg nelems":1000,"dtype":"Float","Seq":3}},)";
  const auto work = [](std::string_view category, std::string_view name, int at, int id, int correlation) {
    return fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":0,"tid":7,"ts":{},"dur":2,"args":{{"External id":{},"correlation":{}}}}})",
        category, name, at, id, correlation);
  };
  // The calls of the runtime were not recorded, so no correlation leads to the operator.
  const std::string text = std::string(kCall) + work("kernel", "peer 1", 20, 8, 5) + "," +
                           work("kernel", "peer 2", 30, 8, 6) + "," + work("kernel", "other", 40, 9, 7) + "," +
                           work("gpu_memset", "set", 50, 8, 8);
  const HostDeviceTrace trace = read_events(text).trace;
  const EventDetail* const detail = trace.detail_of(named(trace, "peer 1"));
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(detail->bytes, Bytes{4000});
  EXPECT_EQ(detail->sequence, 3);
  EXPECT_EQ(trace.detail_of(named(trace, "peer 2")), detail) << "it is the same collective";
  EXPECT_EQ(trace.detail_of(named(trace, "other")), nullptr);
  EXPECT_NE(trace.detail_of(named(trace, "set")), detail);
}

TEST(KinetoTest, EqualNamesShareOneText) {
  const Read read = read_events(event("cpu_op", "a") + "," + event("cpu_op", "b") + "," + event("cpu_op", "a"));
  EXPECT_THAT(read.trace.texts, ElementsAre("last", "a", "b"));
  EXPECT_EQ(read.trace.name[1], read.trace.name[3]);
}

// ---------------------------------------------------------------- time

Time at_ns(std::int64_t ns) { return Time{Duration{ns}}; }

TEST(KinetoTest, TheBaseTimeIsAddedExactlyWhereverItStands) {
  // The absolute time in ns is baseTimeNanoseconds + 1000 * ts.
  constexpr std::string_view kEvent =
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":4458676524648.797,"dur":189.626})";
  for (const std::string& text :
       {R"({"baseTimeNanoseconds": 1711964646000000000, "traceEvents": [)" + std::string{kEvent} + "]}",
        R"({"traceEvents": [)" + std::string{kEvent} + R"(], "baseTimeNanoseconds": 1711964646000000000})"}) {
    const Read read = read_file(text);
    EXPECT_EQ(read.trace.start[0], at_ns(1711964646000000000 + 4458676524648797));
    EXPECT_EQ(read.trace.duration[0], Duration{189626});
    EXPECT_TRUE(read.trace.has_base_time);
  }
}

TEST(KinetoTest, WithoutABaseTimeLargeTimesAreUnixTimes) {
  const Read unix_time =
      read_file(R"([{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1669783687464611,"dur":50}])");
  EXPECT_EQ(unix_time.trace.start[0], at_ns(1669783687464611000));
  EXPECT_TRUE(unix_time.trace.has_base_time);
  const Read relative =
      read_file(R"([{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":4458676524648,"dur":50}])");
  EXPECT_EQ(relative.trace.start[0], at_ns(4458676524648000));
  EXPECT_FALSE(relative.trace.has_base_time);
}

TEST(KinetoTest, ABaseTimeThatDoesNotFitIsIgnoredAndCounted) {
  const Read read = read_events("", "\"baseTimeNanoseconds\": 9223372036854775807");
  EXPECT_EQ(read.trace.start[0], at_ns(5'000'000));
  EXPECT_EQ(read.count("bad_base_time"), 1U);
}

TEST(KinetoTest, DeviceWorkWithoutATimeStampIsLeftOut) {
  const std::string zero = R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":0,"dur":0})";
  const Read read = read_events(
      zero + "," + zero +
      R"(,{"ph":"X","cat":"kernel","name":"no ts","pid":0,"tid":7,"dur":5},{"ph":"X","cat":"cpu_op","name":"first","pid":1,"tid":2,"ts":0,"dur":0})");
  EXPECT_EQ(read.count("no_timestamp"), 3U);
  EXPECT_EQ(read.sink.skipped, 3U);
  EXPECT_EQ(read.trace.size(), 2U) << "an operator may begin at 0, where the trace begins";
}

TEST(KinetoTest, ImpossibleDurationsAreLeftOut) {
  // The longest duration that is accepted is 7 days, 604,800 s.
  const Read read =
      read_events(R"({"ph":"X","cat":"kernel","name":"7 days","pid":0,"tid":7,"ts":1,"dur":604800000000},)"
                  R"({"ph":"X","cat":"kernel","name":"more","pid":0,"tid":7,"ts":1,"dur":604800000000.001},)"
                  R"({"ph":"X","cat":"kernel","name":"overflow","pid":0,"tid":7,"ts":1,"dur":18446744073709551615},)"
                  R"({"ph":"X","cat":"kernel","name":"no number","pid":0,"tid":7,"ts":1,"dur":NaN})");
  EXPECT_EQ(read.trace.size(), 2U);
  EXPECT_EQ(read.count("absurd_duration"), 3U);
  EXPECT_EQ(read.sink.skipped, 3U);
}

TEST(KinetoTest, AMissingOrNegativeDurationCountsAsZero) {
  const Read read = read_events(
      R"({"ph":"X","cat":"kernel","name":"missing","pid":0,"tid":7,"ts":1},{"ph":"X","cat":"kernel","name":"negative","pid":0,"tid":7,"ts":1,"dur":-4})");
  ASSERT_EQ(read.trace.size(), 3U);
  EXPECT_EQ(read.trace.duration[1], Duration{});
  EXPECT_EQ(read.trace.duration[2], Duration{});
  EXPECT_EQ(read.count("no_duration"), 1U);
  EXPECT_EQ(read.count("negative_duration"), 1U);
  EXPECT_EQ(read.sink.skipped, 0U);
}

// ---------------------------------------------------------------- rows

TEST(KinetoTest, ProcessAndThreadMakeAHostRow) {
  const Read read = read_events(
      R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":3,"ts":1,"dur":1},{"ph":"X","cat":"cuda_runtime","name":"b","pid":1,"tid":2,"ts":1,"dur":1},)"
      R"x({"ph":"M","name":"thread_name","pid":1,"tid":3,"args":{"name":"thread 3 (pt_autograd_0)"}})x");
  ASSERT_EQ(read.trace.tracks.size(), 2U);
  EXPECT_EQ(read.trace.track[0], read.trace.track[2]);
  EXPECT_EQ(read.trace.tracks[1].process, "1");
  EXPECT_EQ(read.trace.tracks[1].thread, "3");
  EXPECT_EQ(read.trace.tracks[1].name, "thread 3 (pt_autograd_0)");
  EXPECT_FALSE(read.trace.tracks[1].on_device);
}

const Track& device_row(const Read& read) { return read.trace.tracks[read.trace.track[1].index()]; }

TEST(KinetoTest, DeviceAndStreamComeFromTheArgumentsBeforeTheRow) {
  const Read read = read_events(event("kernel", "k", R"(,"args":{"device":3,"stream":21,"correlation":9})"));
  EXPECT_EQ(device_row(read).device, 3);
  EXPECT_EQ(device_row(read).stream, 21);
  EXPECT_EQ(read.trace.correlation[1], 9);
}

TEST(KinetoTest, WithoutArgumentsTheRowTellsDeviceAndStream) {
  const Read numbers = read_events(event("kernel", "k"));
  EXPECT_EQ(device_row(numbers).device, 1);
  EXPECT_EQ(device_row(numbers).stream, 2);
  // In traces of 2021, every tid is a string.
  const Read texts = read_events(R"({"ph":"X","cat":"Kernel","name":"k","pid":"0","tid":"stream 7","ts":1,"dur":1})");
  EXPECT_EQ(device_row(texts).device, 0);
  EXPECT_EQ(device_row(texts).stream, 7);
}

TEST(KinetoTest, OneStreamIsOneRowHoweverItIsWritten) {
  const Read read = read_events(
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1,"args":{"device":0,"stream":7}},)"
      R"({"ph":"X","cat":"gpu_user_annotation","name":"n","pid":0,"tid":7,"ts":1,"dur":1},)"
      R"({"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":1000007,"ts":1,"dur":1,"args":{"device":0,"stream":"7"}})");
  EXPECT_EQ(read.trace.track[1], read.trace.track[2]);
  EXPECT_EQ(read.trace.track[1], read.trace.track[3])
      << "new Kineto draws syncs on a row of their own: args.stream counts";
}

TEST(KinetoTest, CorrelationsMayBeTextAndNeedNotFit) {
  EXPECT_EQ(read_events(event("cuda_runtime", "r", R"(,"args":{"correlation":"77"})")).trace.correlation[1], 77);
  EXPECT_EQ(
      read_events(event("cuda_runtime", "r", R"(,"args":{"correlation":18446744073709551616})")).trace.correlation[1],
      -1);
  EXPECT_EQ(read_events(event("cuda_runtime", "r", R"(,"args":{"cbid":211})")).trace.correlation[1], -1);
}

// ---------------------------------------------------------------- details

const EventDetail& detail_of(const Read& read) {
  const EventDetail* const detail = read.trace.detail_of(1);
  static const EventDetail none;
  EXPECT_NE(detail, nullptr);
  return detail == nullptr ? none : *detail;
}

TEST(KinetoTest, CopiesAndMemsetsTellTheirBytes) {
  EXPECT_EQ(detail_of(read_events(event("gpu_memcpy", "Memcpy HtoD", R"(,"args":{"bytes":4096})"))).bytes, Bytes{4096});
  EXPECT_EQ(detail_of(read_events(event("gpu_memset", "Memset", R"(,"args":{"bytes":"12"})"))).bytes, Bytes{12});
  EXPECT_EQ(detail_of(read_events(event("gpu_memset", "Memset", R"(,"args":{"bytes":9223372036854775807})"))).bytes,
            Bytes{0})
      << "no plausible size";
}

TEST(KinetoTest, ASyncTellsWhatItWaitedFor) {
  const Read read = read_events(event(
      "cuda_sync", "Stream Wait Event",
      R"(,"args":{"stream":20,"wait_on_stream":7,"wait_on_cuda_event_record_corr_id":1533,"wait_on_cuda_event_id":8,"correlation":1536})"));
  EXPECT_EQ(detail_of(read).stream, 20);
  EXPECT_EQ(detail_of(read).wait_stream, 7);
  EXPECT_EQ(detail_of(read).wait_correlation, 1533);
  // -1 means all streams. Old files contain it as an unsigned number.
  EXPECT_EQ(detail_of(read_events(event("cuda_sync", "Context Sync", R"(,"args":{"stream":4294967295})"))).stream, -1);
}

TEST(KinetoTest, ACollectiveKernelCarriesItsMetadata) {
  const Read read = read_events(event(
      "kernel", "ncclDevKernel_AllGather_RING_LL",
      R"(,"args":{"Collective name":"_allgather_base","In msg nelems":1024,"Out msg nelems":8192,"dtype":"BFloat16","Group size":8,)"
      R"("Process Group Name":"3","Process Group Ranks":"[0, 1, 2, 3]","Seq":42})"));
  const EventDetail& detail = detail_of(read);
  EXPECT_EQ(read.trace.text(detail.collective), "_allgather_base");
  EXPECT_EQ(key_of(read.trace, detail.group), "[0, 1, 2, 3] ");
  EXPECT_EQ(read.trace.text(detail.dtype), "BFloat16");
  EXPECT_EQ(detail.elements, 8192);
  EXPECT_EQ(detail.bytes, Bytes{16384}) << "8192 elements of 2 bytes: the larger side";
  EXPECT_EQ(detail.sequence, 42);
  EXPECT_EQ(read_events(event("kernel", "plain")).trace.detail_of(1), nullptr);
}

TEST(KinetoTest, SendAndReceiveNameTheirPeer) {
  const auto peer = [](std::string_view collective) {
    return detail_of(read_events(event("kernel", "ncclDevKernel_SendRecv",
                                       R"(,"args":{"Collective name":")" + std::string{collective} +
                                           R"(","In msg nelems":4,"dtype":"Float","Src Rank":5,"Dst Rank":6})")))
        .peer;
  };
  EXPECT_EQ(peer("send"), 6);
  EXPECT_EQ(peer("recv"), 5);
  EXPECT_EQ(peer("allreduce"), -1);
}

TEST(KinetoTest, HostCollectivesTellTheirBytesByInputShapes) {
  const auto bytes = [](std::string_view category, std::string_view name, std::string_view arguments) {
    return detail_of(read_events(event(category, name, R"(,"args":{)" + std::string{arguments} + "}"))).bytes.count();
  };
  // 1048576 floats are 4 MiB.
  EXPECT_EQ(bytes("user_annotation", "gloo:all_reduce", R"("Input Dims":[[1048576]],"Input type":["float"])"), 4 << 20);
  EXPECT_EQ(bytes("user_annotation", "nccl:all_to_all", R"("Input Dims":[[16,64]],"Input type":["c10::BFloat16"])"),
            2048);
  EXPECT_EQ(bytes("cpu_op", "torch::autograd::AccumulateGrad", R"("Input Dims":[[512,2]],"Input type":["double"])"),
            8192);
  EXPECT_EQ(bytes("cpu_op", "c10d::allreduce_",
                  R"("Input Dims":[[[1048576],[4,2]],[],[]],"Input type":["TensorList","","Scalar"])"),
            4 * (1048576 + 8));
  EXPECT_EQ(bytes("cpu_op", "c10d::_allgather_base_", R"("Input Dims":[[8,4],[4]],"Input type":["float","float"])"),
            128)
      << "the larger side";
  EXPECT_EQ(bytes("cpu_op", "record_param_comms",
                  R"("Collective name":"allreduce","In msg nelems":10,"Out msg nelems":10,"dtype":"Float")"),
            40);
  EXPECT_EQ(bytes("cpu_op", "c10d::barrier", R"("Input Dims":[],"Input type":[])"), 0);
  EXPECT_EQ(
      bytes("user_annotation", "gloo:all_reduce", R"("Input Dims":[[9223372036854775807,2]],"Input type":["float"])"),
      0)
      << "beyond a pebibyte: unknown";
  EXPECT_EQ(read_events(event("cpu_op", "aten::mm", R"(,"args":{"Input Dims":[[2]],"Input type":["float"]})"))
                .trace.detail_of(1),
            nullptr);
}

TEST(KinetoTest, AnAssumedElementTypeIsReported) {
  EXPECT_EQ(
      read_events(event("cpu_op", "c10d::allreduce_", R"(,"args":{"Input Dims":[[[8]]],"Input type":["TensorList"]})"))
          .count("element_type_assumed"),
      1U);
  EXPECT_EQ(read_events(event("cpu_op", "gloo:all_reduce", R"(,"args":{"Input Dims":[[8]],"Input type":["float"]})"))
                .count("element_type_assumed"),
            0U);
}

TEST(KinetoTest, AHostSendNamesItsPeerInItsThirdInput) {
  const Read read = read_events(event(
      "cpu_op", "c10d::send",
      R"(,"args":{"Input Dims":[[[16,4]],[],[],[]],"Input type":["TensorList","","Scalar","Scalar"],"Concrete Inputs":["","","3","0"]})"));
  EXPECT_EQ(detail_of(read).peer, 3);
}

TEST(KinetoTest, AGroupWhoseRanksAreCutIsFoundByItsName) {
  const Read read = read_events(
      event("kernel", "nccl",
            R"(,"args":{"Collective name":"allreduce","Process Group Name":"7","Process Group Ranks":"[0, 1, ...]"})"),
      R"("distributedInfo": {"pg_config": [{"pg_name": "0", "ranks": [0, 1]}, {"pg_name": "7", "ranks": [0, 1, 2, 3]}]})");
  EXPECT_EQ(key_of(read.trace, detail_of(read).group), "[0, 1, 2, 3] ");
}

// ---------------------------------------------------------------- the file's header

TEST(KinetoTest, DistributedInfoTellsTheRank) {
  const HostDeviceTrace trace =
      read_events("", R"("distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8})").trace;
  EXPECT_EQ(trace.rank, 3);
  EXPECT_EQ(trace.world_size, 8);
  EXPECT_EQ(trace.backend, "nccl");
  EXPECT_EQ(read_events("").trace.rank, std::nullopt);
  EXPECT_EQ(read_events("", R"("distributedInfo": {"rank": -1, "world_size": "x"})").trace.rank, std::nullopt);
  EXPECT_EQ(read_events("", R"("distributedInfo": null)").trace.rank, std::nullopt);
}

/// Returns how many ranks share a batch, according to the groups of a rank in a job with `world` ranks. Each group is
/// given by its description and its number of ranks.
std::optional<std::int64_t> ranks_of_batch(int world, const std::vector<std::pair<std::string, int>>& groups) {
  std::string list;
  for (const auto& [description, size] : groups) {
    list += fmt::format(R"({}{{"pg_name": "1", "pg_desc": "{}", "pg_size": {}}})", list.empty() ? "" : ", ",
                        description, size);
  }
  return read_events(
             "", fmt::format(R"("distributedInfo": {{"rank": 3, "world_size": {}, "pg_config": [{}]}})", world, list))
      .trace.ranks_of_batch;
}

TEST(KinetoTest, GroupsThatSplitAModelShareABatch) {
  EXPECT_EQ(ranks_of_batch(8, {{"default_pg", 8}, {"TENSOR_MODEL_PARALLEL_GROUP", 8}}), 8);
  EXPECT_EQ(
      ranks_of_batch(
          32, {{"TENSOR_MODEL_PARALLEL_GROUP", 4}, {"PIPELINE_MODEL_PARALLEL_GROUP", 2}, {"DATA_PARALLEL_GROUP", 4}}),
      8);
  EXPECT_EQ(ranks_of_batch(8, {{"mesh_dp", 4}, {"mesh_tp", 2}}), 2);
  EXPECT_EQ(ranks_of_batch(8, {{"mesh_dp", 8}}), 1) << "known to share none";
  EXPECT_EQ(ranks_of_batch(8, {{"default_pg", 8}, {"undefined", 4}}), std::nullopt);
  EXPECT_EQ(ranks_of_batch(8, {{"mesh_tp", 3}}), std::nullopt) << "no 3 of 8";
  EXPECT_EQ(ranks_of_batch(8, {{"mesh_tp", 16}}), std::nullopt);
}

TEST(KinetoTest, OfTwoBackendsTheOneOfTheUsedDeviceCounts) {
  const std::string both = R"("distributedInfo": {"backend": "cpu:gloo,cuda:nccl"})";
  EXPECT_EQ(read_events("", both).trace.backend, "gloo");
  EXPECT_EQ(read_events(event("kernel", "k"), both).trace.backend, "nccl");
}

TEST(KinetoTest, TheHostIsNamedInTheFileOrByItsName) {
  constexpr std::string_view kFile = R"([{"ph":"X","cat":"cpu_op","name":"a","pid":4711,"tid":2,"ts":1,"dur":1}])";
  const auto host = [&](const char* name) { return read_file(kFile, name).trace.host_name; };
  EXPECT_EQ(host("/data/node-7_4711.1694128201545.pt.trace.json"), "node-7");
  EXPECT_EQ(host("gpu_node_2_4711.1694128201545.pt.trace.json.gz"), "gpu_node_2");
  EXPECT_EQ(host("rank0.pt.trace.json"), "");
  EXPECT_EQ(host("node_x.123.pt.trace.json"), "");
  EXPECT_EQ(host("node-7_4711.json"), "");
  EXPECT_EQ(host("worker0_step_12.1694128201545.pt.trace.json"), "");  // 12 is not the process id of the events
  EXPECT_EQ(read_events("", R"("host_name": "twshared1")").trace.host_name, "twshared1");
}

TEST(KinetoTest, TheDeviceIsTheOneThatIsUsed) {
  const std::string properties =
      R"("deviceProperties": [{"id": 0, "name": "A"}, {"id": 1, "name": "B", "totalGlobalMem": 25757220864}])";
  EXPECT_EQ(read_events(event("kernel", "k"), properties).trace.device_memory, 25'757'220'864) << "pid 1";
  EXPECT_EQ(read_events("", properties).trace.device_memory, std::nullopt);
  EXPECT_EQ(read_events(event("kernel", "k"), properties).trace.device_name, "B") << "pid 1";
  EXPECT_EQ(read_events("", properties).trace.device_name, "A");
  EXPECT_EQ(read_events("", R"("deviceProperties": [])").trace.device_name, "");
  EXPECT_EQ(read_events("", R"("deviceProperties": "x")").trace.device_name, "");
}

// ---------------------------------------------------------------- files that cannot be used

TEST(KinetoTest, AFileWithNothingToReplayIsRefusedWithTheFirstReason) {
  EXPECT_EQ(error_of(R"({"traceEvents": []})"),
            "test.json: the trace has no event to replay; expected operators or kernels of the PyTorch profiler");
  EXPECT_THAT(error_of(R"({"traceEvents": [{"ph":"X","name":"a"b"}]})"),
              HasSubstr("test.json@17: bad_record (1 in all): byte 37: found 'b'; expected ',' or '}'; the trace has "
                        "no event to replay"));
  EXPECT_THAT(error_of(R"([{"ph":"X","cat":"kernel","name":"k","ts":0,"dur":0}])"),
              HasSubstr("no_timestamp (1 in all)"));
}

// ---------------------------------------------------------------- recognising the format

TEST(KinetoTest, KinetoFilesAreRecognisedByTheirMarks) {
  EXPECT_GE(score(R"({"schemaVersion": 1, "deviceProperties": [)"), 80);
  EXPECT_GE(score(R"({"traceEvents": [{"ph": "X", "cat": "cpu_op")"), 80);
  EXPECT_GE(score(R"([{"ph": "X", "cat": "Kernel")"), 80);
  EXPECT_GE(score(R"(  {"distributedInfo": {"rank": 0}, "traceEvents": [)"), 80);
  EXPECT_GE(score("\xEF\xBB\xBF{\"traceEvents\": [{\"name\": \"ProfilerStep#3\""), 80);
  EXPECT_GT(score(R"({"traceEvents": [)", "a_1.2.pt.trace.json"), score(R"({"traceEvents": [)"));
}

TEST(KinetoTest, OtherChromeTracesAreLeftToOtherFormats) {
  EXPECT_LE(score(R"({"traceEvents": [{"ph": "X", "name": "frame")"), 20);
  EXPECT_GT(score(R"({"traceEvents": [{"ph": "X", "name": "frame")"), 0);
  EXPECT_EQ(
      score(
          R"({"traceEvents": [{"ph": "X", "name": "Comm.byteps.gradient_0.PUSH", "pid": "Comm.byteps.gradient_0", "cat": "Comm")"),
      0);
  EXPECT_EQ(score(R"({"traceEvents": [{"ph": "X", "cat": "operator", "name": "rank0.FW.conv0")"), 0);
  EXPECT_EQ(score("\x7f"
                  "ELF"),
            0);
  EXPECT_EQ(score("graph ["), 0);
  EXPECT_EQ(score(""), 0);
}

/// Returns 60 operators whose ids are `step` apart.
std::string numbered_operators(int step) {
  std::string events;
  for (int i = 0; i < 60; ++i) {
    const std::string number = std::to_string(1000 + i * step);
    events += (i == 0 ? "" : ",") + event("cpu_op", "aten::mul", R"(,"args":{"External id":)" + number + "}");
  }
  return events;
}

TEST(KinetoSampleTest, GapsInTheNumbersOfOperatorsShowASample) {
  const Read read = read_events(numbered_operators(70));
  EXPECT_EQ(read.count("sampled_operators"), 60U);
  // The 60 operators have ids in a range of 59 x 70 + 1 ids: one operator in 68.85 is recorded.
  for (const Diagnostics::Entry& entry : read.sink.diagnostics.entries()) {
    if (entry.name == "sampled_operators") {
      EXPECT_EQ(entry.detail, "one operator in 69 is recorded");
    }
  }
}

TEST(KinetoSampleTest, RestsOfBlocksThatThreadsDidNotUseUpAreNoGaps) {
  // Each thread takes ids in blocks of 512. The first thread used 40 ids of the block that begins at 1, the second
  // thread 35 ids of the block that begins at 5 x 512 + 1.
  std::string events;
  for (int number = 1; number <= 2595; ++number) {
    if (number > 40 && number < 2561) continue;
    events += (events.empty() ? "" : ",") +
              event("cpu_op", "aten::mul", R"(,"args":{"External id":)" + std::to_string(number) + "}");
  }
  EXPECT_EQ(read_events(events).count("sampled_operators"), 0U);
}

TEST(KinetoSampleTest, AnnotationsBetweenOperatorsAreNoGaps) {
  EXPECT_EQ(read_events(numbered_operators(1)).count("sampled_operators"), 0U);
  EXPECT_EQ(read_events(numbered_operators(2)).count("sampled_operators"), 0U);
}

}  // namespace

}  // namespace stepsim::ingest
