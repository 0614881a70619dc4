#ifndef STEPSIM_CLI_SWEEP_SHARED_FOLDER_H
#define STEPSIM_CLI_SWEEP_SHARED_FOLDER_H

#include <filesystem>
#include <string>

namespace stepsim::cli {

/// A new folder for the parts and logs of a sweep that several processes share; removed with its content on
/// destruction. Its name, .stepsim-sweep-HOST-XXXXXX, is unique over processes, containers and hosts.
///
/// This process keeps a file in the folder locked. The folder of a killed process is not locked any more, and is
/// removed when a sweep on the same host makes a folder at the same place. Other hosts' folders are left alone, because
/// some network file systems do not show locks to other hosts.
class SharedFolder {
 public:
  /// Makes the folder inside `place`, by default the current folder. Throws OutputError.
  explicit SharedFolder(const std::filesystem::path& place);
  ~SharedFolder();
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  bool make_and_lock(const std::string& prefix);

  std::string path_;
  int lock_ = -1;
};

}  // namespace stepsim::cli

#endif
