// The inline profiler, in a program that uses no other part of stepsim.

#define STEPSIM_PROFILING
#define STEPSIM_PROFILING_HOST_CLOCK
#include "capture/inline.h"

void labelled() { STEPSIM_RANGE("labelled", nullptr); }
