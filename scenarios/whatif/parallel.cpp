#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "model/base/yaml_keys.h"
#include "model/calibration/calibration.h"
#include "model/cost/device/device_work.h"
#include "model/cost/device/slowdown.h"
#include "model/job/topology.h"
#include "model/rewrite/buckets.h"
#include "model/rewrite/parallel/divided_step.h"
#include "scenarios/change/batch_growth.h"
#include "scenarios/change/device_rule.h"
#include "scenarios/change/plan.h"
#include "scenarios/change/what_if.h"

// What-if `parallel`: divides the job of one captured device among several.

namespace stepsim::scenarios {
namespace {

YamlType split_type() { return yaml::text("[0-9]+([+,][0-9]+)*"); }

/// The words of `schedule`.
enum class Schedule : std::uint8_t { kOneForwardOneBackward, kAllForwardFirst, kInterleaved };

constexpr std::array kParallelParameters{
    Parameter{"data", value::count_from(1, kMostDevices),
              "number of replicas, each with the samples of the captured step", "1"},
    Parameter{"tensor", value::count_from(1, kMostDevices),
              "number of devices that divide each layer, as Megatron does", "1"},
    Parameter{"pipeline", value::count_from(1, kMostDevices), "number of stages, each with its own layers", "1"},
    Parameter{"microbatches", value::count_from(1, kMostDevices),
              "parts of a step's samples, computed one after another", "1"},
    Parameter{"micro_batch", value::count_from(1, kMostDevices),
              "samples that are computed at once, in place of those of the captured step", ""},
    Parameter{"global_batch", value::count_from(1, kMostDevices),
              "samples of a step of all replicas; with micro_batch, it gives the number of microbatches", ""},
    Parameter{"schedule", value::one_of("1f1b", "gpipe", "interleaved"),
              "1f1b = each backward pass of a microbatch as early as possible; gpipe = after all forward passes; "
              "interleaved = 1f1b with stages of two parts, or as many as interleave says",
              "1f1b"},
    Parameter{"interleave", value::count_from(1, kMostDevices), "parts of each stage, as Megatron's virtual stages",
              "1"},
    Parameter{"sequence", value::flag(),
              "divide also norms, residual connections and dropout among the devices of tensor, by tokens", "false"},
    Parameter{"tensor_overlap", value::flag(),
              "products of the backward pass go on while devices of tensor sum the gradients of activations", "true"},
    Parameter{"zero", value::count(0, 3) | value::word("FULL_SHARD", 3) | value::word("SHARD_GRAD_OP", 2),
              "what replicas divide: 1 = the optimizer's states, 2 = also gradients (FSDP's SHARD_GRAD_OP), 3 = also "
              "parameters (FULL_SHARD)",
              "0"},
    Parameter{"recompute", value::one_of("none", "selective", "all", "early_stop"),
              "what is computed again before its backward pass: selective = attention, all = each layer, early_stop = "
              "each layer without its last product, as PyTorch with use_reentrant=False",
              "none"},
    Parameter{"expert", value::count_from(1, kMostDevices),
              "number of replicas that divide the experts of each layer; data is a multiple of it", "1"},
    Parameter{"order", value::one_of("tp-dp-pp", "tp-pp-dp"),
              "what ranks with successive numbers are, after those that divide a layer: replicas, or stages",
              "tp-dp-pp"},
    Parameter{"split", value::text("numbers", "6+6+7+5", split_type),
              "repeated layers in each part of the pipeline, in order", ""},
};

/// Returns the first parameter of the change.
const YamlField& first_value(const Change& change) {
  for (const Parameter& parameter : kParallelParameters) {
    if (const YamlField* const value = change.find(parameter.name)) return *value;
  }
  return change.place();
}

/// The part of the captured device's work that one rank of the divided job does.
class PartOfRank final : public DeviceRule {
 public:
  PartOfRank(const std::vector<const Change*>& changes, const Plan& plan)
      : DeviceRule(text_of(changes), first_value(*changes.back()), plan, kept_by(plan.parallelism)),
        step_(plan.divided_step),
        parallelism_(plan.parallelism) {}

 private:
  [[nodiscard]] static std::string text_of(const std::vector<const Change*>& changes) {
    return joined(changes, [](const Change* change) { return change->to_text(); });
  }
  /// Returns what every rank does as on the captured device.
  [[nodiscard]] static std::string_view kept_by(const Parallelism& parallelism) {
    if (parallelism.tensor > 1)
      return "what every rank does: layers without a pair, and without sequence also norms and residual connections";
    return parallelism.expert > 1 ? "everything but the work on experts and the optimizer's"
                                  : "everything but the optimizer's work";
  }
  [[nodiscard]] DeviceWork changed(const DeviceWork& piece) const override {
    return step_->part_of_rank(piece, parallelism_);
  }

