// Tests properties of every registered what-if.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "ingest/bytes/input.h"
#include "model/base/error.h"
#include "tests/scenarios/sample_questions.h"
#include "tests/source_folder.h"
#include "tests/thrown_by.h"
#include "tests/yaml_examples.h"

namespace stepsim::testing {
namespace {

using scenarios::Parameter;
using scenarios::what_ifs;
using scenarios::WhatIf;

class WhatIfTest : public ::testing::TestWithParam<const WhatIf*> {};

INSTANTIATE_TEST_SUITE_P(All, WhatIfTest, ::testing::ValuesIn(what_ifs().begin(), what_ifs().end()),
                         [](const auto& instance) { return std::string(instance.param->name); });

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char letter) { return std::islower(letter) != 0 || letter == '_'; });
}

TEST_P(WhatIfTest, DescribesItselfAndItsLimits) {
  EXPECT_TRUE(is_word(GetParam()->name));
  EXPECT_FALSE(GetParam()->summary.empty());
  EXPECT_FALSE(GetParam()->ignores.empty());
  EXPECT_TRUE(GetParam()->apply != nullptr || GetParam()->apply_together != nullptr);
}

TEST_P(WhatIfTest, DescribesEachParameterOnce) {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : GetParam()->parameters) {
    EXPECT_TRUE(is_word(parameter.name)) << parameter.name;
    EXPECT_FALSE(text_of(parameter.type).empty()) << parameter.name;
    EXPECT_FALSE(parameter.summary.empty()) << parameter.name;
    names.push_back(parameter.name);
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_FALSE(names.empty());
}

TEST_P(WhatIfTest, RefusesUnknownParameters) {
  scenarios::Scenario scenario;
  const std::string key = std::string(GetParam()->name) + ".nonsense";
  EXPECT_THAT(thrown_by<UsageError>([&] { scenarios::add_set(scenario, key + "=1"); }),
              ::testing::HasSubstr("nonsense"));
}

TEST_P(WhatIfTest, RefusesMalformedValues) {
  for (const Parameter& parameter : GetParam()->parameters) {
    const std::string set = std::string(GetParam()->name) + "." + std::string(parameter.name) + "=%";
    for (const NamedQuestion& sample : sample_questions()) {
      EXPECT_THAT([&] { (void)sample.question.predicted({set}); },
                  ::testing::ThrowsMessage<InputError>(::testing::StartsWith("--set " + set + ":1: ")))
          << "of " << sample.name;
    }
  }
}

TEST_P(WhatIfTest, NeutralValuesChangeNothingToTheNanosecond) {
  for (const NamedQuestion& sample : sample_questions()) {
    const scenarios::Prediction before = sample.question.predicted({});
    for (const Parameter& parameter : GetParam()->parameters) {
      if (parameter.neutral.empty()) continue;
      const std::string set =
          std::string(GetParam()->name) + "." + std::string(parameter.name) + "=" + std::string(parameter.neutral);
      const bool untimed = sample.name == "gpu" || sample.name == "loading" ||
                           (sample.name == "streams" && parameter.name != "bandwidth");
      const bool as_recorded = untimed && GetParam()->name == "network";
      if (as_recorded) continue;  // the question is refused, because transfers keep their recorded times
      const scenarios::Prediction after = sample.question.predicted({set});
      EXPECT_EQ(after.iteration, before.iteration) << set << " of " << sample.name;
      EXPECT_EQ(after.timeline.start, before.timeline.start) << set << " of " << sample.name;
      EXPECT_EQ(after.timeline.finish, before.timeline.finish) << set << " of " << sample.name;
    }
  }
}

/// Returns the text that the table of docs/reference/what-ifs.md must have, made from the registry.
std::string documented() {
  std::string table = "| what-if | parameter | form | meaning | changes nothing |\n|---|---|---|---|---|\n";
  for (const WhatIf* const what_if : what_ifs()) {
    std::string name = "`" + std::string(what_if->name) + "`: " + std::string(what_if->summary);
    for (const Parameter& parameter : what_if->parameters) {
      const std::string neutral = parameter.neutral.empty() ? "" : "`" + std::string(parameter.neutral) + "`";
      table += "| " + name + " | `" + std::string(parameter.name) + "` | " + text_of(parameter.type) + " | " +
               std::string(parameter.summary) + " | " + neutral + " |\n";
      name = "";
    }
  }
  return table;
}

