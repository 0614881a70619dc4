#include "sim/report/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/export/exporter.h"
#include "sim/output/json_writer.h"

namespace stepsim::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kHostile{"=1+1", "  @x", "-2+3", "a,\"b\"", "two\r\n=lines", "|<script>|", "-2.5"};

/// Invisible characters that may precede a formula, and characters that spreadsheets read as = + - @.
const std::vector<std::string> kInvisible{"\u00A0", "\u00AD", "\u200B", "\u200D",     "\u2060",
                                          "\u3000", "\u3164", "\uFEFF", "\U000E0020", " \u2009\u00A0\uFE0F"};
const std::vector<std::string> kSigns{"=", "+", "-", "@", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20", "\uFE66", "\uFE62"};

Document hostile_document() {
  Document document{.headline = "Of *two* one."};
  Table table({{"a|b", Align::kLeft}, {"n"}});
  for (const std::string& text : kHostile) table.add_row({text, "1"});
  document.sections = {{"Times", table, {}},
                       {"Words", std::nullopt, {Sentence{"one <b>", "more"}, "two"}},
                       {.title = "A file", .verbatim = "a: <b>\n"}};
  document.rows = [table] { return table; };
  document.json = [](JsonWriter& json) { json.begin_object().key("a").value("<").end_object(); };
  document.origin = "stepsim 1";
  return document;
}

std::string exported(const Document& document, const std::string& extension) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("stepsim-document-" + std::to_string(::getpid()) + extension))
          .string();
  export_to_file(path, *find_exporter(path), {.provenance = {}, .document = &document});
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  std::filesystem::remove(path);
  return text.str();
}

std::string exported(const std::string& extension) { return exported(hostile_document(), extension); }

/// Returns the records of a CSV text (RFC 4180).
std::vector<std::vector<std::string>> parsed(const std::string& csv) {
  std::vector<std::vector<std::string>> records(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    std::string& cell = records.back().back();
    if (csv[i] == '"' && quoted && csv[i + 1] == '"') {
      cell += csv[++i];
    } else if (csv[i] == '"') {
      quoted = !quoted;
    } else if (csv[i] == ',' && !quoted) {
      records.back().emplace_back();
    } else if (csv[i] == '\r' && !quoted) {
      ++i;
      records.emplace_back(1);
    } else {
      cell += csv[i];
    }
  }
  records.pop_back();
  return records;
}

TEST(DocumentTest, CsvIsReadBackAndHoldsNoFormula) {
  const auto records = parsed(exported(".csv"));
  ASSERT_EQ(records.size(), kHostile.size() + 1);
  EXPECT_THAT(records[0], ElementsAre("a|b", "n", "made by"));
  EXPECT_THAT(records[1], ElementsAre("'=1+1", "1", "stepsim 1"));
  EXPECT_EQ(records[2][0], "'  @x");
  EXPECT_EQ(records[3][0], "'-2+3");
  EXPECT_EQ(records[4][0], "a,\"b\"");
  EXPECT_EQ(records[5][0], "two\\r\\n=lines");
  EXPECT_EQ(records[7][0], "-2.5") << "a number is none";
}

TEST(DocumentTest, CsvHoldsNoFormulaBehindWhatIsInvisible) {
  Document document{.origin = "stepsim 1"};
  Table table({{"name", Align::kLeft}});
  for (const std::string& invisible : kInvisible) {
    for (const std::string& sign : kSigns) table.add_row({invisible + sign + "1+1"});
  }
  for (const std::string& sign : kSigns) table.add_row({sign + "1+1"});
  const std::vector<std::string> harmless{"\u00A0name", "\uFEFF", "a\u00A0=1", "-2.5", "\u2014 dash", "\u2192"};
  for (const std::string& text : harmless) table.add_row({text});
  document.rows = [table] { return table; };
  const auto records = parsed(exported(document, ".csv"));
  const std::size_t formulas = (kInvisible.size() + 1) * kSigns.size();
  ASSERT_EQ(records.size(), 1 + formulas + harmless.size());
  for (std::size_t i = 1; i <= formulas; ++i) EXPECT_EQ(records[i][0].front(), '\'') << records[i][0];
  for (std::size_t i = 0; i < harmless.size(); ++i) EXPECT_EQ(records[1 + formulas + i][0], harmless[i]);
}

