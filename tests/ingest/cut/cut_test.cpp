#include "ingest/cut/cut.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "ingest/bytes/byte_source.h"
#include "ingest/chrome/trace_copy.h"
#include "ingest/privacy/scrubbed_files.h"
#include "tests/fuzz/strict_json.h"
#include "tests/ingest/trace_text.h"
#include "tests/sim/temporary_folder.h"

namespace stepsim::ingest {
namespace {

using stepsim::testing::is_strict_json;
using ::testing::HasSubstr;
using ::testing::Not;

/// Returns a copy of a trace with the records for which `keeps` returns true.
std::string copied(std::string_view text, const std::function<bool(const ChromeEvent&)>& keeps) {
  const auto source = memory_source(text, "x.json");
  Diagnostics diagnostics;
  ChromeEventReader reader(*source, diagnostics);
  std::vector<RecordSpan> records;
  ChromeEvent event;
  while (reader.next(event)) {
    if (keeps(event)) records.emplace_back(event);
  }
  const auto again = memory_source(text, "x.json");
  TraceCopy copy(*again, reader.frame(), records);
  std::string out;
  std::string piece(7, '\0');
  while (const std::size_t size = copy.read(piece)) out.append(piece, 0, size);
  return out;
}

bool all(const ChromeEvent&) { return true; }
bool none(const ChromeEvent&) { return false; }

// ---------------------------------------------------------------- the text of a copy

TEST(TraceCopyTest, HoldsTheRecordsAndTheTextAroundThemByteForByte) {
  const std::string text =
      R"({"a":[{"b":1}],"traceEvents":[{"n":"x]"},{"name":{"m":[1]}} ,{"args":{"m":[1]}} , {"n":3}],"z":{"traceEvents":[{}]}})";
  EXPECT_EQ(copied(text, [](const ChromeEvent& event) { return event.record != R"({"n":"x]"})"; }),
            R"({"a":[{"b":1}],"traceEvents":[)"
            "\n"
            R"({"args":{"m":[1]}},)"
            "\n"
            R"({"n":3})"
            "\n"
            R"(],"z":{"traceEvents":[{}]}})");
}

TEST(TraceCopyTest, NothingKeptLeavesAnEmptyList) {
  EXPECT_EQ(copied(R"({"traceEvents":[{"n":1},{"n":2}],"z":1})", none), "{\"traceEvents\":[\n],\"z\":1}");
}

TEST(TraceCopyTest, ABareListIsATraceToo) {
  EXPECT_EQ(copied(R"([{"n":1},{"n":2}])", [](const ChromeEvent& event) { return event.offset == 1; }),
            "[\n{\"n\":1}\n]");
}

TEST(TraceCopyTest, AFileThatIsCutShortGetsItsBrackets) {
  EXPECT_EQ(copied(R"({"traceEvents":[{"n":1},{"n":)", all), "{\"traceEvents\":[\n{\"n\":1}\n]}");
  EXPECT_EQ(copied(R"([{"n":1},{"n":)", all), "[\n{\"n\":1}\n]");
}

TEST(TraceCopyTest, AnObjectThatEndsBeforeTheListGetsItsHead) {
  EXPECT_EQ(copied(R"({"a":1},"traceEvents":[{"n":1},{"n":)", all), "{\n\"a\": 1,\n\"traceEvents\": [\n{\"n\":1}\n]}");
  EXPECT_EQ(copied(R"({"a":1},"traceEvents":[{"n":1}],"b":2})", all),
            "{\n\"a\": 1,\n\"traceEvents\": [\n{\"n\":1}\n],\"b\":2}");
}

TEST(TraceCopyTest, OddTextBecomesStrictJson) {
  EXPECT_EQ(
      copied("{\"a\":NaN,,\"traceEvents\":[{\"ph\":\"X\\q\x01\xFF\",\"n\":[-inf,null,-1e3,],}],\"b\":1,}", all),
      "{\n\"a\": \"NaN\",\n\"traceEvents\": [\n{\"ph\":\"X\\\\q\\u0001\xEF\xBF\xBD\",\"n\":[\"-inf\",null,-1e3]}\n],\n"
      "\"b\": 1}");
}

