#pragma once

#include <filesystem>

namespace stepsim {

/// Returns the root of the source tree, for tests and benchmarks that read its samples and documents. The path is
/// compiled into a single object file. So the other object files do not depend on it, and ccache can share them between
/// checkouts.
const std::filesystem::path& source_folder();

/// Returns the folder with our own measured runs (ps, byteps, ddp, fsdp) and the answers of other simulators (oracles).
/// It is unpacked from tests/truth/data.
const std::filesystem::path& measured_folder();

/// Returns the folder of captures made by others (docs/internals/test-data.md). The folder may be absent.
const std::filesystem::path& shared_folder();

}  // namespace stepsim
