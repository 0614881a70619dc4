#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "ingest/formats/chrome_spans.h"
#include "ingest/formats/format.h"
#include "ingest/parts/busy_time.h"
#include "ingest/parts/host_device_builder.h"
#include "model/base/known_diagnostics.h"

// Output of export_chrome_trace() of torch.autograd.profiler.profile before Kineto (PyTorch 0.4 to 1.8): a bare array
// with an event for each operator in the process "CPU functions". Each operator is followed by one event in the process
// "CUDA functions" for each of its spans on a device; the thread of these events is the device's number. With
// use_cuda=True a span is the time between two CUDA events around the operator, so nested operators have nested spans,
// and only the innermost spans are work. Source: EventList.export_chrome_trace in torch/autograd/profiler.py of PyTorch
// 1.6.

namespace stepsim::ingest {
namespace {

constexpr std::string_view kHost = "CPU functions";
constexpr std::string_view kDevice = "CUDA functions";

constexpr Sign kAutogradSigns[]{// higher than for Kineto, because Kineto's signs match this format too
                                {.sure = 95, .opens = "[{", .any = {"\"CPU functions\"", "\"CUDA functions\""}}};

class LegacyAutograd {
 public:
  LegacyAutograd(PartSink& sink, const std::string& file) : sink_(sink), file_(file) {}

  void add(const ChromeEvent& event) {
    const bool on_device = event.process == kDevice;
    if (event.phase != "X" || (!on_device && event.process != kHost)) return leave_out(event);
    if (!has_usable_time(event, on_device, file_, sink_)) return;
    if (on_device) {
      spans_.push_back({std::string{event.name}, time_of(event), device_of(event.thread), last_operator_});
    } else {
      used_cuda_ |=
          event.name.find("cudnn") != std::string_view::npos || event.name.find("cuda") != std::string_view::npos;
      last_operator_ = builder_.add(EventKind::kOp, event.name, builder_.thread(kHost, event.thread), time_of(event));
    }
  }

  HostDeviceTrace finish() && {
    keep_innermost();
    if (spans_.empty() && used_cuda_) {
      sink_.diagnostics.count(diagnostic("device_not_recorded"), {file_, {}, {}});
    }
    for (const Span& span : spans_) {
      const std::int64_t correlation = span.launched_by ? builder_.launch_from(*span.launched_by) : -1;
      builder_.add(EventKind::kKernel, span.name, builder_.stream(span.device, 0), span.time, correlation);
    }
    return std::move(builder_).take();
  }

 private:
  struct Span {
    std::string name;
    RecordedTime time;
    std::int32_t device = 0;
    std::optional<std::uint32_t> launched_by;
    [[nodiscard]] Time end() const noexcept { return time.start + time.length; }
  };

  static std::int32_t device_of(std::string_view thread) {
    std::int32_t device = -1;
    std::from_chars(thread.data(), thread.data() + thread.size(), device);
    return std::max(device, -1);
  }

  void leave_out(const ChromeEvent& event) {
    const bool flow = event.phase == "s" || event.phase == "f";
    sink_.diagnostics.count_about(diagnostic("not used:"), flow ? "flow" : "other records", {file_, event.offset, {}},
                                  {}, 1);
  }

  /// Drops the spans that enclose others.
  void keep_innermost() {
    std::erase_if(spans_, [](const Span& span) { return !in_time(span.time.start, span.time.length); });
    std::stable_sort(spans_.begin(), spans_.end(), [](const Span& a, const Span& b) {
      return std::tuple{a.device, a.time.start, -a.time.length} < std::tuple{b.device, b.time.start, -b.time.length};
    });
    std::vector<Span> kept;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const bool around_next =
          i + 1 < spans_.size() && spans_[i + 1].device == spans_[i].device && spans_[i + 1].end() <= spans_[i].end();
      if (!around_next) kept.push_back(std::move(spans_[i]));
    }
    const std::size_t dropped = spans_.size() - kept.size();
    spans_ = std::move(kept);
    if (dropped > 0) {
      sink_.diagnostics.count_about(diagnostic("not used:"), "spans around others", {file_, {}, {}}, {}, dropped);
    }
    if (!spans_.empty()) {
      sink_.diagnostics.count(diagnostic("spans_between_events"), {file_, {}, {}}, {}, spans_.size());
    }
  }

  PartSink& sink_;
  const std::string& file_;
  HostDeviceBuilder builder_;
  std::vector<Span> spans_;
  std::optional<std::uint32_t> last_operator_;
  bool used_cuda_ = false;  ///< derived from the names of operators
};

void read_legacy_autograd(Input& input, PartSink& sink) {
  LegacyAutograd trace{sink, input.name()};
  for_each_record(input, sink, [&trace](const ChromeEvent& event) { trace.add(event); });
  HostDeviceTrace result = std::move(trace).finish();
  if (result.size() == 0) {
    throw InputError({input.name(), {}, {}},
                     "the trace has no event to replay; expected operators, as torch.autograd.profiler exports them");
  }
  sink.add(std::move(result));
}

}  // namespace

extern const Format legacy_autograd_format{
    .name = "legacy_autograd",
    .summary = "Old torch.autograd.profiler (export_chrome_trace before Kineto): operators and their time on devices",
    .recognise = kAutogradSigns,
    .read = read_legacy_autograd,
    .is_chrome_trace = true,
};

}  // namespace stepsim::ingest
