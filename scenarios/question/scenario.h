#ifndef STEPSIM_SCENARIOS_QUESTION_SCENARIO_H
#define STEPSIM_SCENARIOS_QUESTION_SCENARIO_H

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "scenarios/change/what_if.h"

namespace stepsim::scenarios {

/// A parsed YAML document. Changes keep references to it.
struct YamlText {
  std::string name;  ///< name of the file, for messages
  YamlValue root;
};

/// An axis of a sweep: the values of one parameter.
struct Axis {
  std::string key;   ///< "network.bandwidth", "compute{worker=1}.scale"
  YamlField values;  ///< values; the list is not empty
};

/// The value of one parameter at a point of a sweep that is a list of points.
struct PointValue {
  std::string key;
  YamlField value;                  ///< where it is written; its text is empty if nobody wrote it
  std::optional<TypedValue> typed;  ///< the value, if it is known without its text
};

/// A question about a capture: changes that are applied in order. For a sweep, it also has a grid or a list of points,
/// each of which makes further changes.
struct Scenario {
  std::string name;
  std::vector<Change> changes;
  std::vector<Axis> sweep;                                 ///< axes of a grid; may be empty
  std::vector<std::vector<PointValue>> points;             ///< a list of points; may be empty
  std::vector<std::shared_ptr<const YamlText>> documents;  ///< the documents that the other members refer to
  /// If true, kernels slow down during communication by as much as the capture shows
  /// (scenarios/answer/learn_from_capture.h).
  bool interference = true;
  std::optional<InputFile> file;  ///< set by code that reads the scenario from a file
  /// Path of the machine.yaml of the machine to predict for; set by code that reads it. job.yaml may name one too.
  std::optional<std::string> machine;
};

/// Returns what a scenario file may contain, for a schema.
[[nodiscard]] YamlType scenario_file_type();

/// Parses a scenario file; `name` is its path in messages. Throws InputError with file and line, also if two changes
/// set the same parameter for the same selection.
[[nodiscard]] Scenario parse_scenario(std::string_view text, const std::string& name);

/// Returns the text of a scenario file with the same name and changes, wherever they came from; without the sweep.
[[nodiscard]] std::string changes_yaml(const Scenario& scenario);

/// Appends the change of `--set TEXT`: WHATIF.PARAMETER=VALUE or WHATIF{KEY=VALUE,...}.PARAMETER=VALUE. Several values,
/// as in network.bandwidth=1x,2x,4x, are added as an axis of the sweep. Throws UsageError if the text is invalid, and
/// if a change and an axis set the same parameter for the same selection.
void add_set(Scenario& scenario, std::string_view text);

/// Does the same as add_set(), but also throws UsageError if another change already sets the same parameter. Call it
/// for options that a user typed.
void add_typed_set(Scenario& scenario, std::string_view text);

/// The selector of a --select option, and the YAML that it refers to.
struct TypedSelection {
  std::shared_ptr<const YamlText> document;
  Selector selector;
};

/// Parses KEY=VALUE,..., the form that a selection has inside the braces of a change. Throws InputError, which names
/// "--select TEXT" instead of a file.
[[nodiscard]] TypedSelection parse_selection(std::string_view text);

/// Returns the change for a key such as "network.bandwidth" and a value. Sets `document` to the YAML that the change
/// refers to, which must live as long as the change. Throws InputError.
[[nodiscard]] Change change_at(const std::string& key, const YamlField& value,
                               std::shared_ptr<const YamlText>& document);

}  // namespace stepsim::scenarios

#endif
