// still_kinds.h — the implementations of still.h, one for each kind of file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "container/still.h"

namespace texcast::container {

std::unique_ptr<StillWriter> make_dds_writer(const StillOptions& options);
Result<StillInfo> inspect_dds(Bytes file, const StillPart& part);
Result<void> check_dds(Bytes file, const StillPart& part);
Result<void> read_dds(Bytes file, MutableBytes blocks, const StillPart& part);
void each_dds_image(Bytes file, const TakeImage& take);
Result<uint64_t> dds_bytes(Bytes head);
bool looks_like_dds(Bytes start_of_file);

std::unique_ptr<StillWriter> make_ktx2_writer(const StillOptions& options);
Result<StillInfo> inspect_ktx2(Bytes file, const StillPart& part);
Result<void> check_ktx2(Bytes file, const StillPart& part);
Result<void> read_ktx2(Bytes file, MutableBytes blocks, const StillPart& part);
void each_ktx2_image(Bytes file, const TakeImage& take);
Result<uint64_t> ktx2_bytes(Bytes head);
bool looks_like_ktx2(Bytes start_of_file);

std::unique_ptr<StillWriter> make_astc_writer();
Result<StillInfo> inspect_astc(Bytes file, const StillPart& part);
Result<void> check_astc(Bytes file, const StillPart& part);
Result<void> read_astc(Bytes file, MutableBytes blocks, const StillPart& part);
void each_astc_image(Bytes file, const TakeImage& take);
Result<uint64_t> astc_bytes(Bytes head);
bool looks_like_astc(Bytes start_of_file);

// How many images a file has in each dimension.
struct StillCounts {
  int levels = 1, layers = 1, faces = 1;
};
// Checks that the part is one of them.
Result<void> check_part(const StillPart& part, const StillCounts& counts);
// The same Failure for an image after which `lost` others cannot be read either.
Failure with_lost(const Failure& failure, uint64_t lost);

}  // namespace texcast::container
