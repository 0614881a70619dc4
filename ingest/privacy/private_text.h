#ifndef STEPSIM_INGEST_PRIVACY_PRIVATE_TEXT_H
#define STEPSIM_INGEST_PRIVACY_PRIVATE_TEXT_H

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// What in a text says who made it, or lets others act in their name. By its form alone: a text that looks like a token
/// is taken for one.
namespace stepsim::ingest {

enum class PrivateKind : std::uint8_t {
  kSecret,  ///< access tokens, keys, passwords
  kEmail,
  kUser,     ///< a name of a user: in a path, or as a member says
  kHost,     ///< a name of a machine, or a URL
  kAddress,  ///< IPv4, IPv6, of an Ethernet card
  kPath,     ///< of files that are no part of a public package
};
inline constexpr std::size_t kPrivateKindCount = 6;
/// "secret", "e-mail address", "user name", "host name", "IP address", "path".
[[nodiscard]] std::string_view to_text(PrivateKind kind) noexcept;

/// A part of a text.
struct PrivatePiece {
  std::size_t begin = 0;
  std::size_t end = 0;
  PrivateKind kind = PrivateKind::kSecret;
  std::string_view what;  ///< of a secret, which: "GitHub token"; a literal
};

/// The private parts of `text`, in order, none within another one. O(length), whatever the text holds.
[[nodiscard]] std::vector<PrivatePiece> find_private(std::string_view text);

/// Whether a private key in PEM form begins in `text` and goes on after its end.
[[nodiscard]] bool opens_private_key(std::string_view text) noexcept;
/// Whether such a key's last line is in `text`.
[[nodiscard]] bool closes_private_key(std::string_view text) noexcept;

/// What a member, or a variable of an environment, holds by its name.
enum class SecretName : std::uint8_t {
  kNone,
  kOrCount,  ///< a token or a number of them: "max_tokens"
  kSecret,   ///< WANDB_API_KEY, "password", "Authorization"
};
[[nodiscard]] SecretName names_secret(std::string_view key) noexcept;
/// Whether a member of this name holds the name of a user, or of a host.
[[nodiscard]] bool names_user(std::string_view key) noexcept;
[[nodiscard]] bool names_host(std::string_view key) noexcept;

}  // namespace stepsim::ingest

#endif
