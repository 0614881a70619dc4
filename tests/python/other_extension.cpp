// An extension module of another package, which does not know stepsim.

#include <pybind11/pybind11.h>

#include <stdexcept>

// NOLINTNEXTLINE: the macro's own code
PYBIND11_MODULE(other_extension, module) {
  module.def("fail", [] { throw std::runtime_error("an error of another package"); });
}
