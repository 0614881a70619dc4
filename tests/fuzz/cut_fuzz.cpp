// The first line of the input has words that select what to keep; the other bytes are a trace. The result of the cut
// must be strict JSON, the reader must report no defects in it, and it must contain as many records of each kind as the
// cut has counted.
//
// The words are steps=A-B and min=NANOSECONDS. The last word may be select=KEY=VALUE,...

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/bytes/byte_source.h"
#include "ingest/bytes/input.h"
#include "ingest/chrome/chrome_events.h"
#include "ingest/cut/cut.h"
#include "ingest/json/json_values.h"
#include "model/base/error.h"
#include "tests/fuzz/strict_json.h"

namespace {

using namespace stepsim::ingest;

Cut cut_in(std::string_view line) {
  Cut cut;
  while (!line.empty() && !line.starts_with("select=")) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    const std::string_view value = word.substr(std::min(word.size(), word.find('=') + 1));
    const std::size_t dash = value.find('-', 1);
    const auto first = as_integer(value.substr(0, dash));
    const auto last = as_integer(value.substr(dash == std::string_view::npos ? 0 : dash + 1));
    if (word.starts_with("steps=") && first && last) cut.steps = {*first, *last};
    if (word.starts_with("min=") && first) cut.min_duration = stepsim::Duration{*first};
  }
  if (!line.empty()) cut.select.emplace(line.substr(std::string_view("select=").size()));
  return cut;
}

void check_cut(const std::string& text, const CutCounts& said) {
  if (!stepsim::testing::is_strict_json(text)) std::abort();
  const auto source = memory_source(text, "cut");
  stepsim::Diagnostics diagnostics;
  ChromeEventReader reader(*source, diagnostics);
  CutCounts found;
  for (ChromeEvent event; reader.next(event);) {
    const bool flow = event.phase == "s" || event.phase == "t" || event.phase == "f";
    ++(flow ? found.flows : event.phase == "M" ? found.metadata : found.events);
  }
  if (found.events != said.events || found.flows != said.flows || found.metadata != said.metadata) std::abort();
  if (said.records < reader.records() || !diagnostics.entries().empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  const std::string_view input{reinterpret_cast<const char*>(data), size};
  const std::size_t end = std::min(size, input.find('\n'));
  try {
    const Cut cut = cut_in(input.substr(0, end));
    const std::string_view trace = input.substr(std::min(size, end + 1));
    const auto open = [trace](Watch watch) { return Input::from_memory(trace, "trace", std::move(watch)); };
    std::string out;
    const CutCounts counts = cut_trace("trace", open, cut, [&out](std::string_view piece) { out += piece; });
    check_cut(out, counts);
  } catch (const stepsim::InputError&) {
    return 0;
  } catch (const stepsim::UsageError&) {
    return 0;
  }
  return 0;
}
