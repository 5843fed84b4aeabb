// Encoder and decoder.
#include "texcast/c/encoder.h"

#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include "conversions.h"
#include "texcast/c/decoder.h"
#include "texcast/decoder.h"

struct texcast_encoder {
  explicit texcast_encoder(const texcast::EncoderSettings& settings)
      : encoder(make_encoder(settings)), device_name(encoder->device_name()) {}

  std::mutex mutex{};  // held by every call
  std::unique_ptr<texcast::Encoder> encoder;
  const std::string device_name;
};

using namespace texcast;
using namespace texcast::c;

texcast_status texcast_encoder_create(const texcast_frame* source, const texcast_encoder_settings* settings,
                                      texcast_encoder** encoder, texcast_error* error) {
  return guarded(error, [&] {
    texcast_encoder*& out = handle_out(encoder, "encoder");
    out = new texcast_encoder(encoder_settings(source, settings));
    return TEXCAST_OK;
  });
}

texcast_status texcast_encoder_submit(texcast_encoder* encoder, const texcast_frame* frame, texcast_error* error) {
  return guarded(error, [&] {
    texcast_encoder& self = required(encoder, "encoder");
    const texcast_frame given = input(frame, "frame");
    const FrameView view = frame_view(given);
    const std::lock_guard lock(self.mutex);
    self.encoder->submit(view, {.pts = nanoseconds(given.pts_ns), .available = wall_now()});
    return TEXCAST_OK;
  });
}

texcast_status texcast_encoder_next(texcast_encoder* encoder, texcast_texture* texture, texcast_error* error) {
  return guarded(error, [&] {
    texcast_encoder& self = required(encoder, "encoder");
    const Output out(texture, "texture");
    const std::lock_guard lock(self.mutex);
    if (self.encoder->in_flight() == 0) return TEXCAST_END;
    const EncodedFrame frame = self.encoder->next();
    out.set(c_texture(frame.texture, frame.times.pts));
    return TEXCAST_OK;
  });
}

int32_t texcast_encoder_in_flight(texcast_encoder* encoder) {
  return guarded_or<int32_t>(0, [&] {
    texcast_encoder& self = required(encoder, "encoder");
    const std::lock_guard lock(self.mutex);
    return self.encoder->in_flight();
  });
}

int32_t texcast_encoder_capacity(texcast_encoder* encoder) {
  return guarded_or<int32_t>(0, [&] {
    texcast_encoder& self = required(encoder, "encoder");
    const std::lock_guard lock(self.mutex);
    return self.encoder->capacity();
  });
}

texcast_status texcast_encoder_get_texture(texcast_encoder* encoder, texcast_texture* texture, texcast_error* error) {
  return guarded(error, [&] {
    texcast_encoder& self = required(encoder, "encoder");
    const Output out(texture, "texture");
    const std::lock_guard lock(self.mutex);
    out.set(c_texture(self.encoder->texture_desc()));
    return TEXCAST_OK;
  });
}

const char* texcast_encoder_device_name(const texcast_encoder* encoder) {
  return encoder ? encoder->device_name.c_str() : nullptr;
}

void texcast_encoder_destroy(texcast_encoder* encoder) { delete encoder; }

namespace {

// The picture that decode_texture() makes of a texture of this description.
texcast_image c_image(const TextureDesc& desc) {
  static_assert(static_cast<int>(SampleType::unorm16) == TEXCAST_SAMPLES_UNORM16);
  static_assert(static_cast<int>(SampleType::half) == TEXCAST_SAMPLES_HALF);
  const SampleType samples = plane_coding(desc.format, 0).sample_type;
  const int channels = channel_count(desc.format);
  const size_t pixel_bytes = static_cast<size_t>(channels) * static_cast<size_t>(sample_bytes(samples));
  return {.struct_size = sizeof(texcast_image),
          .bytes = static_cast<size_t>(desc.width) * static_cast<size_t>(desc.height) * pixel_bytes,
          .width = desc.width,
          .height = desc.height,
          .channels = channels,
          .samples = static_cast<texcast_sample_type>(samples)};
}

}  // namespace

texcast_status texcast_decode_get_image(const texcast_texture* texture, texcast_image* image, texcast_error* error) {
  return guarded(error, [&] {
    const Output out(image, "texcast_image");
    out.set(c_image(texture_desc(input(texture, "texture"))));
    return TEXCAST_OK;
  });
}

texcast_status texcast_decode(const texcast_texture* texture, void* pixels, size_t bytes, texcast_error* error) {
  return guarded(error, [&] {
    const TextureView view = texture_view(input(texture, "texture"));
    required(static_cast<std::byte*>(pixels), "pixels");
    if (const size_t needed = c_image(view.desc).bytes; bytes != needed)
      throw_misuse("the picture has " + std::to_string(needed) + " bytes, but there is memory for " +
                   std::to_string(bytes));
    DecodedImage image;
    decode_texture(view, image);
    std::memcpy(pixels, image.pixels.data(), bytes);
    return TEXCAST_OK;
  });
}
