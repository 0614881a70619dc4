#include "ingest/chrome/chrome_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/base/error.h"
#include "tests/ingest/trace_text.h"
#include "tests/nightly.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest {

namespace {

using stepsim::testing::thrown_by;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::string error_of(std::string_view text) {
  return thrown_by<InputError>([&] { return read_all(text); }, "no error");
}

// ---------------------------------------------------------------- fields of a record

TEST(ChromeEventReaderTest, ARecordIsHandedOutWithItsFields) {
  const SeenTrace seen =
      read_all(trace_text({R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 12, "tid": "stream 7",
      "ts": 1669783687464671.123, "dur": 18, "args": {"External id": 3, "list": [1, {"a": "}"}]}})"}));

  ASSERT_EQ(seen.records.size(), 1U);
  const SeenRecord expected{"X",
                            "cpu_op",
                            "aten::mm",
                            "12",
                            "stream 7",
                            R"({"External id": 3, "list": [1, {"a": "}"}]})",
                            1669783687464671123,
                            18000};
  EXPECT_EQ(seen.records[0], expected);
  EXPECT_TRUE(seen.diagnostics.entries().empty());
}

TEST(ChromeEventReaderTest, StringsAreUnescaped) {
  const SeenTrace seen = read_all(trace_text({record_text(R"(a\"b\\c\/\u00e9\ud83d\ude00\n)")}));
  EXPECT_EQ(seen.names(), "a\"b\\c/\u00e9\U0001F600\n ");
  EXPECT_TRUE(seen.diagnostics.entries().empty());
}

TEST(ChromeEventReaderTest, IfAKeyOccursTwiceTheLastOneCounts) {
  EXPECT_EQ(read_all(trace_text({record_text("first", R"(, "name": "last")")})).names(), "last ");
}

TEST(ChromeEventReaderTest, AKeyThatEndsInANulIsAnotherKey) {
  using std::string_literals::operator""s;
  EXPECT_EQ(read_all(trace_text({record_text("known", ", \"name\0\": \"other\""s)})).names(), "known ");
}

TEST(ChromeEventReaderTest, NumbersMayBeStringsAndStringsNumbers) {
  const SeenTrace seen = read_all(R"([{"ph": "X", "name": 5, "pid": "12", "tid": 3, "ts": "7.25", "dur": "1e3"}])");
  ASSERT_EQ(seen.records.size(), 1U);
  EXPECT_EQ(seen.records[0], (SeenRecord{"X", "", "5", "12", "3", "", 7250, 1000000}));
}

TEST(ChromeEventReaderTest, NullMembersCountAsAbsent) {
  const SeenTrace seen =
      read_all(R"([{"ph": "X", "cat": null, "name": "a", "pid": null, "ts": null, "dur": null, "args": null}])");
  ASSERT_EQ(seen.records.size(), 1U);
  EXPECT_EQ(seen.records[0], (SeenRecord{"X", "", "a", "", "", "", std::nullopt, std::nullopt}));
}

// ---------------------------------------------------------------- the file around the records

TEST(ChromeEventReaderTest, MembersBeforeAndBehindTheEventsAreKept) {
  const SeenTrace seen = read_all(R"({"a": {"rank": 1}, "traceEvents": [{"ph": "M"}], "b": [1, "]"], "c": null})");
  EXPECT_THAT(seen.members, ElementsAre(Pair("a", R"({"rank": 1})"), Pair("b", R"([1, "]"])"), Pair("c", "null")));
  EXPECT_EQ(seen.records.size(), 1U);
}

TEST(ChromeEventReaderTest, ABareArrayIsATrace) {
  EXPECT_EQ(read_all("[" + record_text("a") + "," + record_text("b") + "]").names(), "a b ");
}

TEST(ChromeEventReaderTest, PartOfAByteOrderMarkIsNoBlank) {
  for (const std::string begin : {"\xEF", "\xEF\xBB", "\xEF\n\xBB\xBF", "\xEF\xBB\n", " \xEF\xBB\xBF"})
    EXPECT_THROW(static_cast<void>(read_all(begin + "[" + record_text("a") + "]")), InputError);
}

