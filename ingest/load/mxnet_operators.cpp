#include "ingest/load/mxnet_operators.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "ingest/chrome/chrome_events.h"
#include "ingest/combined/combined_record.h"
#include "model/base/error.h"

namespace stepsim::ingest {
namespace {

struct OperatorSpan {
  std::string name;  ///< empty: neither forward nor backward
  std::string thread;
  std::int64_t start = 0;
  std::int64_t finish = 0;
};

/// "" for what is neither a forward nor a backward operator.
std::string operator_name(std::string_view name) {
  constexpr std::string_view kName = "name=";
  constexpr std::string_view kForward = "_fwd";
  constexpr std::string_view kBackward = "_backward";
  if (const std::size_t at = name.find(kName); at != std::string_view::npos) {
    name.remove_prefix(at + kName.size());
    name = name.substr(0, name.find(';'));
  }
  const std::size_t backward = name.find(kBackward);
  const std::size_t forward = name.substr(0, backward).find(kForward);
  const std::string plain(name.substr(0, std::min(backward, forward)));
  if (backward != std::string_view::npos) return "BW." + plain;
  if (forward != std::string_view::npos) return "FW." + plain;
  return {};
}

/// The spans of the dump in order of time.
std::vector<OperatorSpan> spans_of(Input& input) {
  Diagnostics ignored;
  ChromeEventReader reader(input.stream(), ignored);
  std::vector<OperatorSpan> spans;
  std::map<std::pair<std::string, std::string>, std::vector<OperatorSpan>> open;
  for (ChromeEvent event; reader.next(event);) {
    if (!event.start_ns) continue;
    const std::pair row{std::string(event.process), std::string(event.thread)};
    OperatorSpan span{operator_name(event.name), row.second, *event.start_ns, *event.start_ns};
    if (event.phase == "B") open[row].push_back(std::move(span));
    if (event.phase == "X" && event.duration_ns.value_or(-1) >= 0) {
      span.finish += *event.duration_ns;
      spans.push_back(std::move(span));
    }
    if (event.phase != "E" || open[row].empty()) continue;
    spans.push_back(std::move(open[row].back()));
    open[row].pop_back();
    spans.back().finish = std::max(span.start, spans.back().start);
  }
  std::stable_sort(spans.begin(), spans.end(),
                   [](const OperatorSpan& a, const OperatorSpan& b) { return a.start < b.start; });
  return spans;
}

}  // namespace

std::vector<ProfiledOperator> mxnet_operators(Input& input) {
  std::vector<ProfiledOperator> operators;
  const auto put = [&operators](const OperatorSpan& span) {
    operators.push_back({span.name, span.thread, short_microseconds(Duration{span.start}),
                         short_microseconds(Duration{span.finish - span.start})});
  };
  OperatorSpan step;  // what came since the last backward operator
  bool after_backward = false;
  for (const OperatorSpan& span : spans_of(input)) {
    if (span.name.empty()) {
      if (!after_backward) continue;
      if (step.name.empty()) step = {"STEP", span.thread, span.start, span.finish};
      step.finish = std::max(step.finish, span.finish);
      continue;
    }
    if (span.name.starts_with("FW.") && !step.name.empty()) put(step);
    step.name.clear();
    after_backward = span.name.starts_with("BW.");
    put(span);
  }
  if (!step.name.empty()) put(step);
  if (operators.empty())
    throw InputError({input.name(), {}, {}},
                     "no operator in the dump; expected names with _fwd or _backward, as MXNet's profiler writes them");
  return operators;
}

}  // namespace stepsim::ingest
