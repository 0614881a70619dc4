#include "scenarios/answer/knee.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "model/base/number.h"
#include "scenarios/change/plan.h"

namespace stepsim::scenarios {
namespace {

std::optional<double> plain(const std::string& text) { return parse_number<double>(text); }

std::optional<double> factor(const std::string& text) {
  return text.ends_with('x') ? parse_number<double>(std::string_view(text).substr(0, text.size() - 1)) : std::nullopt;
}

/// Returns the result of `parse`, a parser of model/base/units.h, or nothing if it throws.
template <class Parse>
std::optional<double> with_unit(const std::string& text, Parse parse) {
  try {
    return parse(text);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

std::optional<double> size(const std::string& text) {
  return with_unit(text, [](const std::string& t) { return static_cast<double>(parse_bytes(t).count()); });
}

std::optional<double> rate(const std::string& text) {
  return with_unit(text, [](const std::string& t) { return parse_bandwidth(t).bytes_per_second(); });
}

std::optional<double> time(const std::string& text) {
  return with_unit(text, [](const std::string& t) { return static_cast<double>(parse_duration(t).count()); });
}

using ParseNumber = std::optional<double> (*)(const std::string& text);
constexpr ParseNumber kForms[] = {plain, factor, size, rate, time};

}  // namespace

std::vector<std::size_t> by_size(const std::vector<std::string>& values) {
  std::vector<Magnitude> sizes;
  for (const std::string& value : values) {
    const auto magnitude = magnitude_of(value);
    if (!magnitude || (!sizes.empty() && magnitude->kind != sizes.front().kind)) return {};
    sizes.push_back(*magnitude);
  }
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sizes[a].size < sizes[b].size; });
  return order;
}

namespace {

/// Returns the number of iterations in `line` before the first one that exceeds `best` by more than the share
/// kKneeShare.
std::size_t flat_length(std::span<const Duration> line, Duration best) {
  const double most = static_cast<double>(best.count()) * (1 + kKneeShare);
  const auto end = std::find_if(line.begin(), line.end(),
                                [most](Duration time) { return static_cast<double>(time.count()) > most; });
  return static_cast<std::size_t>(end - line.begin());
}

/// The knee of a line. A line contains the iterations for the values of one axis of a sweep, in order of size of these
/// values. An end of the line is flat if its iterations, at least two, are close to the best.
struct KneePlace {
  std::size_t place = 0;    ///< index of the last value of the flat end, seen from that end
  bool upwards = true;      ///< true if the flat end has the large values
  bool whole_axis = false;  ///< true if all of the line is flat
};

/// Returns the knee of a line, or nothing if neither end is flat. If both are, the end with the large values counts.
std::optional<KneePlace> knee_of(std::span<const Duration> line, Duration best) {
  const std::vector<Duration> backwards(line.rbegin(), line.rend());
  const std::size_t small_values = flat_length(line, best);
  const std::size_t large_values = flat_length(backwards, best);
  if (large_values == line.size()) return KneePlace{0, true, true};
  if (large_values > 1) return KneePlace{line.size() - large_values, true, false};
  if (small_values > 1) return KneePlace{small_values - 1, false, false};
  return std::nullopt;
}

/// Returns the time that all workers together need per captured batch, in nanoseconds. The point with the smallest
/// value is the best.
double time_in_all(const Outcome& outcome) {
  return static_cast<double>(outcome.iteration->mid.count()) / (outcome.batches * outcome.workers);
}

/// Returns the time that a worker needs per captured batch at one point of a sweep.
Range<Duration> batch_time(const Outcome& outcome) {
  const double share = 1 / outcome.batches;
  return {scaled(outcome.iteration->low, share), scaled(outcome.iteration->mid, share),
          scaled(outcome.iteration->high, share)};
}

/// Returns four possible lines within the ranges of the points: all points at the lower ends of their ranges, all at
/// the upper ends, from lower at the first point to upper at the last one, and the reverse.
std::vector<std::vector<Duration>> within_ranges(const std::vector<Range<Duration>>& line) {
  const std::size_t last = line.size() - 1;
  const auto taken = [&](double share_of_first, double share_of_last) {
    std::vector<Duration> times;
    for (std::size_t i = 0; i <= last; ++i) {
      const double along = static_cast<double>(i) / static_cast<double>(last);
      const double share = share_of_first + (share_of_last - share_of_first) * along;
      const double width = static_cast<double>((line[i].high - line[i].low).count());
      times.push_back(line[i].low + Duration{std::llround(share * width)});
    }
    return times;
  };
  return {taken(0, 0), taken(1, 1), taken(0, 1), taken(1, 0)};
}

/// Sets the range of Knee::value, from the knees of the lines of within_ranges(). A line without a knee, or with its
/// flat part at the other end, is ignored: the ranges of the points already show that another value may be best.
void set_range(Knee& knee, KneePlace found, const std::vector<Range<Duration>>& line,
               const std::vector<std::string>& values, const std::vector<std::size_t>& order) {
  std::size_t from = found.place;
  std::size_t to = found.place;
  for (const std::vector<Duration>& times : within_ranges(line)) {
    const auto other = knee_of(times, *std::min_element(times.begin(), times.end()));
    if (!other || other->upwards != found.upwards) continue;
    from = std::min(from, other->place);
    to = std::max(to, other->place);
  }
  knee.value.low = values[order[from]];
  knee.value.high = values[order[to]];
}

/// The points of a sweep that differ from its best point only in the value of one axis, in order of size of this value.
struct KneeLine {
  std::vector<std::size_t> order;      ///< positions on the axis; empty if its values cannot be ordered
  std::vector<Range<Duration>> times;  ///< one for each position, if complete
  bool complete = true;                ///< true if every point has an iteration
  bool of_workers = false;             ///< true if the number of workers differs along the line
};

KneeLine line_through(const Points& points, std::span<const Outcome> outcomes, std::size_t best, std::size_t axis) {
  KneeLine line{by_size(points.axes[axis].values), {}};
  const std::size_t first = best - points.place(best, axis) * points.stride(axis);
  for (const std::size_t place : line.order) {
    const Outcome& outcome = outcomes[first + place * points.stride(axis)];
    line.complete = line.complete && outcome.iteration.has_value();
    if (!line.complete) break;
    line.times.push_back(batch_time(outcome));
    line.of_workers = line.of_workers || outcome.workers != outcomes[best].workers;
  }
  return line;
}

std::vector<Duration> times_of(const KneeLine& line) {
  std::vector<Duration> times;
  times.reserve(line.times.size());
  for (const Range<Duration>& point : line.times) times.push_back(point.mid);
  return times;
}

/// Returns the knee among the points that differ from the point `best` only in the value of `axis`, if there is one.
std::optional<Knee> knee_on(const Points& points, std::span<const Outcome> outcomes, std::size_t best,
                            std::size_t axis) {
  const std::vector<std::string>& values = points.axes[axis].values;
  const KneeLine line = line_through(points, outcomes, best, axis);
  if (line.order.size() < 2 || !line.complete) return std::nullopt;
  const std::vector<Duration> times = times_of(line);
  const auto found = knee_of(times, *std::min_element(times.begin(), times.end()));
  if (!found) return std::nullopt;
  Knee knee{axis, {.mid = values[line.order[found->place]]}, found->upwards, found->whole_axis, line.of_workers};
  set_range(knee, *found, line.times, values, line.order);
  return knee;
}

/// Returns why an axis has no knee. Precondition: knee_on() returned nothing for it.
AxisWithoutKnee reason_without_knee(const Points& points, std::span<const Outcome> outcomes, std::size_t best,
                                    std::size_t axis) {
  const std::vector<std::string>& values = points.axes[axis].values;
  AxisWithoutKnee none{axis, NoKnee::kOneValue, values[points.place(best, axis)]};
  if (values.size() < 2) return none;
  const KneeLine line = line_through(points, outcomes, best, axis);
  none.why = line.order.empty() ? NoKnee::kNoOrder : NoKnee::kMissing;
  if (line.order.empty() || !line.complete) return none;
  std::vector<Duration> times = times_of(line);
  const auto shortest = std::min_element(times.begin(), times.end());
  const auto place = static_cast<std::size_t>(shortest - times.begin());
  none.best = values[line.order[place]];
  none.of_workers = line.of_workers;
  const Duration least = *shortest;
  const std::size_t close_at_small = flat_length(times, least);
  std::reverse(times.begin(), times.end());
  const std::size_t close = close_at_small + flat_length(times, least);
  const bool at_end = place == 0 || place + 1 == times.size();
  none.why = close == 0 ? NoKnee::kBestBetween : at_end && close == 1 ? NoKnee::kLastBuys : NoKnee::kUneven;
  return none;
}

}  // namespace

std::optional<Magnitude> magnitude_of(const std::string& value) {
  for (std::size_t kind = 0; kind < std::size(kForms); ++kind) {
    if (const auto found = kForms[kind](value)) return Magnitude{kind, *found};
  }
  return std::nullopt;
}

std::optional<std::size_t> best_point(std::span<const Outcome> outcomes) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].iteration) continue;
    const auto order = [](const Outcome& outcome) { return std::pair{outcome.does_not_fit(), time_in_all(outcome)}; };
    if (!best || order(outcomes[i]) < order(outcomes[*best])) best = i;
  }
  return best;
}

std::vector<Knee> knees(const Points& points, std::span<const Outcome> outcomes) {
  std::vector<Knee> found;
  const auto best = best_point(outcomes);
  if (!best) return found;
  for (std::size_t axis = 0; axis < points.axes.size(); ++axis) {
    if (auto knee = knee_on(points, outcomes, *best, axis)) found.push_back(std::move(*knee));
  }
  return found;
}

std::vector<AxisWithoutKnee> axes_without_knee(const Points& points, std::span<const Outcome> outcomes) {
  std::vector<AxisWithoutKnee> found;
  const auto best = best_point(outcomes);
  if (!best) return found;
  for (std::size_t axis = 0; axis < points.axes.size(); ++axis) {
    if (knee_on(points, outcomes, *best, axis)) continue;
    found.push_back(reason_without_knee(points, outcomes, *best, axis));
  }
  return found;
}

}  // namespace stepsim::scenarios
