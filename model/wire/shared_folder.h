#ifndef STEPSIM_MODEL_WIRE_SHARED_FOLDER_H
#define STEPSIM_MODEL_WIRE_SHARED_FOLDER_H

#include <cstddef>
#include <string>
#include <string_view>

/// Files in folders that other users may write to. At any time they may put a link, a pipe or a device there, under the
/// name that we are about to use. Each function therefore opens the folder first, which may not be a link itself, and
/// then uses the name in it without following links. No function throws, or waits for another process.
namespace stepsim::wire {

/// Opens a file with the flags of open(2). With O_CREAT | O_EXCL the file is new. Returns a descriptor, which is closed
/// on exec; on failure returns -1 and sets errno, to ELOOP if the file is a link.
[[nodiscard]] int open_file(const std::string& path, int flags, unsigned mode = 0) noexcept;

/// Creates a file or replaces it as a whole: writes a new file under a random name and renames it. Returns false and
/// sets errno on failure.
[[nodiscard]] bool replace_file(const std::string& path, std::string_view text, unsigned mode) noexcept;

/// Creates a folder. Returns false and sets errno on failure, to EEXIST if the name is in use.
[[nodiscard]] bool create_folder(const std::string& path, unsigned mode) noexcept;

/// What read_small_file() has found.
struct SmallFile {
  bool exists = false;
  std::string problem;  ///< why it was not read, as the end of a sentence: "is not a regular file"; empty if it was
  std::string text;
  unsigned owner = 0;  ///< number of a user
};
/// Reads a regular file of at most `most` bytes that has a single name. Reads nothing else.
[[nodiscard]] SmallFile read_small_file(const std::string& path, std::size_t most) noexcept;

}  // namespace stepsim::wire

#endif
