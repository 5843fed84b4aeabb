// bc6h.h — BC6H: the bit layout of each mode, the partitions, and the effort of each method. Plain C that both C++ and
// OpenCL C compile, after effort.h. The tables are those of the format (Khronos Data Format 1.3, section 19; Direct3D
// 11.3 functional specification, section 19.5).
#ifndef TEXCAST_KERNELS_BC6H_H
#define TEXCAST_KERNELS_BC6H_H

// How many of the 32 partitions are tried, those with the least residual beside two straight lines; 0: only one region.
#define TEXCAST_BC6H_PARTITIONS(method) TEXCAST_BY_METHOD(method, 0, 0, 4, 16)
// Least-squares fits, starting with the indices along a line.
#define TEXCAST_BC6H_FITS(method) TEXCAST_BY_METHOD(method, 1, 2, 2, 3)
// Rounds of a search among the neighbouring end points of the best block.
#define TEXCAST_BC6H_WALK(method) TEXCAST_BY_METHOD(method, 0, 0, 0, 3)

#define TEXCAST_BC6H_LARGEST 0x7BFF  // the bits of a half: 65504

// Texel i belongs to region 1 if bit i is set. Texel 0 is the anchor of region 0, whose index is below half;
// TEXCAST_BC6H_ANCHORS lists those of region 1.
#define TEXCAST_BC6H_REGIONS                                                                                          \
  0xCCCC, 0x8888, 0xEEEE, 0xECC8, 0xC880, 0xFEEC, 0xFEC8, 0xEC80, 0xC800, 0xFFEC, 0xFE80, 0xE800, 0xFFE8, 0xFF00,     \
      0xFFF0, 0xF000, 0xF710, 0x008E, 0x7100, 0x08CE, 0x008C, 0x7310, 0x3100, 0x8CCE, 0x088C, 0x3110, 0x6666, 0x366C, \
      0x17E8, 0x0FF0, 0x718E, 0x399C
#define TEXCAST_BC6H_ANCHORS \
  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2

// A row per mode, number 1 of the specification first: its bits, the number of these, regions, bits of an end point,
// and bits of the differences from the first end point in red, green and blue. The latter are as many as those of an
// end point if the mode has no differences.
#define TEXCAST_BC6H_MODES                                                                                         \
  {0x00, 2, 2, 10, 5, 5, 5}, {0x01, 2, 2, 7, 6, 6, 6}, {0x02, 5, 2, 11, 5, 4, 4}, {0x06, 5, 2, 11, 4, 5, 4},       \
      {0x0A, 5, 2, 11, 4, 4, 5}, {0x0E, 5, 2, 9, 5, 5, 5}, {0x12, 5, 2, 8, 6, 5, 5}, {0x16, 5, 2, 8, 5, 6, 5},     \
      {0x1A, 5, 2, 8, 5, 5, 6}, {0x1E, 5, 2, 6, 6, 6, 6}, {0x03, 5, 1, 10, 10, 10, 10}, {0x07, 5, 1, 11, 9, 9, 9}, \
      {0x0B, 5, 1, 12, 8, 8, 8}, {                                                                                 \
    0x0F, 5, 1, 16, 4, 4, 4                                                                                        \
  }
#define TEXCAST_BC6H_MODE_COUNT 14

// The order in which an encoder tries whether the end points fit a mode: the finest first. Ten modes have two regions,
// four have one.
#define TEXCAST_BC6H_FINEST_OF_TWO 2, 3, 4, 0, 5, 6, 7, 8, 1, 9
#define TEXCAST_BC6H_FINEST_OF_ONE 13, 12, 11, 10

