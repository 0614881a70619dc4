#include "sim/profile/range_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "model/base/median.h"

namespace stepsim::sim {
namespace {

// The trimmed mean leaves out the lowest fifth and the highest fifth of the values. RangeMean::kEarly is the first
// decile.
constexpr std::size_t kTrimmedShare = 5;
constexpr std::size_t kEarlyShare = 10;

/// Returns the mean. Quotients and remainders are added separately, so that the sum of many long times does not
/// overflow.
Duration arithmetic_mean(std::span<const Duration> measured) {
  const auto count = static_cast<std::int64_t>(measured.size());
  Duration whole{};
  std::int64_t rest = 0;
  for (const Duration one : measured) {
    whole += one / count;
    rest += one.count() % count;
    whole += Duration{rest / count};
    rest %= count;
  }
  return whole;
}

const NamedMean& named(RangeMean mean) noexcept {
  return *std::find_if(kRangeMeans.begin(), kRangeMeans.end(),
                       [mean](const NamedMean& each) { return each.mean == mean; });
}

constexpr std::string_view kWholeIteration = "High_Level";

/// Returns, for each range, how many ranges of the same stream contain it; 0 for a range that was never stopped or has
/// no indices.
std::vector<std::size_t> depths_of(const RangeProfile& profile) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < profile.ranges.size(); ++i) {
    const MeasuredRange& range = profile.ranges[i];
    if (range.start_index >= 0 && range.end_index > range.start_index) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t i) {
      const MeasuredRange& range = profile.ranges[i];
      return std::tuple(range.device, range.stream, range.start_index, i);
    };
    return key(a) < key(b);
  });
  std::vector<std::size_t> depths(profile.ranges.size());
  std::vector<std::size_t> open;  // the ranges around the current one, the outermost first
  for (const std::size_t i : order) {
    const MeasuredRange& range = profile.ranges[i];
    const auto is_around = [&](std::size_t outer) {
      const MeasuredRange& around = profile.ranges[outer];
      return around.device == range.device && around.stream == range.stream && around.end_index > range.end_index;
    };
    while (!open.empty() && !is_around(open.back())) open.pop_back();
    depths[i] = open.size();
    open.push_back(i);
  }
  return depths;
}

}  // namespace

std::string_view to_text(RangeMean mean) noexcept { return named(mean).name; }
std::string_view in_words(RangeMean mean) noexcept { return named(mean).words; }

std::optional<Duration> mean_of(std::vector<Duration> measured, RangeMean mean) {
  if (measured.empty()) return std::nullopt;
  switch (mean) {
    case RangeMean::kMedian: return median(std::move(measured));
    case RangeMean::kArithmetic: return arithmetic_mean(measured);
    case RangeMean::kTrimmed: {
      std::sort(measured.begin(), measured.end());
      const std::size_t left_out = measured.size() / kTrimmedShare;
      return arithmetic_mean(std::span(measured).subspan(left_out, measured.size() - 2 * left_out));
    }
    case RangeMean::kEarly: {
      const auto place = measured.begin() + static_cast<std::ptrdiff_t>((measured.size() - 1) / kEarlyShare);
      std::nth_element(measured.begin(), place, measured.end());
      return *place;
    }
  }
  return std::nullopt;
}

std::vector<std::string> labels_of(const RangeProfile& profile) {
  std::set<std::string_view> repeated;
  for (const MeasuredRange& range : profile.ranges) {
    if (range.layer.empty() && range.occurrence > 0) repeated.insert(range.name);
  }
  std::vector<std::string> labels;
  labels.reserve(profile.ranges.size());
  for (const MeasuredRange& range : profile.ranges) {
    if (!range.layer.empty()) {
      labels.push_back(range.layer == kWholeIteration ? range.name : fmt::format("{}.{}", range.layer, range.name));
    } else {
      labels.push_back(repeated.contains(range.name) ? fmt::format("{}#{}", range.name, range.occurrence) : range.name);
    }
  }
  return labels;
}

std::vector<RangeSummary> summaries_of(const ProfiledRun& run, const RangeMeans& means) {
  std::vector<RangeSummary> summaries;
  for (std::size_t process = 0; process < run.processes.size(); ++process) {
    const RangeProfile& profile = run.processes[process];
    std::vector<std::string> labels = labels_of(profile);
    const std::vector<std::size_t> depths = depths_of(profile);
    for (std::size_t i = 0; i < profile.ranges.size(); ++i) {
      const MeasuredRange& range = profile.ranges[i];
      summaries.push_back({.process = process,
                           .range = i,
                           .label = std::move(labels[i]),
                           .depth = depths[i],
                           .length = mean_of(range.lengths, means.length).value_or(Duration{}),
                           .begin = mean_of(range.offsets, means.begin)});
    }
  }
  const auto key = [&run](const RangeSummary& one) {
    const MeasuredRange& range = run.processes[one.process].ranges[one.range];
    return std::tuple(one.process, range.device, range.stream, one.begin, one.depth, one.range);
  };
  std::sort(summaries.begin(), summaries.end(),
            [&key](const RangeSummary& a, const RangeSummary& b) { return key(a) < key(b); });
  return summaries;
}

std::optional<Duration> iteration_of(const ProfiledRun& run, RangeMean mean) {
  std::optional<Duration> slowest;
  for (const RangeProfile& profile : run.processes) slowest = std::max(slowest, mean_of(profile.iterations, mean));
  return slowest;
}

std::size_t devices_in(const ProfiledRun& run) {
  std::set<std::pair<std::size_t, std::int32_t>> devices;
  for (std::size_t process = 0; process < run.processes.size(); ++process) {
    for (const MeasuredRange& range : run.processes[process].ranges) devices.emplace(process, range.device);
  }
  return devices.size();
}

OrderCheck order_of(const ProfiledRun& run, const std::vector<RangeSummary>& summaries) {
  struct Start {
    std::int64_t index = 0;
    Duration begin{};
    Duration end{};
  };
  std::map<std::tuple<std::size_t, std::int32_t, std::uint32_t>, std::vector<Start>> streams;
  for (const RangeSummary& one : summaries) {
    const MeasuredRange& range = run.processes[one.process].ranges[one.range];
    if (one.begin && range.start_index >= 0) {
      streams[{one.process, range.device, range.stream}].push_back(
          {range.start_index, *one.begin, *one.begin + one.length});
    }
  }
  OrderCheck check;
  for (auto& [stream, starts] : streams) {
    std::sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) {
      return std::tuple(a.index, a.begin) < std::tuple(b.index, b.begin);
    });
    Duration latest{};
    for (const Start& start : starts) {
      ++check.all;
      if (start.end < latest) ++check.contradicted;
      latest = std::max(latest, start.begin);
    }
  }
  return check;
}

}  // namespace stepsim::sim
