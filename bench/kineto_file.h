#ifndef STEPSIM_BENCH_KINETO_FILE_H
#define STEPSIM_BENCH_KINETO_FILE_H

#include <cstdint>
#include <string>

namespace stepsim::bench {

/// A large Kineto file made from a small one, with what a reader of it must find.
struct KinetoFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t records = 0;
  std::uint64_t events = 0;   ///< host and device events, those of ph X
  std::int64_t checksum = 0;  ///< sum of all their ts and dur in microseconds, modulo 2^64
};

/// Writes the records of `source` `copies` times to `path`, one a line, each copy later by
/// two seconds and with ids, correlations and step numbers of its own. `source` has whole
/// microseconds. If `gzipped`, writes that file's gzip (level 1) to `path` + ".gz".
/// Works on the text alone: the reader under test has no part in it.
[[nodiscard]] KinetoFile make_kineto_file(const std::string& source, const std::string& path, int copies);

/// Compresses `path` to `path`.gz.
void gzip_file(const std::string& path);

}  // namespace stepsim::bench

#endif
