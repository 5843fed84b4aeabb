// quality_check.h — the PSNR of encoded textures against their sources.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "texcast/decoder.h"
#include "texcast/format.h"
#include "texcast/image.h"

namespace texcast::cli {

// Decodes what goes into the file and measures its PSNR against the source. Keeps the pictures of frames in flight.
class QualityCheck {
 public:
  QualityCheck(int frames_in_flight, TextureFormat format)
      : sources_(static_cast<size_t>(frames_in_flight)),
        channels_(channel_count(format)),
        samples_(plane_coding(format, 0).sample_type) {}

  void submitted(const FrameView& frame) {
    convert_to_channels(frame, channels_, sources_[next_in_++ % sources_.size()], samples_);
  }
  void encoded(const TextureView& texture) {
    decode_texture(texture, decoded_, EndpointExpansion::replicate);
    const DecodedImage& source = sources_[next_out_ % sources_.size()];
    clip_.add(source, decoded_);
    PsnrMeter one;
    one.add(source, decoded_);
    if (one.psnr_db() < worst_db_) {
      worst_db_ = one.psnr_db();
      worst_frame_ = next_out_;
    }
    ++next_out_;
  }
  double clip_db() const { return clip_.psnr_db(); }
  bool has_alpha() const { return channels_ == 4; }
  double alpha_db() const { return clip_.alpha_psnr_db(); }
  double worst_db() const { return worst_db_; }
  size_t worst_frame() const { return worst_frame_; }

 private:
  std::vector<DecodedImage> sources_;
  int channels_;
  SampleType samples_;
  DecodedImage decoded_;
  PsnrMeter clip_;
  double worst_db_ = std::numeric_limits<double>::infinity();
  size_t worst_frame_ = 0;
  size_t next_in_ = 0;
  size_t next_out_ = 0;
};

}  // namespace texcast::cli