TEST(ChromeEventReaderTest, AByteOrderMarkAndCarriageReturnsAreBlanks) {
  const SeenTrace seen = read_all("\xEF\xBB\xBF{\r\n\t\"traceEvents\"\r\n:\r\n[" + record_text("a") + "\r\n]\r\n}\r\n");
  EXPECT_EQ(seen.names(), "a ");
  EXPECT_TRUE(seen.diagnostics.entries().empty());
}

TEST(ChromeEventReaderTest, AnEmptyListHasNoRecords) {
  EXPECT_TRUE(read_all(R"({"traceEvents": []})").records.empty());
}

TEST(ChromeEventReaderTest, TwoListsOfEventsAreBothRead) {
  EXPECT_EQ(
      read_all(R"({"traceEvents": [)" + record_text("a") + R"(], "traceEvents": [)" + record_text("b") + "]}").names(),
      "a b ");
}

TEST(ChromeEventReaderTest, TextBehindTheEndIsCountedOnce) {
  for (const std::string_view behind : {"]", "}", "x", "{\"traceEvents\": []}", "\0\0"}) {
    const SeenTrace seen = read_all(trace_text({record_text("a")}) + std::string{behind});
    EXPECT_EQ(seen.names(), "a ");
    EXPECT_EQ(seen.diagnostics.count_of("trailing_text"), behind.empty() ? 0U : 1U) << behind;
  }
}

TEST(ChromeEventReaderTest, ARecordLongerThanTheWindowIsRead) {
  const std::string long_name(std::size_t{3} << 20, 'n');
  const SeenTrace seen = read_all(trace_text({record_text("a"), record_text(long_name), record_text("b")}));
  EXPECT_EQ(seen.names(), "a " + long_name + " b ");
}

TEST(ChromeEventReaderTest, ARecordBeyondTheLimitCostsOnlyItself) {
  const std::string long_name(std::size_t{70} << 20, 'n');
  const SeenTrace seen = read_all(trace_text({record_text("a"), record_text(long_name), record_text("b")}));
  EXPECT_EQ(seen.names(), "a b ");
  EXPECT_EQ(seen.skipped, 1U);
  EXPECT_EQ(seen.diagnostics.count_of("bad_record"), 1U);
}

TEST(ChromeEventReaderTest, RecordsAcrossTheWindowsEdgeAreWhole) {
  // The reader's windows have 256 KiB. Records of about 120 bytes cross the edge of each window at a different place.
  std::vector<std::string> records;
  std::string names;
  for (int i = 0; i < 20000; ++i) {
    const std::string name = "k" + std::to_string(i);
    records.push_back(record_text(name));
    names += name + " ";
  }
  EXPECT_EQ(read_all(trace_text(records)).names(), names);
}

// ---------------------------------------------------------------- not a trace

TEST(ChromeEventReaderTest, WhatIsNoTraceIsAnErrorWithItsPlace) {
  EXPECT_EQ(error_of(""), "test.json@0: the file ends here; expected a Chrome trace: a JSON object or array");
  EXPECT_EQ(error_of("  \n"), "test.json@3: the file ends here; expected a Chrome trace: a JSON object or array");
  EXPECT_EQ(error_of("hello"), "test.json@0: found 'h'; expected a Chrome trace: a JSON object or array");
  EXPECT_EQ(error_of("\x7f"
                     "ELF"),
            "test.json@0: found '\\x7f'; expected a Chrome trace: a JSON object or array");
  EXPECT_EQ(error_of("42"), "test.json@0: found '4'; expected a Chrome trace: a JSON object or array");
  EXPECT_EQ(error_of(R"({"traceEvents": null})"), "test.json@16: found 'n'; expected '[': \"traceEvents\" is a list");
  EXPECT_EQ(error_of(R"({"traceEvents": {"a": 1}})"),
            "test.json@16: found '{'; expected '[': \"traceEvents\" is a list");
  EXPECT_THAT(error_of(R"({"a": 1})"), HasSubstr("no \"traceEvents\""));
  EXPECT_EQ(error_of(R"({"a": 1)"), "test.json@7: the file ends here; expected the rest of it");
  EXPECT_EQ(error_of(R"({"a": 1,)"), "test.json@8: the file ends here; expected \"traceEvents\"");
  EXPECT_THAT(error_of("{foo}"), HasSubstr("test.json@1: found 'f'"));
}

