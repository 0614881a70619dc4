#include "ingest/chrome_record.h"

namespace stepsim::ingest {

bool ChromeRecord::scan(json::Scanner& scanner) {
  *this = {};
  return scanner.object([this](std::string_view key, const json::Value& value) { take(key, value); });
}

void ChromeRecord::take(std::string_view key, const json::Value& value) {
  switch (key.size()) {
    case 2:
      if (key == "ph") phase = value;
      if (key == "ts") start = value;
      break;
    case 3:
      if (key == "cat") category = value;
      if (key == "pid") process = value;
      if (key == "tid") thread = value;
      if (key == "dur") duration = value;
      break;
    case 4:
      if (key == "name") name = value;
      if (key == "args") arguments = value;
      break;
    default:
      break;
  }
}

const char* ChromeRecord::wrong_member() const noexcept {
  const auto nested = [](const std::optional<json::Value>& value) {
    return value && (value->type == json::Type::kObject || value->type == json::Type::kArray);
  };
  if (nested(phase)) return "text for \"ph\"";
  if (nested(category)) return "text for \"cat\"";
  if (nested(name)) return "text for \"name\"";
  if (nested(process)) return "a number or text for \"pid\"";
  if (nested(thread)) return "a number or text for \"tid\"";
  return nullptr;
}

}  // namespace stepsim::ingest
