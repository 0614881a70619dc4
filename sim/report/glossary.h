#ifndef STEPSIM_SIM_REPORT_GLOSSARY_H
#define STEPSIM_SIM_REPORT_GLOSSARY_H

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim::sim {

/// A term in the sentences, headings or columns of reports, and its explanation.
struct Term {
  std::string_view name;        ///< for example "exposed communication"
  std::string_view also;        ///< other names, such as column headings, separated by commas: "exposed comm., exposed"
  std::string_view definition;  ///< one sentence
  std::string_view more;        ///< how it is computed and what it means for the reader: complete sentences
  std::string_view picture{};   ///< what it looks like on a timeline: at most 8 lines of 72 columns; may be empty
};

/// Returns all terms in the order of the printed glossary, which groups related ones.
[[nodiscard]] std::span<const Term> glossary() noexcept;

/// Returns the names in a text such as Term::also, which commas separate.
[[nodiscard]] std::vector<std::string> list_of_names(std::string_view text);

}  // namespace stepsim::sim

#endif
