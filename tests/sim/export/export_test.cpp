#include "sim/export/exporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <map>

#include "model/job/topology.h"
#include "sim/engine/engine.h"
#include "sim/output/json_writer.h"
#include "sim/report/field.h"
#include "tests/sim/sample_capture.h"
#include "tests/sim/temporary_folder.h"

namespace stepsim::sim {
namespace {

using stepsim::testing::DagMaker;
using stepsim::testing::sample_capture;
using stepsim::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Provenance kProvenance{"1.2.3", "abc", "stepsim replay \"a b\"", {{"trace <1>.json", 7, 0x2A}}};

/// Writes one replay to `path`, in the format of its extension.
void write_replay(const std::string& path, const Capture& capture, const Timeline& timeline) {
  export_to_file(path, *find_exporter(path), {.provenance = kProvenance, .replays = {{"replayed", capture, timeline}}});
}

simdjson::dom::element exported(simdjson::dom::parser& parser, const Capture& capture, const std::string& name) {
  const TemporaryFolder folder;
  const Timeline timeline = replay(capture.dag, Machine::as_recorded(capture));
  write_replay(folder.file(name), capture, timeline);
  return parser.load(folder.file(name));  // NOLINT(modernize-return-braced-init-list)
}

std::string text(simdjson::dom::element value) { return std::string(value.get_string().value()); }

/// Returns the events with phase `phase`, in order.
std::vector<simdjson::dom::element> events(simdjson::dom::element trace, std::string_view phase) {
  std::vector<simdjson::dom::element> found;
  for (const simdjson::dom::element event : trace["traceEvents"]) {
    if (event["ph"].get_string().value() == phase) found.push_back(event);
  }
  return found;
}

std::vector<std::string> metadata(simdjson::dom::element trace, std::string_view what) {
  std::vector<std::string> found;
  for (const simdjson::dom::element event : events(trace, "M")) {
    if (event["name"].get_string().value() == what) found.push_back(text(event["args"]["name"]));
  }
  return found;
}

TEST(ChromeExportTest, EachRankIsMeasuredAndReplayedSideBySide) {
  simdjson::dom::parser parser;
  const simdjson::dom::element trace = exported(parser, sample_capture(), "out.trace.json");
  EXPECT_THAT(metadata(trace, "process_name"),
              ElementsAre("rank 0 measured", "rank 0 replayed", "rank 1 measured", "rank 1 replayed"));
  EXPECT_THAT(metadata(trace, "thread_name"), ElementsAre("stream 7", "thread 1", "stream 7", "thread 1", "stream 7",
                                                          "thread 1", "stream 7", "thread 1"));
  EXPECT_EQ(events(trace, "X").size(), 2U * 12U);
}

TEST(ChromeExportTest, MeasuredTimesCountFromTheFirstTaskOfTheJob) {
  // The recording of the sample starts at 1,000 us, and its replay takes exactly as long as the recording. Both must
  // start at 0.
  simdjson::dom::parser parser;
  const simdjson::dom::element trace = exported(parser, sample_capture(), "out.trace.json");
  std::map<std::int64_t, std::vector<std::pair<double, double>>> by_process;
  for (const simdjson::dom::element event : events(trace, "X")) {
    by_process[event["pid"].get_int64()].emplace_back(event["ts"].get_double(), event["dur"].get_double());
  }
  ASSERT_EQ(by_process.size(), 4U);
  EXPECT_EQ(by_process[1], by_process[2]);
  EXPECT_EQ(by_process[3], by_process[4]);
  EXPECT_EQ(by_process[1].front(), (std::pair{0.0, 100.0}));
}

TEST(ChromeExportTest, TimesAreExactToTheNanosecond) {
  DagMaker maker;
  const LaneId lane = maker.lane(0);
  const TaskId first = maker.task(lane, 9'007'199'254'740'993);  // 2^53 + 1 ns, which a double cannot represent
  maker.task(lane, 1, {first});
  Capture capture;
  capture.dag = maker.build();
  const Timeline timeline = replay(capture.dag, Machine{capture.dag});
  const TemporaryFolder folder;
  write_replay(folder.file("out.trace.json"), capture, timeline);
  const std::string trace = stepsim::testing::read_file(folder.file("out.trace.json"));
  EXPECT_THAT(trace, HasSubstr(R"("ts":0.000,"dur":9007199254740.993)"));
  EXPECT_THAT(trace, HasSubstr(R"("ts":9007199254740.993,"dur":0.001)"));
}

TEST(ChromeExportTest, SaysWhatReleasedEachTask) {
  simdjson::dom::parser parser;
  const simdjson::dom::element trace = exported(parser, sample_capture(), "out.trace.json");
  std::vector<std::string> releases;
  for (const simdjson::dom::element event : events(trace, "X")) {
    std::string_view released_by;
    if (event["args"]["released_by"].get(released_by) == simdjson::SUCCESS) releases.emplace_back(released_by);
  }
  EXPECT_THAT(releases, ::testing::Contains("the start of rank 0"));
  EXPECT_THAT(releases, ::testing::Contains("gemm (stream)"));
  EXPECT_THAT(releases, ::testing::Contains("ncclAllReduce (sync)"));
}

TEST(ChromeExportTest, TasksOfOneLaneThatOverlapTakeSeveralThreads) {
  DagMaker maker;
  const LaneId lane = maker.lane(0, LaneOrder::kEdges, "loose");
  for (int i = 0; i < 3; ++i) maker.task(lane, 100 + i);
  Capture capture;
  capture.dag = maker.build();
  simdjson::dom::parser parser;
  const simdjson::dom::element trace = exported(parser, capture, "out.trace.json");
  EXPECT_THAT(metadata(trace, "process_name"), ElementsAre("rank 0 replayed"));
  EXPECT_THAT(metadata(trace, "thread_name"), ElementsAre("loose", "loose (2)", "loose (3)"));
}

TEST(ChromeExportTest, HostileNamesReadBackUnchanged) {
  const std::string hostile =
      "</script>\"\\\n\x1b[31m\xE2\x80\xAE{}[],:\xF0\x9F\x98\x80";  // NOLINT(misc-misleading-bidirectional)
  DagMaker maker;
  maker.task(maker.lane(0, LaneOrder::kEdges, hostile), 1, {}, hostile);
  Capture capture;
  capture.dag = maker.build();
  simdjson::dom::parser parser;
  const simdjson::dom::element trace = exported(parser, capture, "out.trace.json");
  EXPECT_THAT(metadata(trace, "thread_name"), ElementsAre(hostile));
  EXPECT_EQ(text(events(trace, "X").front()["name"]), hostile);
}

TEST(ChromeExportTest, CarriesItsProvenance) {
  simdjson::dom::parser parser;
  const simdjson::dom::element trace = exported(parser, sample_capture(), "out.trace.json");
  EXPECT_EQ(text(trace["otherData"]["version"]), "1.2.3");
  EXPECT_EQ(text(trace["otherData"]["command"]), "stepsim replay \"a b\"");
  const simdjson::dom::element input = trace["otherData"]["inputs"].at(0);
  EXPECT_EQ(text(input["path"]), "trace <1>.json");
  EXPECT_EQ(input["bytes"].get_int64().value(), 7);
  EXPECT_EQ(text(input["crc64"]), "000000000000002a");
}

TEST(TaskGraphExportTest, LagsAndCollectivesBecomeComputes) {
  simdjson::dom::parser parser;
  const simdjson::dom::element graph = exported(parser, sample_capture(), "out.tasks.json");
  std::map<std::string, int> names;
  for (const simdjson::dom::element task : graph["tasks"]) {
    EXPECT_EQ(text(task["kind"]), "compute");
    ++names[text(task["name"])];
  }
  // The sample has 12 tasks, 2 collectives and 4 lags of 20 us.
  EXPECT_EQ(names["gemm"] + names["ncclAllReduce"] + names["optimizer"], 12);
  EXPECT_EQ(names["stepsim:collective"], 2);
  EXPECT_EQ(names["stepsim:lag"], 4);
  EXPECT_EQ(text(graph["provenance"]["commit"]), "abc");
}

TEST(TaskGraphExportTest, EachLaneIsAHost) {
  // The four lanes are hosts, and concurrent lags need two more. Collectives share these two, because they never
  // overlap a lag.
  simdjson::dom::parser parser;
  const simdjson::dom::element graph = exported(parser, sample_capture(), "out.tasks.json");
  EXPECT_EQ(graph["hosts"].get_int64().value(), 4 + 2);
}

/// Returns `text` without the glossary of a report page, because the terms in it name kinds of work.
std::string without_glossary(std::string text) {
  const std::size_t begin = text.find(R"(id="data-glossary">)");
  if (begin != std::string::npos) text.erase(begin, text.find("</script>", begin) - begin);
  return text;
}

class EveryExporterTest : public ::testing::TestWithParam<const Exporter*> {
 protected:
  [[nodiscard]] static std::string written(const Capture& capture) {
    const TemporaryFolder folder;
    const std::string path = folder.file("out." + std::string(GetParam()->extension));
    const Timeline timeline = replay(capture.dag, Machine::as_recorded(capture));
    Document document{.headline = "One.", .origin = "stepsim 1.2.3 (abc): stepsim replay"};
    document.rows = [] {
      Table table{{{"a"}}};
      table.add_row({"1"});
      return table;
    };
    document.json = [](JsonWriter& json) {
      json.begin_object();
      write_provenance(json, kProvenance);
      json.end_object();
    };
    const Cluster cluster = star(2, {.bandwidth = Bandwidth::from_bits_per_second(1e9)});
    Answer answer{.provenance = kProvenance,
                  .document = &document,
                  .replays = {{"replayed", capture, timeline}},
                  .cluster = &cluster,
                  .scenario = "changes: []"};
    const Graph graph = graph_of(capture, {}, std::nullopt);
    // with a graph, other exporters would run Graphviz
    if (GetParam()->accepts == Content::kGraph) answer.graph = &graph;
    export_to_file(path, *GetParam(), answer);
    return stepsim::testing::read_file(path);
  }
};

TEST_P(EveryExporterTest, HasANameAnExtensionAndASummary) {
  EXPECT_FALSE(GetParam()->name.empty());
  EXPECT_FALSE(GetParam()->summary.empty());
  const std::array contents{GetParam()->accepts};
  EXPECT_EQ(find_exporter("out." + std::string(GetParam()->extension), contents), GetParam());
}

TEST_P(EveryExporterTest, WritesTheSameBytesEveryTime) {
  EXPECT_EQ(written(sample_capture()), written(sample_capture()));
}

TEST_P(EveryExporterTest, WritesAnEmptyCaptureAsItWritesOthers) {
  const std::string empty = written(Capture{});
  const std::string sample = written(sample_capture());
  EXPECT_EQ(empty.substr(0, 4), sample.substr(0, 4)) << "of another format";
  if (GetParam()->accepts == Content::kTimeline || GetParam()->accepts == Content::kTaskGraph) {
    EXPECT_LT(empty.size(), sample.size());
  }
  EXPECT_THAT(without_glossary(empty), ::testing::Not(HasSubstr("gemm"))) << "a task";
  if (GetParam()->extension.ends_with("json")) {
    simdjson::dom::parser parser;
    EXPECT_EQ(parser.parse(empty).error(), simdjson::SUCCESS) << empty;
  }
}

TEST_P(EveryExporterTest, CarriesItsProvenance) {
  const std::string file = written(sample_capture());
  if (file.starts_with("PK")) return;  // compressed; tests/cli/exporters.py reads it
  EXPECT_THAT(file, AllOf(HasSubstr("1.2.3"), HasSubstr("abc"), HasSubstr("stepsim replay")));
}

INSTANTIATE_TEST_SUITE_P(All, EveryExporterTest, ::testing::ValuesIn(exporters().begin(), exporters().end()),
                         [](const auto& entry) {
                           std::string name{entry.param->name};
                           name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
                           return name;
                         });

TEST(ExporterTest, LongestExtensionChooses) {
  EXPECT_EQ(find_exporter("a/b.json")->name, "json");
  EXPECT_EQ(find_exporter("a/b.trace.json")->name, "chrome");
  EXPECT_EQ(find_exporter("a/b.tasks.json")->name, "task-graph");
  EXPECT_EQ(find_exporter("a/b.yml"), find_exporter("a/b.yaml"));
}

TEST(ExporterTest, AmongEqualExtensionsTheWantedContentChooses) {
  constexpr std::array kScenario{Content::kScenario};
  EXPECT_EQ(find_exporter("a/b.yaml")->accepts, Content::kCluster);
  EXPECT_EQ(find_exporter("a/b.yaml", kScenario)->accepts, Content::kScenario);
  EXPECT_EQ(find_exporter("a/b.cluster.yaml", kScenario)->accepts, Content::kCluster);
}

TEST(ExporterTest, UnknownExtensionHasNoExporter) {
  for (const std::string path : {"out.txt", "out", "json", "tasks", ""})
    EXPECT_EQ(find_exporter(path), nullptr) << path;
}

TEST(ChromeExportTest, TwoReplaysAreProcessesOneBelowTheOtherWithoutTheMeasurement) {
  const Capture capture = sample_capture();
  const Timeline timeline = replay(capture.dag, Machine::as_recorded(capture));
  const TemporaryFolder folder;
  const std::string path = folder.file("out.trace.json");
  export_to_file(
      path, *find_exporter(path),
      {.provenance = kProvenance, .replays = {{"baseline", capture, timeline}, {"scenario", capture, timeline}}});
  simdjson::dom::parser parser;
  EXPECT_THAT(metadata(parser.load(path), "process_name"),
              ElementsAre("rank 0 baseline", "rank 0 scenario", "rank 1 baseline", "rank 1 scenario"));
}

}  // namespace
}  // namespace stepsim::sim
