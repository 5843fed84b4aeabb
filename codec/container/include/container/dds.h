// dds.h — one texture in a DDS file: a 128-byte header, then the blocks exactly as they are.
//
// A DDS header has no place for colour: what is read back says BT.709, full range, which is what texcast's own
// blocks mean. Bytes only. Thread-safe.
#pragma once

#include <array>

#include "base/bytes.h"
#include "base/result.h"
#include "texcast/format.h"

namespace texcast::container {

inline constexpr size_t kDdsHeaderBytes = 128;

bool dds_can_hold(TextureFormat format);  // bc1

// The header of a file with this texture and nothing else; its sizes are the true ones. Misuse if !dds_can_hold.
std::array<std::byte, kDdsHeaderBytes> make_dds_header(const TextureDesc& desc);

// The first image of a DDS file from outside, in place. Mip levels and array slices behind it are ignored; cube maps,
// volumes, other formats and files that break off are a Failure that says so.
Result<TextureView> read_dds(Bytes file);
// As read_dds, from the first bytes of a file alone (148 are enough): what is in it, without its blocks.
Result<TextureDesc> read_dds_header(Bytes start_of_file);

}  // namespace texcast::container
