#include "model/rewrite/parallel/divided_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/cost/collective/algorithm.h"
#include "model/cost/device/device_work.h"
#include "model/rewrite/buckets.h"
#include "model/rewrite/capture_edit.h"
#include "model/rewrite/parallel/added_collectives.h"
#include "model/rewrite/parallel/experts.h"
#include "model/rewrite/parallel/layers.h"
#include "model/rewrite/parallel/model_calls.h"
#include "model/rewrite/parallel/pipeline.h"
#include "model/rewrite/parallel/recompute.h"
#include "model/rewrite/parallel/replicas.h"
#include "model/rewrite/parallel/tensor_division.h"

namespace stepsim {
namespace {

/// Returns the group of all ranks, of which each is a copy of the first one of its stage.
Group all_ranks(const Parallelism& parallelism) {
  Group group{.name = "all ranks", .size = static_cast<std::uint32_t>(parallelism.ranks())};
  for (std::uint32_t rank = 0; rank < group.size; ++rank) {
    group.ranks.push_back(static_cast<Rank>(rank));
    group.copy_of.push_back(parallelism.first_rank(parallelism.stage_of(rank)));
  }
  return group;
}

Capture with_tensor_parallel(const Capture& captured, const Parallelism& parallelism) {
  const std::vector<ModelCall> calls = model_calls(captured);
  const TensorDivision division =
      divide_calls(captured.operators, calls, parallelism.sequence, parallelism.tensor_overlap);
  Capture capture = captured;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    for (const std::size_t use : calls[i].uses) capture.operators.uses[use].divided = division.divided[i];
  }
  const DeviceLaunches launches = device_launches(capture);
  const std::map<TaskId, TaskId> call_of = calls_by_work(launches);
  AddedCollectives added(capture, launches, "tensor parallel", parallelism.tensor, 1);
  for (const TensorDivision::Exchange& one : division.exchanges) {
    const bool before = one.op == CollectiveOp::kAllGather;
    const auto call = call_of.find(before ? calls[one.at].first : calls[one.at].last);
    if (call == call_of.end()) continue;
    const CollectiveSpec what{one.op, one.bytes, true};
    const TaskId made = before ? added.add_before(call->second, what) : added.add_after(call->second, what);
    if (one.before) added.let_wait(calls[*one.before].first, made);
  }
  return std::move(added).finish();
}

/// True if a division is of layers that repeat, of one step.
bool needs_layers(const Parallelism& parallelism) noexcept {
  return parallelism.recompute != Recompute::kNothing || (parallelism.zero == 3 && parallelism.data > 1);
}

/// Returns the bytes of the gradients that each rank of a stage reduces, of all stages together.
double reduced_bytes(std::span<const Gradient> gradients, const Experts& experts, const Parallelism& parallelism) {
  double bytes = 0;
  for (const Gradient& gradient : gradients) {
    const auto own = static_cast<double>(gradient.bytes.count()) / parallelism.tensor;
    if (parallelism.expert == 1 || !experts.is_gradient(gradient.bytes)) {
      bytes += own;
    } else if (parallelism.data > parallelism.expert) {
      bytes += own / parallelism.expert;
    }
  }
  return bytes;
}

/// Throws CannotAnswer if the replicas of the divided job exchange less than they have to: all gradients of each step,
/// in all-reduces, or in reduce-scatters, with all-gathers of the parameters once, or before both passes (zero 3).
void need_full_exchange(const Capture& captured, const Parallelism& parallelism, const Capture& job) {
  const Experts experts(captured.operators);
  const bool is_one_step = needs_layers(parallelism) || parallelism.has_pieces();
  const std::vector<ModelCall> calls = is_one_step ? calls_of_typical_step(captured) : std::vector<ModelCall>{};
  double wanted = 0;
  for (const auto& [index, step] : gradients_of_steps(captured)) {
    if (is_one_step && index != captured.recording.step[calls.front().first.index()]) continue;
    wanted += reduced_bytes(step.gradients, experts, parallelism);
  }
  double reduced = 0;
  double gathered = 0;
  for (const RendezvousId rendezvous : job.dag.all_rendezvous()) {
    const Collective& collective = job.dag.collective(rendezvous);
    if (collective.of_activations || job.dag.members(rendezvous).empty()) continue;
    (is_reduction(collective.op) ? reduced : gathered) += static_cast<double>(collective.bytes.count());
  }
  const double times_gathered = parallelism.zero == 0 ? 0 : parallelism.zero == 3 ? 2 : 1;
  const auto rounding = static_cast<double>(captured.gradients.size());
  if (wanted > 0 && reduced + rounding >= wanted && gathered + rounding >= times_gathered * wanted) return;
  const auto in_words = [](double bytes) { return to_text(Bytes{std::llround(bytes)}); };
  throw CannotAnswer({},
                     fmt::format("replicas would reduce {} and gather {} in a step whose gradients have {}, because "
                                 "the capture does not show when each of them is ready; expected a trace of whole "
                                 "steps with one forward and one backward pass each",
                                 in_words(reduced), in_words(gathered), in_words(wanted)));
}

}  // namespace

