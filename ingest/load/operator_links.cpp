#include "ingest/load/operator_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "ingest/chrome/chrome_events.h"
#include "ingest/combined/combined_trace.h"
#include "ingest/formats/chrome_spans.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/names.h"
#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "model/base/error.h"
#include "model/job/dag_builder.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {

void OperatorLinks::add(OperatorGraph graph) {
  std::vector<std::uint32_t> place;
  for (OperatorGraph::Node& node : graph.nodes) {
    place.push_back(node_of(node.label));
    graph_.nodes[place.back()].attributes = std::move(node.attributes);
  }
  for (const OperatorGraph::Edge& edge : graph.edges) add_edge(place[edge.source], place[edge.target]);
}

void OperatorLinks::refuse_cycle(const std::string& file) const {
  DagBuilder builder;
  const LaneId lane = builder.add_lane({});
  for (const OperatorGraph::Node& node : graph_.nodes)
    (void)builder.add_task({.name = builder.intern(node.label), .lane = lane});
  for (const OperatorGraph::Edge& edge : graph_.edges) {
    if (!is_update(split_process(graph_.nodes[edge.source].label).name))
      builder.add_edge(TaskId{edge.source}, TaskId{edge.target}, EdgeKind::kData);
  }
  try {
    (void)std::move(builder).build();
  } catch (const CycleError& error) {
    throw InputError({file, {}, {}},
                     fmt::format("{}; expected such edges only from UPDATE or STEP into the next step", error.what()));
  }
}

void OperatorLinks::add_inputs(std::string_view name, const ChromeEvent& event) {
  event.for_each_argument([&](std::string_view key, std::string_view value) {
    const bool is_input = key.starts_with("input") || key.starts_with("arg");
    const std::string_view number = key.substr(std::min(key.size(), key.find_first_of("0123456789")));
    if (!is_input || number.empty() || number.find_first_not_of("0123456789") != std::string_view::npos) return;
    const std::string input = as_text(value);
    const std::uint32_t from = node_of(std::string(split_process(input).name));
    grew_ = add_edge(from, node_of(std::string(name))) || grew_;
  });
}

std::vector<std::string> OperatorLinks::inputs_of(const std::string& name) const {
  std::vector<std::string> inputs;
  const auto node = nodes_.find(name);
  if (node == nodes_.end()) return inputs;
  std::vector<std::uint32_t> places = inputs_[node->second];
  std::sort(places.begin(), places.end());
  for (const std::uint32_t input : places) inputs.push_back(graph_.nodes[input].label);
  return inputs;
}

std::uint32_t OperatorLinks::node_of(const std::string& label) {
  const auto [slot, added] = nodes_.try_emplace(label, static_cast<std::uint32_t>(graph_.nodes.size()));
  if (added) {
    graph_.nodes.push_back({label, {}});
    inputs_.emplace_back();
  }
  return slot->second;
}

bool OperatorLinks::add_edge(std::uint32_t from, std::uint32_t to) {
  if (!edges_.emplace(from, to).second) return false;
  graph_.edges.push_back({from, to});
  inputs_[to].push_back(from);
  return true;
}

namespace {

struct OperatorSpan {
  std::string name;  ///< empty = neither forward nor backward
  std::string thread;
  Time start;
  Time finish;
};

/// Returns the operator's name, or "" if it is neither a forward nor a backward operator.
std::string operator_name(std::string_view name) {
  constexpr std::string_view kName = "name=";
  constexpr std::string_view kForwardEnd = "_fwd";
  constexpr std::string_view kBackwardEnd = "_backward";
  if (const std::size_t at = name.find(kName); at != std::string_view::npos) {
    name.remove_prefix(at + kName.size());
    name = name.substr(0, name.find(';'));
  }
  const std::size_t backward = name.find(kBackwardEnd);
  const std::size_t forward = name.substr(0, backward).find(kForwardEnd);
  const std::string plain(name.substr(0, std::min(backward, forward)));
  if (backward != std::string_view::npos) return std::string(kBackward) + plain;
  if (forward != std::string_view::npos) return std::string(kForward) + plain;
  return {};
}

/// Reads the spans of temp.json, in order of time.
std::vector<OperatorSpan> spans_of(Input& input) {
  PartSink ignored;
  SpanPairs<OperatorSpan> open(ignored, input.name(), 1);
  std::vector<OperatorSpan> spans;
  const auto add = [&spans](OperatorSpan span, RecordedTime time) {
    span.start = time.start;
    span.finish = time.start + time.length;
    spans.push_back(std::move(span));
  };
  for_each_record(input, ignored, [&](const ChromeEvent& event) {
    if (event.phase == "E") {
      if (auto pair = open.end(event, {})) add(std::move(pair->span), pair->time);
      return;
    }
    OperatorSpan span{operator_name(event.name), std::string(event.thread), {}, {}};
    if (event.phase == "B") return open.begin(event, std::move(span));
    const auto time = event.phase == "X" ? span_time(event.start_ns, event.duration_ns) : std::nullopt;
    if (time) add(std::move(span), *time);
  });
  std::stable_sort(spans.begin(), spans.end(),
                   [](const OperatorSpan& a, const OperatorSpan& b) { return a.start < b.start; });
  return spans;
}

}  // namespace

std::vector<ProfiledOperator> mxnet_operators(Input& input) {
  std::vector<ProfiledOperator> operators;
  const auto put = [&operators](const OperatorSpan& span) {
    operators.push_back({span.name, span.thread, short_microseconds(span.start.time_since_epoch()),
                         short_microseconds(span.finish - span.start)});
  };
  OperatorSpan step;  // everything since the last backward operator
  bool after_backward = false;
  for (const OperatorSpan& span : spans_of(input)) {
    if (span.name.empty()) {
      if (!after_backward) continue;
      if (step.name.empty()) step = {"STEP", span.thread, span.start, span.finish};
      step.finish = std::max(step.finish, span.finish);
      continue;
    }
    if (span.name.starts_with(kForward) && !step.name.empty()) put(step);
    step.name.clear();
    after_backward = span.name.starts_with(kBackward);
    put(span);
  }
  if (!step.name.empty()) put(step);
  if (operators.empty()) {
    throw InputError({input.name(), {}, {}},
                     "no operator in the dump; expected names with _fwd or _backward, as MXNet's profiler writes them");
  }
  return operators;
}

}  // namespace stepsim::ingest
