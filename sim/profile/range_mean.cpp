#include "sim/profile/range_mean.h"

#include <algorithm>
#include <span>

#include "model/base/median.h"

namespace stepsim::sim {
namespace {

constexpr std::size_t kTrimmedShare = 5;  // one of so many is left out at each end
constexpr std::size_t kEarlyShare = 10;

/// The sum of fractions and of whole parts apart, so that no sum of days overflows.
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

}  // namespace stepsim::sim
