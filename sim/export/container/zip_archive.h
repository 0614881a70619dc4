#ifndef STEPSIM_SIM_EXPORT_CONTAINER_ZIP_ARCHIVE_H
#define STEPSIM_SIM_EXPORT_CONTAINER_ZIP_ARCHIVE_H

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/output/write_file.h"

namespace stepsim::sim {

/// Writes a zip archive (APPNOTE.TXT of PKWARE, version 2.0) member by member, each compressed, without times.
class ZipArchive {
 public:
  explicit ZipArchive(OutputFile& out) : out_(out) {}

  /// Throws OutputError if the archive grows beyond 4 GiB, which this form cannot hold.
  void add(std::string_view name, std::string_view content);
  /// To be called once, at the end.
  void finish();

 private:
  void put(std::string_view bytes);

  OutputFile& out_;
  std::uint64_t offset_ = 0;
  std::string directory_;
  std::uint16_t members_ = 0;
};

}  // namespace stepsim::sim

#endif
