#include "model/base/diagnostics.h"

#include <algorithm>
#include <utility>

namespace stepsim {

void Diagnostics::count(std::string_view name, Severity severity, std::string_view remedy, InputLocation where,
                        std::string_view detail, std::uint64_t count) {
  const auto same = [name](const Entry& entry) { return entry.name == name; };
  if (const auto found = std::find_if(entries_.begin(), entries_.end(), same); found != entries_.end()) {
    found->count += count;
    return;
  }
  entries_.push_back(Entry{.name = std::string{name},
                           .severity = severity,
                           .remedy = std::string{remedy},
                           .detail = std::string{detail},
                           .first = std::move(where),
                           .count = count});
}

void Diagnostics::merge(const Diagnostics& other) {
  for (const Entry& entry : other.entries_) {
    count(entry.name, entry.severity, entry.remedy, entry.first, entry.detail, entry.count);
  }
}

std::uint64_t Diagnostics::count_of(std::string_view name) const noexcept {
  for (const Entry& entry : entries_) {
    if (entry.name == name) return entry.count;
  }
  return 0;
}

}  // namespace stepsim
