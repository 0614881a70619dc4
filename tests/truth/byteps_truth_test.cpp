// Replays the base captures of measured runs (docs/internals/test-data.md) and bounds their errors.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "ingest/load/load.h"
#include "sim/analysis/summary.h"
#include "sim/engine/engine.h"
#include "tests/source_folder.h"

namespace stepsim::ingest {
namespace {

namespace fs = std::filesystem;

struct MeasuredGroup {
  const char* path;
  double worst_error;
};

class BytepsTruthTest : public ::testing::TestWithParam<MeasuredGroup> {};

TEST_P(BytepsTruthTest, ReplayOfTheBaseCaptureGivesItsSteps) {
  const fs::path base = measured_folder() / GetParam().path / "base";
  LoadOptions options;
  options.job_file = (base / "job.yaml").string();
  const Capture capture = load({(base / "traces").string()}, options);
  const sim::Summary summary = sim::summarize(capture, sim::replay(capture.dag, sim::Machine::as_recorded(capture)));
  EXPECT_EQ(capture.skipped, 0U);
  EXPECT_GE(summary.steps.size(), 6U);
  EXPECT_LE(summary.iteration.worst_abs_error, GetParam().worst_error);
  EXPECT_LE(summary.unexplained_wait, summary.iteration.measured / 100);
}

// The errors may be up to 1 % for the groups of ps, and up to 1.5 % for those of byteps.
INSTANTIATE_TEST_SUITE_P(
    Truth, BytepsTruthTest,
    ::testing::Values(MeasuredGroup{"ps/even-first", 0.01}, MeasuredGroup{"ps/even-inline", 0.01},
                      MeasuredGroup{"ps/even-offset", 0.01}, MeasuredGroup{"ps/even-straggler", 0.01},
                      MeasuredGroup{"ps/vgg-cross", 0.01}, MeasuredGroup{"ps/vgg-first", 0.01},
                      MeasuredGroup{"byteps/byteps-2gpu", 0.015}, MeasuredGroup{"byteps/byteps-even", 0.015},
                      MeasuredGroup{"byteps/byteps-straggler", 0.015}, MeasuredGroup{"byteps/byteps-vgg", 0.015}),
    [](const auto& group) {
      std::string name = group.param.path;
      for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
      return name;
    });

}  // namespace
}  // namespace stepsim::ingest
