#ifndef STEPSIM_CAPTURE_TRACER_SHARED_LIBRARY_H
#define STEPSIM_CAPTURE_TRACER_SHARED_LIBRARY_H

#include <string>
#include <string_view>
#include <vector>

namespace stepsim::capture {

/// Returns the paths of the libraries in this process whose file names begin with `beginning`, such as "libcupti.so".
[[nodiscard]] std::vector<std::string> mapped_libraries(std::string_view beginning);

/// Returns the path of an opened library; `name` if it is not known.
[[nodiscard]] std::string path_of(void* library, const std::string& name);

/// Finds functions in an opened library.
class Symbols {
 public:
  /// `library` is a handle of dlopen().
  explicit Symbols(void* library) noexcept : library_(library) {}

  template <class Function>
  void find(const char* name, Function& function) {
    find_if_there(name, function);
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  template <class Function>
  void find_if_there(const char* name, Function& function) noexcept {
    function = reinterpret_cast<Function>(address_of(name));
  }
  /// Returns the first name that find() did not find; empty if it found all.
  [[nodiscard]] const std::string& missing() const noexcept { return missing_; }

 private:
  [[nodiscard]] void* address_of(const char* name) const noexcept;

  void* library_;
  std::string missing_;
};

}  // namespace stepsim::capture

#endif
