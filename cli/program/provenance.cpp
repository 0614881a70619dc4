#include "cli/program/provenance.h"

#include <fmt/core.h>
#include <isa-l/crc64.h>

#include <algorithm>
#include <utility>

#include "model/base/text.h"
#include "model/base/version.h"

namespace stepsim::cli {
namespace {

bool changes_no_result(const std::string& argument) {
  return argument == "--quiet" || argument == "-v" || argument == "--verbose" || argument.rfind("--threads=", 0) == 0;
}

/// Returns the path, or the path after "OPTION=", without its folder.
std::string without_folder(const std::string& argument) {
  const std::size_t value = argument.starts_with('-') ? argument.find('=') + 1 : 0;  // npos + 1 is 0
  const std::size_t slash = argument.find_last_not_of('/') == std::string::npos
                                ? std::string::npos
                                : argument.rfind('/', argument.find_last_not_of('/'));
  if (slash == std::string::npos || slash < value) return argument;
  return argument.substr(0, value) + argument.substr(slash + 1);
}

}  // namespace

std::string shell_quoted(const std::string& word) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=,@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
    return word;
  }
  std::string text = "'";
  for (const char c : word) {
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return text + "'";
}

std::string command_line(std::span<const std::string> arguments) {
  std::string text = "stepsim";
  bool are_options = true;  // false after "--": all further arguments are inputs, even if they begin with a dash
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    are_options = are_options && arguments[i] != "--";
    if (are_options && arguments[i] == "--threads") {
      ++i;
    } else if (!are_options || !changes_no_result(arguments[i])) {
      text += ' ' + shell_quoted(arguments[i]);
    }
  }
  return text;
}

Provenance make_provenance(std::span<const std::string> arguments, std::vector<InputFile> inputs) {
  const bool anonymous = std::find(arguments.begin(), arguments.end(), "--anonymous") != arguments.end();
  std::vector<std::string> shown(arguments.begin(), arguments.end());
  for (std::string& argument : shown) {
    for (const InputFile& input : inputs) {
      if (const std::size_t at = argument.find(input.opened); !input.opened.empty() && at != std::string::npos)
        argument.replace(at, input.opened.size(), input.name);
    }
    if (anonymous) argument = without_folder(argument);
  }
  for (InputFile& input : inputs) {
    if (anonymous) input.name = without_folder(input.name);
    input.opened.clear();
  }
  return {std::string(version()), std::string(commit()), command_line(shown), std::move(inputs)};
}

std::uint64_t crc64_of(std::string_view text) {
  return crc64_ecma_refl(0, reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

std::string origin_line(const Provenance& provenance) {
  std::string all;
  for (const InputFile& input : provenance.inputs) all += sim::to_text(input) + '\n';
  return fmt::format("stepsim {} ({}): {}; {}, crc64 {:016x}", provenance.version, provenance.commit,
                     provenance.command, counted(provenance.inputs.size(), "input"), crc64_of(all));
}

}  // namespace stepsim::cli
