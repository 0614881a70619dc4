// Differential fuzzer: for "[<input>]", JsonReader must accept the same texts as simdjson's DOM. It also accepts
// strings that are not UTF-8 and numbers of any size.

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/bytes/input.h"
#include "ingest/json/json_reader.h"
#include "model/base/error.h"

namespace stepsim {

namespace {

/// Returns whether JsonReader accepts a list. If `inside`, it reads the list element by element, else it skips the list
/// as a whole.
bool is_accepted(std::string_view text, bool inside) {
  ingest::Input input = ingest::Input::from_memory(text, "fuzz");
  ingest::JsonReader json{input.stream()};
  try {
    if (inside) {
      json.array([&] { json.peek() == '"' ? static_cast<void>(json.text()) : json.skip(); });
    } else {
      json.skip();
    }
    json.expect_end();
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = "[" + std::string{reinterpret_cast<const char*>(data), size} + "]";
  const bool taken = is_accepted(text, false);
  STEPSIM_ASSERT(taken == is_accepted(text, true), "skipped or read, a document is valid or not");
  simdjson::dom::parser parser;
  if (parser.allocate(text.size() + 64, text.size() + 64) != simdjson::SUCCESS) return 0;
  const simdjson::error_code error = parser.parse(text).error();
  const bool tolerated = error == simdjson::UTF8_ERROR || error == simdjson::NUMBER_ERROR ||
                         error == simdjson::CAPACITY || error == simdjson::DEPTH_ERROR;
  STEPSIM_ASSERT(tolerated || taken == (error == simdjson::SUCCESS), "what simdjson takes, and nothing else");
  return 0;
}

}  // namespace stepsim