TEST(ChromeEventReaderTest, ABrokenMemberBeforeTheEventsDoesNotHideThem) {
  const SeenTrace seen = read_all(R"({"INFO": ["a "quoted" word"], "traceEvents": [)" + record_text("a") + "]}");
  EXPECT_EQ(seen.names(), "a ");
  EXPECT_EQ(seen.diagnostics.count_of("bad_member"), 1U);
}

TEST(ChromeEventReaderTest, ABrokenMemberBehindTheEventsIsCounted) {
  const SeenTrace seen = read_all(R"({"traceEvents": [)" + record_text("a") + R"(], "traceName": "C:"x", "rank": 1})");
  EXPECT_EQ(seen.names(), "a ");
  EXPECT_EQ(seen.diagnostics.count_of("bad_member"), 1U);
}

// ---------------------------------------------------------------- malformed records

struct BadCase {
  const char* what;
  std::string record;
};

TEST(ChromeEventReaderTest, ABadRecordIsCountedAndItsNeighboursAreKept) {
  const std::string nested(100'000, '[');
  const std::vector<BadCase> cases = {
      {"quote inside a name", record_text(R"(a "quoted" name)")},
      {"quote and newline inside a name", record_text("a \"b\"\n  \"c\" d")},
      {"no closing quote", R"({"ph": "X", "name": "a, "pid": 0, "ts": 1, "dur": 2})"},
      {"no closing quote at the end of a line", "{\"ph\": \"X\", \"ts\": 1, \"name\": \"a\n}"},
      {"no opening quote of a key", R"({"ph": "X", "name": "a", tid": 7, "ts": 1, "dur": 2})"},
      {"no quotes of a key", R"({ph: "X", "name": "a"})"},
      {"no colon", R"({"ph" "X", "name": "a"})"},
      {"no comma", R"({"ph": "X" "name": "a"})"},
      {"no value", R"({"ph": "X", "name": , "ts": 1})"},
      {"no closing brace", R"({"ph": "X", "name": "a", "args": {"b": 1})"},
      {"brackets that do not match", R"({"ph": "X", "name": "a", "args": {"b": [1, 2}})"},
      {"100,000 brackets that do not close", R"({"ph": "X", "name": "a", "args": {"b": )" + nested + "}}"},
      {"a number with a leading zero", R"({"ph": "X", "name": "a", "ts": 012})"},
      {"a number without digits behind its point", R"({"ph": "X", "name": "a", "ts": 1.})"},
      {"a hexadecimal number", R"({"ph": "X", "name": "a", "ts": 0x10})"},
      {"a word", R"({"ph": "X", "name": "a", "ts": undefined})"},
      {"single quotes", R"({'ph': 'X', 'name': 'a'})"},
      {"a name that is an object", R"({"ph": "X", "name": {"a": 1}, "ts": 1})"},
      {"a pid that is a list", R"({"ph": "X", "name": "a", "pid": [1]})"},
      {"a list in the list", "[1, 2]"},
      {"a number in the list", "17"},
      {"null in the list", "null"},
      {"a string in the list", "\"hello\""},
      {"junk in the list", "#!$"},
      {"binary in the list", std::string("\x00\x01\xff\xfe", 4)},
  };
  for (const BadCase& bad : cases) {
    const SeenTrace seen = read_all(trace_text({record_text("before"), bad.record, record_text("after")}));
    EXPECT_EQ(seen.names(), "before after ") << bad.what;
    EXPECT_EQ(seen.skipped, 1U) << bad.what;
    EXPECT_EQ(seen.counted, 3U) << bad.what;
    ASSERT_EQ(seen.diagnostics.count_of("bad_record"), 1U) << bad.what;
    const Diagnostics::Entry& entry = seen.diagnostics.entries().front();
    EXPECT_EQ(entry.first.file, "test.json");
    EXPECT_EQ(entry.first.byte_offset, trace_text({record_text("before")}).find("\n  ],") + 4) << bad.what;
    EXPECT_EQ(seen.members.size(), 2U) << bad.what;
  }
}

