// lspiro_variant.h — ways to run LSpiro step 1 in the paper's form (Form::group), as I. Perminov's tables 2, 3 and 4
// compare them. All give the same bytes; streams use the default one.
#pragma once

namespace texcast::stages {

struct LspiroVariant {
  enum class Sort { rank, insertion } sort = Sort::rank;
  // Of a block in local memory: the paper's figure 6 c (alpha dropped, no bank conflicts) or 6 a (R G B A as they
  // come).
  enum class Layout { conflict_free, natural } layout = Layout::conflict_free;
  // Rank counting for the three channels in one loop, or in one loop after the other.
  enum class Channels { together, in_turn } channels = Channels::together;
  // One kernel; two with the end points through global memory; the first of the two, after which a block's first four
  // bytes are its end points and the others are not written; the second, which takes what the first leaves there.
  enum class Kernels { merged, separate, ends_only, pack_only } kernels = Kernels::merged;
  bool line_in_floats = false;  // the regression in single precision, as the paper has it
  bool relaxed_math = false;    // -cl-fast-relaxed-math: only the floats above can take notice
  int max_registers = 0;        // a work-item, where limits_registers(device); 0: the compiler's choice
};

}  // namespace texcast::stages
