#ifndef STEPSIM_SIM_OUTPUT_GZIP_H
#define STEPSIM_SIM_OUTPUT_GZIP_H

#include <memory>
#include <string>
#include <string_view>

namespace stepsim::sim {

/// Compresses one stream of bytes to gzip (RFC 1952), without a name or a time. What it inflates to is the same on
/// every machine; the compressed bytes may differ with the processor, for which igzip has its own search for
/// repetitions.
class Gzip {
 public:
  Gzip();
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  /// Appends to `out` what is ready after `text`.
  void add(std::string_view text, std::string& out);
  /// Appends the end of the stream. To be called once.
  void finish(std::string& out);

 private:
  struct State;

  void deflate(std::string_view text, std::string& out);

  std::unique_ptr<State> state_;
};

}  // namespace stepsim::sim

#endif
