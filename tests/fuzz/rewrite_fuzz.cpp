// Any bytes: rewriting without a change gives them back, a scrub and a cut end, and a cut of nothing keeps no record.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ingest/bytes/memory_source.h"
#include "ingest/cut/event_filter.h"
#include "ingest/privacy/json_rewriter.h"
#include "ingest/privacy/scrubber.h"
#include "model/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stepsim::ingest;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  std::string out;
  const auto gather = [&out](std::string_view piece) { out += piece; };
  try {
    const JsonChanges none{[](const JsonPlace&, std::string_view) { return std::nullopt; },
                           [](const JsonPlace&) { return std::nullopt; }};
    rewrite_json(*memory_source(text, "fuzz"), none, gather);
    if (out != text) std::abort();
    for (const TextForm form : {TextForm::kTrace, TextForm::kJson, TextForm::kLines}) {
      Scrubber scrubber;
      scrubber.learn(*memory_source(text, "fuzz"), form);
      scrubber.scrub(*memory_source(text, "fuzz"), form, gather);
    }
    filter_events(*memory_source(text, "fuzz"), {}, gather);
    filter_events(*memory_source(text, "fuzz"), {0, 16, 17, 40}, gather);
  } catch (const stepsim::InputError&) {
    return 0;
  }
  return 0;
}
