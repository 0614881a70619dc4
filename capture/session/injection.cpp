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

void begin_range(std::uint64_t id, const char* name) {
  if (Session* const session = Session::current()) session->begin_range(id, name);
}

void end_range(std::uint64_t id) {
  if (Session* const session = Session::current()) session->end_range(id);
}

void mark(const char* name) {
  if (Session* const session = Session::current()) session->mark(name);
}

}  // namespace

extern "C" {

STEPSIM_EXPORTED int InitializeInjection(void) {
  if (Session::current() == nullptr && Session::start(Session::Loader::kCuda) != nullptr) std::atexit(finish);
  return 1;
}

STEPSIM_EXPORTED int InitializeInjectionNvtx2(const void* (*get_export_table)(std::uint32_t)) {
  return stepsim::capture::nvtx::install(get_export_table, {.begin = begin_range, .end = end_range, .mark = mark}) ? 1
                                                                                                                   : 0;
}

STEPSIM_EXPORTED void stepsim_mark_step(void) {
  if (Session* const session = Session::current()) session->mark_step();
}
}
