#ifndef STEPSIM_MODEL_JOB_NETWORK_PARAMETERS_H
#define STEPSIM_MODEL_JOB_NETWORK_PARAMETERS_H

#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "model/base/units.h"
#include "model/base/yaml_value.h"

namespace stepsim {

using ParameterValue = std::variant<Duration, double, bool>;

/// A word that may be written for a number: "fair" for 1.
struct ParameterWord {
  std::string_view word;
  double number = 0;
};

/// A parameter of network models. The code that uses it declares it, once: cluster.yaml's reader and
/// writer, --json, the what-if `network` and its table in the docs walk the declarations
/// (network_parameters() in model/cost/network/parameters.h).
struct NetworkParameter {
  std::string_view key;          ///< below `messages` in cluster.yaml: "overhead"; "loggp.o" is o of the map loggp
  std::string_view json;         ///< its member of `messages` in --json, with its unit: "overhead_ns"
  std::string_view what_if;      ///< its key of the what-if `network`: "overhead"; empty if it has none
  std::string_view form;         ///< of a value: "a time such as 5us"
  std::string_view summary;      ///< one line
  ParameterValue default_value;  ///< which also says of what type it is
  std::span<const ParameterWord> words{};  ///< of a number
  double least = 0;                        ///< of a number
  double most = 1;

  /// The value of `field`. Throws InputError if it is not of the form.
  [[nodiscard]] ParameterValue read(const YamlField& field) const;
};

/// One whose values are of type T, an alternative of ParameterValue.
template <class T>
struct NetworkParameterOf : NetworkParameter {};

/// What a cluster says of the network models' parameters; the rest have their defaults.
class NetworkParameters {
 public:
  template <class T>
  [[nodiscard]] T operator[](const NetworkParameterOf<T>& parameter) const {
    return std::get<T>(value_of(parameter));
  }
  [[nodiscard]] ParameterValue value_of(const NetworkParameter& parameter) const noexcept;

  template <class T>
  void set(const NetworkParameterOf<T>& parameter, T value) {
    set_value(parameter, value, false);
  }
  /// For a value that nobody measured or asked for.
  template <class T>
  void assume(const NetworkParameterOf<T>& parameter, T value) {
    set_value(parameter, value, true);
  }
  /// Precondition: `value` is of the parameter's type.
  void set_value(const NetworkParameter& parameter, ParameterValue value, bool assumed = false);

  /// Whether it was set, not assumed, to something other than its default.
  [[nodiscard]] bool is_given(const NetworkParameter& parameter) const noexcept;

  /// Whether it has a value that nobody measured or asked for.
  [[nodiscard]] bool is_assumed(const NetworkParameter& parameter) const noexcept;

  friend bool operator==(const NetworkParameters&, const NetworkParameters&) = default;

 private:
  /// A value other than the default.
  struct Entry {
    const NetworkParameter* parameter = nullptr;
    ParameterValue value;
    bool assumed = false;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::vector<Entry> entries_;  ///< by key
};

}  // namespace stepsim

#endif
