#include "ingest/privacy/hidden_names.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ingest/privacy/scrubber.h"
#include "model/base/text.h"
#include "model/job/parameter_server/workload.h"

namespace stepsim::ingest {
namespace {

/// The recorded names of hosts, and the names that replace them.
using Renamed = std::map<std::string, std::string>;

/// True for a name that says nothing about the machine: a number, "worker 3", "rank0", "localhost".
bool is_impersonal(std::string_view name) {
  if (name.empty() || name == "localhost") return true;
  for (const std::string_view word : {"worker", "host", "rank", ""}) {
    if (!name.starts_with(word)) continue;
    std::string_view number = name.substr(word.size());
    if (!number.empty() && number.front() == ' ') number.remove_prefix(1);
    return !number.empty() && std::ranges::all_of(number, is_digit);
  }
  return false;
}

bool is_letter_or_digit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// Names that are replaced where they are whole words.
class Words {
 public:
  explicit Words(const Renamed& names = {}) {
    for (const auto& [name, replacement] : names) add(name, replacement);
  }

  /// Does nothing if `name` is empty or known.
  void add(std::string_view name, const std::string& replacement) {
    if (!name.empty()) replacements_.emplace(name, replacement);
    longest_ = std::max(longest_, name.size());
  }

  /// Returns `text` with the longest name at each place replaced. O(text * longest name * log names) at most.
  [[nodiscard]] std::string replaced_in(std::string_view text) const {
    const auto is_inside = [text](std::size_t at) { return at < text.size() && is_letter_or_digit(text[at]); };
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      const bool is_begin = at == 0 || !is_inside(at - 1);
      auto found = replacements_.end();
      for (std::size_t size = is_begin ? std::min(longest_, text.size() - at) : 0;
           size > 0 && found == replacements_.end(); --size) {
        if (!is_inside(at + size)) found = replacements_.find(text.substr(at, size));
      }
      if (found == replacements_.end()) {
        result += text[at++];
      } else {
        result += found->second;
        at += found->first.size();
      }
    }
    return result;
  }

 private:
  std::map<std::string, std::string, std::less<>> replacements_;
  std::size_t longest_ = 0;
};

void add_names(std::set<std::string>& names, const CaptureContents& contents) {
  for (const SourceContents& source : contents.sources) {
    for (const HostDeviceContents& process : source.processes) names.insert(process.host);
  }
}

std::set<std::string> names_in(const Capture& capture) {
  std::set<std::string> names;
  for (const Lane& lane : capture.dag.lanes()) names.insert(lane.host);
  for (const HostClock& clock : capture.recording.clocks) names.insert(clock.host);
  if (capture.parameter_server != nullptr) {
    for (const PsGpu& gpu : capture.parameter_server->gpus) names.insert(gpu.host);
  }
  add_names(names, capture.contents);
  return names;
}

/// Replaces the names of some hosts, and paths if they are hidden too.
class NameHider {
 public:
  NameHider(const std::set<std::string>& hosts, Hidden hidden) : paths_(hidden == Hidden::kHostsAndPaths) {
    std::vector<std::string> names;
    std::ranges::copy_if(hosts, std::back_inserter(names),
                         [](const std::string& name) { return !is_impersonal(name); });
    std::ranges::stable_sort(names, natural_less);
    for (const std::string& name : names) renamed_.emplace(name, fmt::format("host{:03}", renamed_.size() + 1));
    words_ = Words(renamed_);
    for (const std::string& name : names) words_.add(name.substr(0, name.find('.')), renamed_.at(name));
  }

