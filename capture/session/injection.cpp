#include "capture/session/injection.h"

#include <cstdlib>

#include "capture/capture.h"
#include "capture/nvtx/ranges.h"
#include "capture/session/session.h"

#define STEPSIM_EXPORTED __attribute__((visibility("default")))

namespace {

using stepsim::capture::Session;

void finish() {
  if (Session* const session = Session::current()) session->finish();
}

int begin_session(void (*)(stepsim::capture::rocprofiler::ClientId), void*) {
  return Session::start(Session::Loader::kRocm) == nullptr ? -1 : 0;
}

void end_session(void*) { finish(); }

}  // namespace

extern "C" {

STEPSIM_EXPORTED int InitializeInjection(void) {
  if (Session::current() == nullptr && Session::start(Session::Loader::kCuda) != nullptr) std::atexit(finish);
  return 1;
}

STEPSIM_EXPORTED int InitializeInjectionNvtx2(const void* (*get_export_table)(std::uint32_t)) {
  return stepsim::capture::nvtx::install(get_export_table, Session::listener()) ? 1 : 0;
}

STEPSIM_EXPORTED stepsim::capture::rocprofiler::Tool* rocprofiler_configure(
    std::uint32_t, const char*, std::uint32_t, stepsim::capture::rocprofiler::ClientId* client) {
  static stepsim::capture::rocprofiler::Tool tool{
      .size = sizeof tool, .initialize = begin_session, .finalize = end_session, .data = nullptr};
  client->name = "stepsim capture";
  return Session::current() == nullptr ? &tool : nullptr;
}

STEPSIM_EXPORTED void stepsim_mark_step(void) {
  if (Session* const session = Session::current()) session->mark_step();
}
}
