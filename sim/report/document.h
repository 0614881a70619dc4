#ifndef STEPSIM_SIM_REPORT_DOCUMENT_H
#define STEPSIM_SIM_REPORT_DOCUMENT_H

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/report/table.h"

namespace stepsim::sim {

class JsonWriter;

/// What a command found, in the forms that its readers want: people in a terminal or a pull
/// request, spreadsheets, programs. One exporter a form writes it (sim/export/document_exporter.h).
/// Texts are as they came; an exporter makes them safe for its form.
struct Document {
  /// A part for people: a table, sentences, or both.
  struct Section {
    std::string title;
    std::optional<Table> table;
    std::vector<std::string> sentences;
  };
  std::string headline;  ///< what, how much, in which unit, how far to trust it
  std::vector<Section> sections;
  Table rows{{}};  ///< everything, one row an item, in whole base units; one column a quantity
  /// Writes the object of --json, its provenance included.
  std::function<void(JsonWriter& json)> json;
  std::string origin;  ///< who made it from what, for forms that have no other place for it
};

/// The headline, then the sections, for a terminal.
[[nodiscard]] std::string to_text(const Document& document);

}  // namespace stepsim::sim

#endif
