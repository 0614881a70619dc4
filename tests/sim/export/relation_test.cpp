#include "sim/export/relation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/report/field.h"

namespace stepsim::sim {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names_of(const Relation& relation) {
  std::vector<std::string> names;
  for (const RelationColumn& column : relation.columns) names.push_back(column.name);
  return names;
}

TEST(RelationTest, AColumnOfNumbersHasItsUnitInTheTitleAndNothingWhereThereIsNone) {
  Table table({{"time"}, {"share"}, {"count"}});
  table.add_row({Duration{1'500'000}, percent_cell(0.25), 7});
  table.add_row({"-", "", number_cell(0.5)});
  const Relation relation = relation_of("a", "A", table);
  EXPECT_THAT(names_of(relation), ElementsAre("time (ns)", "share (ratio)", "count"));
  EXPECT_EQ(relation.columns[0].type, ValueType::kInteger);
  EXPECT_EQ(relation.columns[0].value(0), Value{std::int64_t{1'500'000}});
  EXPECT_EQ(relation.columns[0].value(1), Value{});
  EXPECT_EQ(relation.columns[1].value(0), Value{0.25});
  EXPECT_EQ(relation.columns[1].value(1), Value{});
  // A single real number makes all values of the column real.
  EXPECT_EQ(relation.columns[2].type, ValueType::kReal);
  EXPECT_EQ(relation.columns[2].value(0), Value{7.0});
}

struct Measured {
  std::optional<Duration> time;
  std::optional<double> share;
  std::optional<std::uint32_t> rank;
};
constexpr auto kMeasured = std::to_array<Field<Measured>>({
    {"time_ns", at<&Measured::time>, {"time"}},
    {"share", at<&Measured::share>, {.title = "share", .form = Form::kShare}},
    {"rank", at<&Measured::rank>, {"rank"}},
});

TEST(RelationTest, AColumnOfAFieldKeepsItsTypeAndUnitWithoutAnyValue) {
  const std::vector<Measured> none(2);
  const Relation people = relation_of("a", "A", table_of(kMeasured, none));
  EXPECT_THAT(names_of(people), ElementsAre("time (ns)", "share (ratio)", "rank"));
  const Relation programs = relation_of("rows", "Rows", rows_table(kMeasured, none));
  EXPECT_THAT(names_of(programs), ElementsAre("time_ns", "share", "rank"));
  for (const Relation* const relation : {&people, &programs}) {
    EXPECT_EQ(relation->columns[0].type, ValueType::kInteger);
    EXPECT_EQ(relation->columns[1].type, ValueType::kReal);
    EXPECT_EQ(relation->columns[2].type, ValueType::kInteger);
    for (const RelationColumn& column : relation->columns) EXPECT_EQ(column.value(1), Value{});
  }
}

TEST(RelationTest, TextsStayTextsEvenIfTheyLookLikeNumbers) {
  Table table({{"name"}, {"mixed"}});
  table.add_row({"12", 1});
  table.add_row({"13", "one"});
  const Relation relation = relation_of("a", "A", table);
  EXPECT_EQ(relation.columns[0].value(0), Value{std::string_view{"12"}});
  EXPECT_EQ(relation.columns[1].type, ValueType::kText);
  EXPECT_EQ(relation.columns[1].value(0), Value{std::string_view{"1"}});
}

TEST(RelationTest, NumbersOfTwoUnitsAreNoColumnOfNumbers) {
  Table table({{"a"}});
  table.add_row({Duration{1}});
  table.add_row({percent_cell(1)});
  EXPECT_EQ(relation_of("a", "A", table).columns[0].type, ValueType::kText);
}

TEST(RelationTest, NamesOfColumnsDifferAlsoWhereCaseDoesNotCount) {
  const Table table({{"busy"}, {"Busy"}, {""}, {""}});
  EXPECT_THAT(names_of(relation_of("a", "A", table)), ElementsAre("busy", "Busy_2", "mark", "mark_2"));
}

TEST(RelationTest, SectionsAreNamedByTheirTitlesWithoutNumbers) {
  const Table table({{"class"}});
  Document document{.headline = "One."};
  document.rows = [table] { return table; };
  document.sections = {{.title = "", .table = table},
                       {.title = "Its 10 longest tasks of 207, in order of time", .table = table},
                       {.title = "Tasks", .table = table},
                       {.title = "Rows (all)", .table = table},
                       {.title = "\xD0\xAF 'x'", .table = table, .lead = "note"}};
  const Provenance provenance;
  std::vector<std::string> names;
  for (const Relation& relation : document_relations({.provenance = provenance, .document = &document}))
    names.push_back(relation.name);
  EXPECT_THAT(names, ElementsAre("contents", "answer", "rows", "class", "its_longest_tasks_of", "tasks_2", "rows_2",
                                 "x", "notes", "provenance"));
}

TEST(RelationTest, WhatIsNotUtf8IsReplaced) {
  std::string storage;
  EXPECT_EQ(as_utf8("a\xFF"
                    "b\xC3\xA9",
                    storage),
            "a\xEF\xBF\xBD"
            "b\xC3\xA9");
  const std::string good = "\xF0\x9F\x98\x80";
  EXPECT_EQ(as_utf8(good, storage).data(), good.data());
}

}  // namespace
}  // namespace stepsim::sim
