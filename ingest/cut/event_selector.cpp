#include "ingest/cut/event_selector.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <re2/re2.h>

#include "ingest/formats/kineto/arguments.h"
#include "ingest/json/json_values.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/job/kernel_class.h"

namespace stepsim::ingest {
namespace {

using Test = std::function<bool(const ChromeEvent&)>;

Test named(const std::string& pattern) {
  constexpr std::int64_t kMemory = 8 << 20;
  constexpr std::size_t kLongest = 4096;
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(kMemory);
  const auto compiled = std::make_shared<const RE2>(pattern.substr(0, kLongest), options);
  if (!compiled->ok()) {
    throw UsageError(
        fmt::format("--select: name is '{}', which is not a regular expression ({}); expected one in the "
                    "syntax of RE2",
                    shown(pattern), compiled->error()));
  }
  return [compiled](const ChromeEvent& event) {
    return RE2::PartialMatch(re2::StringPiece(event.name.data(), event.name.size()), *compiled);
  };
}

Test of_class(const std::string& name) {
  std::vector<std::string> known;
  std::optional<KernelClass> wanted;
  for (std::size_t i = 0; i < kKernelClassCount; ++i) {
    const auto one = static_cast<KernelClass>(i);
    known.emplace_back(to_text(one));
    if (known.back() == name) wanted = one;
  }
  if (!wanted) throw UsageError(fmt::format("--select: unknown class '{}'; expected {}", shown(name), one_of(known)));
  return [one = *wanted](const ChromeEvent& event) {
    const KinetoCategory* const category = find_kineto_category(event.category);
    if (category == nullptr) return false;
    switch (category->kind) {
      case EventKind::kKernel: return classify_kernel(event.name) == one;
      case EventKind::kMemcpy: return classify_kernel(TaskKind::kCopy, event.name) == one;
      case EventKind::kMemset: return one == KernelClass::kMemset;
      default: return false;
    }
  };
}

Test with_argument(std::string key, std::string value) {
  return [key = std::move(key), value = std::move(value)](const ChromeEvent& event) {
    bool same = false;
    event.for_each_argument([&](std::string_view name, std::string_view raw) {
      if (name == key) same = as_text(raw) == value;
    });
    return same;
  };
}

Test test_of(const std::string& key, const std::string& value) {
  static const std::vector<std::string> keys{"name", "category", "class", "process", "thread", "stream", "device"};
  if (key == "name") return named(value);
  if (key == "class") return of_class(value);
  if (key == "category") return [value](const ChromeEvent& event) { return event.category == value; };
  if (key == "process") return [value](const ChromeEvent& event) { return event.process == value; };
  if (key == "thread") return [value](const ChromeEvent& event) { return event.thread == value; };
  if (key == "stream" || key == "device") return with_argument(key, value);
  const std::optional<std::string> nearest = nearest_name(key, keys);
  throw UsageError(fmt::format("--select: unknown key '{}'; {}expected {} to cut a trace", shown(key),
                               nearest ? fmt::format("did you mean '{}'? ", *nearest) : "", one_of(keys)));
}

/// Returns where the item that begins at `begin` ends: at the next comma outside brackets.
std::size_t end_of_item(std::string_view typed, std::size_t begin) {
  int open = 0;
  for (std::size_t i = begin; i < typed.size(); ++i) {
    const char c = typed[i];
    if (c == '\\') {
      ++i;
    } else if (c == '(' || c == '[' || c == '{') {
      ++open;
    } else if (c == ')' || c == ']' || c == '}') {
      --open;
    } else if (c == ',' && open <= 0) {
      return i;
    }
  }
  return typed.size();
}

}  // namespace

EventSelector::EventSelector(std::string_view typed) {
  for (std::size_t begin = 0; begin <= typed.size();) {
    const std::size_t end = end_of_item(typed, begin);
    const std::string_view item = typed.substr(begin, end - begin);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == item.size()) {
      throw UsageError(fmt::format(
          "--select: '{}' is not KEY=VALUE; expected for example class=gemm or name=ncclDevKernel.*", shown(item)));
    }
    tests_.push_back(test_of(std::string(item.substr(0, equals)), std::string(item.substr(equals + 1))));
    begin = end + 1;
  }
}

bool EventSelector::selects(const ChromeEvent& event) const {
  return std::all_of(tests_.begin(), tests_.end(), [&event](const Test& test) { return test(event); });
}

}  // namespace stepsim::ingest
