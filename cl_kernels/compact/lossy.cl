// lossy.cl — lossy mode decision: first the pre-analysis of all sub-blocks (rd_analysis.cl), then the decision tile by
// tile (rd_decide.cl).
#include "compact/rd_analysis.cl"
#include "compact/rd_decide.cl"
