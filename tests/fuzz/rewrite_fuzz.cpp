// Any bytes: rewriting without a change gives them back, a scrub ends, and a copy of a trace with every second record
// is strict JSON with these records.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/bytes/byte_source.h"
#include "ingest/chrome/trace_copy.h"
#include "ingest/privacy/json_rewriter.h"
#include "ingest/privacy/scrubber.h"
#include "model/base/diagnostics.h"
#include "model/base/error.h"
#include "tests/fuzz/strict_json.h"

using stepsim::ingest::ChromeEvent;
using stepsim::ingest::ChromeEventReader;
using stepsim::ingest::JsonChanges;
using stepsim::ingest::JsonPlace;
using stepsim::ingest::memory_source;
using stepsim::ingest::RecordSpan;
using stepsim::ingest::rewrite_json;
using stepsim::ingest::Scrubber;
using stepsim::ingest::TextForm;
using stepsim::ingest::TraceCopy;

namespace {

void check_copy(std::string_view text) {
  const auto source = memory_source(text, "fuzz");
  stepsim::Diagnostics diagnostics;
  ChromeEventReader reader(*source, diagnostics);
  std::vector<RecordSpan> records;
  ChromeEvent event;
  for (bool keep = true; reader.next(event); keep = !keep) {
    if (keep) records.emplace_back(event);
  }
  const auto again = memory_source(text, "fuzz");
  TraceCopy copy(*again, reader.frame(), records);
  std::string out;
  std::string piece(64, '\0');
  while (const std::size_t size = copy.read(piece)) out.append(piece, 0, size);
  if (!stepsim::testing::is_strict_json(out)) std::abort();
  const auto written = memory_source(out, "fuzz");
  stepsim::Diagnostics none;
  ChromeEventReader reread(*written, none);
  std::size_t count = 0;
  while (reread.next(event)) ++count;
  if (count != records.size() || !none.entries().empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  std::string out;
  const auto gather = [&out](std::string_view piece) { out += piece; };
  try {
    const JsonChanges none{[](const JsonPlace&, std::string_view) { return std::nullopt; },
                           [](const JsonPlace&, std::string_view) { return std::nullopt; },
                           [](const JsonPlace&, char) { return std::nullopt; }};
    rewrite_json(*memory_source(text, "fuzz"), none, gather);
    if (out != text) std::abort();
    for (const TextForm form : {TextForm::kTrace, TextForm::kJson, TextForm::kLines}) {
      Scrubber scrubber;
      scrubber.learn(*memory_source(text, "fuzz"), form);
      scrubber.scrub(*memory_source(text, "fuzz"), form, gather);
    }
    check_copy(text);
  } catch (const stepsim::InputError&) {
    return 0;
  }
  return 0;
}
