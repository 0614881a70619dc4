#include "model/base/error.h"

#include <fmt/format.h>

#include <utility>

#include "model/base/id.h"
#include "model/base/text.h"

namespace stepsim {

std::string InputLocation::to_text() const {
  std::string name = shown(file);
  if (byte_offset) return fmt::format("{}@{}", name, *byte_offset);
  if (line && column) return fmt::format("{}:{}:{}", name, *line, *column);
  if (line) return fmt::format("{}:{}", name, *line);
  return name;
}

namespace {

std::string message(const InputLocation& where, std::string_view problem) {
  return where.file.empty() ? std::string{problem} : fmt::format("{}: {}", where.to_text(), problem);
}

}  // namespace

InputError::InputError(InputLocation where, std::string_view problem)
    : std::runtime_error(message(where, problem)), where_(std::move(where)) {}

void assertion_failed(const char* condition, const char* why, const char* file, int line) {
  throw InternalError(fmt::format("{}:{}: {} ({} is false)", file, line, why, condition));
}

void id_out_of_range() { throw InternalError("an index does not fit into a 32-bit id"); }

}  // namespace stepsim
