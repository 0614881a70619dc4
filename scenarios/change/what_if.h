#ifndef STEPSIM_SCENARIOS_CHANGE_WHAT_IF_H
#define STEPSIM_SCENARIOS_CHANGE_WHAT_IF_H

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "model/base/units.h"
#include "model/base/value_type.h"
#include "model/base/yaml.h"
#include "model/base/yaml_keys.h"
#include "scenarios/change/answer_kind.h"
#include "scenarios/change/plan.h"
#include "scenarios/change/selector.h"
#include "sim/check/question.h"

namespace stepsim::scenarios {

class Change;
struct WhatIf;

/// A value that code chooses for a parameter, in place of one that a user writes. A word is its index among the words
/// of the parameter's type, or the number that it stands for.
using TypedValue = std::variant<bool, std::uint32_t, double, Bytes>;

/// A parameter of a what-if.
struct Parameter {
  std::string_view name;     ///< "bandwidth"
  ValueType type;            ///< value::rate("25Gb/s") | value::factor("2x")
  std::string_view summary;  ///< one line for --help and docs
  std::string_view neutral;  ///< a value that changes nothing in any job; empty if there is none
};

/// The parameters of a what-if. They are a constant list, or the result of a function, for example if they depend on
/// the registered network models.
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

/// Converts a value that a user wrote, for a parameter that is a flag, words, a count or a size. Throws InputError.
[[nodiscard]] TypedValue typed_value(const Parameter& parameter, const YamlField& value);
/// Returns a size as a user would write it: "25MiB".
[[nodiscard]] std::string size_text(Bytes size);
/// Returns the value as a user would write it.
[[nodiscard]] std::string text_of(const Parameter& parameter, const TypedValue& value);

/// Returns the what-if and the parameter with a name such as "network.bandwidth"; nothing if there is none.
struct KnownParameter {
  const WhatIf* what_if = nullptr;
  const Parameter* parameter = nullptr;
};
[[nodiscard]] std::optional<KnownParameter> find_parameter(std::string_view name);

/// Returns "a number from 0 to 1: share of slow steps (0 changes nothing)", for people.
[[nodiscard]] std::string description_of(const Parameter& parameter);

/// Returns the values of an entry of `changes`: one of the what-ifs with its parameters.
[[nodiscard]] YamlType change_type();

/// Returns always the same kind (WhatIf::kind).
template <AnswerKind kKind>
[[nodiscard]] AnswerKind kind_is(const Change& /*change*/) noexcept {
  return kKind;
}

/// A kind of change. Each .cpp in scenarios/whatif/ defines one constant of this type.
struct WhatIf {
  std::string_view name;     ///< "network"
  std::string_view summary;  ///< one-line description
  std::string_view ignores;  ///< what the answer does not account for
  Parameters parameters;
  /// The questions about the capture on which an answer depends (sim::Question), besides that of the replay.
  sim::Questions asks{};
  /// Returns what an answer to such a change is about. Null for `parallel`, whose kind all its settings decide
  /// together.
  AnswerKind (*kind)(const Change& change) = kind_is<AnswerKind::kNotMeasured>;
  /// Returns the tasks that a change applies to, in ascending order, for reports. Empty if the selection has no effect.
  /// Throws InputError if the selection matches no suitable task. The pointer is null if the what-if accepts no
  /// `select`.
  std::vector<TaskId> (*selected)(const Change& change, const Capture& capture) = nullptr;
  /// Applies the change to the plan. If a value is invalid or the capture lacks data for it, throws InputError, which
  /// points to the value. Null if apply_together() applies all changes of this kind.
  void (*apply)(const Change& change, Plan& plan) = nullptr;
  /// Applies what follows from several changes of this kind together, which are in the given order. apply_all() calls
  /// it once, after all changes but those of hardware. Null if nothing does.
  void (*apply_together)(std::span<const Change* const> changes, Plan& plan) = nullptr;
  /// True if changes of this kind say how many samples are computed at once (Plan::at_once). What follows from all of
  /// them is applied once.
  bool sets_samples = false;
  /// Returns a number that orders changes of hardware: apply_all() applies those with smaller numbers first, after all
  /// other changes. The pointer is null if the what-if does not change hardware.
  int (*hardware_turn)(const Change& change) = nullptr;
};

/// Returns all what-ifs, in the order of scenarios/whatif/CMakeLists.txt.
[[nodiscard]] std::span<const WhatIf* const> what_ifs();

/// A change of a scenario: a what-if and the values of its parameters. Keeps references to the YAML that it was read
/// from.
class Change {
 public:
  /// A parameter, where its value is, and the value if code chose it.
  struct Given {
    const Parameter* parameter = nullptr;
    YamlField place;
    std::optional<TypedValue> value;
    /// Returns the value for people.
    [[nodiscard]] std::string text() const;
  };

