#include "ingest/modelled/modelled_trace.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/parts/host_device_builder.h"

namespace stepsim::ingest {
namespace {

/// Shares of a call's time on the CPU: until it launches its kernel, for the launch, and after it. Between two calls
/// Python runs for the rest.
constexpr double kBeforeLaunch = 0.3;
constexpr double kLaunch = 0.3;
constexpr double kAfterLaunch = 0.2;

Duration part(Duration whole, double share) {
  return Duration{std::llround(static_cast<double>(whole.count()) * share)};
}

class Recorder {
 public:
  explicit Recorder(const ModelledStep& step)
      : step_(step), thread_(builder_.thread("1", "1")), stream_(builder_.stream(0, 7)) {}

  HostDeviceTrace run(std::span<const TransformerCall> calls) && {
    now_ = kBegin + kMargin;
    const auto update = std::find_if(calls.begin(), calls.end(),
                                     [](const TransformerCall& call) { return call.pass == Pass::kUpdate; });
    for (auto call = calls.begin(); call != update; ++call) {
      add(*call);
      const auto next = std::next(call);
      if (step_.waits_for_passes && (next == update || next->pass != call->pass)) wait();
    }
    const Time begin = now_;
    now_ += kMargin;
    for (auto call = update; call != calls.end(); ++call) add(*call);
    if (update != calls.end()) annotate("Optimizer.step#Adam.step", begin, now_);
    wait();
    builder_.add_step(annotate("ProfilerStep#1", kBegin, now_ + kMargin), 1);
    HostDeviceTrace trace = std::move(builder_).take();
    trace.operators = std::move(operators_);
    trace.device_name = step_.device;
    trace.modelled = step_.model;
    trace.samples = step_.samples;
    return trace;
  }

 private:
  static constexpr Time kBegin{Duration{100'000}};
  static constexpr Duration kMargin{1'000};  // of an event around others
  static constexpr Duration kInside{10};     // of an event of a call around another one

  std::uint32_t annotate(std::string_view name, Time begin, Time end) {
    return builder_.add(EventKind::kAnnotation, name, thread_, {begin, end - begin});
  }

  /// Lets the CPU wait for the device.
  void wait() {
    const Time end = std::max(free_, now_) + kMargin;
    builder_.add(EventKind::kRuntimeCall, "cudaDeviceSynchronize", thread_, {now_, end - now_}, ++correlation_);
    now_ = end;
  }

  void add(const TransformerCall& call) {
    const Duration inside =
        part(step_.host, kBeforeLaunch) + part(step_.host, kLaunch) + part(step_.host, kAfterLaunch);
    Duration margin{};
    const auto around = [&](const std::string& name) {
      const std::uint32_t event = builder_.add(EventKind::kOp, name, thread_, {now_ + margin, inside - 2 * margin});
      margin += kInside;
      return event;
    };
    if (!call.node.empty()) {
      around("autograd::engine::evaluate_function: " + std::string(call.node));
      const std::uint32_t node = around(std::string(call.node));
      if (call.node == kAccumulation) builder_.set_operator(node, operator_of(call.node, {call.inputs.front()}));
    }
    const std::uint32_t op = builder_.add(EventKind::kOp, call.name, thread_, {now_ + margin, inside - 2 * margin});
    builder_.set_operator(op, operator_of(call.name, call.inputs));
    const Time launch = now_ + part(step_.host, kBeforeLaunch);
    const Duration launching = part(step_.host, kLaunch);
    builder_.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread_, {launch, launching}, ++correlation_);
    const Time begin = std::max(free_, launch + launching);
    const Duration length{std::max<std::int64_t>(1, std::llround(call.nanoseconds))};
    builder_.add(EventKind::kKernel, call.kernel, stream_, {begin, length}, correlation_);
    free_ = begin + length;
    now_ += step_.host;
  }

  /// Returns the entry of an operator with these inputs.
  std::uint32_t operator_of(std::string_view name, const std::vector<TensorShape>& inputs) {
    std::pair<std::string_view, std::vector<std::vector<std::int64_t>>> key{name, {}};
    for (const TensorShape& input : inputs) {
      key.second.push_back(input.sizes);
      key.second.back().push_back(input.element_bytes);
    }
    const auto [slot, added] = known_.try_emplace(std::move(key), static_cast<std::uint32_t>(operators_.size()));
    if (added) operators_.push_back({std::string(name), "", {}, inputs});
    return slot->second;
  }

  const ModelledStep& step_;
  HostDeviceBuilder builder_;
  TrackId thread_;
  TrackId stream_;
  Time now_;   // of the thread
  Time free_;  // of the stream
  std::int64_t correlation_ = 0;
  std::vector<OperatorTable::Operator> operators_;
  std::map<std::pair<std::string_view, std::vector<std::vector<std::int64_t>>>, std::uint32_t> known_;
};

}  // namespace

HostDeviceTrace modelled_trace(std::span<const TransformerCall> calls, const ModelledStep& step) {
  return Recorder(step).run(calls);
}

}  // namespace stepsim::ingest
