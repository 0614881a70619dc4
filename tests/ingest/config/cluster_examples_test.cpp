#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "ingest/config/config.h"
#include "tests/source_folder.h"
#include "tests/yaml_examples.h"

namespace stepsim::ingest {
namespace {

const std::filesystem::path kSource = stepsim::source_folder();

/// Fails unless every endpoint can reach every other one.
void expect_connected(const Cluster& cluster) {
  ASSERT_GT(cluster.endpoints.size(), 0U);
  for (std::size_t i = 0; i < cluster.endpoints.size(); ++i) {
    for (std::size_t j = 0; j < cluster.endpoints.size(); ++j) {
      EXPECT_TRUE(cluster.route(EndpointId{i}, EndpointId{j}).has_value()) << i << " to " << j;
    }
  }
}

std::vector<std::string> example_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "scenarios/clusters")) {
    files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(ClusterExamplesTest, EveryFileOfTheScenariosIsReadAndConnected) {
  const std::vector<std::string> files = example_files();
  EXPECT_GE(files.size(), 6U);
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    std::vector<InputFile> inputs;
    expect_connected(read_cluster_file(file, inputs));
  }
}

TEST(ClusterExamplesTest, EveryExampleOfThePageIsReadAndConnected) {
  const std::vector<std::string> examples = yaml_examples("docs/reference/cluster.md");
  EXPECT_GE(examples.size(), 6U);
  for (const std::string& example : examples) {
    SCOPED_TRACE(example);
    expect_connected(parse_cluster(example, "docs/reference/cluster.md"));
  }
}

}  // namespace
}  // namespace stepsim::ingest
