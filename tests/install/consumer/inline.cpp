// Uses the inline profiler in a program that contains no other part of stepsim.

#define STEPSIM_PROFILING
#define STEPSIM_PROFILING_HOST_CLOCK
#include "capture/inline.h"

void labelled() { STEPSIM_RANGE("labelled", nullptr); }
