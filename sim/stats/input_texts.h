#ifndef STEPSIM_SIM_STATS_INPUT_TEXTS_H
#define STEPSIM_SIM_STATS_INPUT_TEXTS_H

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

// What the documents about several inputs, each on its own, have in common.
namespace stepsim::sim {

/// Returns the name of each input in titles: empty for a single input, otherwise the file's name, or the whole path if
/// file names are equal.
template <class Input>
[[nodiscard]] std::vector<std::string> names_in_titles(const std::vector<Input>& inputs) {
  std::vector<std::string> names(inputs.size());
  if (inputs.size() == 1) return names;
  const auto file_name = [](const Input& input) {
    const std::filesystem::path path(input.name);
    return (path.has_filename() ? path : path.parent_path()).filename().string();
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = file_name(inputs[i]);
    const auto same =
        std::count_if(inputs.begin(), inputs.end(), [&](const Input& other) { return file_name(other) == name; });
    names[i] = same > 1 || name.empty() ? inputs[i].name : name;
  }
  return names;
}

/// Returns the texts of all inputs, such as their warnings, each with the name of its input if there are several.
template <class Input>
[[nodiscard]] std::string joined(const std::vector<Input>& inputs, std::string Input::*text) {
  std::string all;
  for (const Input& input : inputs) {
    if ((input.*text).empty()) continue;
    if (!all.empty()) all += ' ';
    if (inputs.size() > 1) all += input.name + ": ";
    all += input.*text;
  }
  return all;
}

}  // namespace stepsim::sim

#endif
