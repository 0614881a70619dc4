#ifndef STEPSIM_SCENARIOS_CHANGE_WHAT_IF_H
#define STEPSIM_SCENARIOS_CHANGE_WHAT_IF_H

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/yaml_value.h"
#include "scenarios/change/plan.h"
#include "scenarios/change/selector.h"

namespace stepsim::scenarios {

/// What a user may set of a what-if.
struct Parameter {
  std::string_view name;     ///< "bandwidth"
  std::string_view form;     ///< "a rate such as 25Gb/s, or a factor such as 2x"
  std::string_view summary;  ///< one line for --help and docs
  std::string_view neutral;  ///< a value that changes nothing of any job; empty if there is none
};

class Change;

/// A kind of change. One .cpp in scenarios/whatif/ defines one constant.
struct WhatIf {
  std::string_view name;     ///< "network"
  std::string_view summary;  ///< one line
  std::string_view ignores;  ///< what the answer leaves out
  std::span<const Parameter> parameters;
  bool selects = false;  ///< `select` says which tasks
  /// Throws InputError, at the value that cannot be had or for which the capture lacks what it
  /// takes: one sentence, never a guess.
  void (*apply)(const Change& change, Plan& plan) = nullptr;
};

/// All of them, in the order of scenarios/whatif/CMakeLists.txt.
[[nodiscard]] std::span<const WhatIf* const> what_ifs();

/// One change of a scenario: a what-if and the values given for it. Refers to the YAML it was
/// read from.
class Change {
 public:
  /// Reads `{network: {bandwidth: 2x}}`. Throws InputError: not one what-if, an unknown key.
  explicit Change(const YamlField& entry);

  [[nodiscard]] const WhatIf& what_if() const noexcept { return *what_if_; }
  /// Where it stands, for what is wrong with the change as a whole.
  [[nodiscard]] const YamlField& place() const noexcept { return place_; }
  /// Null if it was not given.
  [[nodiscard]] const YamlField* find(std::string_view parameter) const noexcept;
  /// Every task where what_if() does not select.
  [[nodiscard]] const Selector& selector() const noexcept { return selector_; }
  /// For people: "network.bandwidth=2x", "compute{worker=1}.scale=1.5 .add=2ms". Long values are cut.
  [[nodiscard]] std::string to_text() const;
  /// The same with values in full: changes with equal keys are equal.
  [[nodiscard]] std::string key() const;

  void apply(Plan& plan) const { what_if_->apply(*this, plan); }

 private:
  void read(const YamlField& map);
  [[nodiscard]] std::string text_with(std::string (*written)(const std::string& value)) const;

  const WhatIf* what_if_ = nullptr;
  std::vector<std::pair<const Parameter*, YamlField>> values_;
  Selector selector_;
  YamlField place_;
};

/// A factor such as 2x or 0.5x, from 1e-9x to 1e9x; nothing if the value is written in another way.
[[nodiscard]] std::optional<double> factor_of(const YamlField& value);
/// A plain number or a factor: 1.5 or 1.5x, from `least`.
[[nodiscard]] double scale_of(const YamlField& value, double least);

}  // namespace stepsim::scenarios

#endif