  /// Parses `{network: {bandwidth: 2x}}`. Throws InputError if `entry` is not exactly one what-if with known
  /// parameters.
  explicit Change(const YamlField& entry);
  /// Makes a change of all that the what-if applies to. Precondition: the parameters are those of the what-if, each at
  /// most once.
  Change(const WhatIf& what_if, const YamlField& place, std::vector<Given> values);

  /// Returns where the change is written, for errors about the change as a whole.
  [[nodiscard]] const YamlField& place() const noexcept { return place_; }
  /// Returns the value of a parameter, or null if it was not given.
  [[nodiscard]] const YamlField* find(std::string_view parameter) const noexcept;
  /// Sets `target`, which may be optional, to the value of a parameter, as its type says: a word becomes an enumerator.
  /// Returns where the value is, or null if it was not given. Throws InputError if it is invalid.
  template <class Target>
  const YamlField* read(std::string_view parameter, Target& target) const;
  /// True if the parameter is given and is this one of its words. Throws InputError if it is none of them.
  [[nodiscard]] bool has_word(std::string_view parameter, std::string_view word) const;
  /// Returns the selector; it selects every task if the change has no `select`.
  [[nodiscard]] const Selector& selector() const noexcept { return selector_; }
  [[nodiscard]] const WhatIf& what_if() const noexcept { return *what_if_; }
  /// Returns the tasks in `capture` that the change applies to, in ascending order. Returns nothing if the what-if
  /// accepts no `select`. Throws what WhatIf::selected throws.
  [[nodiscard]] std::optional<std::vector<TaskId>> selected(const Capture& capture) const;
  /// Returns "network.bandwidth=2x" or "compute{worker=1}.scale=1.5 .add=2ms", for people. Long values are shortened.
  [[nodiscard]] std::string to_text() const;
  /// Returns the change by value, for comparisons.
  [[nodiscard]] EditKey key() const;

  /// Returns the questions about the capture on which its answer depends.
  [[nodiscard]] sim::Questions asks() const noexcept { return what_if_->asks | sim::Questions{sim::Question::kReplay}; }

  void apply(Plan& plan) const;
  /// Returns the result of WhatIf::hardware_turn; nothing if the change does not affect hardware.
  [[nodiscard]] std::optional<int> hardware_turn() const;

 private:
  void read_all(const YamlField& map);
  [[nodiscard]] const Given* given(std::string_view parameter) const noexcept;

  const WhatIf* what_if_ = nullptr;
  std::vector<Given> values_;
  Selector selector_;
  YamlField place_;
};

namespace what_if_detail {

template <class T>
struct Unwrapped {
  using Type = T;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using Type = T;
};

template <class T>
T value_of(const TypedValue& value) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<T>(std::get<std::uint32_t>(value));
  } else {
    return std::get<T>(value);
  }
}

/// True for the types of which typed_value() reads all forms.
template <class T>
constexpr bool kHasForms = std::same_as<T, bool> || std::same_as<T, std::uint32_t> || std::same_as<T, double> ||
                           std::same_as<T, Bytes> || std::is_enum_v<T>;

}  // namespace what_if_detail

template <class Target>
const YamlField* Change::read(std::string_view parameter, Target& target) const {
  const Given* const found = given(parameter);
  if (found == nullptr) return nullptr;
  using Value = typename what_if_detail::Unwrapped<Target>::Type;
  if constexpr (what_if_detail::kHasForms<Value>) {
    const TypedValue value = found->value ? *found->value : typed_value(*found->parameter, found->place);
    target = what_if_detail::value_of<Value>(value);
  } else {
    target = YamlOf<Value>{yaml_type(found->parameter->type)}.read(found->place);
  }
  return &found->place;
}

/// Applies changes to a plan: first those that do not change hardware, in the given order, then those of hardware in
/// the order of WhatIf::hardware_turn. A user can therefore write changes of hardware in any order, and those of device
/// work, too, because their rules have an order of their own (Plan::Turn). Of two values for the same parameter of
/// hardware, a division, a device or a precision, the last counts.
void apply_all(std::vector<const Change*> changes, Plan& plan);
void apply_all(const std::vector<Change>& changes, Plan& plan);

/// Implements WhatIf::selected for a what-if that applies to all tasks returned by `select` for its selector.
template <std::vector<TaskId> (*select)(const Selector& selector, const Capture& capture)>
[[nodiscard]] std::vector<TaskId> selected_by(const Change& change, const Capture& capture) {
  return select(change.selector(), capture);
}

/// Parses a factor such as 2x or 0.5x, from 1e-9x to 1e9x. Returns nothing if the value is not written as a factor.
[[nodiscard]] std::optional<double> factor_of(const YamlField& value);
/// Parses a number of at least `least`, such as 1.5, or a factor, such as 1.5x.
[[nodiscard]] double scale_of(const YamlField& value, double least);

}  // namespace stepsim::scenarios

#endif
