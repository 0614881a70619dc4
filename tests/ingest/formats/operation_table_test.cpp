#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/ingest/read_text.h"

namespace stepsim::ingest::operation_table_test {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kHeader = "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n";

Parsed<OperationTable> read(std::string_view text) { return read_text<OperationTable>("operation_table", text); }
Parsed<OperationTable> read_rows(std::string_view rows) { return read(std::string(kHeader).append(rows)); }

TEST(OperationTableTest, ARowIsAnOperation) {
  const auto [table, sink] = read_rows("3,1,28,16,forward-send,1.25,4.659200203604996e-05,5,-1,-1,-1\n");
  ASSERT_EQ(table.operations.size(), 1U);
  const OperationTable::Operation& operation = table.operations.front();
  EXPECT_EQ(operation.place, (ParallelPlace{3, 1}));
  EXPECT_EQ(operation.step, 16);
  EXPECT_EQ(table.texts[operation.name.index()], "forward-send");
  EXPECT_EQ(operation.start, Time{Duration{1'250'000'000}});
  EXPECT_EQ(operation.duration, Duration{46'592});
  EXPECT_EQ(operation.sequence, 5);
  EXPECT_EQ(sink.events, 1U);
  EXPECT_EQ(sink.skipped, 0U);
}

TEST(OperationTableTest, ColumnsMayBeInAnyOrderAndHaveOtherNames) {
  const auto table =
      read("operation,duration,start,step,pp_stage,rank,host\r\n\"backward-compute\", 0.5 ,2,7,1,0,a\r\n\r\n").part;
  ASSERT_EQ(table.operations.size(), 1U);
  EXPECT_EQ(table.texts[table.operations[0].name.index()], "backward-compute");
  EXPECT_EQ(table.operations[0].place, (ParallelPlace{0, 1}));
  EXPECT_EQ(table.operations[0].duration, Duration{500'000'000});
  EXPECT_EQ(table.operations[0].sequence, -1) << "no such column";
}

TEST(OperationTableTest, ARowWithoutANumberIsSkippedAndCounted) {
  const auto table = read_rows(
      "0,0,0,1,optimizer,0.1,0.2,0,0,0,0\n"
      "0,0,0,1,optimizer,late,0.2,0,0,0,0\n"
      "0,0,0,1,optimizer,0.1,-1,0,0,0,0\n"
      "0,0,0,1,optimizer,0.1,nan,0,0,0,0\n"
      "0,0,0,1,,0.1,0.2,0,0,0,0\n"
      "0,0,0,1,optimizer,0.1\n");
  EXPECT_EQ(table.part.operations.size(), 1U);
  EXPECT_EQ(table.sink.events, 6U);
  EXPECT_EQ(table.sink.skipped, 5U);
  EXPECT_EQ(table.sink.diagnostics.count_of("unreadable_operation"), 5U);
}

TEST(OperationTableTest, WhatIsMissingIsNamed) {
  EXPECT_THAT(refusal("operation_table", "dp_rank,stage,step,optype,start_ts\n0,0,1,x,2\n"),
              HasSubstr("file:1: no column 'duration'; expected dp_rank, stage, step, optype, start_ts and duration"));
  EXPECT_THAT(refusal("operation_table", kHeader), HasSubstr("no operation in the table; expected rows"));
}

TEST(OperationTableTest, OnlyItsHeaderIsRecognised) {
  const Recogniser& recognise = format_named("operation_table").recognise;
  EXPECT_GE(recognise("trace-AR.csv", kHeader), 90);
  EXPECT_EQ(recognise("table.csv", "name,step,duration\n"), 0);
  EXPECT_EQ(recognise("trace.json", R"({"traceEvents": [{"name": "step, stage, duration"}]})"), 0);
}

}  // namespace
}  // namespace stepsim::ingest::operation_table_test
