#include "ingest/cut/cut.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/error.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest {
namespace {

using stepsim::testing::thrown_by;

bool selects(std::string_view typed, std::string_view category, std::string_view name) {
  ChromeEvent event;
  event.category = category;
  event.name = name;
  event.process = "0";
  event.thread = "7";
  event.arguments = R"({"stream": 7, "device": 0})";
  return EventSelector(typed).selects(event);
}

TEST(EventSelectorTest, EveryKeyMustBeMet) {
  EXPECT_TRUE(selects("name=^ampere_sgemm,stream=7", "kernel", "ampere_sgemm_128x64_nn"));
  EXPECT_FALSE(selects("name=^ampere_sgemm,stream=8", "kernel", "ampere_sgemm_128x64_nn"));
  EXPECT_TRUE(selects("class=gemm", "kernel", "ampere_sgemm_128x64_nn"));
  EXPECT_FALSE(selects("class=gemm", "cpu_op", "ampere_sgemm_128x64_nn"));
  EXPECT_TRUE(selects("process=0,thread=7,device=0,category=kernel", "kernel", "x"));
}

TEST(EventSelectorTest, ACommaInBracketsBelongsToItsValue) {
  EXPECT_TRUE(selects("name=a{1,2}b,category=kernel", "kernel", "aab"));
}

TEST(EventSelectorTest, MistakesNameWhatIsExpected) {
  for (const auto& [typed, said] : {std::pair{"nme=x", "did you mean 'name'?"},
                                    {"name", "KEY=VALUE"},
                                    {"=x", "KEY=VALUE"},
                                    {"name=(", "regular expression"},
                                    {"class=gem", "expected gemm"}}) {
    EXPECT_THAT(thrown_by<UsageError>([text = typed] { return EventSelector(text); }), ::testing::HasSubstr(said));
  }
}

}  // namespace
}  // namespace stepsim::ingest
