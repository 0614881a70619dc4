#include "model/base/known_diagnostics.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "tests/source_folder.h"
#include "tests/yaml_examples.h"

namespace stepsim {
namespace {

namespace fs = std::filesystem;

/// Returns all sources of ingest/, the only code that reports diagnostics.
std::string ingest_sources() {
  std::string text;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(source_folder() / "ingest")) {
    if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h")
      text += text_of_file(fs::relative(entry.path(), source_folder()).string());
  }
  return text;
}

TEST(KnownDiagnosticsTest, ANameStandsOnce) {
  std::set<std::string_view> names;
  for (const std::span<const Diagnostic> table : kDiagnosticTables) {
    for (const Diagnostic& known : table) EXPECT_TRUE(names.insert(known.name).second) << known.name;
  }
}

TEST(KnownDiagnosticsTest, EachSaysWhatItIsAndWhatItDoesToTheAnswer) {
  for (const std::span<const Diagnostic> table : kDiagnosticTables) {
    for (const Diagnostic& known : table) {
      EXPECT_FALSE(known.remedy.empty()) << known.name;
      EXPECT_FALSE(known.remedy.ends_with('.')) << known.name << ": reports go on behind it";
      EXPECT_TRUE(known.effect.ends_with('.')) << known.name;
      EXPECT_TRUE(known.mend.empty() || known.mend.ends_with('.')) << known.name;
    }
  }
}

/// The compiler checks that each reported diagnostic has a row (tests/must_not_compile/unknown_diagnostic.cpp). This
/// test checks that each row is reported.
TEST(KnownDiagnosticsTest, EachIsReportedSomewhere) {
  const std::string sources = ingest_sources();
  for (const std::span<const Diagnostic> table : kDiagnosticTables) {
    for (const Diagnostic& known : table)
      EXPECT_NE(sources.find("diagnostic(\"" + std::string(known.name) + "\")"), std::string::npos) << known.name;
  }
}

}  // namespace
}  // namespace stepsim
