// picture_decoder.h — decodes textures to frames of raw video, on several threads.
#pragma once

#include <gst/video/video.h>

#include <memory>
#include <string>
#include <vector>

#include "device_pictures.h"
#include "texcast/format.h"
#include "texcast/picture_converter.h"

namespace texcast::gstreamer {

// Not thread-safe. Formats of is_picture_format() are written by libtexcast: by a device, or with the same bytes by the
// CPU. Other packed RGB and gray is written by threads here, and GstVideoConverter converts the rest.
class PictureDecoder {
 public:
  PictureDecoder();
  ~PictureDecoder();
  PictureDecoder(const PictureDecoder&) = delete;
  PictureDecoder& operator=(const PictureDecoder&) = delete;

  // Decodes on a device from now on, where it can, as soon as it is ready. No device is used before. Arguments as for
  // DevicePictures::use().
  void use_device(std::string device, DevicePictures::OnFailure on_failure);
  // Ends what has threads or a device. No device is used from now on.
  void release();
  // The frames that decode() writes. False: there is no conversion to this format.
  bool set_output(const GstVideoInfo& info);
  // `frame` is mapped for writing, as set_output() says, in the size of the texture. Throws what decode_texture()
  // throws.
  void decode(const TextureView& texture, GstVideoFrame& frame);
  // Whether a device has decoded the last frame.
  bool is_by_device() const { return is_by_device_; }

 private:
  struct Band;
  void decode_bands(const TextureView& texture, GstVideoFrame& frame);
  void decode_by_library(const TextureView& texture, const FrameFormat& to, const MutablePlanes& planes);
  void decode_by_gstreamer(const TextureView& texture, GstVideoFrame& frame);
  bool make_converter();

  struct Unref {
    void operator()(GstTaskPool* pool) const;
    void operator()(GstVideoConverter* converter) const { gst_video_converter_free(converter); }
    void operator()(GstBuffer* buffer) const { gst_buffer_unref(buffer); }
  };
  std::unique_ptr<GstTaskPool, Unref> workers_;
  std::vector<std::unique_ptr<Band>> bands_;
  GstVideoInfo output_{};
  DevicePictures device_{};
  bool is_by_device_ = false;
  std::unique_ptr<PictureConverter> cpu_;
  PictureConversion cpu_conversion_{};  // of cpu_
  // For formats that neither we nor libtexcast write: the picture in RGBA, and how it is converted.
  GstVideoInfo middle_info_{};
  std::unique_ptr<GstBuffer, Unref> middle_;
  std::unique_ptr<GstVideoConverter, Unref> converter_;
};

}  // namespace texcast::gstreamer
