// A library with RCCL's name, by which the module tells RCCL from NCCL. The fake NCCL stands for both.

namespace fake_nccl {

extern const bool kIsRccl;
const bool kIsRccl = true;

}  // namespace fake_nccl
