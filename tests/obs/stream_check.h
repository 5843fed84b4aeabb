// stream_check.h — a receiver of libtexcast that compares what arrives with a picture.
#pragma once

#include <algorithm>
#include <mutex>
#include <string>

#include "pictures.h"
#include "texcast/decoder.h"
#include "texcast/stream_receiver.h"

namespace texcast::test {

class StreamCheck {
 public:
  explicit StreamCheck(const std::string& passphrase = "")
      : receiver_({.listen = "rtp://127.0.0.1:0", .passphrase = passphrase},
                  [this](const ReceivedTexture& received) { on(received); }) {}
  std::string address() const { return receiver_.send_to().at(0); }

  // The PSNR of the newest frame; 0: there is none, or it has another size.
  double psnr_to(const DecodedImage& wanted) const {
    const std::lock_guard lock(mutex_);
    return psnr_db(as_rgba(newest_), wanted);
  }
  TextureFormat format() const {
    const std::lock_guard lock(mutex_);
    return format_;
  }
  int frames() const {
    const std::lock_guard lock(mutex_);
    return frames_;
  }
  DecodedImage newest() const {
    const std::lock_guard lock(mutex_);
    return as_rgba(newest_);
  }

 private:
  static DecodedImage as_rgba(const DecodedImage& image) {
    if (image.channels == 4 || image.pixels.empty()) return image;
    DecodedImage rgba;
    rgba.resize(image.width, image.height, 4);
    for (size_t i = 0; i < rgba.pixels.size(); ++i)
      rgba.pixels[i] = i % 4 == 3 ? uint8_t{255} : image.pixels[i / 4 * static_cast<size_t>(image.channels) + i % 4];
    return rgba;
  }
  void on(const ReceivedTexture& received) {
    const std::lock_guard lock(mutex_);
    decode_texture(received.texture, newest_);
    format_ = received.texture.desc.format;
    ++frames_;
  }

  mutable std::mutex mutex_;
  DecodedImage newest_;
  TextureFormat format_{};
  int frames_ = 0;
  StreamReceiver receiver_;  // the last, so that it ends first
};

}  // namespace texcast::test