  void host(std::string& name) const {
    if (const auto found = renamed_.find(name); found != renamed_.end()) name = found->second;
  }
  /// Replaces names of hosts in a sentence.
  void text(std::string& text) {
    text = words_.replaced_in(text);
    if (paths_) text = scrubber_.text(text);
  }
  /// Replaces names of hosts in the name of a file, and its folders if paths are hidden.
  void path(std::string& path) const {
    path = words_.replaced_in(paths_ ? std::filesystem::path(path).filename().string() : path);
  }
  void contents(CaptureContents& contents) {
    for (SourceContents& source : contents.sources) {
      path(source.file);
      text(source.problem);
      for (HostDeviceContents& process : source.processes) host(process.host);
    }
    for (PrivateContent& found : contents.private_parts) path(found.first);
  }
  void diagnostics(Diagnostics& diagnostics) {
    diagnostics.rewrite_each([this](Diagnostics::Entry& entry) {
      text(entry.detail);
      path(entry.first.file);
    });
  }
  /// Renames inputs, and from then on their names in sentences.
  void inputs(std::vector<InputFile>& inputs) {
    for (InputFile& input : inputs) {
      input.opened = input.name;
      path(input.name);
      if (input.name != input.opened) words_.add(input.opened, input.name);
    }
  }
  void details(TraceDetails& details) {
    if (!paths_) return;
    for (std::string& name : details.names) {
      if (contains(name, ".py(")) name = scrubber_.text(name);
    }
  }
  void capture(Capture& capture) {
    inputs(capture.inputs);
    capture.renamed_hosts = renamed_;
    capture.dag.rename_hosts([this](std::string& name) { host(name); });
    for (HostClock& clock : capture.recording.clocks) host(clock.host);
    if (capture.parameter_server != nullptr) {
      auto workload = std::make_shared<PsWorkload>(*capture.parameter_server);
      for (PsGpu& gpu : workload->gpus) host(gpu.host);
      capture.parameter_server = std::move(workload);
    }
    for (Assumption& assumption : capture.assumptions) text(assumption.sentence);
    diagnostics(capture.diagnostics);
    contents(capture.contents);
  }

 private:
  bool paths_ = false;
  Renamed renamed_;
  Words words_;  ///< names as they occur in texts: of hosts, with and without the domain, and of inputs
  Scrubber scrubber_;
};

}  // namespace

void hide_names(Capture& capture, Hidden hidden) {
  if (hidden != Hidden::kNothing) NameHider(names_in(capture), hidden).capture(capture);
}

void hide_names(DetailedCapture& detailed, Hidden hidden) {
  if (hidden == Hidden::kNothing) return;
  NameHider hider(names_in(detailed.capture), hidden);
  hider.capture(detailed.capture);
  hider.details(detailed.details);
}

void hide_names(SourcedCapture& sourced, Hidden hidden) {
  if (hidden == Hidden::kNothing) return;
  NameHider hider(names_in(sourced.capture), hidden);
  hider.capture(sourced.capture);
  for (Source& source : sourced.sources) hider.path(source.name);
}

void hide_names(LoadedRun& run, Hidden hidden) {
  if (hidden == Hidden::kNothing) return;
  std::set<std::string> names;
  for (const RangeProfile& profile : run.run.processes) names.insert(profile.host);
  NameHider hider(names, hidden);
  hider.path(run.run.name);
  for (RangeProfile& profile : run.run.processes) {
    hider.host(profile.host);
    hider.path(profile.file);
  }
  hider.inputs(run.inputs);
  hider.diagnostics(run.diagnostics);
}

void hide_names(std::optional<Capture>& capture, CaptureContents& contents, Diagnostics& diagnostics,
                std::string& problem, Hidden hidden) {
  if (hidden == Hidden::kNothing) return;
  std::set<std::string> names = capture ? names_in(*capture) : std::set<std::string>{};
  add_names(names, contents);
  NameHider hider(names, hidden);
  if (capture) hider.capture(*capture);
  hider.contents(contents);
  hider.diagnostics(diagnostics);
  hider.text(problem);
}

void hide_names(Cluster& cluster, const Capture& capture) {
  if (capture.renamed_hosts.empty()) return;
  Renamed renamed = capture.renamed_hosts;
  const auto rename = [&](Host& host) {
    if (is_impersonal(host.name)) return;
    host.name = renamed.try_emplace(host.name, fmt::format("host{:03}", renamed.size() + 1)).first->second;
  };
  for (Host& host : cluster.hosts) rename(host);
  if (cluster.shape) {
    for (Host& host : cluster.shape->hosts) rename(host);
  }
  const Words words(renamed);
  for (Link& link : cluster.links) link.name = words.replaced_in(link.name);
}

}  // namespace stepsim::ingest
