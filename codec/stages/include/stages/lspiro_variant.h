// lspiro_variant.h — ways to run LSpiro step 1 in the paper's form (Form::group), as compared in I. Perminov's tables
// 2, 3 and 4. All give the same bytes; streams use the default.
#pragma once

namespace texcast::stages {

struct LspiroVariant {
  enum class Sort { rank, insertion } sort = Sort::rank;
  // A block in local memory: as in the paper's figure 6 c (alpha dropped, no bank conflicts) or 6 a (R G B A in source
  // order).
  enum class Layout { conflict_free, natural } layout = Layout::conflict_free;
  // Rank counting for the three channels in one loop, or in three loops.
  enum class Channels { together, in_turn } channels = Channels::together;
  // One kernel; two with the end points passed through global memory; only the first of the two, after which a block's
  // first four bytes are its end points and the others are not written; only the second, which reads these.
  enum class Kernels { merged, separate, ends_only, pack_only } kernels = Kernels::merged;
  bool line_in_floats = false;  // the regression in single precision, as in the paper
  bool relaxed_math = false;    // -cl-fast-relaxed-math: affects only line_in_floats
  int max_registers = 0;        // per work-item, if limits_registers(device); 0: the compiler's choice
};

}  // namespace texcast::stages