TEST(ChromeEventReaderTest, ABadRecordMayBeTheFirstOrTheLast) {
  const std::string bad = record_text("x\"y");
  const SeenTrace first = read_all(trace_text({bad, record_text("a"), record_text("b")}));
  const SeenTrace last = read_all(trace_text({record_text("a"), record_text("b"), bad}));
  EXPECT_EQ(first.names(), "a b ");
  EXPECT_EQ(last.names(), "a b ");
  EXPECT_EQ(last.diagnostics.count_of("truncated_file"), 0U);
  EXPECT_EQ(last.members.size(), 2U) << "what follows the list is read";
}

TEST(ChromeEventReaderTest, EveryBadRecordOfManyIsCounted) {
  std::vector<std::string> records;
  records.reserve(100);
  for (int i = 0; i < 100; ++i) records.push_back(i % 2 == 0 ? record_text("x\"y") : record_text("a"));
  const SeenTrace seen = read_all(trace_text(records));
  EXPECT_EQ(seen.records.size(), 50U);
  EXPECT_EQ(seen.skipped, 50U);
}

TEST(ChromeEventReaderTest, ClearTextThatIsNotStrictJsonIsUsedAndCounted) {
  const std::vector<BadCase> cases = {
      {"a backslash", record_text(R"(torch\cuda\__init__.py)")},
      {"a newline", record_text("a\nb")},
      {"control characters", record_text("a\x01\x1b[31m")},
      {"bytes that are not UTF-8", record_text("a\xff\xfe")},
      {"half a UTF-8 sequence", record_text("a\xc3")},
      {"half a surrogate pair", record_text(R"(a\udc00)")},
      {"a comma too many", record_text("a", ", ")},
      {"a comma too many in args", record_text("a", R"(, "args": {"b": 1, "c": [1,],})")},
      {"NaN", record_text("a", R"(, "args": {"b": NaN, "c": -Infinity, "d": inf})")},
  };
  for (const BadCase& odd : cases) {
    const SeenTrace seen = read_all(trace_text({record_text("before"), odd.record, record_text("after")}));
    EXPECT_EQ(seen.records.size(), 3U) << odd.what;
    EXPECT_EQ(seen.skipped, 0U) << odd.what;
    EXPECT_EQ(seen.diagnostics.count_of("odd_json"), 1U) << odd.what;
  }
  EXPECT_EQ(read_all(trace_text({record_text(R"(torch\cuda\__init__.py)")})).names(), "torch\\cuda\\__init__.py ");
  EXPECT_EQ(read_all(trace_text({record_text("a\xff z")})).names(), "a\uFFFD z ");
}

TEST(ChromeEventReaderTest, ArgumentsMayNestToAnyDepth) {
  // The reader keeps its stack of brackets in words of 64 bits, so the test includes depths around 64 and 128.
  for (const std::size_t depth : {1U, 63U, 64U, 65U, 127U, 128U, 129U, 100'000U}) {
    std::string open;
    std::string close;
    for (std::size_t i = 0; i < depth; ++i) {
      open += i % 3 == 0 ? "[" : R"({"k": )";
      close.insert(close.begin(), i % 3 == 0 ? ']' : '}');
    }
    const SeenTrace seen =
        read_all(trace_text({record_text("a", R"(, "args": {"n": )" + open + "0" + close + "}"), record_text("b")}));
    EXPECT_EQ(seen.names(), "a b ") << depth;
    EXPECT_TRUE(seen.diagnostics.entries().empty()) << depth;
  }
}

TEST(ChromeEventReaderTest, ASuperfluousOrMissingCommaBetweenRecordsCostsNothing) {
  EXPECT_EQ(read_all("[" + record_text("a") + ",," + record_text("b") + ",]").names(), "a b ");
  EXPECT_EQ(read_all("[" + record_text("a") + record_text("b") + "]").names(), "a b ");
}

// ---------------------------------------------------------------- properties

std::vector<std::string> three_records() {
  return {record_text("one", R"(, "args": {"External id": 1, "grid": [1, 2, 3], "s": "x, \"y\""})"),
          record_text("two", R"(, "args": {"stream": 7, "list": [{"a": 1}, {"b": [2]}]})"), record_text("three")};
}

