#ifndef STEPSIM_CAPTURE_CAPTURE_H
#define STEPSIM_CAPTURE_CAPTURE_H

/* The C interface for programs that run under `stepsim capture`; Python can call it with ctypes. The functions are in
   libstepsim_capture.so; `stepsim capture` sets the variable CUDA_INJECTION64_PATH to its path:

     import ctypes, os
     capture = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])
     for batch in batches:
         capture.stepsim_mark_step()

   Without `stepsim capture` the functions do nothing. They never throw. */

#ifdef __cplusplus
extern "C" {
#endif

/* Marks the beginning of a step. Call it once per iteration, from one thread. The schedule counts from the first call.
 */
void stepsim_mark_step(void);

#ifdef __cplusplus
}
#endif

#endif