DividedWork DividedStep::work(const Parallelism& parallelism) {
  const Parallelism same{.data = parallelism.data > 1 ? 2U : 1U,
                         .tensor = parallelism.tensor,
                         .pipeline = parallelism.pipeline,
                         .microbatches = parallelism.microbatches > 1 ? 2U : 1U,
                         .interleave = parallelism.interleave,
                         .sequence = parallelism.sequence,
                         .tensor_overlap = parallelism.tensor_overlap,
                         .zero = parallelism.zero == 3 ? 3U : 0U,
                         .recompute = parallelism.recompute,
                         .expert = parallelism.expert};
  return works_.of(same, [&] { return find_work(same); });
}

/// Returns what is divided, without the cached answers of work().
DividedWork DividedStep::find_work(const Parallelism& parallelism) {
  const Capture& capture = capture_;
  if (capture.recording.ranks.size() != 1 || capture.recording.ranks.front() != 0)
    throw CannotAnswer({}, "the capture has several ranks, or not rank 0; expected the trace of a job on one device");
  if (capture.dag.rendezvous_count() > 0)
    throw CannotAnswer({}, "the captured rank communicates with others; expected the trace of a job on one device");
  if (device_launches(capture).empty())
    throw CannotAnswer({}, "the capture shows no launches of kernels; expected a profiler's trace of a GPU");
  DividedWork found;
  if (parallelism.tensor > 1 || parallelism.expert > 1 || parallelism.has_pieces() || needs_layers(parallelism))
    need_shapes(capture);
  if (parallelism.tensor > 1) {
    const TensorDivision division =
        divide_calls(capture.operators, model_calls(capture), parallelism.sequence, parallelism.tensor_overlap);
    found.layers = division.products;
    found.whole_layers = division.whole_products;
    if (found.layers == 0) {
      throw CannotAnswer({},
                         "no layers of a transformer were found: linear layers from the hidden dimension and back to "
                         "it; expected a trace of such a model with record_shapes=True");
    }
    found.key_heads = division.key_heads;
    const auto need_divisor = [&parallelism](std::int64_t heads, const char* what) {
      if (heads % parallelism.tensor == 0) return;
      throw CannotAnswer({}, fmt::format("each attention has {} {}, which {} devices cannot divide equally; expected a "
                                         "divisor of {}",
                                         heads, what, parallelism.tensor, heads));
    };
    need_divisor(division.heads, "heads");
    need_divisor(division.key_heads, "heads of keys and values");
  }
  if (parallelism.expert > 1) {
    found.experts = experts()->experts.count();
    if (found.experts == 0) {
      throw CannotAnswer({},
                         "no experts were found: layers of all experts as batched products; expected a step of such a "
                         "model, as 'stepsim model' writes that of mixtral");
    }
    if (found.experts % parallelism.expert != 0) {
      throw CannotAnswer({}, fmt::format("each layer has {} experts, which {} ranks cannot divide equally; expected a "
                                         "divisor of {}",
                                         found.experts, parallelism.expert, found.experts));
    }
  }
  const bool by_layers = needs_layers(parallelism) || parallelism.parts_of_pipeline() > 1;
  const std::vector<ModelCall> calls = by_layers ? calls_of_typical_step(capture) : std::vector<ModelCall>{};
  const StepLayers layers = by_layers ? layers_of(calls) : StepLayers{};
  if (by_layers) {
    need_all_layers(capture.operators, calls, layers);
    found.repeated_layers = layers.count;
  }
  if (parallelism.parts_of_pipeline() > 1) {
    static_cast<void>(cut(parallelism));
  } else if (parallelism.has_pieces()) {
    static_cast<void>(passes_of(calls_of_typical_step(capture)));
  }
  if (parallelism.data == 1) return found;
  for (const auto& [index, step] : gradients_of_steps(capture)) {
    const std::vector<Bytes> sizes = sizes_of(step.gradients);
    found.gradients = std::max(found.gradients, std::accumulate(sizes.begin(), sizes.end(), Bytes{}));
  }
  if (found.gradients == Bytes{}) {
    throw CannotAnswer({},
                       "no gradients with sizes were found; expected a trace of training with PyTorch with "
                       "record_shapes=True");
  }
  const bool exchanges_layers = parallelism.zero == 3 || parallelism.parts_of_pipeline() > 1;
  if (exchanges_layers) need_gradients_of_layers(capture, calls, layers);
  return found;
}