/// Returns one line per what-if, which lists the effects that its answer ignores.
std::string left_out() {
  std::string list;
  for (const WhatIf* const what_if : what_ifs())
    list += "* `" + std::string(what_if->name) + "`: " + std::string(what_if->ignores) + "\n";
  return list;
}

/// Returns the names of the what-ifs that accept `select`, in the form "`compute`, `device`.".
std::string selecting() {
  std::string list;
  for (const WhatIf* const what_if : what_ifs()) {
    if (what_if->selected != nullptr) list += (list.empty() ? "`" : ", `") + std::string(what_if->name) + "`";
  }
  return list + ".";
}

TEST(WhatIfDocumentation, IsWhatTheRegistrySays) {
  const std::string text =
      ingest::read_small_file((source_folder() / "docs/reference/what-ifs.md").string(), 1U << 20U).text;
  EXPECT_NE(text.find("\n" + documented() + "\n"), std::string::npos) << documented();
  EXPECT_NE(text.find("\n" + selecting() + "\n"), std::string::npos) << selecting();
  EXPECT_NE(text.find("\n" + left_out() + "\n"), std::string::npos) << left_out();
}

/// A row of the table of examples in docs/reference/what-ifs.md.
struct Example {
  std::string in_file;          ///< "network: {bandwidth: 2x}"
  std::string on_command_line;  ///< "network.bandwidth=2x"
};

/// Returns the text between the backticks in column `place` of a table row, counted from 0.
std::string code_of(const std::string& row, int place) {
  std::size_t begin = 0;
  for (int i = 0; i < place; ++i) begin = row.find(" | ", begin) + 3;
  return row.substr(begin + 1, row.find('`', begin + 1) - begin - 1);
}

std::vector<Example> documented_examples() {
  const std::string page = text_of_file("docs/reference/what-ifs.md");
  const std::string title = "| question | in a file | on the command line |\n|---|---|---|\n";
  std::vector<Example> examples;
  for (std::size_t at = page.find(title) + title.size(); page[at] == '|'; at = page.find('\n', at) + 1) {
    const std::string row = page.substr(at, page.find('\n', at) - at);
    std::string typed = code_of(row, 2).substr(std::string("--set ").size());
    if (typed.front() == '\'') typed = typed.substr(1, typed.size() - 2);
    examples.push_back({code_of(row, 1), typed});
  }
  return examples;
}

TEST(WhatIfDocumentation, ExamplesInAFileAndOnTheCommandLineAreTheSame) {
  for (const Example& example : documented_examples()) {
    scenarios::Scenario typed;
    scenarios::add_set(typed, example.on_command_line);
    const scenarios::Scenario written =
        scenarios::parse_scenario("changes:\n  - " + example.in_file + "\n", "docs/reference/what-ifs.md");
    ASSERT_EQ(written.changes.size(), 1U);
    EXPECT_EQ(written.changes.front().to_text(), typed.changes.front().to_text());
  }
}

TEST(WhatIfDocumentation, EveryWhatIfHasAnExampleWithASelectionIfItTakesOne) {
  const std::vector<Example> examples = documented_examples();
  for (const WhatIf* const what_if : what_ifs()) {
    const auto shows = [what_if](std::string_view behind) {
      return [=](const Example& example) {
        return example.on_command_line.starts_with(std::string(what_if->name).append(behind));
      };
    };
    const bool selects = std::any_of(examples.begin(), examples.end(), shows("{"));
    EXPECT_TRUE(selects || std::any_of(examples.begin(), examples.end(), shows("."))) << what_if->name;
    EXPECT_EQ(selects, what_if->selected != nullptr) << what_if->name;
  }
}

/// Tests the sweeps in docs/guides/choose.md. documented_examples() reads those in docs/reference/what-ifs.md.
TEST(SweepDocumentation, ExamplesAreRead) {
  const std::vector<std::string> examples = yaml_examples("docs/guides/choose.md");
  EXPECT_GE(examples.size(), 2U);
  for (const std::string& example : examples) {
    const scenarios::Scenario scenario = scenarios::parse_scenario(example, "docs/guides/choose.md");
    EXPECT_FALSE(scenario.sweep.empty() && scenario.points.empty()) << example;
  }
}

}  // namespace
}  // namespace stepsim::testing
