// stepsim model gpt|CONFIG.json --device A100 -o step.json: a training step of a model that need not exist, as a trace.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/schemas.h"
#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/work/trace_output.h"
#include "cli/work/work.h"
#include "ingest/config/config.h"
#include "ingest/formats/kineto/kineto_text.h"
#include "ingest/modelled/modelled_trace.h"
#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "model/transformer/transformer_step.h"
#include "sim/output/json_writer.h"
#include "sim/output/write_file.h"
#include "sim/report/field.h"

namespace stepsim::cli {
namespace {

constexpr std::string_view kModelName = "step.json";
constexpr std::uint32_t kMostOfOption = 10'000'000;
constexpr double kMostTokens = 1e9;
constexpr double kLongestStep = 3.6e12;  // in nanoseconds
constexpr std::uint32_t kUsualSequence = 2048;
/// Usual time of a call of eager PyTorch on the CPU, with the Python between two calls. Megatron-DeepSpeed on hosts of
/// A100 takes 44 us (vTrain's measurements of layers that the CPU limits).
constexpr Duration kUsualHost{44'000};
/// The shortest time of a call in which the events of a call still lie within each other (modelled_trace()).
constexpr Duration kShortestHost{1'000};
constexpr Duration kLongestHost{1'000'000'000};

/// What the options say about the model, over what its family or file says.
struct ModelOptions {
  std::vector<std::pair<std::uint32_t Transformer::*, std::uint32_t>> sizes;
  TransformerRun run;
  std::string device;
  std::string precision = "bf16";
  Duration host = kUsualHost;
  std::optional<std::string> profile;
  std::optional<bool> dropout;
  std::optional<bool> early;      ///< TransformerRun::early; if absent, as is usual in the family
  bool waits_for_passes = false;  ///< ModelledStep::waits_for_passes
};

/// A part of the step, with its calls.
struct PassOfStep {
  std::string_view pass;
  std::uint64_t calls = 0;
  Duration device{};
  Duration host{};
};
struct Modelled {
  std::string output;
  std::string model;
  double parameters = 0;
  double forward_flops = 0;
  std::vector<std::string> unused_keys;
  std::vector<PassOfStep> passes;
};

using sim::at;
constexpr auto kPass = std::to_array<sim::Field<PassOfStep>>({
    {"pass", at<&PassOfStep::pass>, {"pass"}},
    {"calls", at<&PassOfStep::calls>, {"calls"}},
    {"device_ns", at<&PassOfStep::device>, {"device"}},
    {"host_ns", at<&PassOfStep::host>, {"CPU"}},
});
constexpr auto kModelled = std::to_array<sim::Field<Modelled>>({
    {"output", at<&Modelled::output>, {}, sim::kLineAfter},
    {"model", at<&Modelled::model>},
    {"parameters", at<&Modelled::parameters>},
    {"forward_flops", at<&Modelled::forward_flops>},
    {"unused_keys", at<&Modelled::unused_keys>},
    {"passes", [](const Modelled& modelled) { return &modelled.passes; }, kPass, sim::kRowLines},
});

/// Returns the model that MODEL means: a family, or a file.
ingest::TransformerFile model_of(const std::string& name, const ModelOptions& options, std::vector<InputFile>& inputs) {
  const TransformerFamily* const family = find_transformer_family(name);
  ingest::TransformerFile file = family != nullptr ? ingest::TransformerFile{family->usual, family->name, {}}
                                                   : ingest::read_transformer_file(name, inputs);
  Transformer& model = file.model;
  for (const auto& [member, value] : options.sizes) model.*member = value;
  if (options.dropout) model.dropout = *options.dropout;
  if (model.key_heads == 0) model.key_heads = model.heads;
  if (model.intermediate == 0) model.intermediate = 4 * model.hidden;
  if (const std::optional<std::string> problem = problem_of(model))
    throw UsageError(fmt::format("{}: {}; give it in the file or as an option", shown(name), *problem));
  return file;
}

std::string description(const std::string& name, const ingest::TransformerFile& file, const ModelOptions& options) {
  const Transformer& model = file.model;
  const bool is_family = find_transformer_family(name) != nullptr;
  return fmt::format("{}{} with {} layers, {:.3g} billion parameters, {} of {} tokens, {}{}{}, on {}", name,
                     is_family ? "" : fmt::format(" ({})", file.family), model.layers, model.parameters() / 1e9,
                     counted(options.run.samples, "sample"), options.run.sequence, options.precision,
                     options.run.early ? ", with the libraries of 2023" : "",
                     options.profile ? ", with measured times of layers" : "", options.device);
}

std::vector<PassOfStep> passes_of(const std::vector<TransformerCall>& calls, Duration host) {
  std::vector<PassOfStep> passes{{"forward"}, {"backward"}, {"update"}};
  std::array<double, 3> device{};
  for (const TransformerCall& call : calls) {
    const auto pass = static_cast<std::size_t>(call.pass);
    ++passes[pass].calls;
    device[pass] += call.nanoseconds;
  }
  for (std::size_t i = 0; i < passes.size(); ++i) {
    passes[i].device = Duration{std::llround(device[i])};
    passes[i].host = host * static_cast<std::int64_t>(passes[i].calls);
  }
  return passes;
}

/// Gives the calls their measured times. Returns LayerProfile::corrected.
std::size_t apply_profile(const Transformer& model, const ModelOptions& options, std::vector<InputFile>& inputs,
                          std::vector<TransformerCall>& calls) {
  const ingest::LayerProfile profile =
      ingest::read_layer_profile(*options.profile, options.run.samples, options.run.tensor, inputs);
  if (profile.parts.size() != model.layers + 2) {
    throw UsageError(
        fmt::format("--profile: {} has {} layers; expected {}: the lookup, {} layers, and what comes after",
                    shown(*options.profile), profile.parts.size(), model.layers + 2, model.layers));
  }
  apply_measured(profile.parts, calls);
  return profile.corrected;
}

/// Returns what is doubtful about the step, as sentences, or nothing. `corrected` is LayerProfile::corrected.
std::string warning_of(const Transformer& model, const ModelOptions& options, std::size_t corrected) {
  if (corrected > 0) {
    return fmt::format(
        "{} of the profile {} longer than that of a larger micro batch, which {} taken instead: fewer samples never "
        "take longer.",
        counted(corrected, "time"), corrected == 1 ? "is" : "are", corrected == 1 ? "was" : "were");
  }
  if (!options.profile && is_unpadded(model, options.run)) {
    constexpr std::uint32_t kPadding = 64;
    return fmt::format(
        "The vocabulary has {} entries, so products with it take about twice as long as with {}, a multiple of {}. "
        "Frameworks often pad it: give --vocabulary as yours does.",
        model.vocabulary, (model.vocabulary + kPadding - 1) / kPadding * kPadding, kPadding);
  }
  return {};
}

void run_model(CommonOptions options, ModelOptions of_model, const Session& session) {
  if (options.traces.size() != 1) throw UsageError("model takes one model; expected a family's name or a config.json");
  const std::string name = options.traces.front();
  if (find_transformer_family(name) != nullptr) options.traces.clear();
  const TraceOutput target(options, kModelName, [](std::string_view head) { return contains(head, "stepsim_model"); });
  std::vector<InputFile> inputs;
  const ingest::TransformerFile file = model_of(name, of_model, inputs);
  const Transformer& model = file.model;
  of_model.run.early = of_model.early.value_or(find_transformer_family(file.family)->early);
  if (of_model.run.sequence == 0)
    of_model.run.sequence = model.positions > 0 ? std::min(model.positions, kUsualSequence) : kUsualSequence;
  if (model.window > 0 && of_model.run.sequence > model.window) {
    throw UsageError(
        fmt::format("{}: its sliding_window is {}, which makes attention of {} tokens cheaper in a way that is not "
                    "modelled; expected a --sequence of at most {}",
                    shown(name), model.window, of_model.run.sequence, model.window));
  }
  if (const double tokens = double{1} * of_model.run.samples * of_model.run.sequence; tokens > kMostTokens)
    throw UsageError(fmt::format("a step of {:.3g} tokens is too large; expected at most {:.3g}", tokens, kMostTokens));
  std::vector<TransformerCall> calls = transformer_calls(model, of_model.run);
  const std::size_t corrected = of_model.profile ? apply_profile(model, of_model, inputs, calls) : 0;
  const double nanoseconds = std::accumulate(
      calls.begin(), calls.end(), 0.0, [](double sum, const TransformerCall& call) { return sum + call.nanoseconds; });
  if (nanoseconds > kLongestStep) {
    throw UsageError(
        fmt::format("the step takes {:.3g} s on {}; expected at most an hour: fewer samples, layers or tokens",
                    nanoseconds / 1e9, of_model.device));
  }
  const ingest::ModelledStep step{.model = description(name, file, of_model),
                                  .device = of_model.device,
                                  .samples = of_model.run.samples,
                                  .host = of_model.host,
                                  .waits_for_passes = of_model.waits_for_passes};
  sim::OutputFile out = sim::open_output(target.path());
  ingest::write_kineto(ingest::modelled_trace(calls, step), {}, [&out](std::string_view text) { out.write(text); });
  out.commit();
  if (target.is_standard_output()) return;

  const Provenance provenance = make_provenance(session.arguments, inputs);
  const Modelled modelled{target.path(),      step.model,
                          model.parameters(), of_model.run.samples * model.forward_flops(of_model.run.sequence),
                          file.unused_keys,   passes_of(calls, of_model.host)};
  sim::Document document{.headline =
                             fmt::format("Wrote {}: a step of {}. {} measured.", shown(target.path()), step.model,
                                         of_model.profile ? "Only its layers were" : "Nothing of it was")};
  document.warning = warning_of(model, of_model, corrected);
  document.sections.push_back({.title = "Passes", .table = sim::table_of(kPass, modelled.passes)});
  if (!modelled.unused_keys.empty()) {
    document.sections.push_back(
        {.title = "Not used",
         .sentences = {fmt::format("keys of {} whose meaning is not known: {}", shown(name),
                                   shown(fmt::format("{}", fmt::join(modelled.unused_keys, ", ")), 500))}});
  }
  document.json = [&](sim::JsonWriter& json) {
    sim::write_answer(json, "stepsim.model/1", kModelled, modelled, provenance);
  };
  print_document(document, options, session);
}

/// Sizes of a model that have an option.
struct SizeOption {
  const char* name;
  std::uint32_t Transformer::*member;
  const char* text;
};
constexpr std::array kSizeOptions{
    SizeOption{"--layers", &Transformer::layers, "Layers"},
    SizeOption{"--hidden", &Transformer::hidden, "Size of a token between layers"},
    SizeOption{"--heads", &Transformer::heads, "Heads of attention"},
    SizeOption{"--key-heads", &Transformer::key_heads, "Heads of keys and values (default: as many)"},
    SizeOption{"--intermediate", &Transformer::intermediate, "Size within the feed-forward part (default: 4 x hidden)"},
    SizeOption{"--vocabulary", &Transformer::vocabulary, "Size of the vocabulary (default: of the family)"},
    SizeOption{"--experts", &Transformer::experts, "Experts of a layer (default: of the family)"},
    SizeOption{"--experts-of-token", &Transformer::experts_of_token, "Experts that each token passes"},
};

std::uint32_t whole(const std::string& option, const std::string& text) {
  const auto value = parse_number<std::uint32_t>(text);
  if (!value || *value == 0 || *value > kMostOfOption)
    throw UsageError(fmt::format("{}: '{}'; expected a whole number from 1", option, shown(text)));
  return *value;
}

std::string word(const std::string& option, const std::string& text, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), text) == words.end())
    throw UsageError(fmt::format("{}: '{}'; expected {}", option, shown(text), one_of(words)));
  return text;
}

Duration host_time(const std::string& text) {
  try {
    const Duration time = parse_duration(text);
    if (time >= kShortestHost && time <= kLongestHost) return time;
  } catch (const std::invalid_argument& problem) {
    throw UsageError(fmt::format("--host-call: {}", problem.what()));
  }
  throw UsageError(fmt::format("--host-call: '{}'; expected a time from {} to {}", shown(text), to_text(kShortestHost),
                               to_text(kLongestHost)));
}

Command::Run setup_model(CLI::App& app) {
  const auto common = add_common_options(app, {.command = "model", .contents = {}}, "MODEL");
  app.get_option("MODEL")
      ->type_name("FAMILY|FILE")
      ->description("A family (gpt, mpt, llama, mixtral, bert), or a config.json as Hugging Face writes it");
  app.get_option("-o")->description("Write the step to FILE, as a trace; .gz compresses it (default: step.json)");
  std::vector<const CLI::Option*> sizes;
  sizes.reserve(kSizeOptions.size());
  for (const SizeOption& size : kSizeOptions)
    sizes.push_back(app.add_option(size.name)->type_name("N")->description(size.text));
  const auto* const device =
      app.add_option("--device")->type_name("NAME")->required()->description("Accelerator, such as A100 or H100");
  const auto* const sequence =
      app.add_option("--sequence")
          ->type_name("N")
          ->description("Tokens of a sample (default: 2048, or the learned positions if they are fewer)");
  const auto* const samples =
      app.add_option("--micro-batch")->type_name("N")->description("Samples of the step (default: 1)");
  const auto* const precision =
      app.add_option("--precision")->type_name("TYPE")->description("bf16, fp16 or fp32 (default: bf16)");
  const auto* const attention =
      app.add_option("--attention")
          ->type_name("KIND")
          ->description(
              "flash: one kernel; flash1: that of FlashAttention's first version, and products as fast as "
              "the libraries of 2023 make them; math: products, softmax and dropout (default: flash1 for "
              "mpt, flash for others)");
  const auto* const dropout =
      app.add_option("--dropout")
          ->type_name("on|off")
          ->description("Drop out what layers add, and weights of attention (default: of the model)");
  const auto* const host =
      app.add_option("--host-call")
          ->type_name("TIME")
          ->description(fmt::format("Time of each call on the CPU (default: {})", to_text(kUsualHost)));
  const auto* const waits = app.add_flag("--wait-for-passes")
                                ->description(
                                    "The CPU waits for the device after each pass, as the timers of Megatron-LM 2 and "
                                    "of DeepSpeed make it do");
  const auto* const profile =
      app.add_option("--profile")
          ->type_name("FILE")
          ->description("Measured times of each layer, as JSON or csv; they take the place of modelled ones");
  const auto* const tensor =
      app.add_option("--profile-tensor")
          ->type_name("N")
          ->description("Tensor-parallel ranks of the profile: the step is that of one of them (default: 1)");
  return [=](const Session& session) {
    const auto text = [](const CLI::Option* option) { return option->results().back(); };
    ModelOptions options;
    for (std::size_t i = 0; i < kSizeOptions.size(); ++i) {
      if (sizes[i]->count() > 0)
        options.sizes.emplace_back(kSizeOptions[i].member, whole(kSizeOptions[i].name, text(sizes[i])));
    }
    options.device = text(device);
    options.run.device = &accelerator_named(options.device);
    options.run.sequence = sequence->count() > 0 ? whole("--sequence", text(sequence)) : 0;
    if (samples->count() > 0) options.run.samples = whole("--micro-batch", text(samples));
    if (precision->count() > 0) options.precision = word("--precision", text(precision), {"bf16", "fp16", "fp32"});
    options.run.precision = options.precision == "fp32" ? Precision::kFloat32 : Precision::kFloat16;
    options.run.scaled_loss = options.precision == "fp16";
    if (attention->count() > 0) {
      const std::string kind = word("--attention", text(attention), {"flash", "flash1", "math"});
      options.run.flash = kind != "math";
      options.early = kind == "flash1";
    }
    if (dropout->count() > 0) options.dropout = word("--dropout", text(dropout), {"on", "off"}) == "on";
    if (host->count() > 0) options.host = host_time(text(host));
    options.waits_for_passes = waits->count() > 0;
    if (profile->count() > 0) options.profile = text(profile);
    if (tensor->count() > 0) options.run.tensor = whole("--profile-tensor", text(tensor));
    if (options.run.tensor > 1 && !options.profile)
      throw UsageError("--profile-tensor: expected --profile too; without one, use the what-if parallel.tensor");
    run_model(common(), options, session);
  };
}

}  // namespace

sim::AnswerSchema model_schema() { return sim::schema_of("stepsim.model/1", kModelled); }

extern const Command model_command{
    .name = "model",
    .summary = "Write a training step of a model by its configuration, for jobs that do not exist yet",
    .setup = setup_model,
    .examples = {"stepsim model gpt --layers 24 --hidden 1024 --heads 16 --device A100 -o -",
                 "stepsim model llama --layers 32 --hidden 4096 --heads 32 --intermediate 11008 --device H100 -o -"},
};

}  // namespace stepsim::cli
