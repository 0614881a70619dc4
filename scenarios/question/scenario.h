#ifndef STEPSIM_SCENARIOS_QUESTION_SCENARIO_H
#define STEPSIM_SCENARIOS_QUESTION_SCENARIO_H

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "scenarios/change/what_if.h"

namespace stepsim::scenarios {

/// YAML that changes refer to.
struct YamlText {
  std::string name;  ///< the file, for messages
  YamlValue root;
};

/// One axis of a sweep: the values of one parameter.
struct Axis {
  std::string key;   ///< "network.bandwidth", "compute{worker=1}.scale"
  YamlField values;  ///< a list, not empty
};

/// One value of a point of a list.
struct PointValue {
  std::string key;
  YamlField value;
};

/// A question to ask of a capture: changes in order and, for a sweep, a grid or a list of further ones.
struct Scenario {
  std::string name;
  std::vector<Change> changes;
  std::vector<Axis> sweep;                                 ///< a grid; empty: none
  std::vector<std::vector<PointValue>> points;             ///< a list; empty: none
  std::vector<std::shared_ptr<const YamlText>> documents;  ///< that the members above refer to
  /// Kernels slow as communication beside them does, where the capture shows by how much
  /// (scenarios/answer/learn_from_capture.h).
  bool interference = true;
  std::optional<InputFile> file;  ///< set by whoever read the scenario from a file
};

/// Reads the text of a scenario file; `name` is its path in messages. Throws InputError, with file and line.
[[nodiscard]] Scenario parse_scenario(std::string_view text, const std::string& name);

/// Appends the change of `--set TEXT`: WHATIF.PARAMETER=VALUE or WHATIF{KEY=VALUE,...}.PARAMETER=VALUE. Several values,
/// as in network.bandwidth=1x,2x,4x, are appended as one more axis of the sweep. Throws UsageError, also for an axis
/// whose key is changed for all points.
void add_set(Scenario& scenario, std::string_view text);

/// The same for what a user types, who means one value of each key: throws UsageError for a key that is changed
/// already.
void add_typed_set(Scenario& scenario, std::string_view text);

/// A selection that is typed by itself, and the YAML that it refers to.
struct TypedSelection {
  std::shared_ptr<const YamlText> document;
  Selector selector;
};

/// Reads what stands within the braces of a change: KEY=VALUE,... Throws InputError at "--select TEXT".
[[nodiscard]] TypedSelection parse_selection(std::string_view text);

/// The change for a key such as "network.bandwidth" and a value. `document` receives the YAML that it refers to.
/// Throws InputError.
[[nodiscard]] Change change_at(const std::string& key, const YamlField& value,
                               std::shared_ptr<const YamlText>& document);

}  // namespace stepsim::scenarios

#endif
