// picture_encoders.h — encoders of single pictures, which are kept for the next picture of the same kind.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>

#include "stream/mip_encoder.h"
#include "texcast/encoder.h"

namespace texcast::cli {

struct PictureEncoder {
  EncoderSettings settings;                   // by which it was made
  std::optional<stream::MipSettings> filter;  // of mip levels; none: one level
  std::unique_ptr<Encoder> encoder;
  std::unique_ptr<stream::MipEncoder> mips;  // null: one level
};

// Thread-safe. As long as one encoder exists, others of its device need neither a context nor a program of their own.
class PictureEncoders {
 public:
  // At most `most_kept` encoders that nobody uses are kept. `mip_threads`: of each encoder, besides its caller's.
  PictureEncoders(size_t most_kept, int mip_threads) : most_kept_(most_kept), mip_threads_(mip_threads) {}
  // The most recently used encoder of this kind that is free, or a new one. Throws what make_encoder throws.
  std::unique_ptr<PictureEncoder> take(const EncoderSettings& settings, std::optional<stream::MipSettings> filter);
  // An encoder that has finished its picture. One that failed is not given back.
  void give_back(std::unique_ptr<PictureEncoder> encoder);

 private:
  const size_t most_kept_;
  const int mip_threads_;
  std::mutex making_;  // one at a time: the next one then finds the programs built
  std::mutex mutex_;
  std::list<std::unique_ptr<PictureEncoder>> free_;  // the most recently used first
};

}  // namespace texcast::cli
