#include "cli/capture/user.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

#include "model/base/error.h"
#include "model/base/number.h"

namespace stepsim::cli {

namespace {

/// Returns the numbers of the line that begins with `key`, which is not the first line.
std::vector<unsigned> numbers_of(std::string_view status, const std::string& key) {
  const std::size_t at = status.find("\n" + key);
  if (at == std::string_view::npos) return {};
  std::string_view line = status.substr(at + 1 + key.size());
  line = line.substr(0, line.find('\n'));
  std::vector<unsigned> numbers;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    if (const auto number = parse_number<unsigned>(line.substr(0, end))) numbers.push_back(*number);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return numbers;
}

}  // namespace

std::optional<User> user_from_status(std::string_view status) {
  // "Uid: real effective saved file-system". The effective user of a set-user-ID program did not choose its
  // environment.
  const auto ids = numbers_of(status, "Uid:");
  const auto groups = numbers_of(status, "Gid:");
  if (ids.empty() || groups.empty()) return std::nullopt;
  return User{.id = ids.front(), .group = groups.front(), .groups = numbers_of(status, "Groups:")};
}

std::optional<User> user_from_account(unsigned id) {
  constexpr int kMostGroups = 65'536;              // NGROUPS_MAX of Linux
  const ::passwd* const account = ::getpwuid(id);  // NOLINT(concurrency-mt-unsafe): no other thread asks
  if (account == nullptr) return std::nullopt;
  User user{.id = id, .group = account->pw_gid, .groups = std::vector<unsigned>(kMostGroups)};
  int count = kMostGroups;
  if (::getgrouplist(account->pw_name, user.group, user.groups.data(), &count) < 0) return std::nullopt;
  user.groups.resize(static_cast<std::size_t>(count));
  return user;
}

void become(const User& user) {
  if (::setgroups(user.groups.size(), user.groups.data()) == 0 &&
      ::setresgid(user.group, user.group, user.group) == 0 && ::setresuid(user.id, user.id, user.id) == 0 &&
      ::prctl(PR_SET_DUMPABLE, 0) == 0)  // or the user could look into a process that root has started
    return;
  throw InputError({fmt::format("user {}", user.id), {}, {}},
                   fmt::format("the files of its processes cannot be used, because the system does not let root become "
                               "this user: {}; attach as that user",
                               std::strerror(errno)));
}

}  // namespace stepsim::cli
