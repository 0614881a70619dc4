#include "sim/check/findings.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "model/base/known_diagnostics.h"
#include "model/base/text.h"
#include "sim/analysis/intervals.h"
#include "sim/check/problems.h"
#include "sim/check/recorded.h"
#include "sim/report/headline.h"
#include "sim/report/table.h"

namespace stepsim::sim {
namespace {

using enum Question;

double part(std::uint64_t some, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all);
}

/// Finds what was not recorded of a host and its devices. Each function adds at most one finding.
class Missing {
 public:
  explicit Missing(const Examined& examined)
      : examined_(examined),
        recorded_(recorded_of(examined.contents)),
        sum_(recorded_.sum),
        profiler_(profiler_of(examined.contents)) {}

  std::vector<Finding> all() && {
    if (recorded_.processes == 0) return {};
    note_host();
    note_operators();
    note_device();
    note_launches();
    note_steps();
    note_waits();
    note_shapes();
    note_device_name();
    note_ranks();
    note_sizes();
    note_sequence();
    note_clock();
    note_profiler();
    note_overhead();
    return std::move(findings_);
  }

 private:
  [[nodiscard]] bool on_device() const { return recorded_.device_work() > 0; }

  /// Returns the remedy for the profiler that recorded the capture.
  [[nodiscard]] std::string remedy(std::string_view pytorch, std::string_view nsight,
                                   std::string_view other = {}) const {
    switch (profiler_) {
      case Profiler::kPyTorch: return std::string(pytorch);
      case Profiler::kNsight: return std::string(nsight);
      case Profiler::kOther: break;
    }
    return std::string(other.empty() ? pytorch : other);
  }

  void note_host() {
    if (recorded_.host_events() > 0) return;
    findings_.push_back(
        {.name = problem("no_host_events"),
         .cost = Cost::kPrevents,
         .weakens = {kHost},
         .count = recorded_.device_work(),
         .sentence = "only device work, no CPU events",
         .effect = "Work starts when it was recorded to start: whatever the CPU adds between kernels is an "
                   "unexplained gap, which no what-if can shorten.",
         .remedy = remedy("record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], and keep "
                          "the file whole",
                          "record with nsys profile --trace=cuda,nvtx, and export all tables")});
  }

  /// Adds a finding if runtime calls were recorded without the framework's operators.
  void note_operators() {
    if (sum_.calls == 0 || sum_.operators + sum_.annotations + sum_.step_marks > 0) return;
    findings_.push_back(
        {.name = problem("no_operators"),
         .cost = Cost::kWeakens,
         .weakens = {kHost},
         .count = sum_.calls,
         .sentence = "only runtime calls (cudaLaunchKernel, ...), and nothing about what the CPU does between them",
         .effect = "Time between two calls counts as CPU work: no what-if can distinguish the framework from "
                   "other work or from waiting.",
         .remedy = remedy("record with ProfilerActivity.CPU too",
                          "mark ranges with NVTX (torch.autograd.profiler.emit_nvtx()), and record with "
                          "nsys profile --trace=cuda,nvtx")});
  }

  void note_device() {
    if (on_device() || sum_.launches > 0) return;
    const bool expected = recorded_.processes > 0 && sum_.calls > 0;
    findings_.push_back(
        {.name = problem("no_device_events"),
         .cost = expected ? Cost::kWeakens : Cost::kNothing,
         .weakens = expected ? Questions{kReplay, kDevice} : Questions{},
         .sentence = expected ? "runtime calls (cudaLaunchKernel, ...), and no device work"
                              : "no device work and no runtime calls: a CPU-only job, or a capture of the "
                                "CPU side only",
         .effect = "All times are CPU times.",
         .remedy = remedy("if the job used a GPU, record with ProfilerActivity.CUDA, and make sure that "
                          "no other tool uses CUPTI",
                          "if the job used a GPU, record with nsys profile --trace=cuda,nvtx")});
  }

  void note_launches() {
    const double lost = part(sum_.launches_without_work, sum_.launches);
    // Share of launches that is normal: their work may run after the end of the recording.
    constexpr double kFew = 0.01;
    if (on_device() && lost > kFew && sum_.launches_without_work > recorded_.processes) {
      findings_.push_back({.name = problem("launches_without_work"),
                           .cost = Cost::kWeakens,
                           .weakens = {kReplay, kDevice},
                           .count = sum_.launches_without_work,
                           .share = lost,
                           .sentence = "launches whose work is not in the capture",
                           .effect =
                               "That work takes no time in the replay. If the profiler dropped it, steps come out too "
                               "short; if it ran after the end of the capture, only the last step is affected.",
                           .remedy = remedy("record fewer steps at a time, and stop the profiler after a "
                                            "torch.cuda.synchronize()",
                                            "record a shorter time, and check nsys's diagnostics for lost events")});
    }
    note_orphans();
  }

