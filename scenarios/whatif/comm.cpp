#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/base/text.h"
#include "model/cost/collective/algorithm.h"
#include "model/job/parameter_server/server_rules.h"
#include "model/rewrite/buckets.h"
#include "model/rewrite/capture_edit.h"
#include "model/rewrite/early_reductions.h"
#include "scenarios/change/plan.h"
#include "scenarios/change/what_if.h"

// What-if `comm`: changes how the job communicates: settings of job.yaml, and the algorithm of collectives.

namespace stepsim::scenarios {
namespace {

YamlType computable_rules() { return yaml::one_of(server_rule_names(true)); }

YamlType known_algorithms() {
  std::vector<std::string> names;
  for (const CollectiveModel* const model : collective_models()) names.emplace_back(model->name);
  return yaml::one_of(names);
}

/// The parameter that moves reductions. It keeps their times, so that it needs no network model.
constexpr std::string_view kStart = "start";

constexpr std::array kCommParameters{
    Parameter{"partition_bytes", value::size("1MiB", 1), "largest size of a partition (parameter servers)", ""},
    Parameter{"bucket_bytes", value::size("25MB", 1), "size of the buckets in which gradients are reduced", ""},
    Parameter{"schedule", value::one_of("fifo", "priority"),
              "send first the partition that is ready first (fifo) or that was declared first (priority)", ""},
    Parameter{"credit_bytes", value::size("4MB", 0, "no bound"), "most bytes of pushes in progress at once", ""},
    Parameter{"barrier", value::one_of("global", "cross"),
              "a step waits for all tensors (global), or each layer only for its own (cross)", ""},
    Parameter{"control", value::one_of("first", "inline"),
              "send acknowledgements and requests before bulk data (first) or in order (inline)", ""},
    Parameter{"key_hash", value::text("the name of a rule", "djb2", computable_rules),
              "rule that assigns partitions to servers", ""},
    Parameter{"algorithm", value::text("the name of an algorithm", "ring", known_algorithms), "of collectives", ""},
    Parameter{
        kStart, value::one_of("recorded", "gradient"),
        "gradient = start each reduction of gradients when its gradient is ready, as hooks of the backward pass do",
        "recorded"},
};

constexpr std::size_t kBucketsNamed = 6;

/// True if a parameter of `comm` applies to jobs with collectives; all others apply to jobs with parameter servers.
bool is_of_collectives(std::string_view parameter) { return parameter == "bucket_bytes" || parameter == "algorithm"; }

void refuse_inapplicable(const YamlField& value, std::string_view parameter, const Plan& plan) {
  if (is_of_collectives(parameter) == (plan.captured->parameter_server != nullptr)) {
    cannot_answer(value, is_of_collectives(parameter)
                             ? "the job has parameter servers and no collectives; expected a job with collectives"
                             : "the job has no parameter servers; expected a job with servers, such as BytePS");
  }
  if (plan.network->make == nullptr) {
    refuse_as_recorded(value, plan, "--network recorded keeps recorded transfer times; expected another network model");
  }
}

void set_algorithm(const Change& change, const YamlField& value, Plan& plan) {
  plan.algorithm = &value;
  const CollectiveModel* const algorithm = collective_models()[value.one_of_words(known_algorithms().words)];
  plan.add_edit(change, [algorithm](const Capture& capture) {
    CaptureEdit edit(capture);
    for (const RendezvousId rendezvous : capture.dag.all_rendezvous()) {
      edit.builder().collective(rendezvous).algorithm = algorithm;
    }
    return std::move(edit).finish();
  });
}

/// Adds an assumption that states the captured gradient buckets, so that users can compare them with the requested
/// size.
void assume_captured_buckets(Plan& plan) {
  const auto found = captured_device_buckets(*plan.captured);
  if (!found) return;
  std::string sizes;
  for (std::size_t i = 0; i < std::min(found->sizes.size(), kBucketsNamed); ++i)
    add_item(sizes, to_text(found->sizes[i]));
  if (found->sizes.size() > kBucketsNamed) sizes += fmt::format(" and {} more", found->sizes.size() - kBucketsNamed);
  plan.assumptions.push_back(
      {"captured_buckets",
       fmt::format(
           "In the capture, {} per step are reduced in {} ({}). Their sizes follow from {}.{}",
           counted(found->gradients, "gradient"), counted(found->sizes.size(), "bucket"), sizes,
           found->by_shapes ? "shapes" : "the grids of the kernels that copy them into the buckets",
           found->first_is_smaller ? " The first bucket ends at 1 MiB, DistributedDataParallel's default." : "")});
}

std::string text_of(const ReductionStarts& starts) {
  std::string text =
      starts.movable == 0
          ? "No reduction of gradients starts earlier."
          : fmt::format(
                "Each reduction of gradients that was launched after the backward pass ({}) starts when its "
                "gradient is ready{}.",
                grouped(starts.movable),
                starts.by_order ? "; the trace lacks sizes, so they were matched in order" : "");
  std::string others;
  const auto add = [&others](std::size_t count, std::string_view which) {
    if (count > 0) add_item(others, fmt::format("{} {}", grouped(count), which));
  };
  add(starts.during, "that started during the backward pass");
  add(starts.packed, "whose input is made by kernels after the backward pass");
  add(starts.unknown, "of unknown gradients");
  if (!others.empty()) text += fmt::format(" Others keep their place: {}.", others);
  return text;
}

void start_at_gradients(const Change& change, const YamlField& value, Plan& plan) {
  const ReductionStarts starts = reduction_starts(*plan.captured);
  if (starts.during + starts.movable + starts.packed + starts.unknown == 0) {
    cannot_answer(value,
                  "the capture has no reduction on a GPU's stream after a gradient; expected a GPU job that reduces "
                  "gradients, and a trace with AccumulateGrad (PyTorch's CPU operators)");
  }
  if (starts.movable == 0 && starts.unknown > 0) {
    cannot_answer(value,
                  fmt::format("it is unknown which gradients {} carry; expected a trace with the sizes of gradients "
                              "(record_shapes=True) and of reductions (PyTorch 2.1 or later)",
                              counted(starts.unknown, "reduction")));
  }
  plan.assumptions.push_back({"reductions_at_gradients", text_of(starts)});
  plan.add_edit(change, with_early_reductions);
}

void apply_comm(const Change& change, Plan& plan) {
  for (const Parameter& parameter : kCommParameters) {
    const YamlField* const value = change.find(parameter.name);
    if (value != nullptr && parameter.name != kStart) refuse_inapplicable(*value, parameter.name, plan);
  }
  Job& job = plan.job;
  change.read("partition_bytes", job.partition_bytes);
  if (change.read("bucket_bytes", job.bucket_bytes) != nullptr) assume_captured_buckets(plan);
  change.read("schedule", job.schedule);
  change.read("credit_bytes", job.credit_bytes);
  change.read("barrier", job.barrier);
  change.read("control", job.control);
  change.read("key_hash", job.key_hash);
  if (const YamlField* const value = change.find("algorithm")) set_algorithm(change, *value, plan);
  if (change.has_word(kStart, "gradient")) start_at_gradients(change, *change.find(kStart), plan);
}

AnswerKind kind_of_settings(const Change& change) {
  const bool is_of_sizes = change.find("partition_bytes") != nullptr || change.find("bucket_bytes") != nullptr;
  return is_of_sizes ? AnswerKind::kBuckets : AnswerKind::kOther;
}

}  // namespace

extern const WhatIf comm_what_if{
    .name = "comm",
    .summary = "Change how the job communicates: partitions, buckets, order, credit, barriers, algorithms",
    .ignores = "the CPU time of more and smaller messages on busy hosts",
    .parameters = kCommParameters,
    .asks = {sim::Question::kNetwork},
    .kind = kind_of_settings,
    .apply = apply_comm,
};

}  // namespace stepsim::scenarios
