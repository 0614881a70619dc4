#include "cli/program/arguments.h"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::cli {

namespace {

/// Returns "./[a,b]" for "[a,b]", and any other argument unchanged. CLI11 would read "[a,b]" as a list; "./[a,b]" names
/// the same file and is not a list.
std::string without_brackets(const std::string& argument) {
  const bool looks_like_list = argument.size() >= 2 && argument.front() == '[' && argument.back() == ']';
  return looks_like_list ? "./" + argument : argument;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options([](const CLI::Option* o) { return o->nonpositional(); })) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
    for (const std::string& name : option->get_snames()) {
      names.push_back("-" + name);
    }
  }
  return names;
}

[[noreturn]] void throw_unknown_option(const CLI::App& app) {
  const std::string word = app.remaining().front();
  const std::vector<std::string> known = option_names(app);
  throw_unknown("option", std::string_view(word).substr(0, word.find('=')), known);
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Throws UsageError for an option with a missing value, a second value, or a value for a flag. CLI11 throws the same
/// exception for all three. Only its text distinguishes them: "--job: 1 required FILE missing", "--job: At Most 1
/// required but received 2", "--json was given a disallowed flag override".
[[noreturn]] void throw_mismatch(const CLI::App& app, std::string_view message) {
  const std::string name(message.substr(0, message.find_first_of(": ")));
  if (contains(message, "At Most")) {
    throw UsageError(fmt::format("{} is given more than once; expected it once", shown(name)));
  }
  if (contains(message, "flag override")) {
    throw UsageError(fmt::format("--{} takes no value; expected it alone", shown(name)));
  }
  const CLI::Option* option = app.get_option_no_throw(name);
  throw UsageError(
      fmt::format("{} has no value; expected {}", shown(name), option == nullptr ? "one" : option->get_type_name()));
}

}  // namespace

std::vector<std::string> arguments_in_order(const CLI::App& app, const std::string& command,
                                            std::span<const std::string_view> leave_out) {
  std::vector<std::string> arguments{command};
  for (const CLI::Option* const option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || std::find(leave_out.begin(), leave_out.end(), name) != leave_out.end()) continue;
    for (const std::string& value : option->results()) {
      if (option->nonpositional()) arguments.push_back(name);
      arguments.push_back(value);
    }
  }
  return arguments;
}

std::vector<std::string> arguments_again(const CLI::App& app, const std::string& command,
                                         std::span<const std::string_view> leave_out) {
  std::vector<std::string> arguments{command};
  std::vector<std::string> inputs{"--"};
  for (const CLI::Option* const option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || std::find(leave_out.begin(), leave_out.end(), name) != leave_out.end()) continue;
    const bool is_flag = option->get_expected_max() == 0;
    for (const std::string& value : option->results()) {
      if (option->nonpositional()) arguments.push_back(name);
      if (!is_flag) (option->nonpositional() ? arguments : inputs).push_back(value);
    }
  }
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  return arguments;
}

void throw_unknown(std::string_view what, std::string_view word, std::span<const std::string> known) {
  const bool too_short_to_guess = word.size() <= 2;
  const std::optional<std::string> nearest = too_short_to_guess ? std::nullopt : nearest_name(word, known);
  const std::string hint = nearest ? fmt::format("did you mean '{}'? ", *nearest) : std::string();
  throw UsageError(fmt::format("unknown {} '{}'; {}expected {}", what, shown(word), hint, one_of(known)));
}

const Command& find_command(std::string_view word, std::span<const Command* const> commands) {
  std::vector<std::string> names;
  for (const Command* command : commands) {
    if (command->name == word) {
      return *command;
    }
    names.emplace_back(command->name);
  }
  if (word.size() > 1 && word.front() == '-') {
    throw UsageError(fmt::format(
        "'{}' is not a command; expected 'stepsim COMMAND TRACE... [options]', --help or --version", shown(word)));
  }
  throw_unknown("command", word, names);
}

Parsed parse(CLI::App& app, std::span<const std::string> arguments) {
  std::vector<std::string> reversed;  // App::parse(vector) expects reverse order
  std::transform(arguments.rbegin(), arguments.rend() - 1, std::back_inserter(reversed), without_brackets);
  try {
    app.parse(std::move(reversed));
    return Parsed::kReady;
  } catch (const CLI::CallForHelp&) {
    return Parsed::kHelpWanted;
  } catch (const CLI::ExtrasError&) {
    throw_unknown_option(app);
  } catch (const CLI::RequiredError& e) {
    if (app.remaining_size() > 0) {  // one of the unknown words is probably a mistyped option
      throw_unknown_option(app);
    }
    throw UsageError(fmt::format("{}; see '{} --help'", e.what(), app.get_name()));
  } catch (const CLI::ArgumentMismatch& e) {
    throw_mismatch(app, e.what());
  } catch (const CLI::ParseError& e) {
    throw UsageError(e.what());
  }
}

std::vector<std::string> divided_at_commas(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string_view part : parts_of(text, ',')) {
    if (!part.empty()) words.emplace_back(part);
  }
  return words;
}

}  // namespace stepsim::cli
