#include "cli/program/stages.h"

#include <gtest/gtest.h>

#include <chrono>

namespace stepsim::cli {
namespace {

using std::chrono::milliseconds;

Stages::Moment at(int wall, int processor) { return {milliseconds{wall}, milliseconds{processor}}; }

TEST(StagesTest, EachStageLastsUntilTheNextBegins) {
  Stages stages(at(100, 10));
  stages.begin("reading", at(101, 11));
  stages.begin("writing", at(301, 400));
  EXPECT_EQ(stages.end(at(350, 449)),
            "starting                  1 ms   processor      1 ms\n"
            "reading                 200 ms   processor  389.0 ms\n"
            "writing                  49 ms   processor     49 ms\n"
            "total                   250 ms   processor  439.0 ms\n");
}

TEST(StagesTest, AStageThatBeginsAgainIsOneLineInTheOrderOfItsLastBegin) {
  Stages stages(at(0, 0));
  stages.begin("analysing", at(0, 0));
  stages.begin("replaying", at(10, 10));
  stages.begin("analysing", at(30, 30));
  EXPECT_EQ(stages.end(at(35, 35)),
            "starting                  0 ns   processor      0 ns\n"
            "replaying                20 ms   processor     20 ms\n"
            "analysing                15 ms   processor     15 ms\n"
            "total                    35 ms   processor     35 ms\n");
}

}  // namespace
}  // namespace stepsim::cli