TEST(ChromeEventReaderTest, AFileCutAnywhereGivesTheWholeRecordsBeforeTheCut) {
  const std::string text = trace_text(three_records());
  std::vector<std::size_t> ends;
  for (const std::string& record : three_records()) ends.push_back(text.find(record) + record.size());
  const std::vector<SeenRecord> all = read_all(text).records;
  const std::size_t list = text.find('[') + 1;
  for (std::size_t cut = list; cut < text.size() - 2; ++cut) {
    const SeenTrace seen = read_all(std::string_view{text}.substr(0, cut));
    const auto whole = static_cast<std::size_t>(
        std::count_if(ends.begin(), ends.end(), [cut](std::size_t end) { return end <= cut; }));
    const std::vector<SeenRecord> expected(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(whole));
    ASSERT_EQ(seen.records, expected) << "cut at " << cut;
    EXPECT_EQ(seen.counted, whole) << "cut at " << cut;
    EXPECT_EQ(seen.skipped, 0U) << "cut at " << cut;
    EXPECT_EQ(seen.diagnostics.count_of("truncated_file"), 1U) << "cut at " << cut;
    EXPECT_EQ(seen.diagnostics.entries().size(), 1U) << "cut at " << cut;
  }
}

TEST(ChromeEventReaderTest, ABareListThatIsWrittenRecordByRecordNeedsNoEnd) {
  const SeenTrace whole = read_all("[\n" + record_text("a") + ",\n" + record_text("b") + ",\n");
  EXPECT_EQ(whole.names(), "a b ");
  EXPECT_TRUE(whole.diagnostics.entries().empty());
  const SeenTrace cut = read_all("[\n" + record_text("a") + ",\n" + record_text("b"));
  EXPECT_EQ(cut.names(), "a b ");
  EXPECT_EQ(cut.diagnostics.count_of("truncated_file"), 1U);
}

TEST(ChromeEventReaderTest, AChangedByteCostsAtMostItsRecord) {
  const std::string text = trace_text(three_records());
  const std::vector<SeenRecord> all = read_all(text).records;
  std::vector<std::size_t> begins;
  for (const std::string& record : three_records()) begins.push_back(text.find(record));
  const std::size_t list = text.find('[') + 1;
  const std::size_t list_end = text.find("\n  ],");
  for (std::size_t at = list; at < list_end; ++at) {
    for (const char wrong : std::string_view{"\"\\{}[],:x0- \n\x01\xff", 15}) {
      std::string broken = text;
      broken[at] = wrong;
      const SeenTrace seen = read_all(broken);
      for (std::size_t i = 0; i < all.size(); ++i) {
        const bool touched = at >= begins[i] && at < begins[i] + three_records()[i].size();
        const bool there = std::find(seen.records.begin(), seen.records.end(), all[i]) != seen.records.end();
        ASSERT_TRUE(touched || there) << "record " << i << " lost to '" << wrong << "' at " << at << " of\n" << broken;
      }
      ASSERT_LE(seen.records.size(), all.size() + 1);
      ASSERT_EQ(seen.records.size() + seen.skipped, seen.counted);
    }
  }
}

// ---------------------------------------------------------------- time

/// Reads texts that would take hours, and so not end, in a reader that goes back too far or keeps too much. Each has 1
/// MB, or 4 MB in nightly tests.
TEST(ChromeEventReaderTest, NoShapeOfBadTextIsQuadratic) {
  const std::size_t size = std::size_t{stepsim::testing::nightly() ? 4U : 1U} << 20;
  const auto repeated = [size](std::string_view piece) {
    std::string text = "[";
    while (text.size() < size) text += piece;
    return text;
  };
  for (const std::string_view piece :
       {R"({"ph":[)", R"({"ph":")", R"({"ph":"\n","b":[)", "{", "[", "\"", "{\"", R"(,{"a":)",
        R"({"a":{"b":[{"ph":1},)", "\\", "{}", "],", "{\"ph\":\"X\",\"name\":\"\n\",\"args\":[", R"({"ph":"X"}})", "}]",
        "1 ", "nul", R"({"ph":"X","x":"{\"ph\":)"}) {
    EXPECT_FALSE(read_all(repeated(piece)).diagnostics.entries().empty()) << piece;
  }
}

}  // namespace

}  // namespace stepsim::ingest