  /// Adds a finding for device work without its launch. Such work is counted after the files were joined, or as
  /// recorded if they could not be joined.
  void note_orphans() {
    const std::uint64_t orphans = examined_.capture == nullptr
                                      ? sum_.work_without_launch
                                      : examined_.diagnostics.count_of(diagnostic("device_work_without_launch").name);
    if (recorded_.host_events() == 0 || orphans == 0) return;
    const double share = part(orphans, recorded_.device_work());
    findings_.push_back({.name = problem("no_launches"),
                         .cost = share > 0.5    ? Cost::kPrevents
                                 : share > 0.05 ? Cost::kWeakens
                                                : Cost::kBlurs,
                         .weakens = {kHost},
                         .count = orphans,
                         .share = share,
                         .sentence = "device work whose launching call was not recorded",
                         .effect = "It waits only for earlier work on its stream, so a slower or faster CPU does not "
                                   "affect it.",
                         .remedy = remedy("record CPU and CUDA activities together, from before the first step on",
                                          "record with nsys profile --trace=cuda,nvtx, and export all tables")});
  }

  /// Returns " The graph is not tested: ..."; empty if the replay tested it, or if there is no replay.
  [[nodiscard]] std::string untested() const {
    if (examined_.replay == nullptr || examined_.replay->perturbation) return {};
    return fmt::format(" The graph is not tested: {}.", untested_reason(*examined_.capture));
  }

  void note_steps() {
    if (examined_.capture == nullptr || is_modelled_step(examined_)) return;
    const std::size_t steps = step_count(examined_.capture->recording);
    if (steps > 2) return;
    const std::vector<RecordedStep>& all = examined_.capture->recording.steps;
    const bool marked = std::any_of(all.begin(), all.end(), [](const RecordedStep& step) { return step.marked; });
    Finding finding{
        .cost = Cost::kWeakens,
        .weakens = {kReplay},
        .count = steps,
        .remedy = remedy("record several steps: profile(..., schedule=schedule(wait=1, warmup=1, active=5)), and "
                         "call prof.step() once an iteration",
                         "mark each step by torch.cuda.nvtx.range('step N'), and record several",
                         "record several steps, with a mark of each")};
    if (!marked) {
      finding.name = problem("no_steps");
      finding.sentence = examined_.diagnostics.count_of("device_work_outside_steps") == 0
                             ? "no step is marked"
                             : "the marked steps contain less than half of the device work, so they are not used";
      finding.effect =
          "The whole capture counts as one iteration, including what came before and after training." + untested();
    } else if (steps == 0) {
      finding.name = problem("no_whole_step");
      finding.sentence = "steps are marked, but none is complete in the capture";
      finding.effect = "There is no whole step to compare the replay with.";
    } else if (steps == 1) {
      finding.name = problem("one_step");
      finding.sentence = "one whole step";
      finding.effect =
          "How much steps differ is unknown, and predictions cannot be more precise than that." + untested();
      finding.cost = Cost::kBlurs;
    } else {
      finding.name = problem("two_steps");
      finding.sentence = "two whole steps";
      finding.effect = "How much steps differ is known only roughly." + untested();
      finding.cost = Cost::kNothing;
      finding.weakens = {};
    }
    findings_.push_back(std::move(finding));
  }

  void note_waits() {
    if (!on_device() || sum_.syncs > 0 || is_modelled_step(examined_)) return;
    Finding finding{
        .name = problem("no_sync_events"),
        .cost = Cost::kBlurs,
        .weakens = {kHost, kDevice, kNetwork},
        .count = examined_.diagnostics.count_of(diagnostic("inferred_stream_wait").name) +
                 examined_.diagnostics.count_of(diagnostic("inferred_host_wait").name),
        .sentence = "no events that record what calls and streams waited for",
        .effect =
            "Waits are inferred from what the framework is known to do and from times. The replay of the captured "
            "run stays accurate; in a what-if, a wait that was inferred wrongly or missed lets work "
            "start too early or too late.",
        .remedy = remedy("record with experimental_config=torch._C._profiler._ExperimentalConfig("
                         "enable_cuda_sync_events=True) (PyTorch 2.1)",
                         "record with nsys profile --trace=cuda,nvtx --cuda-event-trace=true")};
    if (examined_.replay != nullptr && examined_.replay->path.path.hand_overs > 0) {
      const CriticalPath& path = examined_.replay->path.path;
      finding.share = part(path.inferred, path.hand_overs);
      finding.sentence = fmt::format(
          "no events that record what calls and streams waited for: {} of the {} on the critical path {} inferred "
          "from times",
          grouped(path.inferred), counted(path.hand_overs, "wait"), path.inferred == 1 ? "was" : "were");
    }
    findings_.push_back(std::move(finding));
  }

