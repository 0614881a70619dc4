#include "cli/program/provenance.h"

#include <fmt/core.h>
#include <isa-l/crc64.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "model/base/error.h"
#include "model/base/version.h"

namespace stepsim::cli {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;

bool changes_no_result(const std::string& argument) {
  return argument == "--quiet" || argument.rfind("--threads=", 0) == 0;
}

std::string quoted(const std::string& argument) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=,@%+";
  if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos) {
    return argument;
  }
  std::string text = "'";
  for (const char c : argument) {
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return text + "'";
}

Provenance::Input identify(const std::string& path, std::string& piece) {
  std::ifstream file(path, std::ios::binary);
  Provenance::Input input{path, 0, 0};
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const auto got = static_cast<std::uint64_t>(file.gcount());
    input.crc64 = crc64_ecma_refl(input.crc64, reinterpret_cast<const unsigned char*>(piece.data()), got);
    input.bytes += got;
  }
  if (!file.eof()) {
    throw InputError({path, std::nullopt, std::nullopt},
                     fmt::format("cannot be read again ({}); expected the file just used", std::strerror(errno)));
  }
  return input;
}

}  // namespace

std::string command_line(std::span<const std::string> arguments) {
  std::string text = "stepsim";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--threads") {
      ++i;
    } else if (!changes_no_result(arguments[i])) {
      text += ' ' + quoted(arguments[i]);
    }
  }
  return text;
}

Provenance make_provenance(std::span<const std::string> arguments, std::span<const std::string> inputs) {
  Provenance provenance{std::string(version()), std::string(commit()), command_line(arguments), {}};
  std::string piece(kPieceBytes, '\0');
  for (const std::string& path : inputs) {
    provenance.inputs.push_back(identify(path, piece));
  }
  return provenance;
}

std::uint64_t crc64_of(std::string_view text) {
  return crc64_ecma_refl(0, reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

std::string origin_line(const Provenance& provenance) {
  std::string all;
  for (const Provenance::Input& input : provenance.inputs) all += sim::to_text(input) + '\n';
  return fmt::format("stepsim {} ({}): {}; {} inputs, crc64 {:016x}", provenance.version, provenance.commit,
                     provenance.command, provenance.inputs.size(), crc64_of(all));
}

}  // namespace stepsim::cli
