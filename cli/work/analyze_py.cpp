#include "cli/work/analyze_py.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "cli/program/arguments.h"
#include "cli/work/trace_output.h"
#include "ingest/combined/combined_trace.h"
#include "ingest/load/recognise.h"
#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::cli {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

/// Returns the path for the output file `name`: next to the first input, or inside it if it is a folder, as analyze.py
/// did.
std::string path_next_to_input(const Analysis& analysis, const std::string& name) {
  const fs::path path = analysis.paths.front();
  std::error_code ignored;
  return ((fs::is_directory(path, ignored) ? path : path.parent_path()) / name).string();
}

/// Returns the arguments "-o FILE" for a trace. FILE is next to the first input, where analyze.py wrote traces.
Words trace_output_words(const Analysis& analysis, std::string_view name, const IsOurs& ours) {
  fs::path path = fs::path(analysis.paths.front()).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // for example "A/"
  const bool has_no_parent = path == "." || path.filename() == "..";
  std::string output = ((has_no_parent ? path / ".." : path.parent_path()) / name).string();
  refuse_foreign_file(output, ours);
  return {"-o", std::move(output)};
}

void add_table_options(Words& words, const Analysis& analysis, const char* sorted, const char* workbook) {
  append(words, {"--sort", analysis.sort ? sorted : "name", "--head", analysis.head.value_or("all")});
  if (analysis.xlsx) append(words, {"-o", path_next_to_input(analysis, workbook)});
}

Words statistic(const Analysis& analysis) {
  Words words{"stats"};
  add_table_options(words, analysis, "mean", "statistic.xlsx");
  return words;
}

Words graph(const Analysis& analysis) {
  for (const std::string& path : analysis.paths) {
    if (!path.ends_with(".gml")) {
      throw UsageError(
          fmt::format("--option graph draws a dag.gml, and '{}' is not one; expected a file that ends in .gml, or use "
                      "'stepsim graph'",
                      shown(path)));
    }
  }
  Words words{"graph"};
  append(words, {"-o", fs::path(analysis.paths.front()).replace_extension(".svg").string()});
  return words;
}

Words combine(const Analysis& analysis) {
  Words words{"combine"};
  if (!analysis.filter.empty()) append(words, {"--filter", analysis.filter});
  append(words, trace_output_words(analysis, "combined.json", ingest::is_combined_trace));
  return words;
}

Words compare(const Analysis& analysis) {
  Words words{"compare"};
  add_table_options(words, analysis, "relative", "compare.xlsx");
  return words;
}

Words categories(const Analysis& analysis) {
  Words words{"compare"};
  append(words, {"--by", "category", "--ignore-partitions", "-o", path_next_to_input(analysis, "3dcompare.svg")});
  return words;
}

Words critical(const Analysis& /*analysis*/) { return {"critical-path"}; }

[[noreturn]] void refuse_sub_option(const Analysis& analysis, const Words& known) {
  throw_unknown(fmt::format("--sub_option of {}", analysis.option), analysis.sub_option, known);
}

Words replay(const Analysis& analysis) {
  if (analysis.sub_option == "smlt_delay_cmp") {
    Words words{"whatif"};
    append(words, {"--set", "compute.scale=" + analysis.delay_ratio});
    return words;
  }
  if (analysis.sub_option == "bottleneck") return {"advise"};
  if (!analysis.sub_option.empty()) refuse_sub_option(analysis, {"bottleneck", "smlt_delay_cmp"});
  Words words{"replay"};
  append(words, {"--step-num", analysis.step_num});
  if (analysis.del_queue) words.emplace_back("--del-queue");
  append(words, trace_output_words(analysis, "synthetic.json", ingest::is_own_export));
  return words;
}

Words collect(const Analysis& analysis) {
  if (analysis.sub_option == "straggler") return {"replay"};
  if (analysis.sub_option == "xlsx") {
    Words words{"stats"};
    append(words, {"-o", path_next_to_input(analysis, "statistic.xlsx")});
    return words;
  }
  Words words{"collect"};
  if (analysis.sub_option == "iter_time") {
    words.emplace_back("--iter-time");
  } else if (analysis.sub_option == "operator") {
    words.emplace_back("--operators");
  } else if (!analysis.sub_option.empty() && analysis.sub_option != "combine") {
    refuse_sub_option(analysis, {"iter_time", "operator", "combine", "xlsx", "straggler"});
  }
  if (analysis.sub_option != "iter_time") words.emplace_back("--in-place");  // as analyze.py does
  return words;
}

struct Translation {
  std::string_view name;
  Words (*translate)(const Analysis& analysis);
};
constexpr std::array kTranslations{
    Translation{"statistic", statistic}, Translation{"graph", graph},       Translation{"combine", combine},
    Translation{"compare", compare},     Translation{"critical", critical}, Translation{"replay", replay},
    Translation{"reproduce", replay},    Translation{"collect", collect},   Translation{"3dcompare", categories}};

}  // namespace

std::vector<std::string> analyze_py_options() { return words_of(kTranslations); }

std::vector<std::string> translated(const Analysis& analysis) {
  if (analysis.option.empty())
    throw UsageError(fmt::format("analyze needs --option; expected {}", one_of(analyze_py_options())));
  const Translation translation = chosen("--option", kTranslations, {analysis.option});
  if (analysis.paths.empty()) throw UsageError("analyze needs --path; expected files or folders, separated by commas");
  Words words = translation.translate(analysis);
  if (analysis.pretty) words.emplace_back("--brief");
  words.emplace_back("--");  // all following words are paths, even if they begin with a dash
  append(words, analysis.paths);
  return words;
}

}  // namespace stepsim::cli
