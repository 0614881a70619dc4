#ifndef STEPSIM_INGEST_PRIVACY_PRIVATE_TEXT_H
#define STEPSIM_INGEST_PRIVACY_PRIVATE_TEXT_H

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// Finds the parts of a text that identify its author or that grant access, such as tokens. Detection uses only the
/// form of the text: anything that looks like a token counts as one.
namespace stepsim::ingest {

enum class PrivateKind : std::uint8_t {
  kSecret,  ///< access tokens, keys, passwords
  kEmail,
  kUser,     ///< a user name, in a path or as the value of a member
  kHost,     ///< a machine name, or a URL
  kAddress,  ///< an IPv4, IPv6 or Ethernet address
  kPath,     ///< a path of a file that is not part of a public package
};
inline constexpr std::size_t kPrivateKindCount = 6;
/// Returns "secret", "e-mail address", "user name", "host name", "IP address" or "path".
[[nodiscard]] std::string_view to_text(PrivateKind kind) noexcept;

/// A private part of a text.
struct PrivatePiece {
  std::size_t begin = 0;
  std::size_t end = 0;
  PrivateKind kind = PrivateKind::kSecret;
  std::string_view what;  ///< the type of a secret, such as "GitHub token"; a string literal
};

/// Returns the private parts of `text`, in order and without overlaps. O(length) for any text.
[[nodiscard]] std::vector<PrivatePiece> find_private(std::string_view text);

/// True if a PEM private key begins in `text` but does not end there.
[[nodiscard]] bool opens_private_key(std::string_view text) noexcept;
/// True if the last line of a PEM private key is in `text`.
[[nodiscard]] bool closes_private_key(std::string_view text) noexcept;

/// The kind of value that a JSON member or an environment variable has, judged by its name.
enum class SecretName : std::uint8_t {
  kNone,
  kOrCount,  ///< a secret token or a count of text tokens: "max_tokens"
  kSecret,   ///< a secret: WANDB_API_KEY, "password", "Authorization"
};
[[nodiscard]] SecretName names_secret(std::string_view key) noexcept;
/// True if a member with this key contains the name of a user, or of a host.
[[nodiscard]] bool names_user(std::string_view key) noexcept;
[[nodiscard]] bool names_host(std::string_view key) noexcept;

}  // namespace stepsim::ingest

#endif
