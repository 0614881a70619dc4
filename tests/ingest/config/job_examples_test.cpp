// Checks docs/reference/job.md: its examples can be read, and its table has every key.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "ingest/config/config.h"
#include "model/base/error.h"
#include "tests/thrown_by.h"
#include "tests/yaml_examples.h"

namespace stepsim::ingest {
namespace {

using stepsim::testing::thrown_by;

using ::testing::HasSubstr;

/// Returns the known keys, which the reader lists in its error about the unknown key in `text`.
std::vector<std::string> known_keys(const std::string& text) {
  std::string list = thrown_by<InputError>([&] { return parse_job(text, "job.yaml"); }, "");
  list = list.substr(list.rfind("expected ") + std::string("expected ").size());
  std::vector<std::string> keys;
  std::istringstream words(list);
  for (std::string word; words >> word;) {
    if (word == "or") continue;
    if (word.ends_with(',')) word.pop_back();
    keys.push_back(word);
  }
  return keys;
}

TEST(JobExamplesTest, EveryExampleOfThePageIsRead) {
  const std::vector<std::string> examples = yaml_examples("docs/reference/job.md");
  EXPECT_GE(examples.size(), 2U);
  for (const std::string& example : examples) {
    SCOPED_TRACE(example);
    EXPECT_NE(parse_job(example, "docs/reference/job.md"), Job{});
  }
}

TEST(JobExamplesTest, TheTableHasEveryKey) {
  const std::string page = text_of_file("docs/reference/job.md");
  const std::vector<std::string> keys = known_keys("nonsense: 1");
  EXPECT_GE(keys.size(), 16U);
  for (const std::string& key : keys) {
    if (key == "network") continue;  // a map; its keys are checked below
    EXPECT_THAT(page, HasSubstr("| `" + key + "` |"));
  }
  for (const std::string& key : known_keys("network: {nonsense: 1}"))
    EXPECT_THAT(page, HasSubstr("| `network." + key + "` |"));
}

}  // namespace
}  // namespace stepsim::ingest
