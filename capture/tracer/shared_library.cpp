#include "capture/tracer/shared_library.h"

#include <dlfcn.h>
#include <link.h>

#include <utility>

namespace stepsim::capture {
namespace {

struct Search {
  std::string_view beginning;
  std::vector<std::string> found;
};

/// Adds the path of a loaded library to `search` if its name matches. Called by dl_iterate_phdr().
int add_if_wanted(dl_phdr_info* library, std::size_t, void* search) {
  Search& wanted = *static_cast<Search*>(search);
  const std::string_view path = library->dlpi_name == nullptr ? "" : library->dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.starts_with(wanted.beginning)) wanted.found.emplace_back(path);
  return 0;
}

}  // namespace

std::vector<std::string> mapped_libraries(std::string_view beginning) {
  Search search{beginning, {}};
  ::dl_iterate_phdr(add_if_wanted, &search);
  return std::move(search.found);
}

std::string path_of(void* library, const std::string& name) {
  const link_map* found = nullptr;
  if (::dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&found)) != 0 || found == nullptr || *found->l_name == '\0')
    return name;
  return found->l_name;
}

void* Symbols::address_of(const char* name) const noexcept { return ::dlsym(library_, name); }

}  // namespace stepsim::capture
