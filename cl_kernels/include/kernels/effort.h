// effort.h — the effort of each method, shared by a kernel and its reference. Plain C that both C++ and OpenCL C
// compile, and expressions that #if can evaluate.
#ifndef TEXCAST_KERNELS_EFFORT_H
#define TEXCAST_KERNELS_EFFORT_H

// Values of texcast::Method (texcast/quality.h), as METHOD.
#define TEXCAST_RANGE 0
#define TEXCAST_LSPIRO1 1
#define TEXCAST_LSPIRO2 2
#define TEXCAST_LSPIRO3 3
#define TEXCAST_REFINE_ONCE 4
#define TEXCAST_REFINE 5
#define TEXCAST_CLUSTER 6
#define TEXCAST_CLUSTER_SEARCH 7

// One number for each of the four methods that belong to a quality.
#define TEXCAST_BY_METHOD(method, refine_once, refine, cluster, cluster_search) \
  ((method) == TEXCAST_REFINE_ONCE ? (refine_once)                              \
   : (method) == TEXCAST_REFINE    ? (refine)                                   \
   : (method) == TEXCAST_CLUSTER   ? (cluster)                                  \
                                   : (cluster_search))

// A BC4 block by least squares: the number of starts (bc4_starts.h); whether the six-value order is tried if texels are
// near 0 or 255, for a single channel and for the luma of scaled YCoCg; up to how many steps around the best end points
// all others are tried.
#define TEXCAST_BC4_STARTS(method) TEXCAST_BY_METHOD(method, 1, 4, 8, 24)
#define TEXCAST_CHANNEL_SIX_VALUES(method) TEXCAST_BY_METHOD(method, 1, 1, 1, 1)
#define TEXCAST_LUMA_SIX_VALUES(method) TEXCAST_BY_METHOD(method, 0, 0, 1, 1)
#define TEXCAST_BC4_WINDOW(method) TEXCAST_BY_METHOD(method, 0, 0, 0, 2)
#define TEXCAST_SIX_VALUE_STARTS 4

// A BC4 block of YCoCg-BC4, which has the methods range and refine: least-squares fits after the range fit.
#define TEXCAST_PLANE_FITS(method) ((method) == TEXCAST_RANGE ? 0 : 1)

// The colour half of scaled YCoCg: least-squares fits before its end points are rounded (at least 1), fits after that,
// and rounds of a search among the neighbouring end points.
#define TEXCAST_CHROMA_LINE_FITS(method) TEXCAST_BY_METHOD(method, 1, 1, 2, 3)
#define TEXCAST_CHROMA_FITS(method) TEXCAST_BY_METHOD(method, 0, 1, 2, 4)
#define TEXCAST_CHROMA_WALK(method) TEXCAST_BY_METHOD(method, 0, 0, 0, 8)

// An EAC block: how many multipliers of each table are tried, downwards from the one with which its values reach from
// the lowest texel to the highest, rounded down after adding so many eighths; at how many positions of the base; for
// how many of these settings, the best so far, the base is then moved to the texels' optimum (0: for all), and how
// often; how many bases on either side of the best one are tried after that; whether all 65,536 settings are tried in
// the end.
#define TEXCAST_EAC_MULTIPLIERS(method) TEXCAST_BY_METHOD(method, 1, 2, 3, 3)
#define TEXCAST_EAC_ADDED(method) TEXCAST_BY_METHOD(method, 4, 0, 0, 0)
#define TEXCAST_EAC_STARTS(method) TEXCAST_BY_METHOD(method, 1, 1, 3, 3)
#define TEXCAST_EAC_KEPT(method) TEXCAST_BY_METHOD(method, 1, 3, 0, 0)
#define TEXCAST_EAC_ROUNDS(method) TEXCAST_BY_METHOD(method, 1, 2, 2, 2)
#define TEXCAST_EAC_WINDOW(method) TEXCAST_BY_METHOD(method, 1, 1, 2, 2)
#define TEXCAST_EAC_ALL(method) TEXCAST_BY_METHOD(method, 0, 0, 0, 1)

// BC7 by refinement (bc7/refine.cl): how many of BC7_LIKELY_PARTITIONS are estimated; how many of them are tried with
// mode 1, mode 3 and (blocks with alpha) mode 7; how often the best of all is fitted again; steps of the power method
// for the principal axis of a block and of a subset.
#define TEXCAST_BC7_ESTIMATES(method) TEXCAST_BY_METHOD(method, 16, 32, 64, 64)
#define TEXCAST_BC7_LAST_FITS(method) TEXCAST_BY_METHOD(method, 0, 1, 0, 0)
#define TEXCAST_BC7_POWERS 2
#define TEXCAST_BC7_SUBSET_POWERS 1

// BC7 by search (bc7/search.cl): the same, among all partitions; modes 0 and 2 too; the number of rotations of modes 4
// and 5; least-squares fits after the first end points; rounds of a search among the neighbours of every candidate, and
// of the best one.
#define TEXCAST_BC7_MODE_1(method) TEXCAST_BY_METHOD(method, 1, 1, 8, 16)
#define TEXCAST_BC7_MODE_3(method) TEXCAST_BY_METHOD(method, 0, 1, 4, 16)
#define TEXCAST_BC7_MODE_7(method) TEXCAST_BY_METHOD(method, 1, 1, 8, 16)
#define TEXCAST_BC7_MODE_0(method) TEXCAST_BY_METHOD(method, 0, 0, 3, 4)
#define TEXCAST_BC7_MODE_2(method) TEXCAST_BY_METHOD(method, 0, 0, 3, 4)
#define TEXCAST_BC7_ROTATIONS 4
#define TEXCAST_BC7_FITS 2
#define TEXCAST_BC7_WALKS(method) TEXCAST_BY_METHOD(method, 0, 0, 0, 1)
#define TEXCAST_BC7_LAST_WALKS(method) TEXCAST_BY_METHOD(method, 0, 0, 1, 2)

// LSpiro's third step is repeated from the best of a neighbourhood, at most so many times; 1.5 are usual.
#define TEXCAST_LSPIRO_ROUNDS 8

// Cluster fit with search: the steps of the neighbourhood search, and the number of texels that may become black (a
// line needs at least two others).
#define TEXCAST_SEARCH_ROUNDS 4
#define TEXCAST_MOST_BLACK 14

#endif