Parallelism DividedStep::cut(const Parallelism& asked) {
  const std::uint32_t parts = asked.parts_of_pipeline();
  if (parts == 1 && asked.split.empty()) return asked;
  Parallelism parallelism = asked;
  parallelism.split = cuts_.of({parts, asked.recompute, asked.split}, [&] {
    const std::vector<ModelCall> calls = calls_of_typical_step(capture_);
    return stage_cuts(capture_, calls, parts, asked.split, asked.recompute).layers;
  });
  return parallelism;
}

Capture DividedStep::divide_layers(const Parallelism& parallelism) const {
  Capture result = with_origins(capture_);
  if (needs_layers(parallelism)) result = with_stages(result, {});
  if (parallelism.tensor > 1) result = with_tensor_parallel(result, parallelism);
  if (parallelism.expert > 1) result = with_expert_parallel(result, parallelism);
  if (parallelism.recompute != Recompute::kNothing) result = with_recomputation(result, parallelism.recompute);
  return result;
}

/// Returns the captured rank as one of those that divide its layers.
std::shared_ptr<const Capture> DividedStep::divided_layers(const Parallelism& parallelism) {
  constexpr std::size_t kMostTasks = 500'000;  // take some 150 MB
  if (layers_.size() * capture_.dag.task_count() > kMostTasks) layers_.clear();
  const OfLayer key{.tensor = parallelism.tensor,
                    .sequence = parallelism.sequence,
                    .tensor_overlap = parallelism.tensor_overlap,
                    .expert = parallelism.expert,
                    .distance = parallelism.expert > 1 ? parallelism.distance_of_replicas() : 1,
                    .recompute = parallelism.recompute,
                    .is_one_step = needs_layers(parallelism)};
  return layers_.of(key, [&] { return std::make_shared<const Capture>(divide_layers(parallelism)); });
}

Capture DividedStep::job(const Parallelism& asked, const Job& settings) {
  static_cast<void>(work(asked));              // refuses what the capture does not show
  const Parallelism parallelism = cut(asked);  // of the captured step, which later ones keep
  const bool replicas = parallelism.data > 1;
  Capture result = *divided_layers(parallelism);
  result.job = settings;
  // Ranks without room for all gradients reduce those of each microbatch.
  if (replicas && parallelism.zero == 2) result = with_reduced_gradients(result, parallelism);
  if (replicas && parallelism.zero == 3) result = with_divided_parameters(result, parallelism);
  if (parallelism.has_pieces()) result = with_stages(result, parallelism);
  if (replicas && parallelism.zero < 2) result = with_reduced_gradients(result, parallelism);
  if (replicas && (parallelism.zero == 1 || parallelism.zero == 2))
    result = with_gathered_parameters(result, parallelism);
  if (replicas) need_full_exchange(capture_, parallelism, result);
  result.dag.add_group(all_ranks(parallelism));
  return result;
}

std::shared_ptr<const DividedStep::OfExperts> DividedStep::experts() {
  return experts_.of({}, [this] {
    const Experts found(capture_.operators);
    return std::make_shared<const OfExperts>(OfExperts{found, found.share_of(capture_.gradients)});
  });
}

DeviceWork DividedStep::part_of_rank(const DeviceWork& piece, const Parallelism& parallelism) {
  const bool divides_update = parallelism.zero > 0 && parallelism.data > 1;
  DeviceWork part = stepsim::part_of_rank(piece, parallelism.tensor);
  if (parallelism.expert > 1) {
    const std::shared_ptr<const OfExperts> known = experts();
    const double absent = divides_update ? 0 : known->share * (1 - 1.0 / parallelism.expert);
    part = known->experts.part_of_rank(part, parallelism.expert, 1 - absent);
  }
  return divides_update && part.in_optimizer ? stepsim::part_of_rank(part, parallelism.data) : part;
}

const StepMemory& DividedStep::step_memory() {
  return *memory_.of({}, [this] { return std::make_shared<const StepMemory>(capture_); });
}

MemoryParts DividedStep::memory(const Parallelism& parallelism, double samples, MemorySide side,
                                double activation_bytes) {
  const StepMemory& memory = step_memory();
  return memory.of(cut(parallelism), samples, side, activation_bytes);
}

Capture with_parallelism(const Capture& capture, const Parallelism& asked) {
  return DividedStep(capture).job(asked, capture.job);
}

}  // namespace stepsim
