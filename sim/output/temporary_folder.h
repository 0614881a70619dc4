#ifndef STEPSIM_SIM_OUTPUT_TEMPORARY_FOLDER_H
#define STEPSIM_SIM_OUTPUT_TEMPORARY_FOLDER_H

#include <string>
#include <string_view>

namespace stepsim::sim {

/// A new folder among the system's temporary files, removed with its content on destruction. Other processes, also
/// those of other containers that share the place, have other names.
class TemporaryFolder {
 public:
  /// Makes the folder. Throws OutputError.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// Returns the path of a file in the folder.
  [[nodiscard]] std::string file(std::string_view name) const;

 private:
  std::string path_;
};

}  // namespace stepsim::sim

#endif