  void note_shapes() {
    if (!on_device() || sum_.shaped_operators > 0) return;
    findings_.push_back({.name = problem("no_shapes"),
                         .cost = Cost::kWeakens,
                         .weakens = {kDevice},
                         .sentence = "no input shapes of operators",
                         .effect =
                             "What-ifs cannot change the batch size or select work by operator. Another device or "
                             "precision is predicted from the names of kernels, which is less certain.",
                         .remedy = remedy("record with record_shapes=True",
                                          "run the steps under torch.autograd.profiler.emit_nvtx(record_shapes=True), "
                                          "which slows the host, or record with torch.profiler and "
                                          "record_shapes=True"),
                         .in_range = "device"});
  }

  void note_device_name() {
    if (recorded_.without_device_name == 0) return;
    findings_.push_back({.name = problem("no_device_name"),
                         .cost = Cost::kBlurs,
                         .weakens = {kDevice},
                         .count = recorded_.without_device_name,
                         .sentence = "no device name",
                         .effect = "A what-if with another device needs 'from' as well as 'to'.",
                         .remedy = "name the captured device in the what-if: --set device.from=V100"});
  }

  void note_ranks() {
    const auto all = static_cast<std::uint64_t>(std::max<std::int64_t>(0, sum_.world_size.value_or(0)));
    const std::size_t here = ranks_in(examined_);
    const bool communicates = sum_.collectives + sum_.host_collectives > 0;
    const bool alone = here == 1 && communicates && all == 0;
    if (!alone && all <= here) return;
    Finding finding{
        .name = problem("missing_ranks"),
        .cost = communicates ? Cost::kWeakens : Cost::kBlurs,
        .weakens = communicates ? Questions{kNetwork, kRanks} : Questions{kRanks},
        .count = all > here ? all - here : 0,
        .sentence = alone ? "collectives, but only one rank was captured"
                          : fmt::format("{} of the job's {} ranks {} captured", here, all, here == 1 ? "was" : "were"),
        .effect =
            "The other ranks are assumed to arrive at each collective when this one does, so waiting for them "
            "counts as transfer: a faster network then seems to save time that a straggler causes.",
        .remedy = "record the same steps on every rank, and give all files together",
        .in_range = "missing ranks"};
    if (here > 1) {
      finding.effect =
          "The missing ranks are assumed to arrive at each collective with the others, so waiting for them counts as "
          "transfer.";
    }
    if (all > here) finding.share = part(all - here, all);
    if (!communicates) finding.effect = "No collective was recorded, so what the other ranks did is unknown.";
    findings_.push_back(std::move(finding));
  }

  /// Adds a finding for collectives of unknown size. Uses the job's graph if there is one, because sizes may also come
  /// from operators.
  void note_sizes() {
    const auto [all, unsized] = collective_sizes(examined_);
    if (unsized == 0) return;
    findings_.push_back(
        {.name = problem("no_collective_sizes"),
         .cost = Cost::kWeakens,
         .weakens = {kNetwork},
         .count = unsized,
         .share = part(unsized, all),
         .sentence = fmt::format("{} of {} have no size", grouped(unsized), counted(all, "collective")),
         .effect =
             "They keep their recorded time: what-ifs can scale a bandwidth (2x), but not set it (25Gb/s), and cannot "
             "change their latency or the number of ranks.",
         .remedy = remedy("record with record_shapes=True and PyTorch 2.1 or later (record_param_comms)",
                          "record NCCL's ranges: nsys profile --trace=cuda,nvtx")});
  }

  void note_sequence() {
    if (ranks_in(examined_) < 2 || sum_.collectives == 0 || sum_.sequenced_collectives > 0) return;
    findings_.push_back({.name = problem("no_sequence_numbers"),
                         .cost = Cost::kNothing,
                         .weakens = {},
                         .sentence =
                             "collectives are matched by their order, group, type and size, because they have no "
                             "sequence number",
                         .effect = "Little: matches whose ends do not agree are reported.",
                         .remedy = {}});
  }

  void note_clock() {
    if (recorded_.processes < 2 || recorded_.without_base_time == 0) return;
    findings_.push_back({.name = problem("no_base_time"),
                         .cost = Cost::kBlurs,
                         .weakens = {kRanks},
                         .count = recorded_.without_base_time,
                         .sentence = "files whose times have no common base",
                         .effect = "Their clocks are aligned by collectives alone.",
                         .remedy = "use the files as the profiler wrote them (baseTimeNanoseconds)"});
  }

