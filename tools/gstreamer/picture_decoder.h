// picture_decoder.h — decodes textures to frames of raw video, on several threads.
#pragma once

#include <gst/video/video.h>

#include <memory>
#include <optional>
#include <vector>

#include "texcast/format.h"
#include "texcast/image.h"

namespace texcast::gstreamer {

// Not thread-safe. Packed RGB and gray are written directly; other formats are converted by GstVideoConverter.
class PictureDecoder {
 public:
  PictureDecoder();
  ~PictureDecoder();
  PictureDecoder(const PictureDecoder&) = delete;
  PictureDecoder& operator=(const PictureDecoder&) = delete;

  // The frames that decode() writes. False: there is no conversion to this format.
  bool set_output(const GstVideoInfo& info);
  // `frame` is mapped for writing, as set_output() says, in the size of the texture. Throws what decode_texture()
  // throws.
  void decode(const TextureView& texture, GstVideoFrame& frame);

 private:
  struct Band;
  void decode_bands(const TextureView& texture, GstVideoFrame& frame);

  struct Unref {
    void operator()(GstTaskPool* pool) const;
    void operator()(GstVideoConverter* converter) const { gst_video_converter_free(converter); }
    void operator()(GstBuffer* buffer) const { gst_buffer_unref(buffer); }
  };
  std::unique_ptr<GstTaskPool, Unref> workers_;
  std::vector<std::unique_ptr<Band>> bands_;
  GstVideoInfo output_{};
  // For formats that are not written directly: the picture in RGBA, and how it is converted.
  GstVideoInfo middle_info_{};
  std::unique_ptr<GstBuffer, Unref> middle_;
  std::unique_ptr<GstVideoConverter, Unref> converter_;
};

}  // namespace texcast::gstreamer
