#include "ingest/chrome_record.h"

namespace stepsim::ingest {

bool ChromeRecord::scan(json::Scanner& scanner) {
  *this = {};
  return scanner.object([this](const json::Value& key, const json::Value& value) { take(key, value); });
}

void ChromeRecord::take(const json::Value& key, const json::Value& value) {
  const std::string_view text = key.raw;
  switch (text.size()) {
    case 2:
      if (text == "ph") phase = value;
      if (text == "ts") start = value;
      break;
    case 3:
      if (text == "cat") category = value;
      if (text == "pid") process = value;
      if (text == "tid") thread = value;
      if (text == "dur") duration = value;
      break;
    case 4:
      if (text == "name") name = value;
      if (text == "args") arguments = value;
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
