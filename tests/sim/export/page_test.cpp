#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <isa-l/igzip_lib.h>
#include <simdjson.h>

#include <algorithm>
#include <array>

#include "sim/engine/engine.h"
#include "sim/export/page/page.h"
#include "sim/output/json_writer.h"
#include "sim/report/field.h"
#include "tests/sim/dag_maker.h"
#include "tests/sim/temporary_folder.h"

namespace stepsim::sim::page_test {
namespace {

using stepsim::testing::DagMaker;
using stepsim::testing::read_file;
using stepsim::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string from_base64(std::string_view text) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text.substr(0, text.find('='))) {
    bits = bits << 6U | static_cast<std::uint32_t>(kDigits.find(c));
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> static_cast<std::uint32_t>(held) & 0xFFU);
  }
  return bytes;
}

std::string inflated(std::string bytes) {
  std::string out(1U << 20U, '\0');
  inflate_state state{};
  isal_inflate_init(&state);
  state.crc_flag = ISAL_GZIP;
  state.next_in = reinterpret_cast<std::uint8_t*>(bytes.data());
  state.avail_in = static_cast<std::uint32_t>(bytes.size());
  state.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  state.avail_out = static_cast<std::uint32_t>(out.size());
  EXPECT_EQ(isal_inflate(&state), ISAL_DECOMP_OK);
  out.resize(out.size() - state.avail_out);
  return out;
}

template <class Fill>
std::string packed(Fill fill) {
  const TemporaryFolder folder;
  OutputFile file{folder.file("column")};
  PackedColumn column{file};
  fill(column);
  column.finish();
  file.commit();
  return inflated(from_base64(read_file(folder.file("column"))));
}

TEST(PackedColumnTest, NumbersTakeSevenBitsAByte) {
  const std::string bytes = packed([](PackedColumn& column) {
    for (const std::uint64_t number : {0U, 127U, 128U, 300U}) column.add(number);
  });
  EXPECT_EQ(bytes, std::string("\x00\x7F\x80\x01\xAC\x02", 6));
}

TEST(PackedColumnTest, SignsAlternate) {
  const std::string bytes = packed([](PackedColumn& column) {
    for (const std::int64_t number : {0, -1, 1, -64, 64}) column.add_signed(number);
  });
  EXPECT_EQ(bytes, std::string("\x00\x01\x02\x7F\x80\x01", 6));
}

TEST(PackedColumnTest, NothingIsNothing) {
  EXPECT_EQ(packed([](PackedColumn&) {}), "");
}

TEST(PackedColumnTest, ALongColumnComesBackWhole) {
  // 300,000 small numbers take several chunks; pseudo-random values keep gzip from compressing them to almost nothing.
  std::string expected;
  for (std::uint32_t i = 0, x = 1; i < 300'000; ++i, x = x * 1'664'525U + 1'013'904'223U)
    expected += static_cast<char>(x >> 25U);
  EXPECT_EQ(packed([&](PackedColumn& column) {
              for (const char c : expected) column.add(static_cast<unsigned char>(c));
            }),
            expected);
}

/// Returns a capture of ten short tasks one after the other on a lane, with a transfer in the middle.
Capture ten_short() {
  DagMaker maker;
  const LaneId lane = maker.lane(0);
  TaskId before = maker.task(lane, 10);
  for (int i = 1; i < 10; ++i) {
    const bool is_transfer = i == 5;
    before =
        maker.task(lane, is_transfer ? 3 : 10 + i, {before}, "", is_transfer ? TaskKind::kTransfer : TaskKind::kHost);
  }
  Capture capture;
  capture.dag = maker.build();
  return capture;
}

std::vector<std::size_t> sizes(const TimelineSpans& spans) {
  std::vector<std::size_t> found;
  for (std::size_t span = 0; span < spans.size(); ++span) found.push_back(spans.tasks(span).size());
  return found;
}

TEST(TimelineSpansTest, EachTaskIsASpanUpToTheLimit) {
  const Capture capture = ten_short();
  const Timeline timeline = replay(capture.dag, Machine{capture.dag});
  const TimelineSpans spans({"replayed", capture, timeline}, {}, 10);
  EXPECT_EQ(spans.size(), 10U);
  EXPECT_EQ(spans.merged_tasks(), 0U);
  EXPECT_EQ(spans.merged_below(), Duration{});
}