TEST(DocumentTest, MarkdownTakesNoMarkupFromNames) {
  const std::string text = exported(".md");
  EXPECT_THAT(text, HasSubstr("Of \\*two\\* one.\n"));
  EXPECT_THAT(text, HasSubstr("| a\\|b | n |\n| --- | --: |\n"));
  EXPECT_THAT(text, HasSubstr("| \\|&lt;script>\\| | 1 |\n"));
  EXPECT_THAT(text, HasSubstr("- one &lt;b>\n  more\n- two\n"));
  EXPECT_THAT(text, HasSubstr("\n    a: <b>\n")) << "in an indented block nothing is markup";
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(text, HasSubstr("stepsim 1"));
}

TEST(DocumentTest, JsonIsTheObjectOfTheCommand) { EXPECT_EQ(exported(".json"), "{\"a\":\"\\u003c\"}\n"); }

TEST(DocumentTest, TextIsTheHeadlineThenTheSections) {
  const std::string text = to_text(hostile_document());
  EXPECT_TRUE(text.starts_with("Of *two* one.\n\nTimes\n"));
  EXPECT_TRUE(text.ends_with("\nWords\n- one <b>\n  more\n- two\n\nA file\na: <b>\n"));
}

TEST(DocumentTest, BriefIsWhatStandsAboveTheSections) {
  Document document{.warning = "No.", .headline = "One.", .caution = "Not all.", .trust = "Tested."};
  document.sections = {{.title = "Something", .lead = "a lead"}};
  EXPECT_EQ(to_text(document, {.brief = true}), "No.\nOne.\nNot all.\nTested.\n");
}

TEST(DocumentTest, BriefHasTheSectionsThatSaySo) {
  Document document{.headline = "One."};
  document.sections = {{.title = "Why", .sentences = {"because"}, .brief = true}, {.title = "Times", .lead = "a lead"}};
  EXPECT_EQ(to_text(document, {.brief = true}), "One.\n\nWhy\n- because\n");
}

TEST(DocumentTest, SentencesAreWrappedToTheTerminalAndIndented) {
  Document document{.headline = "An iteration takes 534.062 ms, it seems."};
  document.sections = {{.title = "Words", .sentences = {Sentence{"one two three four", "five six seven eight"}}},
                       {.title = "A file", .verbatim = "a: a line that is there to be copied\n"}};
  EXPECT_EQ(to_text(document, {.width = 20}),
            "An iteration takes\n534.062 ms, it\nseems.\n\nWords\n- one two three four\n  five six seven\n  eight\n\n"
            "A file\na: a line that is there to be copied\n");
}

TEST(DocumentTest, ColourShowsHeadingsFiguresAndWarnings) {
  Document document{.warning = "No.", .headline = "It takes 5 ms.", .caution = "Not all."};
  document.sections = {{.title = "Something", .lead = "a lead"}};
  EXPECT_EQ(to_text(document, {.color = true}),
            "\x1b[1;31mNo.\x1b[0m\nIt takes \x1b[1m5 ms\x1b[0m.\n\x1b[33mNot all.\x1b[0m\n\n"
            "\x1b[1mSomething\x1b[0m\na lead\n");
}

TEST(DocumentTest, SectionsWithoutContentAreLeftOut) {
  Document document{.headline = "One."};
  document.sections = {{.title = "Nothing"}, {.title = "Something", .lead = "a lead"}};
  EXPECT_EQ(to_text(document), "One.\n\nSomething\na lead\n");
}

TEST(DocumentTest, CautionStandsBelowTheHeadline) {
  EXPECT_EQ(to_text(Document{.headline = "One.", .caution = "Not all."}), "One.\nNot all.\n");
}

}  // namespace
}  // namespace stepsim::sim
