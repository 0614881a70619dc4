#include "model/base/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace stepsim {
namespace {

using Entry = Diagnostics::Entry;

/// Adds `count` to the entry with this name. Returns false if there is none.
bool count_again(std::vector<Entry>& entries, std::string_view name, std::uint64_t count) {
  const auto found = std::find_if(entries.begin(), entries.end(), [name](const Entry& e) { return e.name == name; });
  if (found == entries.end()) return false;
  found->count += count;
  return true;
}

Entry entry_of(const Diagnostic& what, std::string name, InputLocation where, std::string_view detail,
               std::uint64_t count) {
  return {.name = std::move(name),
          .severity = what.severity,
          .remedy = std::string{what.remedy},
          .detail = std::string{detail},
          .first = std::move(where),
          .count = count};
}

}  // namespace

void Diagnostics::add(Entry entry) {
  if (!count_again(entries_, entry.name, entry.count)) entries_.push_back(std::move(entry));
}

void Diagnostics::count(const Diagnostic& what, InputLocation where, std::string_view detail, std::uint64_t count) {
  STEPSIM_ASSERT(!what.goes_on, "the name says what it is about");
  if (count_again(entries_, what.name, count)) return;
  entries_.push_back(entry_of(what, std::string{what.name}, std::move(where), detail, count));
}

void Diagnostics::count_about(const Diagnostic& what, std::string_view about, InputLocation where,
                              std::string_view detail, std::uint64_t count) {
  STEPSIM_ASSERT(what.goes_on, "the name is whole");
  add(entry_of(what, fmt::format("{} {}", what.name, about), std::move(where), detail, count));
}

void Diagnostics::merge(const Diagnostics& other) {
  for (const Entry& entry : other.entries_) add(entry);
}

std::uint64_t Diagnostics::count_of(std::string_view name) const noexcept {
  for (const Entry& entry : entries_) {
    if (entry.name == name) return entry.count;
  }
  return 0;
}

}  // namespace stepsim
