#include "capture/session/older_glibc.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>

#include <cstdlib>

namespace {

struct Search {
  std::uintptr_t address;
  struct dl_find_object* result;
};

/// Sets the result of `data`, a Search, and returns 1 if the object contains its address.
int look_at(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  const Search& search = *static_cast<const Search*>(data);
  const ElfW(Phdr)* unwind_table = nullptr;
  std::uintptr_t first = UINTPTR_MAX;
  std::uintptr_t end = 0;
  bool contains = false;
  for (const ElfW(Phdr)* segment = object->dlpi_phdr; segment != object->dlpi_phdr + object->dlpi_phnum; ++segment) {
    const std::uintptr_t begin = object->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_GNU_EH_FRAME) unwind_table = segment;
    if (segment->p_type != PT_LOAD) continue;
    contains = contains || search.address - begin < segment->p_memsz;
    first = begin < first ? begin : first;
    end = begin + segment->p_memsz > end ? begin + segment->p_memsz : end;
  }
  if (!contains || unwind_table == nullptr) return 0;
  *search.result = {};
  search.result->dlfo_map_start = reinterpret_cast<void*>(first);  // NOLINT(performance-no-int-to-ptr)
  search.result->dlfo_map_end = reinterpret_cast<void*>(end);      // NOLINT(performance-no-int-to-ptr)
  search.result->dlfo_eh_frame =
      reinterpret_cast<void*>(object->dlpi_addr + unwind_table->p_vaddr);  // NOLINT(performance-no-int-to-ptr)
  return 1;
}

}  // namespace

extern "C" {

__attribute__((visibility("hidden"))) std::uint32_t arc4random() noexcept {
  std::uint32_t bits = 0;
  if (::getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) std::abort();
  return bits;
}

__attribute__((visibility("hidden"))) int _dl_find_object(void* address, struct dl_find_object* result) noexcept {
  Search search{reinterpret_cast<std::uintptr_t>(address), result};
  return ::dl_iterate_phdr(look_at, &search) == 1 ? 0 : -1;
}
}
