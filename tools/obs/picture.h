// picture.h — the picture of a stream on OBS's GPU.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <graphics/graphics.h>

#include <array>
#include <cstdint>
#include <memory>

#include "receiver.h"
#include "texcast/format.h"

namespace texcast::obs {

// A texture of OBS whose OpenGL object holds the blocks of one plane in the format that they have. (libobs itself has
// names for three block formats only.) Inside of OBS's graphics context, including its end.
class PlaneTexture {
 public:
  PlaneTexture() = default;
  ~PlaneTexture() { gs_texture_destroy(texture_); }
  PlaneTexture(const PlaneTexture&) = delete;
  PlaneTexture& operator=(const PlaneTexture&) = delete;

  // False: OpenGL refused it.
  bool upload(const Coding& coding, const PlaneLayout& plane, std::span<const std::byte> blocks);
  gs_texture_t* get() const { return texture_; }

 private:
  gs_texture_t* texture_ = nullptr;
  CodingId coding_{};
  int width_ = 0, height_ = 0;  // of the OpenGL object; 0: it holds nothing yet
};

// Uploads the blocks of pictures, and draws each picture once into an RGBA texture, in which OBS can scale and blend it
// like any other. All calls inside of OBS's graphics context, including the end.
class StreamPicture {
 public:
  // `effect`: of the plugin, and living longer than this.
  explicit StreamPicture(gs_effect_t* effect) : effect_(effect) {}
  ~StreamPicture() { gs_texrender_destroy(drawn_); }
  StreamPicture(const StreamPicture&) = delete;
  StreamPicture& operator=(const StreamPicture&) = delete;

  void show(const Picture& picture);
  gs_texture_t* texture() const;  // premultiplied; null: nothing has been shown
  const TextureDesc& desc() const { return desc_; }

 private:
  bool upload(const Picture& picture, const TextureLayout& layout);
  void set_parameters(const TextureLayout& layout);
  void draw(const char* technique);

  gs_effect_t* const effect_;
  TextureDesc desc_{};
  std::array<PlaneTexture, 3> planes_;
  gs_texrender_t* drawn_ = nullptr;
  bool complained_ = false;
};

}  // namespace texcast::obs
