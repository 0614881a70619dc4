#ifndef STEPSIM_SIM_REPORT_COMMON_FIELDS_H
#define STEPSIM_SIM_REPORT_COMMON_FIELDS_H

#include <functional>
#include <optional>

#include "model/base/assumption.h"
#include "model/calibration/calibration.h"
#include "model/job/recording.h"
#include "model/job/trace_details.h"
#include "sim/analysis/job_kind.h"
#include "sim/analysis/steady.h"
#include "sim/analysis/summary.h"
#include "sim/report/capture_trust.h"
#include "sim/report/class_style.h"
#include "sim/report/field.h"
#include "sim/report/headline.h"
#include "sim/report/path_sections.h"

/// Fields that the answers of several commands share.
namespace stepsim::sim {

/// Returns the shortest time, or null if there are no times.
[[nodiscard]] inline const Duration* shortest_of(const std::vector<Duration>& times) {
  return times.empty() ? nullptr : &*std::min_element(times.begin(), times.end());
}
[[nodiscard]] inline const Duration* longest_of(const std::vector<Duration>& times) {
  return times.empty() ? nullptr : &*std::max_element(times.begin(), times.end());
}

/// A time that is left out if it is 0, as it is in most captures.
template <auto Member>
struct IfAny {
  template <class Item>
  std::optional<Duration> operator()(const Item& item) const {
    const Duration time = std::invoke(Member, item);
    return time == Duration{} ? std::nullopt : std::optional{time};
  }
};
template <auto Member>
inline constexpr IfAny<Member> if_any{};  // NOLINT(readability-identifier-naming): reads as a function

/// Fields that show how a rank's iteration is spent. The times overlap.
inline constexpr auto kRankBreakdown = std::to_array<Field<RankBreakdown>>({
    {"rank", at<&RankBreakdown::rank>, {"rank", Use::kMain, Form::kId}},
    {"iteration_ns", at<&RankBreakdown::iteration>, {"step time"}},
    {"compute_ns", at<&RankBreakdown::compute>, {"compute"}},
    {"communication_ns", at<&RankBreakdown::communication>, {"communication"}},
    {"exposed_communication_ns", at<&RankBreakdown::exposed_communication>, {"exposed transfer"}},
    {"copies_ns", at<&RankBreakdown::copies>, {"copies", Use::kDetail}},
    {"collective_wait_ns", at<&RankBreakdown::collective_wait>, {"waiting for ranks", Use::kHelp}},
    {"loader_ns", if_any<&RankBreakdown::loader>, {"waiting for data"}, kIfAny},
    {"host_ns", at<&RankBreakdown::host>, {"CPU", Use::kHelp}},
    {"other_steps_ns", if_any<&RankBreakdown::other_steps>, {"other steps' work", Use::kDetail}, kIfAny},
    {"idle_ns", at<&RankBreakdown::idle>, {"nothing running", Use::kDetail}},
    {"device_busy_ns",
     at<&RankBreakdown::device_busy>,
     {.title = "GPU busy in a step",
      .cell =
          [](const RankBreakdown& rank) {
            return rank.computes_on_device ? percent_cell(ratio(rank.device_busy, rank.iteration)) : Cell("-");
          }}},
    {"overlap", at<&RankBreakdown::overlap>, {"overlap", Use::kMain, Form::kShare}},
    {"exposed_copies_ns", at<&RankBreakdown::exposed_copies>},
    {"exposed_collective_wait_ns", at<&RankBreakdown::exposed_collective_wait>},
    {"exposed_loader_ns", if_any<&RankBreakdown::exposed_loader>, {}, kIfAny},
});

/// The disjoint parts of an iteration.
/// What limits the pace in the long run.
inline constexpr auto kCyclePart = std::to_array<Field<CyclePart>>({
    {"rank", at<&CyclePart::rank>},
    {"of", at<&CyclePart::of>},
    {"time_ns", at<&CyclePart::time>},
});

inline constexpr auto kIterationParts = std::to_array<Field<IterationParts>>({
    {"rank", at<&IterationParts::rank>},
    {"compute_ns", at<&IterationParts::compute>},
    {"communication_ns", at<&IterationParts::communication>},
    {"copies_ns", at<&IterationParts::copies>},
    {"collective_wait_ns", at<&IterationParts::collective_wait>},
    {"loader_ns", if_any<&IterationParts::loader>, {}, kIfAny},
    {"host_ns", at<&IterationParts::host>},
    {"other_steps_ns", if_any<&IterationParts::other_steps>, {}, kIfAny},
    {"idle_ns", at<&IterationParts::idle>},
});

template <PathClass c>
struct TimeOfClass {
  Duration operator()(const CriticalPath& path) const { return path[c]; }
};
[[nodiscard]] inline Duration loader_of(const CriticalPath& path) { return path[PathClass::kLoader]; }
/// Returns the field of a class: its time in JSON, and its share of the path in tables.
template <PathClass c>
constexpr Field<CriticalPath> class_field(std::string_view name) {
  constexpr auto kShare = [](const CriticalPath& path) { return percent_cell(ratio(path[c], path.length)); };
  return {name, TimeOfClass<c>{}, {.title = style_of(c).label, .use = Use::kHelp, .cell = kShare}};
}
inline constexpr auto kPathClasses = std::to_array<Field<CriticalPath>>({
    class_field<PathClass::kCompute>("compute"),
    class_field<PathClass::kCommunication>("communication"),
    class_field<PathClass::kCopy>("copy"),
    class_field<PathClass::kHost>("host"),
    class_field<PathClass::kQueueing>("queueing"),
    class_field<PathClass::kWait>("wait"),
    {"loader", if_any<loader_of>, {}, kIfAny},
});

/// The times of all classes, under the names that what-ifs use.
inline constexpr auto kPathClassTimes = std::to_array<Field<CriticalPath>>({
    {"compute_ns", TimeOfClass<PathClass::kCompute>{}},
    {"communication_ns", TimeOfClass<PathClass::kCommunication>{}},
    {"copy_ns", TimeOfClass<PathClass::kCopy>{}},
    {"host_ns", TimeOfClass<PathClass::kHost>{}},
    {"queueing_ns", TimeOfClass<PathClass::kQueueing>{}},
    {"wait_ns", TimeOfClass<PathClass::kWait>{}},
    {"loader_ns", if_any<loader_of>, {}, kIfAny},
});

inline constexpr auto kIterationPath = std::to_array<Field<IterationPath>>({
    {"of", at<path_subject>},
    {"length_ns", at<&IterationPath::path, &CriticalPath::length>},
    {"classes", at<&IterationPath::path>, kPathClasses},
    {"unexplained_ns", at<&IterationPath::path, &CriticalPath::unexplained>},
});

inline constexpr auto kDiagnostic = std::to_array<Field<Diagnostics::Entry>>({
    {"name", at<&Diagnostics::Entry::name>},
    {"count", at<&Diagnostics::Entry::count>},
    {"severity", at<&Diagnostics::Entry::severity>},
    {"remedy", at<&Diagnostics::Entry::remedy>},
    {"detail", at<&Diagnostics::Entry::detail>},
    {"first", [](const Diagnostics::Entry& entry) { return entry.first.to_text(); }},
});

/// Fields that show what was read, and what was skipped and why.
inline constexpr auto kIngest = std::to_array<Field<Capture>>({
    {"events", at<&Capture::events>},
    {"skipped", at<&Capture::skipped>},
    {"diagnostics", at<&Capture::diagnostics, &Diagnostics::entries>, kDiagnostic, kItemLines},
});

/// Fields of the capture that a reader must know before any figure.
inline constexpr auto kJobKind = std::to_array<Field<JobKind>>({
    {"steps_marked", at<&JobKind::marks_steps>},
    {"parameter_servers", at<&JobKind::has_servers>},
    {"device_work", at<&JobKind::has_device_work>},
    {"devices", at<&JobKind::devices>},
});
struct CaptureHead {
  const Capture* capture;
  const CaptureTrust* trust;
};
inline constexpr auto kCaptureHead = std::to_array<Field<CaptureHead>>({
    {"", [](const CaptureHead& head) { return job_kind(*head.capture); }, kJobKind},
    {"", at<&CaptureHead::trust>, kCaptureTrust},
    {"loss", [](const CaptureHead& head) { return essential_loss(*head.capture); }},
});

inline constexpr auto kFit = std::to_array<Field<Fit>>({
    {"what", at<&Fit::what>, {"quantity"}},
    {"value", at<&Fit::value>, {.title = "value", .align = Align::kRight}},
    {"samples", at<&Fit::samples>, {"samples", Use::kDetail}},
    {"residual", at<&Fit::residual>, {"median error", Use::kMain, Form::kShare}},
    {"from", at<&Fit::from>, {.title = "source", .use = Use::kHelp, .sentences = true}},
});

/// The model that timed transfers, and the accuracy of the hardware description.
struct NetworkView {
  std::string_view model;
  const Calibration* calibration;  ///< null if the hardware was not calibrated
};
inline constexpr auto kNetworkView = std::to_array<Field<NetworkView>>({
    {"model", at<&NetworkView::model>},
    {"fits",
     [](const NetworkView& view) { return view.calibration != nullptr ? view.calibration->fits : std::vector<Fit>{}; },
     kFit, kItemLines},
});

inline constexpr auto kOverheadUse = std::to_array<Field<OverheadUse>>({
    {"kind", at<&OverheadUse::kind>, {"kind"}},
    {"of", [](const OverheadUse& use) -> std::string_view { return use.of_profiler ? "profiler" : "CUDA"; }, {"of"}},
    {"count", at<&OverheadUse::count>, {"count"}},
    {"total_ns", at<&OverheadUse::total>, {"total"}},
    {"by_clock_ns", at<&OverheadUse::by_clock>, {"by the clock"}},
    {"longest_ns", at<&OverheadUse::longest>, {"longest"}},
});

[[nodiscard]] inline Section assumptions_section(const Assumptions& assumptions, std::string title = "Assumptions") {
  return {.title = std::move(title), .sentences = as_list(sentences_of(assumptions))};
}

}  // namespace stepsim::sim

#endif
