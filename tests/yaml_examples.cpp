#include "tests/yaml_examples.h"

#include <fstream>
#include <sstream>

#include "tests/source_folder.h"

namespace stepsim {

std::string text_of_file(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(source_folder() / file).rdbuf();
  return text.str();
}

std::vector<std::string> yaml_examples(const std::string& page) {
  const std::string text = text_of_file(page);
  const std::string open = "```yaml\n";
  std::vector<std::string> examples;
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
    at += open.size();
    examples.push_back(text.substr(at, text.find("```", at) - at));
  }
  return examples;
}

}  // namespace stepsim
