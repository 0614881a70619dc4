#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "ingest/formats/format.h"
#include "tests/yaml_examples.h"

namespace stepsim::ingest {
namespace {

TEST(RegisteredFormatsTest, EachHasItsNameInTheDocsAndAFuzzTarget) {
  const std::string docs = text_of_file("docs/reference/formats.md");
  const std::string targets = text_of_file("tests/fuzz/CMakeLists.txt");
  for (const Format* format : formats()) {
    const std::string name(format->name);
    EXPECT_NE(docs.find('`' + name + '`'), std::string::npos) << name;
    EXPECT_TRUE(std::regex_search(targets, std::regex("[ (]" + name + "(_fuzz)?[\\s)]"))) << name;
  }
}

}  // namespace
}  // namespace stepsim::ingest
