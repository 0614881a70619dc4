#ifndef STEPSIM_TESTS_YAML_EXAMPLES_H
#define STEPSIM_TESTS_YAML_EXAMPLES_H

#include <string>
#include <vector>

namespace stepsim {

/// Returns the whole text of a file of the repository, such as "docs/reference/job.md".
std::string text_of_file(const std::string& file);

/// Returns the texts between ```yaml and ``` on a page of the repository.
std::vector<std::string> yaml_examples(const std::string& page);

}  // namespace stepsim

#endif
