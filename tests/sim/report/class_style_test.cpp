#include "sim/report/class_style.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/source_folder.h"

namespace stepsim::sim {
namespace {

TEST(ClassStyleTest, ThePageHasTheSameLabelsAndColours) {
  std::ostringstream read;
  read << std::ifstream(source_folder() / "page/src/classes.js").rdbuf();
  const std::string page = read.str();
  for (std::size_t c = 0; c < kPathClassCount; ++c) {
    const ClassStyle& style = kClassStyles[c];
    const std::string name(to_text(static_cast<PathClass>(c)));
    const std::size_t begin = page.find("  " + name + ": {letter: '");
    ASSERT_NE(begin, std::string::npos) << name;
    EXPECT_THAT(
        page.substr(begin, page.find('\n', begin) - begin),
        ::testing::HasSubstr(fmt::format("label: '{}', color: '{}', ink: '{}'", style.label, style.colour, style.ink)));
  }
}

}  // namespace
}  // namespace stepsim::sim
