// stills_by_hand.h — DDS and KTX2 files made from Microsoft's "DDS file layout" and the KTX 2.0 specification, without
// texcast's writers.
#pragma once

#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "base/bytes.h"

namespace texcast::test {

using FileBytes = std::vector<std::byte>;

// Byte n is n modulo 256, but never 0.
inline FileBytes numbered(size_t bytes) {
  FileBytes data(bytes);
  for (size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(1 + i % 251);
  return data;
}

// BC1, 8x8, two levels of 32 and 8 bytes, with or without a DX10 header.
inline FileBytes dds_by_hand(uint32_t layers, uint32_t misc, uint32_t caps2, size_t images) {
  FileBytes file(layers > 0 ? 148 : 128);
  const uint32_t words[] = {0x20534444, 124, 0x000A1007, 8, 8, 32, 0, 2};
  for (size_t i = 0; i < std::size(words); ++i) store_le32(file, 4 * i, words[i]);
  store_le32(file, 76, 32);
  store_le32(file, 80, 4);
  store_le32(file, 84, layers > 0 ? 0x30315844 : 0x31545844);  // "DX10", "DXT1"
  store_le32(file, 108, 0x401008);
  store_le32(file, 112, caps2);
  if (layers > 0) {
    store_le32(file, 128, 71);
    store_le32(file, 132, 3);
    store_le32(file, 136, misc);
    store_le32(file, 140, layers);
  }
  const FileBytes data = numbered(40 * images);
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

// With a checksum at its end.
inline FileBytes zstd_level(const FileBytes& plain) {
  FileBytes packed(ZSTD_compressBound(plain.size()));
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  packed.resize(ZSTD_compress2(context, packed.data(), packed.size(), plain.data(), plain.size()));
  ZSTD_freeCCtx(context);
  return packed;
}

// A KTX2 file of BC1 up to the level data: header, room for the level index, descriptor, no keys.
inline FileBytes ktx2_head_by_hand(uint32_t width, uint32_t height, uint32_t layers, uint32_t faces, uint32_t levels,
                                   uint32_t scheme) {
  const size_t dfd = 80 + 24 * size_t{levels};
  FileBytes file(dfd + 44 + 4);
  const unsigned char identifier[] = {0xAB, 'K', 'T', 'X', ' ', '2', '0', 0xBB, '\r', '\n', 0x1A, '\n'};
  std::ranges::copy(as_bytes_of(identifier), file.begin());
  const uint32_t fields[] = {131, 1, width, height, 0, layers, faces, levels, scheme, static_cast<uint32_t>(dfd), 44};
  for (size_t i = 0; i < std::size(fields); ++i) store_le32(file, 12 + 4 * i, fields[i]);
  store_le32(file, dfd, 44);
  store_le32(file, dfd + 8, 2 | 40 << 16);
  store_le32(file, dfd + 12, 128);
  store_le32(file, dfd + 16, 0x0303);
  store_le32(file, dfd + 20, 8);
  store_le32(file, dfd + 28, 63 << 16);
  store_le32(file, dfd + 40, 0xFFFFFFFF);
  return file;
}

// BC1, 8x8, two levels; the smaller one is first in the file.
inline FileBytes ktx2_by_hand(uint32_t layers, uint32_t faces, bool zstd) {
  const size_t images = std::max(layers, 1u) * faces;
  const FileBytes plain[2] = {numbered(32 * images), numbered(8 * images)};
  const FileBytes stored[2] = {zstd ? zstd_level(plain[0]) : plain[0], zstd ? zstd_level(plain[1]) : plain[1]};
  FileBytes file = ktx2_head_by_hand(8, 8, layers, faces, 2, zstd ? 2 : 0);
  for (const size_t level : {1, 0}) {
    store_le64(file, 80 + 24 * level, file.size());
    store_le64(file, 88 + 24 * level, stored[level].size());
    store_le64(file, 96 + 24 * level, plain[level].size());
    file.insert(file.end(), stored[level].begin(), stored[level].end());
  }
  return file;
}

}  // namespace texcast::test