  std::shared_ptr<DividedStep> step_;
  Parallelism parallelism_;
};

/// Makes the plan divide device work as its parallelism says.
void divide_work(std::span<const Change* const> changes, Plan& plan) {
  std::erase_if(plan.rules, [](const Plan::MadeRule& made) { return made.turn == Plan::Turn::kDivision; });
  const Parallelism& parallelism = plan.parallelism;
  const bool divides_update = parallelism.zero > 0 && parallelism.data > 1;
  if (parallelism.tensor == 1 && parallelism.expert == 1 && !divides_update) return;
  std::vector<const Change*> dividing;
  for (const Change* const change : changes) {
    const auto gives = [change](std::string_view parameter) { return change->find(parameter) != nullptr; };
    if ((parallelism.tensor > 1 && gives("tensor")) || (parallelism.expert > 1 && gives("expert")) ||
        (divides_update && (gives("zero") || gives("data"))))
      dividing.push_back(change);
  }
  if (dividing.empty()) dividing.push_back(changes.back());
  plan.add_rule(Plan::Turn::kDivision, std::make_shared<const PartOfRank>(dividing, plan));
}

/// Puts all ranks on one host with the links of the device's data sheet.
Cluster usual_host(const YamlField& value, std::uint32_t ranks, Plan& plan) {
  const Accelerator* const device = accelerator_of(*plan.captured);
  if (device == nullptr) {
    cannot_answer(value,
                  "the trace does not name a known device, so the links between several are not known; expected "
                  "--cluster FILE with nvlink and nic");
  }
  const bool has_nvlink = device->nvlink > Bandwidth{};
  const Cable link{device->inside_link()};
  // The default rate of 1 byte/s is never used: share_hosts() refuses several hosts while the rate is not known.
  ClusterShape shape{.hosts = numbered_hosts(1),
                     .nic = {plan.job.bandwidth.value_or(Bandwidth::from_bytes_per_second(1)),
                             plan.job.latency.value_or(kUsualLatency)},
                     .devices = ranks,
                     .device_model = plan.captured->devices.begin()->second};
  (has_nvlink ? shape.nvlink : shape.pcie) = link;
  plan.on_one_host = true;
  plan.assumptions.push_back({std::string(kLinksOfDataSheet),
                              fmt::format("The GPUs of a host are connected as in the data sheet of {}: {}, {} in each "
                                          "direction.",
                                          device->name, device->inside_kind(), to_text(link.bandwidth))});
  return with_shape(plan.cluster, std::move(shape));
}

/// Gives every rank of the divided job a place in the cluster. `before` is the number of ranks that have one.
void place_ranks(const YamlField& value, std::uint32_t before, Plan& plan) {
  const std::uint32_t ranks = ranks_of(plan);
  if (ranks == before) return;
  if (plan.cluster.links.empty()) {
    plan.cluster = usual_host(value, ranks, plan);
    return;
  }
  try {
    ClusterShape shape = shape_of(plan.cluster);
    if (plan.on_one_host) shape.devices = ranks;
    const std::array kinds{Resize{before, ranks}};
    plan.cluster = with_shape(plan.cluster, resized(std::move(shape), kinds));
  } catch (const ShapeProblem& problem) {
    cannot_answer(value, fmt::format("the cluster {}", problem.what()));
  }
}

void note_stages(const Parallelism& parallelism, Plan& plan) {
  if (parallelism.pipeline == 1) return;
  const std::vector<std::uint32_t> layers =
      parallelism.split.empty() ? plan.divided_step->cut(parallelism).split : parallelism.split;
  const auto [least, most] = std::minmax_element(layers.begin(), layers.end());
  const bool whole = parallelism.interleave == 1;
  plan.assumptions.push_back(
      {"pipeline_parallel",
       fmt::format("Each of {} stages has {}{} of the repeated layers, {}; the first also has what comes before the "
                   "layers, and the last what comes after. Update and optimizer are divided equally.",
                   parallelism.pipeline, whole ? "" : fmt::format("{} parts with ", parallelism.interleave),
                   *least == *most ? std::to_string(*most) : fmt::format("{} to {}", *least, *most),
                   parallelism.split.empty()
                       ? fmt::format("so that {} take about equally long", whole ? "stages" : "parts")
                       : "as given")});
}

std::string exchange_of_replicas(const DividedWork& work, const Plan& plan) {
  const std::string gradients = to_text(work.gradients);
  const std::string bucket = to_text(plan.job.bucket_bytes.value_or(kUsualBucket));
  const char* const sizes = "Parameters are as large as their gradients.";
  switch (plan.parallelism.zero) {
    case 0:
      return fmt::format(
          "Gradients of {} are reduced in buckets of {}, as DistributedDataParallel does, without copies into the "
          "buckets.",
          gradients, bucket);
    case 3:
      return fmt::format(
          "Each of the {} repeated layers, what comes before them and what comes after gather their parameters before "
          "their forward and before their backward pass, one ahead, and reduce their gradients of {} in all when the "
          "last is ready. {}",
          work.repeated_layers, gradients, sizes);
    default:
      return fmt::format(
          "Gradients of {} are reduced and scattered in buckets of {}{}; the optimizer's kernels do their part of the "
          "work, and its parameters are then gathered at once. {}",
          gradients, bucket, plan.parallelism.zero == 2 ? " for each microbatch" : "", sizes);
  }
}

/// States what the division assumes, in place of what an earlier change of it stated.
void note(const DividedWork& work, const Parallelism& parallelism, Plan& plan) {
  std::erase_if(plan.assumptions, [](const Assumption& one) {
    static constexpr auto kOwn =
        std::to_array<std::string_view>({"divided_job", "tensor_parallel", "expert_parallel", "recomputation",
                                         "pipeline_parallel", "data_parallel", "interference_usual"});
    return std::find(kOwn.begin(), kOwn.end(), one.id) != kOwn.end();
  });
  plan.assumptions.push_back(
      {"divided_job",
       fmt::format("All {} devices are like the captured one; those of a stage do the same.", parallelism.ranks())});
  if (parallelism.tensor > 1) {
    plan.assumptions.push_back(
        {"tensor_parallel",
         fmt::format(
             "{} linear layers are divided among {} devices as Megatron does, and {} are not; the shapes of "
             "operators show which. {}",
             work.layers, parallelism.tensor, work.whole_layers,
             parallelism.sequence
                 ? "What works on the hidden dimension between them is divided by tokens, with all-gathers before "
                   "each pair of layers and reduce-scatters after it."
             : parallelism.tensor_overlap
                 ? "All-reduces of activations are waited for, and those of their gradients run beside "
                   "products."
                 : "All-reduces of activations and of their gradients are waited for.")});
  }
  if (parallelism.recompute != Recompute::kNothing) {
    plan.assumptions.push_back(
        {"recomputation",
         fmt::format(
             "{} of the {} repeated layers is computed again before its backward pass, by the same calls{}.",
             parallelism.recompute == Recompute::kAttention ? "The attention of each" : "Each", work.repeated_layers,
             parallelism.recompute == Recompute::kNeeded ? ", up to the last tensor that the backward pass needs"
                                                         : "")});
  }
  note_stages(parallelism, plan);
  if (parallelism.expert > 1) {
    plan.assumptions.push_back(
        {"expert_parallel",
         fmt::format("Each of {} replicas has {} of the {} experts of a layer, and gets the tokens of all {} for them: "
                     "every expert the same number.",
                     parallelism.expert, work.experts / parallelism.expert, work.experts, parallelism.expert)});
  }
  if (parallelism.data > 1) plan.assumptions.push_back({"data_parallel", exchange_of_replicas(work, plan)});
  if (parallelism.data == 1 && parallelism.zero > 0)
    plan.assumptions.push_back({"data_parallel", "There is one replica, so parallel.zero divides nothing."});
  if (plan.slows_beside_added && parallelism.ranks() > 1) {
    const Slowdown usual = usual_slowdowns().front();
    plan.assumptions.push_back(
        {"interference_usual",
         fmt::format(
             "Kernels beside collectives take {} times as long ({} to {}), as in captures of other jobs, because "
             "this one shows no communication.",
             usual.factor, usual.low, usual.high)});
  }
}

/// Parses "6+6+7+5", or with commas, which --set does not pass on.
std::vector<std::uint32_t> layers_in(const YamlField& field) {
  constexpr std::string_view kForm = "a number of layers for each part of the pipeline, such as 6+6+7+5";
  const std::string& text = field.scalar(kForm);
  std::vector<std::uint32_t> layers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("+,", begin), text.size());
    const auto number = parse_number<std::uint32_t>(std::string_view(text).substr(begin, end - begin));
    if (!number || *number > kMostDevices) field.reject(kForm);
    layers.push_back(*number);
    begin = end + 1;
  }
  return layers;
}

