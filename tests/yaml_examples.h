#ifndef STEPSIM_TESTS_YAML_EXAMPLES_H
#define STEPSIM_TESTS_YAML_EXAMPLES_H

#include <string>
#include <vector>

namespace stepsim {

/// The whole text of a file of the repository, such as "docs/job.md".
std::string text_of_file(const std::string& file);

/// The texts between ```yaml and ``` of a page of the repository.
std::vector<std::string> yaml_examples(const std::string& page);

}  // namespace stepsim

#endif
