#ifndef STEPSIM_SCENARIOS_CHANGE_WHAT_IF_H
#define STEPSIM_SCENARIOS_CHANGE_WHAT_IF_H

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/yaml.h"
#include "scenarios/change/plan.h"
#include "scenarios/change/selector.h"

namespace stepsim::scenarios {

/// A parameter of a what-if.
struct Parameter {
  std::string_view name;     ///< "bandwidth"
  std::string_view form;     ///< "a rate such as 25Gb/s, or a factor such as 2x"
  std::string_view summary;  ///< one line for --help and docs
  std::string_view neutral;  ///< a value that changes nothing for any job; empty if there is none
};

/// The parameters of a what-if: a list in its file, or one made from registries when it is first
/// asked for.
class Parameters {
 public:
  using Maker = std::span<const Parameter> (*)();

  template <std::size_t N>
  constexpr Parameters(const std::array<Parameter, N>& list) : list_(list) {}  // NOLINT(google-explicit-constructor)
  constexpr Parameters(Maker make) : make_(make) {}                            // NOLINT(google-explicit-constructor)

  [[nodiscard]] std::span<const Parameter> all() const { return make_ == nullptr ? list_ : make_(); }
  [[nodiscard]] auto begin() const { return all().begin(); }
  [[nodiscard]] auto end() const { return all().end(); }
  [[nodiscard]] std::size_t size() const { return all().size(); }
  [[nodiscard]] const Parameter& operator[](std::size_t place) const { return all()[place]; }

 private:
  std::span<const Parameter> list_;
  Maker make_ = nullptr;
};

class Change;

/// A kind of change. One .cpp in scenarios/whatif/ defines one constant.
struct WhatIf {
  std::string_view name;     ///< "network"
  std::string_view summary;  ///< one line
  std::string_view ignores;  ///< what the answer does not account for
  Parameters parameters;
  /// The tasks that a change applies to, ascending, for reports: none if its selection does not matter. Throws what
  /// apply() or its rule throws if nothing is selected. Null: it takes no `select`.
  std::vector<TaskId> (*selected)(const Change& change, const Capture& capture) = nullptr;
  /// Applies the change to the plan. Throws InputError, with one sentence, at a value that is invalid or that the
  /// capture lacks the data for; it never guesses.
  void (*apply)(const Change& change, Plan& plan) = nullptr;
  /// For changes of hardware: their turn among each other, after all other changes (apply_all()). Null: it is none.
  int (*hardware_turn)(const Change& change) = nullptr;
};

/// All of them, in the order of scenarios/whatif/CMakeLists.txt.
[[nodiscard]] std::span<const WhatIf* const> what_ifs();

/// One change of a scenario: a what-if and the values given for it. Refers to the YAML that it was read from.
class Change {
 public:
  /// Reads `{network: {bandwidth: 2x}}`. Throws InputError if that is not exactly one what-if with known keys.
  explicit Change(const YamlField& entry);

  /// Where the change is written, for errors about the change as a whole.
  [[nodiscard]] const YamlField& place() const noexcept { return place_; }
  /// Null if it was not given.
  [[nodiscard]] const YamlField* find(std::string_view parameter) const noexcept;
  /// Selects every task if the change has no `select`.
  [[nodiscard]] const Selector& selector() const noexcept { return selector_; }
  /// The key of a parameter to which both give a value, for the same selection: "compute{worker=1}.scale". Empty if
  /// there is none.
  [[nodiscard]] std::string key_in_both(const Change& other) const;
  /// What it applies to in `capture`, ascending. Absent if the what-if takes no `select`. Throws InputError if there
  /// is nothing to apply it to.
  [[nodiscard]] std::optional<std::vector<TaskId>> selected(const Capture& capture) const;
  /// For people: "network.bandwidth=2x", "compute{worker=1}.scale=1.5 .add=2ms". Long values are cut.
  [[nodiscard]] std::string to_text() const;
  /// The same with values in full: changes with equal keys are equal.
  [[nodiscard]] std::string key() const;

  void apply(Plan& plan) const { what_if_->apply(*this, plan); }
  /// WhatIf::hardware_turn; nothing where the change is not one of hardware.
  [[nodiscard]] std::optional<int> hardware_turn() const;

 private:
  void read(const YamlField& map);
  [[nodiscard]] std::string text_with(std::string (*written)(const std::string& value)) const;

  const WhatIf* what_if_ = nullptr;
  std::vector<std::pair<const Parameter*, YamlField>> values_;
  Selector selector_;
  YamlField place_;
};

/// Applies changes in the order in which they are given, and those of hardware after all others, in the order in which
/// they depend on each other: hosts before their links. So it does not matter in which order a user writes them.
void apply_all(std::vector<const Change*> changes, Plan& plan);
void apply_all(const std::vector<Change>& changes, Plan& plan);

/// WhatIf::selected for a what-if that applies to what `select` makes of its selector alone.
template <std::vector<TaskId> (*select)(const Selector& selector, const Capture& capture)>
[[nodiscard]] std::vector<TaskId> selected_by(const Change& change, const Capture& capture) {
  return select(change.selector(), capture);
}

/// A factor such as 2x or 0.5x, from 1e-9x to 1e9x. Nothing if the value is not written as a factor.
[[nodiscard]] std::optional<double> factor_of(const YamlField& value);
/// A number or a factor, 1.5 or 1.5x, of at least `least`.
[[nodiscard]] double scale_of(const YamlField& value, double least);

}  // namespace stepsim::scenarios

#endif