/// Returns the parallelism after the change. Throws InputError if a value is invalid.
Parallelism changed(Parallelism parallelism, const Change& change) {
  change.read("data", parallelism.data);
  change.read("tensor", parallelism.tensor);
  change.read("pipeline", parallelism.pipeline);
  change.read("microbatches", parallelism.microbatches);
  change.read("micro_batch", parallelism.micro_batch);
  change.read("global_batch", parallelism.global_batch);
  change.read("interleave", parallelism.interleave);
  change.read("expert", parallelism.expert);
  change.read("sequence", parallelism.sequence);
  change.read("tensor_overlap", parallelism.tensor_overlap);
  change.read("zero", parallelism.zero);
  change.read("recompute", parallelism.recompute);
  change.read("order", parallelism.order);
  if (const YamlField* const split = change.find("split")) parallelism.split = layers_in(*split);
  auto schedule = Schedule::kOneForwardOneBackward;
  if (change.read("schedule", schedule) != nullptr) {
    parallelism.schedule = schedule == Schedule::kAllForwardFirst ? PipelineSchedule::kAllForwardFirst
                                                                  : PipelineSchedule::kOneForwardOneBackward;
    if (schedule == Schedule::kInterleaved && parallelism.interleave == 1) parallelism.interleave = 2;
  }
  return parallelism;
}