// The fields after the mode's bits, in order: RUN(number, first bit, bits), the lowest first. The number is 3 times the
// end point (W, X of region 0; Y, Z of region 1) plus the channel.
#define TEXCAST_RW 0
#define TEXCAST_GW 1
#define TEXCAST_BW 2
#define TEXCAST_RX 3
#define TEXCAST_GX 4
#define TEXCAST_BX 5
#define TEXCAST_RY 6
#define TEXCAST_GY 7
#define TEXCAST_BY 8
#define TEXCAST_RZ 9
#define TEXCAST_GZ 10
#define TEXCAST_BZ 11
#define TEXCAST_BC6H_RUN(number, first, bits) (TEXCAST_##number << 8 | (first) << 4 | (bits))
#define TEXCAST_BC6H_MOST_RUNS 24  // modes with fewer are padded with zeros
#define TEXCAST_BC6H_FIELDS(RUN)                                                                                       \
  {RUN(GY, 4, 1), RUN(BY, 4, 1), RUN(BZ, 4, 1), RUN(RW, 0, 10), RUN(GW, 0, 10), RUN(BW, 0, 10), RUN(RX, 0, 5),         \
   RUN(GZ, 4, 1), RUN(GY, 0, 4), RUN(GX, 0, 5), RUN(BZ, 0, 1),  RUN(GZ, 0, 4),  RUN(BX, 0, 5),  RUN(BZ, 1, 1),         \
   RUN(BY, 0, 4), RUN(RY, 0, 5), RUN(BZ, 2, 1), RUN(RZ, 0, 5),  RUN(BZ, 3, 1)},                                        \
      {RUN(GY, 5, 1), RUN(GZ, 4, 2), RUN(RW, 0, 7), RUN(BZ, 0, 2), RUN(BY, 4, 1), RUN(GW, 0, 7), RUN(BY, 5, 1),        \
       RUN(BZ, 2, 1), RUN(GY, 4, 1), RUN(BW, 0, 7), RUN(BZ, 3, 1), RUN(BZ, 5, 1), RUN(BZ, 4, 1), RUN(RX, 0, 6),        \
       RUN(GY, 0, 4), RUN(GX, 0, 6), RUN(GZ, 0, 4), RUN(BX, 0, 6), RUN(BY, 0, 4), RUN(RY, 0, 6), RUN(RZ, 0, 6)},       \
      {RUN(RW, 0, 10), RUN(GW, 0, 10), RUN(BW, 0, 10), RUN(RX, 0, 5), RUN(RW, 10, 1), RUN(GY, 0, 4),                   \
       RUN(GX, 0, 4),  RUN(GW, 10, 1), RUN(BZ, 0, 1),  RUN(GZ, 0, 4), RUN(BX, 0, 4),  RUN(BW, 10, 1),                  \
       RUN(BZ, 1, 1),  RUN(BY, 0, 4),  RUN(RY, 0, 5),  RUN(BZ, 2, 1), RUN(RZ, 0, 5),  RUN(BZ, 3, 1)},                  \
      {RUN(RW, 0, 10), RUN(GW, 0, 10), RUN(BW, 0, 10), RUN(RX, 0, 4), RUN(RW, 10, 1), RUN(GZ, 4, 1), RUN(GY, 0, 4),    \
       RUN(GX, 0, 5),  RUN(GW, 10, 1), RUN(GZ, 0, 4),  RUN(BX, 0, 4), RUN(BW, 10, 1), RUN(BZ, 1, 1), RUN(BY, 0, 4),    \
       RUN(RY, 0, 4),  RUN(BZ, 0, 1),  RUN(BZ, 2, 1),  RUN(RZ, 0, 4), RUN(GY, 4, 1),  RUN(BZ, 3, 1)},                  \
      {RUN(RW, 0, 10), RUN(GW, 0, 10), RUN(BW, 0, 10), RUN(RX, 0, 4), RUN(RW, 10, 1), RUN(BY, 4, 1),  RUN(GY, 0, 4),   \
       RUN(GX, 0, 4),  RUN(GW, 10, 1), RUN(BZ, 0, 1),  RUN(GZ, 0, 4), RUN(BX, 0, 5),  RUN(BW, 10, 1), RUN(BY, 0, 4),   \
       RUN(RY, 0, 4),  RUN(BZ, 1, 2),  RUN(RZ, 0, 4),  RUN(BZ, 4, 1), RUN(BZ, 3, 1)},                                  \
      {RUN(RW, 0, 9), RUN(BY, 4, 1), RUN(GW, 0, 9), RUN(GY, 4, 1), RUN(BW, 0, 9), RUN(BZ, 4, 1), RUN(RX, 0, 5),        \
       RUN(GZ, 4, 1), RUN(GY, 0, 4), RUN(GX, 0, 5), RUN(BZ, 0, 1), RUN(GZ, 0, 4), RUN(BX, 0, 5), RUN(BZ, 1, 1),        \
       RUN(BY, 0, 4), RUN(RY, 0, 5), RUN(BZ, 2, 1), RUN(RZ, 0, 5), RUN(BZ, 3, 1)},                                     \
      {RUN(RW, 0, 8), RUN(GZ, 4, 1), RUN(BY, 4, 1), RUN(GW, 0, 8), RUN(BZ, 2, 1), RUN(GY, 4, 1),                       \
       RUN(BW, 0, 8), RUN(BZ, 3, 2), RUN(RX, 0, 6), RUN(GY, 0, 4), RUN(GX, 0, 5), RUN(BZ, 0, 1),                       \
       RUN(GZ, 0, 4), RUN(BX, 0, 5), RUN(BZ, 1, 1), RUN(BY, 0, 4), RUN(RY, 0, 6), RUN(RZ, 0, 6)},                      \
      {RUN(RW, 0, 8), RUN(BZ, 0, 1), RUN(BY, 4, 1), RUN(GW, 0, 8), RUN(GY, 5, 1), RUN(GY, 4, 1), RUN(BW, 0, 8),        \
       RUN(GZ, 5, 1), RUN(BZ, 4, 1), RUN(RX, 0, 5), RUN(GZ, 4, 1), RUN(GY, 0, 4), RUN(GX, 0, 6), RUN(GZ, 0, 4),        \
       RUN(BX, 0, 5), RUN(BZ, 1, 1), RUN(BY, 0, 4), RUN(RY, 0, 5), RUN(BZ, 2, 1), RUN(RZ, 0, 5), RUN(BZ, 3, 1)},       \
      {RUN(RW, 0, 8), RUN(BZ, 1, 1), RUN(BY, 4, 1), RUN(GW, 0, 8), RUN(BY, 5, 1), RUN(GY, 4, 1), RUN(BW, 0, 8),        \
       RUN(BZ, 5, 1), RUN(BZ, 4, 1), RUN(RX, 0, 5), RUN(GZ, 4, 1), RUN(GY, 0, 4), RUN(GX, 0, 5), RUN(BZ, 0, 1),        \
       RUN(GZ, 0, 4), RUN(BX, 0, 6), RUN(BY, 0, 4), RUN(RY, 0, 5), RUN(BZ, 2, 1), RUN(RZ, 0, 5), RUN(BZ, 3, 1)},       \
      {RUN(RW, 0, 6), RUN(GZ, 4, 1), RUN(BZ, 0, 2), RUN(BY, 4, 1), RUN(GW, 0, 6), RUN(GY, 5, 1),                       \
       RUN(BY, 5, 1), RUN(BZ, 2, 1), RUN(GY, 4, 1), RUN(BW, 0, 6), RUN(GZ, 5, 1), RUN(BZ, 3, 1),                       \
       RUN(BZ, 5, 1), RUN(BZ, 4, 1), RUN(RX, 0, 6), RUN(GY, 0, 4), RUN(GX, 0, 6), RUN(GZ, 0, 4),                       \
       RUN(BX, 0, 6), RUN(BY, 0, 4), RUN(RY, 0, 6), RUN(RZ, 0, 6)},                                                    \
      {RUN(RW, 0, 10), RUN(GW, 0, 10), RUN(BW, 0, 10), RUN(RX, 0, 10), RUN(GX, 0, 10), RUN(BX, 0, 10)},                \
      {RUN(RW, 0, 10), RUN(GW, 0, 10), RUN(BW, 0, 10), RUN(RX, 0, 9), RUN(RW, 10, 1),                                  \
       RUN(GX, 0, 9),  RUN(GW, 10, 1), RUN(BX, 0, 9),  RUN(BW, 10, 1)},                                                \
      {RUN(RW, 0, 10), RUN(GW, 0, 10), RUN(BW, 0, 10), RUN(RX, 0, 8), RUN(RW, 11, 1), RUN(RW, 10, 1),                  \
       RUN(GX, 0, 8),  RUN(GW, 11, 1), RUN(GW, 10, 1), RUN(BX, 0, 8), RUN(BW, 11, 1), RUN(BW, 10, 1)},                 \
  {                                                                                                                    \
    RUN(RW, 0, 10), RUN(GW, 0, 10), RUN(BW, 0, 10), RUN(RX, 0, 4), RUN(RW, 15, 1), RUN(RW, 14, 1), RUN(RW, 13, 1),     \
        RUN(RW, 12, 1), RUN(RW, 11, 1), RUN(RW, 10, 1), RUN(GX, 0, 4), RUN(GW, 15, 1), RUN(GW, 14, 1), RUN(GW, 13, 1), \
        RUN(GW, 12, 1), RUN(GW, 11, 1), RUN(GW, 10, 1), RUN(BX, 0, 4), RUN(BW, 15, 1), RUN(BW, 14, 1), RUN(BW, 13, 1), \
        RUN(BW, 12, 1), RUN(BW, 11, 1), RUN(BW, 10, 1)                                                                 \
  }

#endif
