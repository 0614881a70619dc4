#include "model/job/kernel_name.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "model/base/text.h"

namespace stepsim {
namespace {

using Views = std::vector<std::string_view>;

constexpr int kMostNested = 64;             // names are from files, so they may be hostile
constexpr std::size_t kLongest = 10'000;    // the longest of 1,084 real ones has 3,001 bytes
constexpr std::size_t kMostOperations = 2;  // "multi_tensor_apply_kernel<BinaryOpListAlphaFunctor<float>, plus<float>>"
constexpr std::size_t kMostTypes = 3;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? std::string_view{}
                                         : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

bool opens(char letter) { return contains("<([{", {&letter, 1}); }
bool closes(char letter) { return contains(">)]}", {&letter, 1}); }

bool is_balanced(std::string_view text) {
  int depth = 0;
  for (const char letter : text) {
    depth += static_cast<int>(opens(letter)) - static_cast<int>(closes(letter));
    if (depth < 0) return false;
  }
  return depth == 0;
}

/// Splits a balanced text at `separator`, except within brackets.
Views split(std::string_view text, std::string_view separator) {
  Views parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += static_cast<int>(opens(text[i])) - static_cast<int>(closes(text[i]));
    if (depth != 0 || !text.substr(i).starts_with(separator)) continue;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + separator.size();
    i = begin - 1;
  }
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

/// Returns where the bracket begins that the last character of a balanced text closes.
std::size_t last_bracket(std::string_view text) {
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    depth += static_cast<int>(closes(text[i])) - static_cast<int>(opens(text[i]));
    if (depth == 0) return i;
  }
  return 0;
}

/// A component of a qualified name: "NAME<ARGUMENTS>(PARAMETERS)".
struct Component {
  std::string_view name;
  Views arguments;
  std::string_view parameters;  ///< without parentheses
  bool called = false;          ///< true if it has parameters
};

Component component(std::string_view text) {
  Component parsed;
  if (text.ends_with(')')) {
    const std::size_t begin = last_bracket(text);
    parsed.called = true;
    parsed.parameters = text.substr(begin + 1, text.size() - begin - 2);
    text = trimmed(text.substr(0, begin));
  }
  if (text.ends_with('>') && last_bracket(text) > 0) {
    const std::size_t begin = last_bracket(text);
    parsed.arguments = split(text.substr(begin + 1, text.size() - begin - 2), ",");
    text = trimmed(text.substr(0, begin));
  }
  parsed.name = text;
  return parsed;
}

bool is_lambda(std::string_view component) { return starts_with_any(component, {"{lambda", "[lambda"}); }

/// Returns a type without "const", "&" and "*" after it.
std::string_view without_qualifiers(std::string_view type) {
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view qualifier : {" const", "&", "*"}) {
      if (!type.ends_with(qualifier) || type.size() == qualifier.size()) continue;
      type = trimmed(type.substr(0, type.size() - qualifier.size()));
      found = true;
    }
  }
  return type;
}