/// Returns how many times the captured samples a replica computes in a step. Sets the number of microbatches if the
/// numbers of samples give it. Throws at `value` if these do not fit each other.
double batches_of_replica(const YamlField& value, const Plan& plan, Parallelism& parallelism) {
  if (parallelism.micro_batch == 0 && parallelism.global_batch == 0) return 1;
  const std::optional<std::uint32_t> captured = plan.captured->job.batch_size;
  if (!captured) {
    cannot_answer(value, "the capture does not say how many samples a step has; expected batch_size in job.yaml");
  }
  const std::uint64_t global = parallelism.global_batch;
  if (global > 0 && parallelism.micro_batch > 0) {
    const std::uint64_t at_once = std::uint64_t{parallelism.micro_batch} * parallelism.data;
    if (global % at_once != 0 || global / at_once > kMostDevices) {
      value.fail(
          fmt::format("{} samples are not a multiple of {} in each of {}; expected another global_batch, "
                      "micro_batch or data",
                      global, counted(parallelism.micro_batch, "sample"), counted(parallelism.data, "replica")));
    }
    parallelism.microbatches = static_cast<std::uint32_t>(global / at_once);
  }
  const double samples = global > 0 ? static_cast<double>(global) / parallelism.data
                                    : static_cast<double>(parallelism.micro_batch) * parallelism.microbatches;
  return samples / *captured;
}

/// Returns what the capture shows of the divided work. Throws at the first change that asks for what it does not show.
DividedWork work_of(std::span<const Change* const> changes, const Parallelism& asked, const Plan& plan) {
  try {
    return plan.divided_step->work(asked);
  } catch (const CannotAnswer& problem) {
    Parallelism parallelism = plan.parallelism;
    for (const Change* const change : changes) {
      parallelism = changed(parallelism, *change);
      try {
        static_cast<void>(plan.divided_step->work(parallelism));
      } catch (const CannotAnswer& first) {
        cannot_answer(first_value(*change), first.what());
      }
    }
    cannot_answer(first_value(*changes.back()), problem.what());
  }
}

/// Divides the job as all changes together say.
void divide(std::span<const Change* const> changes, Plan& plan) {
  Parallelism parallelism = plan.parallelism;
  for (const Change* const change : changes) parallelism = changed(parallelism, *change);
  if (parallelism == plan.parallelism) return;
  const YamlField& value = first_value(*changes.back());
  if (parallelism.ranks() > kMostDevices)
    value.fail(fmt::format("{} devices are too many; expected at most {}", parallelism.ranks(), kMostDevices));
  if (plan.captured->parameter_server != nullptr)
    cannot_answer(value, "the job has parameter servers; expected the trace of a job on one device");
  if (plan.network->make == nullptr) {
    refuse_as_recorded(value, plan,
                       "--network recorded has no times for the messages of more devices; expected another network "
                       "model");
  }
  require_kernels(plan, value);
  const DividedWork work = work_of(changes, parallelism, plan);
  const std::uint32_t before = ranks_of(plan);
  plan.parallelism = parallelism;
  place_ranks(value, before, plan);
  divide_work(changes, plan);
  note(work, parallelism, plan);
}

void apply_parallel(std::span<const Change* const> changes, Plan& plan) {
  divide(changes, plan);
  // Kernels compute the samples of one microbatch.
  const YamlField& value = first_value(*changes.back());
  const double batches = batches_of_replica(value, plan, plan.parallelism);
  ask_for_samples(*changes.back(), value, batches, plan.parallelism.microbatches, plan);
}

}  // namespace

extern const WhatIf parallel_what_if{
    .name = "parallel",
    .summary = "Divide the job of one captured device among several: replicas, divided layers, stages of a pipeline",
    .ignores = "how much communication slows kernels that run beside it",
    .parameters = kParallelParameters,
    .asks = {sim::Question::kDevice},
    .kind = nullptr,
    .apply_together = apply_parallel,
    .sets_samples = true,
};

}  // namespace stepsim::scenarios
