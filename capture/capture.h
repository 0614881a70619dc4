#ifndef STEPSIM_CAPTURE_CAPTURE_H
#define STEPSIM_CAPTURE_CAPTURE_H

/* What a program may call that `stepsim capture` runs: a C interface, also for C and for Python's ctypes. The functions
   are in libstepsim_capture.so, whose path is in the variable CUDA_INJECTION64_PATH there:

     import ctypes, os
     capture = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])
     for batch in batches:
         capture.stepsim_mark_step()

   Without `stepsim capture` they do nothing. They never throw. */

#ifdef __cplusplus
extern "C" {
#endif

/* A step begins. Call it once an iteration, at its beginning, by one thread. The schedule counts from the first call.
 */
void stepsim_mark_step(void);

#ifdef __cplusplus
}
#endif

#endif