// ---------------------------------------------------------------- damaged traces

constexpr int kSteps = 3;
constexpr int kOperators = 20;

std::string span(std::string_view category, std::string_view name, int start, int duration) {
  return R"({"ph": "X", "cat": ")" + std::string(category) + R"(", "name": ")" + std::string(name) +
         R"(", "pid": 9, "tid": 9, "ts": )" + std::to_string(start) + R"(, "dur": )" + std::to_string(duration) +
         R"(, "args": {"External id": 1}})";
}

/// Returns three steps of twenty operators. Record 0 and every 21st record after it are step marks.
std::vector<std::string> records_of_steps() {
  std::vector<std::string> records;
  for (int step = 1; step <= kSteps; ++step) {
    records.push_back(span("user_annotation", "ProfilerStep#" + std::to_string(step), 1000 * step, 990));
    for (int i = 0; i < kOperators; ++i)
      records.push_back(span("cpu_op", "op" + std::to_string(100 * step + i), 1000 * step + 20 + 9 * i, i % 8));
  }
  return records;
}

struct Damage {
  const char* name;
  std::string (*apply)(const std::string& record);
};

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  return text.replace(text.find(what), what.size(), by);
}

const Damage kDamages[] = {
    {"none", [](const std::string& r) { return r; }},
    {"lacks }", [](const std::string& r) { return r.substr(0, r.size() - 1); }},
    {"lacks }}", [](const std::string& r) { return r.substr(0, r.size() - 2); }},
    {"lacks {", [](const std::string& r) { return r.substr(1); }},
    {"extra }", [](const std::string& r) { return r + "}"; }},
    {"extra ]", [](const std::string& r) { return r + "]"; }},
    {"extra ]}", [](const std::string& r) { return r + "]}"; }},
    {"extra [", [](const std::string& r) { return "[" + r; }},
    {"extra quote", [](const std::string& r) { return "\"" + r; }},
    {"open [", [](const std::string& r) { return replaced(r, R"("args": {)", R"("args": [{)"); }},
    {"lacks quote", [](const std::string& r) { return replaced(r, R"("name": ")", R"("name": )"); }},
    {"lacks closing quote", [](const std::string& r) { return replaced(r, R"(", "pid")", R"(, "pid")"); }},
    {"lacks colon", [](const std::string& r) { return replaced(r, R"("pid":)", R"("pid")"); }},
    {"lacks comma", [](const std::string& r) { return replaced(r, R"(, "pid")", R"( "pid")"); }},
    {"cut in the middle", [](const std::string& r) { return r.substr(0, 40); }},
    {"cut in a string", [](const std::string& r) { return r.substr(0, r.find("op") + 1); }},
    {"no number", [](const std::string& r) { return replaced(r, R"("dur": )", R"("dur": x)"); }},
    {"not a number", [](const std::string& r) { return replaced(r, R"("pid": 9)", R"("pid": NaN)"); }},
    {"bytes before", [](const std::string& r) { return "\x01\xFF\x80zz" + r; }},
    {"bytes in it", [](const std::string& r) { return replaced(r, "ph", "p\xFF\x02h"); }},
    {"bytes in a string", [](const std::string& r) { return replaced(r, "cpu_op", "cpu_op\xFF\x02"); }},
    {"commas before", [](const std::string& r) { return ",, ," + r; }},
    {"commas in it", [](const std::string& r) { return replaced(r, R"(}})", R"(,},})"); }},
    {"no comma after", [](const std::string& r) { return r + "#"; }},
    {"a number before", [](const std::string& r) { return "7, null, " + r; }},
    {"the list ends and the file goes on", [](const std::string& r) { return r + R"(], "traceName": "t", "env": {)"; }},
};

/// Returns a trace with `damage` applied to its record `at`. If `bare`, the trace is a list of records, else an object
/// that contains the list. If `length` is given, the text is cut off there.
std::string damaged_trace(const Damage& damage, std::size_t at, bool bare, std::size_t length = std::string::npos) {
  std::vector<std::string> records = records_of_steps();
  records[at] = damage.apply(records[at]);
  std::string text = bare ? "[" : R"({"schemaVersion": 1, "env": {"A": "/home/alice/x"}, "traceEvents": [)";
  for (std::size_t i = 0; i < records.size(); ++i) text += (i == 0 ? "\n" : ",\n") + records[i];
  text += bare ? "\n]\n" : "\n], \"env\": {\"B\": \"/home/alice/y\"}}\n";
  if (const std::size_t comma = text.find("#,"); comma != std::string::npos) text.erase(comma, 2);
  return text.substr(0, length);
}

/// A cut, and a function that returns true for the records that the cut must keep.
struct Selection {
  Cut cut;
  std::function<bool(const SeenRecord&)> selects;
};

std::vector<Selection> selections() {
  const auto is_mark = [](const SeenRecord& record) { return record.name.starts_with("ProfilerStep#"); };
  Cut steps;
  steps.steps = {2, 2};
  Cut named;
  named.select.emplace("name=op.*");
  Cut longest;
  longest.min_duration = Duration{3000};
  return {
      {steps, [](const SeenRecord& r) { return *r.start_ns >= 2'000'000 && *r.start_ns < 2'990'000; }},
      {named, [is_mark](const SeenRecord& r) { return is_mark(r) || (r.phase == "X" && r.name.starts_with("op")); }},
      {longest,
       [is_mark](const SeenRecord& r) { return is_mark(r) || (r.phase == "X" && r.duration_ns.value_or(0) >= 3000); }}};
}

/// Calls `check` for every kind of damage in each step, in traces of both forms (bare list or object), some of them cut
/// short.
template <class Check>
void for_each_damaged_trace(const Check& check) {
  for (const Damage& damage : kDamages) {
    for (const std::size_t at : {std::size_t{5}, std::size_t{30}, std::size_t{62}}) {
      for (const bool bare : {false, true}) {
        for (const std::size_t length : {std::string::npos, std::size_t{6043}, std::size_t{6111}}) {
          SCOPED_TRACE(::testing::Message() << damage.name << " at " << at << (bare ? ", bare" : "") << ", " << length);
          check(damaged_trace(damage, at, bare, length));
        }
      }
    }
  }
}

TEST(DamagedTraceTest, ACutIsJsonWithTheEventsThatTheReaderDelivered) {
  const stepsim::testing::TemporaryFolder folder;
  const std::string path = folder.file("t.json");
  for_each_damaged_trace([&](const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    const SeenTrace seen = read_all(text);
    for (const Selection& selection : selections()) {
      std::string expected;
      std::uint64_t events = 0;
      for (const SeenRecord& record : seen.records) {
        if (!selection.selects(record)) continue;
        expected += record.name + " ";
        ++events;
      }
      std::string out;
      const CutCounts counts = cut_trace(path, selection.cut, [&](std::string_view piece) { out += piece; });
      EXPECT_TRUE(is_strict_json(out)) << out;
      const SeenTrace cut = read_all(out);
      EXPECT_EQ(cut.names(), expected);
      EXPECT_TRUE(cut.diagnostics.entries().empty());
      EXPECT_EQ(counts.events, events);
      EXPECT_EQ(counts.records, seen.counted);
      EXPECT_EQ(counts.diagnostics.count_of("bad_record"), seen.skipped);
    }
  });
}

TEST(DamagedTraceTest, AScrubIsJsonWithTheEventsThatTheReaderDeliveredAndLeaksNothing) {
  const stepsim::testing::TemporaryFolder folder;
  const std::string path = folder.file("t.json");
  for_each_damaged_trace([&](const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    const SeenTrace seen = read_all(text);
    std::string out;
    const auto open = [&](const std::string&) {
      return ScrubTarget{[&](std::string_view piece) { out += piece; }, [] {}};
    };
    const ScrubbedFiles scrubbed = scrub_files({path}, {}, {[](const auto&) {}, open});
    EXPECT_THAT(out, Not(HasSubstr("alice")));
    EXPECT_EQ(read_all(out).names(), seen.names());
    EXPECT_TRUE(seen.skipped == 0 || is_strict_json(out)) << out;
    EXPECT_EQ(scrubbed.diagnostics.count_of("bad_record"), seen.skipped);
  });
}

}  // namespace
}  // namespace stepsim::ingest
