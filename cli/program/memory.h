#ifndef STEPSIM_CLI_PROGRAM_MEMORY_H
#define STEPSIM_CLI_PROGRAM_MEMORY_H

/// Settings of the program's memory allocation. operator_new.cpp places large blocks on huge pages.
namespace stepsim::cli {

/// Makes the allocator return freed blocks of a mebibyte or more to the system immediately, from now on. By default,
/// glibc keeps freed memory that lies between blocks in use, and the next phase of a command allocates other memory.
/// This can increase the peak by up to a quarter.
void return_freed_memory() noexcept;

/// Makes the allocator keep freed blocks from now on, for work that allocates and frees the same blocks repeatedly.
void keep_freed_memory() noexcept;

}  // namespace stepsim::cli

#endif
