#include "sim/compare/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/analysis/intervals.h"
#include "sim/compare/noise.h"

namespace stepsim::sim {
namespace {

std::string_view to_text(Extent extent) {
  switch (extent) {
    case Extent::kIteration: return "an iteration";
    case Extent::kWholeCapture: return "a whole capture";
    case Extent::kPath: return "a critical path";
    case Extent::kPoints: break;
  }
  return "the points of a sweep";
}

/// The parts of both by name, in the order of A, then what only B has.
std::vector<PartDifference> side_by_side_parts(const std::vector<Part>& a, const std::vector<Part>& b) {
  if (a.empty() || b.empty()) return {};
  std::vector<PartDifference> parts;
  for (const Part& part : a) parts.push_back({part.name, part.time, Duration{}});
  for (const Part& part : b) {
    const auto same = std::find_if(parts.begin(), parts.end(), [&part](const auto& p) { return p.name == part.name; });
    if (same != parts.end()) {
      same->b = part.time;
    } else {
      parts.push_back({part.name, Duration{}, part.time});
    }
  }
  return parts;
}

/// With what the parts leave of each iteration.
std::vector<PartDifference> with_remainder(std::vector<PartDifference> parts, const Difference& difference) {
  if (parts.empty() || !difference.has_iterations()) return {};
  PartDifference rest{std::string(kRemainder), *difference.a.iteration, *difference.b.iteration};
  for (const PartDifference& part : parts) {
    rest.a -= part.a;
    rest.b -= part.b;
  }
  parts.push_back(std::move(rest));
  return parts;
}

std::vector<Row> rows_by(By by, const Side& a, const Side& b) {
  return match_names(groups_by(by, a), groups_by(by, b));
}

Duration length_of(Duration difference) { return difference < Duration{} ? -difference : difference; }

/// |B / A - 1|; work of one side only is infinitely more, or all less, and tells nothing beside others: last.
double relative_rank(const Row& row) {
  return row.match == Match::kOnlyA || row.match == Match::kOnlyB || row.time_a == Duration{}
             ? -1
             : ratio(length_of(row.difference()), row.time_a);
}

void sort(std::vector<Row>& rows, RowOrder order) {
  const auto key = [order](const Row& row) -> double {
    switch (order) {
      case RowOrder::kDifference: return static_cast<double>(length_of(row.difference()).count());
      case RowOrder::kRelative: return relative_rank(row);
      case RowOrder::kTotal: return static_cast<double>(std::max(row.time_a, row.time_b).count());
      case RowOrder::kName: break;
    }
    return 0;
  };
  std::stable_sort(rows.begin(), rows.end(), [&key](const Row& x, const Row& y) {
    return std::forward_as_tuple(key(y), x.name, x.kind) < std::forward_as_tuple(key(x), y.name, y.kind);
  });
}

}  // namespace

void refuse_different_extents(const Side& a, const Side& b) {
  if (a.extent == b.extent) return;
  throw UsageError(fmt::format("{} has times of {}, {} those of {}; expected two of one kind", shown(a.name),
                               to_text(a.extent), shown(b.name), to_text(b.extent)));
}

double Difference::relative() const noexcept { return ratio(change(), *a.iteration); }

bool Difference::is_beyond_noise() const noexcept { return length_of(change()) > *noise; }

Difference difference_of(const Side& a, const Side& b, By by, RowOrder order) {
  refuse_different_extents(a, b);
  Difference difference{.a = a, .b = b, .by = by};
  if (difference.has_iterations()) difference.noise = noise_of_difference(a, b);
  difference.parts = with_remainder(side_by_side_parts(a.parts, b.parts), difference);
  difference.path = side_by_side_parts(a.path, b.path);
  if (a.work.empty() || b.work.empty()) return difference;
  difference.classes = rows_by(By::kClass, a, b);
  sort(difference.classes, RowOrder::kDifference);
  difference.rows = rows_by(by, a, b);
  sort(difference.rows, order);
  return difference;
}

}  // namespace stepsim::sim
