#include "model/wire/request.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace stepsim::wire {
namespace {

constexpr std::string_view kRun = "RUN";  // the first text of every request
constexpr std::string_view kProcess = "PROCESS";
constexpr std::string_view kStop = "STOP";

void add(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append("=").append(value).push_back('\0');
}

}  // namespace

bool Request::means(std::string_view process) const noexcept {
  return std::find(processes.begin(), processes.end(), process) != processes.end();
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "host";
  return name.data();
}

std::string process_name(std::string_view host, long pid) {
  std::string name(host);
  for (char& c : name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    if (!plain) c = '-';
  }
  return name + "_" + std::to_string(pid);
}

std::string to_text(const Request& request) {
  std::string text;
  add(text, kRun, request.run);
  for (const std::string& process : request.processes) add(text, kProcess, process);
  if (request.stop) add(text, kStop, "1");
  for (const auto& [name, value] : request.variables) add(text, name, value);
  return text;
}

std::optional<Request> request_from_text(std::string_view text) {
  Request request;
  while (!text.empty()) {
    const std::size_t end = text.find('\0');
    const std::size_t equals = text.find('=');
    if (end == std::string_view::npos || equals >= end) return std::nullopt;
    const std::string_view name = text.substr(0, equals);
    std::string value(text.substr(equals + 1, end - equals - 1));
    if (request.run.empty() != (name == kRun)) return std::nullopt;
    if (name == kRun) {
      request.run = std::move(value);
    } else if (name == kProcess) {
      request.processes.push_back(std::move(value));
    } else if (name == kStop) {
      request.stop = true;
    } else {
      request.variables.emplace_back(name, std::move(value));
    }
    text.remove_prefix(end + 1);
  }
  return request.run.empty() ? std::nullopt : std::optional(std::move(request));
}

std::string to_text(const Reply& reply) { return reply.run + "\n" + reply.problem; }

Reply reply_from_text(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  return {.run = std::string(text.substr(0, end)), .problem = std::string(text.substr(std::min(end + 1, text.size())))};
}

}  // namespace stepsim::wire
