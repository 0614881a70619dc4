#include "sim/check/privacy_findings.h"

#include <fmt/format.h>

#include "model/base/text.h"

namespace stepsim::sim {

std::vector<Finding> privacy_findings(const Examined& examined) {
  std::vector<Finding> findings;
  Finding person{
      .name = "private_content",
      .cost = Cost::kNothing,
      .weakens = {},
      .effect = "None for the answers, and no output of stepsim carries it along. Whoever gets the files learns it.",
      .remedy = "before you give them away, 'stepsim convert --scrub IN -o OUT' replaces it"};
  for (const PrivateContent& content : examined.contents.private_parts) {
    if (content.secret) {
      findings.push_back(
          {.name = "secret",
           .cost = Cost::kExposes,
           .weakens = {},
           .count = content.count,
           .sentence = fmt::format("{}, first at {}", content.kind, content.first),
           .effect = "Whoever gets the file can use it.",
           .remedy = "revoke it if the file was given away; 'stepsim convert --scrub IN -o OUT' replaces it"});
    } else {
      person.count += content.count;
      person.sentence += fmt::format("{}{} ({})", person.sentence.empty() ? "" : ", ", content.kind, content.count);
    }
  }
  if (person.count > 0) findings.push_back(std::move(person));
  return findings;
}

}  // namespace stepsim::sim
