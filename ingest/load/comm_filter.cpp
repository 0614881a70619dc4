#include "ingest/load/comm_filter.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "ingest/parts/byteps_names.h"
#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::ingest {

CommFilter::CommFilter(std::vector<std::string> names, const std::vector<Source>& sources) : names_(std::move(names)) {
  if (names_.empty()) return;
  for (const Source& source : sources) {
    if (source.gpu && !source.tensors.empty()) gpus_.try_emplace(source.gpu_folder, Gpu(source.tensors));
  }
  for (const Source& source : sources) {
    if (source.gpu) gpus_.try_emplace(source.gpu_folder, Gpu({}));
  }
  if (gpus_.empty())
    throw UsageError("--filter names communication of BytePS, and these are other traces; expected no --filter");
}

std::function<bool(const ChromeEvent&)> CommFilter::keep_of(const Source& source) {
  const auto gpu = gpus_.find(source.gpu_folder);
  if (gpu == gpus_.end()) return {};
  return [this, &of = gpu->second](const ChromeEvent& event) { return keeps(split_process(event.name).name, of); };
}

bool CommFilter::keeps(std::string_view event_name, const Gpu& gpu) {
  if (!event_name.starts_with(kComm)) return true;
  const StagedName staged = split_stage(event_name.substr(kComm.size()));
  const std::string stage =
      staged.stage == Stage::kTotal ? std::string{} : fmt::format(".{}", stepsim::ingest::to_text(staged.stage));
  std::vector<std::string> called{std::string(kComm) + std::string(staged.tensor)};
  if (const auto number = gpu.numbers.find(staged.tensor)) called.push_back(std::string(kComm) + gpu.names[*number]);
  bool kept = false;
  for (const std::string& tensor : called) {
    seen_.insert(tensor);
    kept = has(tensor) || kept;
    kept = (!stage.empty() && has(tensor + stage)) || kept;
  }
  return kept;
}

bool CommFilter::has(const std::string& name) {
  const bool found = std::find(names_.begin(), names_.end(), name) != names_.end();
  if (found) used_.insert(name);
  return found;
}

void CommFilter::refuse_unused() const {
  for (const std::string& name : names_) {
    if (used_.contains(name)) continue;
    const std::vector<std::string> known(seen_.begin(), seen_.end());
    const std::optional<std::string> nearest = nearest_name(name, known);
    throw UsageError(fmt::format("--filter: no communication is named '{}'; {}expected names such as {}", shown(name),
                                 nearest ? fmt::format("did you mean '{}'? ", shown(*nearest)) : "",
                                 known.empty() ? "Comm.fc1_weight" : shown(known.front())));
  }
}

}  // namespace stepsim::ingest