/// Returns the components of a qualified name, without the return type, unnamed namespaces and cv-qualifiers; at least
/// one.
Views components_of(std::string_view text) {
  Views parts = split(text, "::");
  std::erase_if(parts, [](std::string_view part) { return part == "(anonymous namespace)" || part == "<unnamed>"; });
  if (parts.empty()) parts.push_back(text);
  for (std::string_view& part : parts) part = without_qualifiers(part);
  // A return type ends within a component, as in "void at::f" and "enable_if<true>::type internal::f".
  for (std::size_t i = parts.size(); i-- > 0;) {
    const Views words = split(parts[i], " ");
    if (words.size() < 2 || is_lambda(parts[i]) || starts_with_any(words.back(), {"(", "<"})) continue;
    if (starts_with_any(words.front(), {"unsigned", "signed", "long", "short", "operator"})) continue;
    parts[i] = words.back();
    parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  return parts;
}

/// True for numbers, truth values and casts of them: "4", "5ul", "true", "(int)128".
bool is_literal(std::string_view argument) {
  if (argument.empty() || argument == "true" || argument == "false") return true;
  if (argument.front() == '(' && is_digit(argument.back())) return true;
  return is_digit(argument.front()) || (argument.front() == '-' && argument.size() > 1);
}

/// True for types that are the data of an operation or a detail of its loop, and not the operation.
bool is_data(std::string_view name) {
  return name == "complex" || name == "OpaqueType" || name == "tuple" || name == "integral_constant";
}
bool is_detail(std::string_view name) {
  if (contains_any(name, {"OffsetCalculator", "Metadata", "Policy", "Params"})) return true;
  return name == "Array" || name == "array" || name.ends_with("Traits") || name.ends_with("Iterator");
}

bool is_operation(std::string_view argument) {
  if (is_literal(argument) || !contains_any(argument, {"<", "("})) return false;
  const Views parts = components_of(argument);
  if (parts.empty()) return false;
  if (is_lambda(parts.back())) return true;
  const std::string_view name = component(parts.back()).name;
  return !is_data(name) && !is_detail(name);
}

void add_once(std::vector<std::string>& list, std::string item) {
  if (!item.empty() && std::find(list.begin(), list.end(), item) == list.end()) list.push_back(std::move(item));
}

std::string with_arguments(std::string_view name, const std::vector<std::string>& arguments) {
  std::string text(name);
  if (!arguments.empty()) text += '<' + stepsim::joined(arguments, std::identity{}) + '>';
  return text;
}

/// Returns a type without namespaces: "BFloat16", "complex<float>", "char*".
std::string data_type(std::string_view type) {
  std::string_view mark;
  if (type.ends_with('*')) mark = "*";
  const Views parts = components_of(type);
  if (parts.empty()) return {};
  const Component last = component(parts.back());
  std::vector<std::string> arguments;
  for (const std::string_view argument : last.arguments) {
    const Views argument_parts = split(argument, "::");
    arguments.emplace_back(argument_parts.back().substr(argument_parts.back().find_last_of(')') + 1));
  }
  return with_arguments(last.name, arguments).append(mark);
}

/// Returns the different data types among arguments or parameters, at most kMostTypes.
std::vector<std::string> data_types(const Views& arguments) {
  std::vector<std::string> types;
  for (const std::string_view argument : arguments) {
    if (is_literal(argument) || is_operation(argument) || is_detail(component(components_of(argument).back()).name))
      continue;
    if (types.size() < kMostTypes) add_once(types, data_type(argument));
  }
  return types;
}

/// How much of a function's template arguments is shown.
enum class Detail : std::uint8_t {
  kOperation,  ///< the operation and its data types
  kWrappers,   ///< also the templates around the operation, and the function's numbers
  kAll,        ///< all, without namespaces
  kWholeName,
};

// NOLINTBEGIN(misc-no-recursion): at most kMostNested calls deep
std::string operation(std::string_view argument, Detail detail, int nested);

/// Returns the name with the data types of its arguments or, if exactly one argument is an operation, that operation,
/// because a wrapper says little.
std::string unwrapped(const Component& wrapper, const Views& types, Detail detail, int nested) {
  Views operations;
  std::copy_if(wrapper.arguments.begin(), wrapper.arguments.end(), std::back_inserter(operations), is_operation);
  if (operations.size() == 1 && nested < kMostNested) {
    std::string inner = operation(operations.front(), detail, nested + 1);
    return detail == Detail::kOperation ? inner : with_arguments(wrapper.name, {std::move(inner)});
  }
  if (!operations.empty()) return std::string(wrapper.name);
  return with_arguments(wrapper.name, data_types(types));
}

/// Returns the types of the parameters of "{lambda(float, bool)#1}" or "[lambda(float, bool) (instance 1)]".
Views lambda_parameters(std::string_view lambda) {
  lambda = lambda.substr(0, lambda.find(" (instance"));
  const std::size_t begin = lambda.find('(');
  const std::size_t end = lambda.rfind(')');
  if (begin >= end || end == std::string_view::npos) return {};
  return split(lambda.substr(begin + 1, end - begin - 1), ",");
}

/// Returns the short name of a functor or lambda.
std::string operation(std::string_view argument, Detail detail, int nested) {
  const Views parts = components_of(argument);
  const auto lambda = std::find_if(parts.begin(), parts.end(), is_lambda);
  if (lambda == parts.end() || lambda == parts.begin()) {
    const Component functor = component(parts.back());
    return unwrapped(functor, functor.arguments, detail, nested);
  }
  auto around = std::prev(lambda);
  if (around->starts_with("operator") && around != parts.begin()) --around;
  const Component function = component(*around);
  return unwrapped(function, function.arguments.empty() ? lambda_parameters(parts.back()) : function.arguments, detail,
                   nested);
}
// NOLINTEND(misc-no-recursion)

/// Returns the words in parentheses after a name, with the blank before: " (same thread or stream)". Parameters have no
/// blank before them.
std::string_view remark_after(std::string_view name) {
  if (name.size() > kLongest || !name.ends_with(')') || !is_balanced(name)) return {};
  const std::size_t begin = last_bracket(name);
  return begin > 0 && name[begin - 1] == ' ' ? name.substr(begin - 1) : std::string_view{};
}

bool is_cpp_function(std::string_view name) {
  if (name.size() > kLongest || !is_balanced(name) || name.starts_with("_Z")) return false;
  if (name.starts_with("void ")) return true;
  const std::string_view head = name.substr(0, name.find_first_of("<("));
  if (head.empty() || contains_any(head, {" ", ".", ","}) || !name.ends_with(')')) return false;
  return contains_any(name, {"::", ">("}) || head.starts_with("nccl");
}

/// Returns the components of a function's qualified name. The last one has no parameters.
Views function_of(std::string_view name) {
  if (name.ends_with(')')) name = name.substr(0, last_bracket(name));
  return components_of(name);
}

/// Returns the function's name; with its namespace, as in "gemvx::kernel", if the name says nothing.
std::string function_name(const Views& parts) {
  const std::string_view name = component(parts.back()).name;
  const bool says_nothing = lower_case(name).starts_with("kernel") && name.size() <= std::string_view("kernel2").size();
  if (!says_nothing || parts.size() < 2) return std::string(name);
  return std::string(component(parts[parts.size() - 2]).name).append("::").append(name);
}

std::string short_function(std::string_view name, Detail detail) {
  const Views parts = function_of(name);
  const Component function = component(parts.back());
  std::vector<std::string> operations;
  std::vector<std::string> numbers;
  for (const std::string_view argument : function.arguments) {
    if (is_literal(argument)) {
      if (detail != Detail::kOperation) numbers.emplace_back(argument.substr(argument.find(')') + 1));
    } else if (operations.size() < kMostOperations && is_operation(argument)) {
      add_once(operations, operation(argument, detail, 0));
    }
  }
  if (operations.empty()) operations = data_types(function.arguments);
  operations.insert(operations.end(), numbers.begin(), numbers.end());
  return with_arguments(function_name(parts), operations);
}

/// Returns the function with all template arguments, without namespaces.
std::string long_function(std::string_view name) {
  const Views parts = function_of(name);
  const std::string_view function = parts.back();
  std::string text;
  for (std::size_t i = 0; i < function.size(); ++i) {
    if (!function.substr(i).starts_with("::")) {
      text += function[i];
      continue;
    }
    ++i;
    if (text.ends_with("(anonymous namespace)")) {
      text.resize(text.size() - std::string_view("(anonymous namespace)").size());
    } else if (text.ends_with("<unnamed>")) {
      text.resize(text.size() - std::string_view("<unnamed>").size());
    } else if (text.ends_with('>') || text.ends_with(')') || text.ends_with('}') || text.ends_with(']')) {
      text += "::";
    } else {
      text.erase(text.find_last_of(" <(,") + 1);
    }
  }
  return text;
}

std::string shown_with(std::string_view text, Detail detail) {
  const std::string_view remark = remark_after(text);
  const std::string_view name = text.substr(0, text.size() - remark.size());
  if (detail == Detail::kWholeName || !is_cpp_function(name)) return std::string(text);
  return (detail == Detail::kAll ? long_function(name) : short_function(name, detail)).append(remark);
}

/// Returns how many of `names` have each of the `shown` names.
std::unordered_map<std::string, std::size_t> count_meanings(std::span<const std::string> names,
                                                            const std::vector<std::string>& shown) {
  std::unordered_map<std::string, std::size_t> meanings;
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (seen.insert(names[i]).second) ++meanings[shown[i]];
  }
  return meanings;
}

}  // namespace

std::string short_kernel_name(std::string_view name) { return shown_with(name, Detail::kOperation); }

std::vector<std::string> short_kernel_names(std::span<const std::string> names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(short_kernel_name(name));
  for (const Detail more : {Detail::kWrappers, Detail::kAll, Detail::kWholeName}) {
    const auto meanings = count_meanings(names, shown);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (shown[i] != names[i] && meanings.at(shown[i]) > 1) shown[i] = shown_with(names[i], more);
    }
  }
  return shown;
}

}  // namespace stepsim
