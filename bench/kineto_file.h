#ifndef STEPSIM_BENCH_KINETO_FILE_H
#define STEPSIM_BENCH_KINETO_FILE_H

#include <cstdint>
#include <string>

namespace stepsim::bench {

/// A large Kineto file made from a small one, and what a reader must find in it.
struct KinetoFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t records = 0;
  std::uint64_t events = 0;   ///< host and device events, those of ph X
  std::int64_t checksum = 0;  ///< sum of all their ts and dur in microseconds, modulo 2^64
};

/// Writes the records of `source` `copies` times to `path`, one a line. Each copy is two seconds
/// later and has ids, correlations and step numbers of its own. `source` must hold whole
/// microseconds. Works on the text alone, without the reader that is measured.
[[nodiscard]] KinetoFile make_kineto_file(const std::string& source, const std::string& path, int copies);

/// Copies the lines of such a file to `to`, but takes the quote behind "name": out of one record
/// in 5,000, about one a megabyte. Returns how many.
[[nodiscard]] std::uint64_t damage_file(const std::string& path, const std::string& to);

/// Compresses `path` to `path` + ".gz", level 1.
void gzip_file(const std::string& path);

}  // namespace stepsim::bench

#endif
