// A first line of words that say what to keep, and any bytes after it as a trace: the cut is strict JSON, the reader
// has nothing to complain of in it, and it holds as many records of each kind as the counts say.
//
// Words: steps=A-B, min=NANOSECONDS, and last select=KEY=VALUE,...

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/bytes/byte_source.h"
#include "ingest/chrome/chrome_events.h"
#include "ingest/cut/cut.h"
#include "ingest/json/json_values.h"
#include "model/base/error.h"
#include "tests/fuzz/strict_json.h"

namespace {

using namespace stepsim::ingest;

/// A file that lives in memory as long as this.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : descriptor_(memfd_create("trace", 0)) {
    if (write(descriptor_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

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
    const MemoryFile trace(input.substr(std::min(size, end + 1)));
    std::string out;
    const CutCounts counts = cut_trace(trace.path(), cut, [&out](std::string_view piece) { out += piece; });
    check_cut(out, counts);
  } catch (const stepsim::InputError&) {
    return 0;
  } catch (const stepsim::UsageError&) {
    return 0;
  }
  return 0;
}
