#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "ingest/formats/format.h"
#include "tests/source_folder.h"
#include "tests/yaml_examples.h"

namespace stepsim::ingest {
namespace {

TEST(RegisteredFormatsTest, EachHasItsNameInTheDocsAndAFuzzTarget) {
  const std::string docs = text_of_file("docs/reference/formats.md");
  for (const Format* format : formats()) {
    const std::string name(format->name);
    EXPECT_NE(docs.find('`' + name + '`'), std::string::npos) << name;
    EXPECT_TRUE(std::filesystem::exists(source_folder() / "tests/fuzz" / (name + "_fuzz.cpp"))) << name;
  }
}

}  // namespace
}  // namespace stepsim::ingest