TEST(TimelineSpansTest, ShortNeighboursBecomeOneAndCommunicationStays) {
  // The limit is 4 spans. Of the 9 tasks that may be merged, the two longest (19 and 18 ns) stay. The next one (17 ns)
  // sets the threshold, and stays because it is not shorter than that. Of the shorter tasks, five are before the
  // transfer and one is after it.
  const Capture capture = ten_short();
  const Timeline timeline = replay(capture.dag, Machine{capture.dag});
  const TimelineSpans spans({"replayed", capture, timeline}, {}, 4);
  EXPECT_EQ(spans.merged_below(), Duration{17});
  EXPECT_THAT(sizes(spans), ElementsAre(5, 1, 1, 1, 1, 1));
  EXPECT_EQ(spans.merged_tasks(), 4U);
  EXPECT_EQ(spans.of(TaskId{3}), 0U);
  EXPECT_EQ(spans.of(TaskId{5}), 1U);
}

TEST(TimelineSpansTest, ThePathStays) {
  const Capture capture = ten_short();
  const Timeline timeline = replay(capture.dag, Machine{capture.dag});
  CriticalPath path;
  path.tasks.push_back({.task = TaskId{2}});
  const TimelineSpans spans({"replayed", capture, timeline}, path, 4);
  EXPECT_EQ(spans.tasks(spans.of(TaskId{2})).size(), 1U);
}

TEST(TimelineSpansTest, NoSpanReachesAcrossAPause) {
  DagMaker maker;
  const LaneId lane = maker.lane(0);
  const LaneId other = maker.lane(0);
  const TaskId first = maker.task(lane, 10);
  const TaskId pause = maker.task(other, 1'000'000, {first});
  maker.task(lane, 10, {pause});
  for (int i = 0; i < 3; ++i) maker.task(other, 1'000'000, {pause});
  Capture capture;
  capture.dag = maker.build();
  const Timeline timeline = replay(capture.dag, Machine{capture.dag});
  const TimelineSpans spans({"replayed", capture, timeline}, {}, 3);
  EXPECT_GT(spans.merged_below(), Duration{10});
  EXPECT_EQ(spans.merged_tasks(), 0U);
}

