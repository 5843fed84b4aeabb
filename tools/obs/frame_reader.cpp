// SPDX-License-Identifier: GPL-2.0-or-later
#include "frame_reader.h"

#include <graphics/vec4.h>

namespace texcast::obs {
namespace {

// OBS's state of blending and of light, as it was before when this ends.
class DrawState {
 public:
  explicit DrawState(bool converts_to_values) {
    gs_blend_state_push();
    gs_enable_framebuffer_srgb(converts_to_values);
    gs_set_linear_srgb(true);
  }
  ~DrawState() {
    gs_set_linear_srgb(is_linear_);
    gs_enable_framebuffer_srgb(converts_);
    gs_blend_state_pop();
  }
  DrawState(const DrawState&) = delete;
  DrawState& operator=(const DrawState&) = delete;

 private:
  const bool converts_ = gs_framebuffer_srgb_enabled();
  const bool is_linear_ = gs_get_linear_srgb();
};

// Begins to draw into a transparent texture; false: libobs cannot.
bool begin(gs_texrender_t*& target, uint32_t width, uint32_t height) {
  if (!target) target = gs_texrender_create(GS_RGBA, GS_ZS_NONE);
  gs_texrender_reset(target);
  if (!gs_texrender_begin_with_color_space(target, width, height, GS_CS_SRGB)) return false;
  const vec4 nothing{};
  gs_clear(GS_CLEAR_COLOR, &nothing, 0.0F, 0);
  gs_ortho(0.0F, static_cast<float>(width), 0.0F, static_cast<float>(height), -100.0F, 100.0F);
  return true;
}

}  // namespace

FrameReader::~FrameReader() {
  for (const Stage& stage : stages_) gs_stagesurface_destroy(stage.surface);
  gs_texrender_destroy(straight_);
  gs_texrender_destroy(drawn_);
}

void FrameReader::read(obs_source_t* source, bool with_alpha, uint64_t time_ns, const OnFrame& on_frame) {
  const uint32_t width = obs_source_get_width(source), height = obs_source_get_height(source);
  Stage& now = stages_.at(next_);
  next_ = 1 - next_;
  Stage& before = stages_.at(next_);
  now.full = false;
  if (width > 0 && height > 0 && width <= kMaxFrameSize && height <= kMaxFrameSize && draw(source, width, height) &&
      (!with_alpha || divide_by_alpha(width, height))) {
    now.time_ns = time_ns;
    stage(now, gs_texrender_get_texture(with_alpha ? straight_ : drawn_),
          {.pixel_format = PixelFormat::rgba,
           .width = static_cast<int>(width),
           .height = static_cast<int>(height),
           .color = kFullRange,
           .opaque = !with_alpha});
  }
  if (!before.full) return;
  uint8_t* data = nullptr;
  uint32_t stride = 0;
  if (!gs_stagesurface_map(before.surface, &data, &stride)) return;
  on_frame(before.format, {reinterpret_cast<const std::byte*>(data), static_cast<std::ptrdiff_t>(stride)},
           before.time_ns);
  gs_stagesurface_unmap(before.surface);
  before.full = false;
}

bool FrameReader::draw(obs_source_t* source, uint32_t width, uint32_t height) {
  const DrawState state(false);
  gs_blend_function_separate(GS_BLEND_SRCALPHA, GS_BLEND_INVSRCALPHA, GS_BLEND_ONE, GS_BLEND_INVSRCALPHA);
  if (!begin(drawn_, width, height)) return false;
  obs_source_video_render(source);
  gs_texrender_end(drawn_);
  return true;
}

bool FrameReader::divide_by_alpha(uint32_t width, uint32_t height) {
  const DrawState state(true);
  gs_blend_function(GS_BLEND_ONE, GS_BLEND_ZERO);
  if (!begin(straight_, width, height)) return false;
  gs_effect_t* const effect = obs_get_base_effect(OBS_EFFECT_DEFAULT);
  gs_effect_set_texture_srgb(gs_effect_get_param_by_name(effect, "image"), gs_texrender_get_texture(drawn_));
  while (gs_effect_loop(effect, "DrawAlphaDivide")) gs_draw_sprite(gs_texrender_get_texture(drawn_), 0, width, height);
  gs_texrender_end(straight_);
  return true;
}

void FrameReader::stage(Stage& into, gs_texture_t* drawn, const FrameFormat& format) {
  const auto width = static_cast<uint32_t>(format.width), height = static_cast<uint32_t>(format.height);
  if (!into.surface || into.format.width != format.width || into.format.height != format.height) {
    gs_stagesurface_destroy(into.surface);
    into.surface = gs_stagesurface_create(width, height, GS_RGBA);
  }
  into.format = format;
  if (!into.surface) return;
  gs_stage_texture(into.surface, drawn);
  into.full = true;
}

}  // namespace texcast::obs
