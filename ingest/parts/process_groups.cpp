#include "ingest/parts/process_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim::ingest {

Group group_named(std::string_view text) {
  const std::size_t end = text.find(']');
  if (!text.starts_with('[') || end == std::string_view::npos || contains(text, "...")) return {std::string(text)};
  Group group{std::string(text.substr(std::min(text.find_first_not_of(' ', end + 1), text.size())))};
  if (end == 1) return group;  // an empty list
  bool all_known = true;
  for (std::string_view part : parts_of(text.substr(1, end - 1), ',')) {
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    const std::optional<Rank> rank = parse_number<Rank>(part);
    all_known = all_known && rank && *rank >= 0;
    if (all_known) group.ranks.push_back(*rank);
    ++group.size;
  }
  std::sort(group.ranks.begin(), group.ranks.end());
  const bool repeats = std::adjacent_find(group.ranks.begin(), group.ranks.end()) != group.ranks.end();
  if (!all_known || repeats) {
    group.ranks.clear();
    group.name = text;
  }
  return group;
}

Group group_in(const HostDeviceTrace& trace, ProcessGroupId id) {
  if (!id.valid()) return {};
  const ProcessGroup& row = trace.groups[id.index()];
  return {row.name.valid() ? trace.text(row.name) : std::string{}, row.size, row.ranks};
}

std::string key_of(const HostDeviceTrace& trace, ProcessGroupId id) {
  const Group group = group_in(trace, id);
  return group.ranks.empty() ? group.name : fmt::format("[{}] {}", fmt::join(group.ranks, ", "), group.name);
}

}  // namespace stepsim::ingest
