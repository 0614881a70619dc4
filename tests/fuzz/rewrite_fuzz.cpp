// Checks three properties for any input. Rewriting the input without a change returns the same bytes. The result of a
// scrub does not depend on the sizes of the pieces in which the input is read. A copy of every second record of a trace
// is strict JSON, and reading the copy finds as many records as were copied.

#include <cstddef>
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
#include "tests/ingest/dripping_source.h"

using stepsim::ingest::ByteSource;
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
using stepsim::ingest::testing::DrippingSource;

namespace {

/// A scrub must not depend on the sizes of the pieces in which the text is read.
void check_scrub(std::string_view text, TextForm form) {
  const auto scrubbed = [form](ByteSource& learned, ByteSource& source) {
    std::string out;
    Scrubber scrubber;
    scrubber.learn(learned, form);
    scrubber.scrub(source, form, [&out](std::string_view piece) { out += piece; });
    return out;
  };
  DrippingSource learned(text, "fuzz", 3);
  DrippingSource dripping(text, "fuzz", 1 + text.size() % 7);
  if (scrubbed(*memory_source(text, "fuzz"), *memory_source(text, "fuzz")) != scrubbed(learned, dripping)) std::abort();
}

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
    for (const TextForm form : {TextForm::kTrace, TextForm::kJson, TextForm::kLines}) check_scrub(text, form);
    check_copy(text);
  } catch (const stepsim::InputError&) {
    return 0;
  }
  return 0;
}
