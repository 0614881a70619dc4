#ifndef STEPSIM_BENCH_KINETO_FILE_H
#define STEPSIM_BENCH_KINETO_FILE_H

#include <cstdint>
#include <string>

namespace stepsim::bench {

/// A large Kineto file made from a small one, and the values that a reader must find in it.
struct KinetoFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t records = 0;
  std::uint64_t events = 0;   ///< host and device events (ph X)
  std::int64_t checksum = 0;  ///< sum of ts and dur of all events, in microseconds, modulo 2^64
};

/// Writes the records of `source` `copies` times to `path`, one per line. Each copy is two seconds later and has
/// distinct ids, correlations and step numbers. Times in `source` must be whole microseconds. Works on the text only,
/// without the reader that is measured.
[[nodiscard]] KinetoFile make_kineto_file(const std::string& source, const std::string& path, int copies);

/// Copies the lines of a file from make_kineto_file() to `to`, but removes the quote after "name" from one record in
/// 5,000, about one per megabyte. Returns the number of damaged records.
[[nodiscard]] std::uint64_t damage_file(const std::string& path, const std::string& to);

/// Compresses `path` to `path` + ".gz", level 1.
void gzip_file(const std::string& path);

}  // namespace stepsim::bench

#endif
