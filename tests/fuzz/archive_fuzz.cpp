// Fuzzes the archive reader: reads any bytes as a tar or zip file, with all its members. The bytes may be read or
// refused.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ingest/bytes/archive.h"
#include "model/base/error.h"

namespace stepsim {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMost = std::size_t{1} << 20;  // the limit for decompressed data
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  std::string piece(4096, '\0');
  try {
    ingest::Input input = ingest::Input::from_memory(bytes, "fuzz");
    ingest::Archive archive(input);
    std::size_t given = 0;
    while (const auto member = archive.next()) {
      if (!member->unreadable_reason.empty()) continue;
      STEPSIM_ASSERT(!member->name.starts_with('/'), "a member that can be read lies below the archive");
      ingest::Input content(archive.open(member->name));
      for (std::size_t got = 1; got > 0 && given < kMost; given += got) got = content.stream().read(std::span{piece});
      if (given >= kMost) return 0;
    }
    STEPSIM_ASSERT(input.identify().size == size, "an archive is identified by all of its bytes");
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}

}  // namespace stepsim
