// bc7_likely.h — BC7's partitions into two, the most frequent in films and desktops first, for the encoder's kernel and
// for codec/ref. Plain C that both C++ and OpenCL C compile.
#ifndef TEXCAST_KERNELS_BC7_LIKELY_H
#define TEXCAST_KERNELS_BC7_LIKELY_H

// A path through the list along which one side of the cut gains (IN) or loses (OUT) about three texels from one
// partition to the next: RANK(partition, texels inside). The first 16 are the likeliest, then come the next 16, then
// the others.
// clang-format off
#define BC7_LIKELY_PARTITIONS(IN, OUT, RANK) \
  IN(0) IN(4) IN(8) IN(c) RANK(2, 4) OUT(0) OUT(4) IN(d) RANK(22, 3) IN(4) IN(9) IN(e) RANK(21, 6) OUT(4) OUT(8) \
  OUT(9) IN(f) RANK(15, 4) IN(7) IN(a) IN(b) OUT(c) RANK(7, 6) IN(3) OUT(a) OUT(d) OUT(e) RANK(1, 4) IN(2) IN(6) \
  IN(a) IN(e) RANK(0, 8) IN(1) OUT(e) RANK(23, 8) OUT(a) OUT(f) RANK(19, 6) IN(0) IN(5) RANK(16, 8) IN(4) OUT(b) \
  RANK(13, 8) OUT(7) IN(8) RANK(10, 8) OUT(3) OUT(6) RANK(6, 6) OUT(2) OUT(5) OUT(8) RANK(9, 3) IN(2) IN(3) OUT(4) \
  RANK(14, 4) IN(8) IN(9) IN(a) IN(b) RANK(33, 8) \
  OUT(0) OUT(1) IN(6) IN(7) RANK(61, 8) OUT(2) OUT(3) IN(4) IN(5) RANK(29, 8) OUT(4) OUT(5) OUT(7) OUT(8) IN(e) \
  RANK(50, 5) IN(3) IN(7) OUT(9) IN(d) IN(f) RANK(3, 8) OUT(3) OUT(6) OUT(7) OUT(a) RANK(11, 4) OUT(d) RANK(8, 3) \
  IN(7) RANK(4, 4) IN(2) IN(3) OUT(e) OUT(f) RANK(24, 4) OUT(b) RANK(20, 3) IN(1) RANK(17, 4) IN(0) OUT(3) IN(4) \
  OUT(7) RANK(12, 4) OUT(2) IN(8) RANK(5, 4) OUT(0) OUT(1) IN(c) IN(d) RANK(25, 4) OUT(4) IN(e) RANK(18, 4) IN(2) \
  IN(6) IN(9) IN(a) RANK(62, 8) IN(1) IN(5) OUT(8) OUT(c) RANK(26, 8) \
  OUT(1) OUT(2) OUT(6) IN(8) OUT(e) RANK(51, 5) IN(6) OUT(8) OUT(d) RANK(47, 4) IN(0) IN(3) IN(c) IN(f) \
  RANK(44, 8) OUT(0) IN(2) IN(8) OUT(a) RANK(53, 8) IN(1) OUT(3) OUT(9) IN(b) RANK(46, 8) OUT(5) IN(7) IN(d) \
  OUT(f) RANK(54, 8) OUT(8) IN(a) OUT(d) IN(f) RANK(57, 8) IN(4) OUT(6) IN(9) OUT(b) RANK(38, 8) IN(5) OUT(7) \
  IN(8) OUT(a) RANK(56, 8) IN(3) IN(6) OUT(9) OUT(c) RANK(58, 8) OUT(2) OUT(5) IN(a) IN(d) RANK(39, 8) OUT(1) \
  OUT(6) IN(9) IN(e) RANK(59, 8) IN(2) IN(7) OUT(a) OUT(f) RANK(55, 8) IN(5) OUT(7) OUT(d) IN(f) RANK(45, 8) IN(1) \
  OUT(3) OUT(9) IN(b) RANK(52, 8) IN(0) OUT(2) OUT(5) IN(7) RANK(27, 8) IN(5) IN(a) RANK(42, 10) OUT(7) OUT(8) \
  RANK(35, 8) IN(2) IN(d) RANK(41, 10) OUT(5) OUT(a) RANK(28, 8) OUT(1) IN(6) IN(9) OUT(e) RANK(37, 8) OUT(2) \
  IN(5) IN(a) OUT(d) RANK(30, 8) OUT(6) OUT(9) RANK(40, 6) OUT(0) IN(6) IN(7) IN(e) RANK(60, 8) IN(2) OUT(4) \
  OUT(b) OUT(e) OUT(f) RANK(49, 5) IN(0) OUT(6) IN(8) IN(d) IN(f) RANK(34, 8) IN(3) OUT(5) IN(b) IN(c) IN(e) \
  RANK(48, 11) OUT(0) IN(4) IN(5) OUT(7) OUT(8) OUT(e) OUT(f) RANK(36, 8) OUT(5) IN(7) IN(8) OUT(a) RANK(31, 8) \
  IN(6) IN(9) RANK(43, 10) IN(0) OUT(9) OUT(b) OUT(d) RANK(63, 8) OUT(3) OUT(7) IN(a) IN(e) RANK(32, 8)
// clang-format on

// The share of a subset's variance along its line that counts as residual; its indices are close together.
#define BC7_SHARE_ALONG 0.005f

#endif
