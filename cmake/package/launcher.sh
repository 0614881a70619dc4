#!/bin/sh
# Runs stepsim with the C library that this folder contains, which may be newer than the system's. The loader ignores
# LD_LIBRARY_PATH, so libraries of other software are not mixed in; programs that stepsim starts are not affected.
program=$(readlink -f -- "$0")
root=${program%/bin/stepsim}
exec "$root/lib/private/LOADER" --inhibit-cache --library-path "$root/lib/private" --argv0 "$program" "$root/libexec/stepsim" "$@"
