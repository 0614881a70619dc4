#include "tests/fuzz/fuzz_format.h"

#include "ingest/formats/format.h"

namespace stepsim::ingest {

void read_anything(std::string_view format, const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  for (const Format* candidate : formats()) {
    if (candidate->name != format) continue;
    static_cast<void>(candidate->recognise("fuzz", text));
    try {
      Input input = Input::from_memory(text, "fuzz");
      PartSink sink;
      candidate->read(input, sink);
      STEPSIM_ASSERT(!sink.parts.empty(), "a format that does not refuse an input hands over a part");
    } catch (const InputError&) {
      return;
    }
    return;
  }
  throw InternalError("no format of that name is registered");
}

}  // namespace stepsim::ingest
