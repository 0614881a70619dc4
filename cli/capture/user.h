#ifndef STEPSIM_CLI_CAPTURE_USER_H
#define STEPSIM_CLI_CAPTURE_USER_H

#include <optional>
#include <string_view>
#include <vector>

namespace stepsim::cli {

/// A user and the groups whose rights count.
struct User {
  unsigned id = 0;
  unsigned group = 0;
  std::vector<unsigned> groups;  ///< supplementary groups
};

/// Returns the real user of a process, who started it, from the text of /proc/PID/status. Nothing if it is not one.
[[nodiscard]] std::optional<User> user_from_status(std::string_view status);

/// Returns a user of this host with the groups of its account; nothing if there is none.
[[nodiscard]] std::optional<User> user_from_account(unsigned id);

/// Makes this process one of `user` for good. Precondition: it is one of root. Throws InputError if the system refuses.
void become(const User& user);

}  // namespace stepsim::cli

#endif