  /// Adds a finding for recorded Python calls, which have the highest recording cost of all events.
  void note_profiler() {
    if (sum_.python_calls == 0) return;
    const bool device_sets_pace =
        examined_.replay != nullptr && examined_.replay->summary.iteration.pace == Pace::kDevice;
    findings_.push_back(
        {.name = problem("python_recorded"),
         .cost = device_sets_pace ? Cost::kNothing : Cost::kBlurs,
         .weakens = device_sets_pace ? Questions{} : Questions{kReplay, kHost},
         .count = sum_.python_calls,
         .sentence = "calls of Python functions were recorded, which slows the CPU while it is measured",
         .effect = device_sets_pace
                       ? "Small: this job is limited by the GPU."
                       : "The measured step is longer than one without a profiler, by up to about 20 us for "
                         "each recorded CPU event.",
         .remedy = "record without with_stack and with_modules, or give the step time without the "
                   "profiler in job.yaml (measured_step)"});
  }

  /// Summarizes overhead over all processes: "1.2 ms in 14 pieces: Buffer Flush 1.1 ms (12), Resource 0.1 ms (2)".
  [[nodiscard]] static std::string list_of(const std::map<std::string, OverheadUse>& kinds) {
    Duration all{};
    std::uint64_t pieces = 0;
    std::vector<const OverheadUse*> order;
    for (const auto& [kind, use] : kinds) {
      all = saturated_sum(all, use.total);
      pieces += use.count;
      order.push_back(&use);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const OverheadUse* a, const OverheadUse* b) { return a->total > b->total; });
    const auto text_of = [](const OverheadUse* use) {
      return fmt::format("{} {} ({})", shown(use->kind), to_text(use->total), use->count);
    };
    return fmt::format("{} in {}: {}", to_text(all), counted(pieces, "piece"), joined(order, text_of));
  }

  /// Adds a finding for the overhead that the profiler reports for itself. Kinds and threads overlap, so the share is
  /// an upper bound.
  void note_overhead() {
    std::map<std::string, OverheadUse> of_profiler;
    std::map<std::string, OverheadUse> of_cuda;
    double share = 0;
    for (const SourceContents& source : examined_.contents.sources) {
      for (const HostDeviceContents& process : source.processes) {
        Duration by_clock{};
        for (const OverheadUse& use : process.overheads) {
          OverheadUse& sum = (use.of_profiler ? of_profiler : of_cuda)[use.kind];
          sum.kind = use.kind;
          sum.count += use.count;
          sum.total = saturated_sum(sum.total, use.total);
          if (use.of_profiler) by_clock = saturated_sum(by_clock, use.by_clock);
        }
        if (process.span > Duration{})
          share = std::max(share, static_cast<double>(by_clock.count()) / static_cast<double>(process.span.count()));
      }
    }
    constexpr double kMuch = 0.05;  // most what-ifs save about this share
    if (!of_profiler.empty()) {
      findings_.push_back({.name = problem("profiler_overhead"),
                           .cost = share > kMuch ? Cost::kBlurs : Cost::kNothing,
                           .weakens = share > kMuch ? Questions{kReplay, kHost} : Questions{},
                           .count = pieces_of(of_profiler),
                           .share = std::min(share, 1.0),
                           .sentence = "the profiler itself took " + list_of(of_profiler),
                           .effect =
                               "The program was slower meanwhile than it is without a profiler. The share is that of "
                               "the most affected process.",
                           .remedy = share > kMuch ? remedy("leave the first steps out (schedule(warmup=...)), and "
                                                            "record fewer kinds of events",
                                                            "record a later and shorter part (--delay, --duration)",
                                                            "leave the first steps out (--warmup), and record fewer "
                                                            "kinds of events")
                                                   : std::string{}});
    }
    if (of_cuda.empty()) return;
    findings_.push_back({.name = problem("cuda_overhead"),
                         .cost = Cost::kNothing,
                         .weakens = {},
                         .count = pieces_of(of_cuda),
                         .sentence = "CUDA itself took " + list_of(of_cuda) + " outside the program's calls",
                         .effect =
                             "This also happens without a profiler: CUDA loads and compiles kernels at their first "
                             "use, and waits for space in its queues. It is part of the measured times.",
                         .remedy = {}});
  }

  [[nodiscard]] static std::uint64_t pieces_of(const std::map<std::string, OverheadUse>& kinds) {
    std::uint64_t pieces = 0;
    for (const auto& [kind, use] : kinds) pieces += use.count;
    return pieces;
  }

  const Examined& examined_;
  Recorded recorded_;
  const HostDeviceContents& sum_;
  Profiler profiler_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> recording_findings(const Examined& examined) { return Missing(examined).all(); }

}  // namespace stepsim::sim
