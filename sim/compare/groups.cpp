#include "sim/compare/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/task_names.h"

namespace stepsim::sim {
namespace {

/// What the merged group is called, and of which kind it is.
using Named = std::function<std::pair<std::string, std::string>(const WorkGroup& group)>;

std::vector<WorkGroup> merged(const std::vector<WorkGroup>& work, const Named& named) {
  std::map<std::pair<std::string, std::string>, WorkGroup> groups;
  for (const WorkGroup& group : work) {
    const auto [name, kind] = named(group);
    WorkGroup& sum = groups[{name, kind}];
    if (sum.name.empty()) sum.kernel_class = kind.empty() ? std::string() : group.kernel_class;
    sum.name = name;
    sum.kind = kind;
    sum.count += group.count;
    sum.time = saturated_sum(sum.time, group.time);
  }
  std::vector<WorkGroup> result;
  for (auto& [name, group] : groups) result.push_back(std::move(group));
  return result;
}

const std::string& class_or_kind(const WorkGroup& group) {
  return group.kernel_class.empty() ? group.kind : group.kernel_class;
}

std::string category_or_class(const WorkGroup& group) {
  const std::string_view category = category_of(group.name);
  return category.empty() ? class_or_kind(group) : std::string(category);
}

const std::vector<WorkGroup>& operators_of(const Side& side) {
  if (!side.operators.empty()) return side.operators;
  throw UsageError(fmt::format(
      "--by operator: {} does not say which operators launched its kernels; expected captures with record_shapes=True",
      shown(side.name)));
}

}  // namespace

std::string_view to_text(By by) noexcept {
  static constexpr std::array<std::string_view, 5> kWords{"name", "class", "kind", "operator", "category"};
  return kWords[static_cast<std::size_t>(by)];
}

std::string_view category_of(std::string_view name) noexcept {
  if (const std::string_view stage = staged_task(name).stage; !stage.empty()) return stage;
  for (const std::string_view known : {"FW", "BW", "UPDATE", "OUTPUT", "STEP"}) {
    const std::string_view rest = name.substr(0, known.size()) == known ? name.substr(known.size()) : "x";
    if (rest.empty() || rest.front() == '.' || rest.front() == '_') return known;
  }
  return {};
}

std::vector<WorkGroup> without_partitions(const std::vector<WorkGroup>& work) {
  return merged(work, [](const WorkGroup& group) {
    const std::size_t partition = staged_task(group.name).partition.size();
    return std::pair{group.name.substr(0, group.name.size() - (partition == 0 ? 0 : partition + 1)), group.kind};
  });
}

std::vector<WorkGroup> groups_by(By by, const Side& side) {
  using Name = std::pair<std::string, std::string>;
  switch (by) {
    case By::kName: return side.work;
    case By::kClass: return merged(side.work, [](const WorkGroup& group) { return Name{class_or_kind(group), {}}; });
    case By::kKind: return merged(side.work, [](const WorkGroup& group) { return Name{group.kind, {}}; });
    case By::kCategory:
      return merged(side.work, [](const WorkGroup& group) { return Name{category_or_class(group), {}}; });
    case By::kOperator: break;
  }
  return operators_of(side);
}

}  // namespace stepsim::sim