/// Returns the text of the script element with this id.
std::string element(const std::string& page, const std::string& id) {
  const std::string opening = "id=\"" + id + "\">";
  const std::size_t begin = page.find(opening) + opening.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

std::string text(simdjson::dom::element value) { return std::string(value.get_string().value()); }

std::string page_of(const std::string& hostile) {
  DagMaker maker;
  maker.task(maker.lane(0, LaneOrder::kEdges, hostile), 1, {}, hostile);
  Capture capture;
  capture.dag = maker.build();
  const Timeline timeline = replay(capture.dag, Machine{capture.dag});
  const Provenance provenance{"1.2.3", "abc", hostile, {}};
  Document document{.headline = hostile};
  document.sections.push_back({.title = hostile, .sentences = {{hostile, hostile}}, .report = "steps"});
  document.json = [&](JsonWriter& json) {
    json.begin_object().key("name").value(hostile).new_line();
    write_provenance(json, provenance);
    json.end_object();
  };
  const TemporaryFolder folder;
  export_to_file(folder.file("x.html"), *find_exporter("x.html"),
                 {.provenance = provenance, .document = &document, .replays = {{hostile, capture, timeline}}});
  return read_file(folder.file("x.html"));
}

/// Returns the values, all below 128, of a column of the page for a replay of the dag.
std::vector<int> column_of(DagMaker& maker, const std::string& name) {
  Capture capture;
  capture.dag = maker.build();
  const Timeline timeline = replay(capture.dag, Machine{capture.dag});
  const Provenance provenance{};
  Document document;
  document.json = [](JsonWriter& json) { json.begin_object().end_object(); };
  const TemporaryFolder folder;
  export_to_file(folder.file("x.html"), *find_exporter("x.html"),
                 {.provenance = provenance, .document = &document, .replays = {{"replayed", capture, timeline}}});
  const std::string bytes = inflated(from_base64(element(read_file(folder.file("x.html")), name)));
  return {bytes.begin(), bytes.end()};
}

/// Returns a graph in which b and c wait for a, and d waits for b and c. Each task is alone on its lane. c takes 15 ns
/// longer than b.
DagMaker diamond() {
  DagMaker maker;
  const TaskId a = maker.task(maker.lane(0), 10);
  const TaskId b = maker.task(maker.lane(0), 5, {a});
  const TaskId c = maker.task(maker.lane(0), 20, {a});
  maker.task(maker.lane(0), 1, {b, c});
  return maker;
}

TEST(PageTimelinesTest, SlackIsWhatIsLeftUntilTheNextTaskWouldStartLater) {
  DagMaker maker = diamond();
  EXPECT_THAT(column_of(maker, "0.0.slack"), ElementsAre(1 + 0, 1 + 15, 1 + 0, 0));
}

TEST(PageTimelinesTest, ReleasesAreDistancesBetweenSpans) {
  // Span 0 was not released, which is written as 0. The others were released over an edge by the spans 1, 2 and 1
  // places before them. This is written as 1 + 2 * zigzag(-1), 1 + 2 * zigzag(-2) and 1 + 2 * zigzag(-1).
  DagMaker maker = diamond();
  EXPECT_THAT(column_of(maker, "0.0.release"), ElementsAre(0, 3, 7, 3));
}

/// Returns a graph of two ranks. The first arrives at their collective 20 ns before the second.
DagMaker late_rank() {
  DagMaker maker;
  const LaneId early = maker.lane(0);
  const LaneId late = maker.lane(1);
  const TaskId x = maker.task(early, 10);
  const TaskId y = maker.task(late, 30);
  const TaskId first = maker.task(early, 5, {x}, "all", TaskKind::kCollective);
  const TaskId last = maker.task(late, 5, {y}, "all", TaskKind::kCollective);
  maker.rendezvous({first, last});
  return maker;
}

TEST(PageTimelinesTest, WaitingInACollectiveEndsWithItsLastMember) {
  DagMaker waited = late_rank();
  EXPECT_THAT(column_of(waited, "0.0.waited"), ElementsAre(0, 20, 0, 0));
  DagMaker last = late_rank();
  EXPECT_THAT(column_of(last, "0.0.last"), ElementsAre(0, 1 + 2 * 2, 0, 1 + 0));
}

TEST(PageTimelinesTest, WaitingInACollectiveIsSlackOfWhatLeadsToIt) {
  DagMaker maker = late_rank();
  EXPECT_THAT(column_of(maker, "0.0.slack"), ElementsAre(1 + 20, 0, 1 + 0, 0));
}

TEST(HtmlExportTest, HoldsTheDocumentTheAnswerAndTheTimeline) {
  const std::string page = page_of("plain");
  simdjson::dom::parser parser;
  const std::string document = element(page, "data-document");
  EXPECT_EQ(text(parser.parse(document)["sections"].at(0)["report"]), "steps");
  const std::string answer = element(page, "data-answer");
  EXPECT_EQ(text(parser.parse(answer)["provenance"]["command"]), "plain");
  const std::string timelines = element(page, "data-timelines");
  EXPECT_EQ(parser.parse(timelines).at(0)["spans"].get_int64().value(), 1);
  EXPECT_EQ(inflated(from_base64(element(page, "0.0.duration"))), "\x01");
}

TEST(HtmlExportTest, HostileNamesEndNoElementAndReadBackUnchanged) {
  const std::string hostile =
      "</script><script>alert(1)</script><!--\"'&\xE2\x80\xAE";  // NOLINT(misc-misleading-bidirectional)
  const std::string page = page_of(hostile);
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  const auto count = [](const std::string& text, std::string_view what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count(page, "<script"), count(page_of("plain"), "<script"));
  EXPECT_EQ(count(page, "</script"), count(page, "<script"));
  simdjson::dom::parser parser;
  const std::string answer = element(page, "data-answer");
  EXPECT_EQ(text(parser.parse(answer)["name"]), hostile);
  const std::string timelines = element(page, "data-timelines");
  EXPECT_EQ(text(parser.parse(timelines).at(0)["names"].at(0)), hostile);
}

TEST(HtmlExportTest, ForbidsTheNetwork) {
  const std::string page = page_of("plain");
  EXPECT_THAT(page,
              HasSubstr("http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-"));
}

TEST(HtmlExportTest, WithoutAReplayThereIsNoTimeline) {
  const Provenance provenance{"1.2.3", "abc", "stepsim sweep", {}};
  Document document{.headline = "One."};
  document.json = [](JsonWriter& json) { json.begin_object().end_object(); };
  const TemporaryFolder folder;
  export_to_file(folder.file("x.html"), *find_exporter("x.html"), {.provenance = provenance, .document = &document});
  EXPECT_THAT(read_file(folder.file("x.html")), Not(HasSubstr("id=\"data-timelines\"")));
}

}  // namespace
}  // namespace stepsim::sim::page_test
