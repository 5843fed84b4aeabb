#include "obs_session.h"

#include <doctest/doctest.h>
#include <obs-nix-platform.h>
#include <util/bmem.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace texcast::test {
namespace {

void start_video() {
  obs_video_info video{};
  video.graphics_module = "libobs-opengl.so.1";  // of libobs0; the name without a number is of libobs-dev
  video.fps_num = kCanvasFps;
  video.fps_den = 1;
  video.base_width = video.output_width = kCanvasWidth;
  video.base_height = video.output_height = kCanvasHeight;
  video.output_format = VIDEO_FORMAT_NV12;
  video.gpu_conversion = true;
  video.colorspace = VIDEO_CS_709;
  video.range = VIDEO_RANGE_PARTIAL;
  video.scale_type = OBS_SCALE_BICUBIC;
  REQUIRE(obs_reset_video(&video) == OBS_VIDEO_SUCCESS);
  obs_audio_info audio{.samples_per_sec = 48000, .speakers = SPEAKERS_STEREO};
  REQUIRE(obs_reset_audio(&audio));
}

DecodedImage read_texture(gs_texture_t* texture, uint32_t width, uint32_t height) {
  DecodedImage image;
  image.resize(static_cast<int>(width), static_cast<int>(height), 4);
  gs_stagesurf_t* const stage = gs_stagesurface_create(width, height, gs_texture_get_color_format(texture));
  gs_stage_texture(stage, texture);
  uint8_t* data = nullptr;
  uint32_t stride = 0;
  if (gs_stagesurface_map(stage, &data, &stride)) {
    for (uint32_t y = 0; y < height; ++y)
      std::memcpy(image.pixels.data() + size_t{4} * width * y, data + size_t{stride} * y, size_t{4} * width);
    gs_stagesurface_unmap(stage);
  }
  gs_stagesurface_destroy(stage);
  if (gs_texture_get_color_format(texture) == GS_BGRA)
    for (size_t at = 0; at < image.pixels.size(); at += 4) std::swap(image.pixels[at], image.pixels[at + 2]);
  return image;
}

}  // namespace

ObsSession::ObsSession() {
  const char* const plugin = std::getenv("TEXCAST_OBS_PLUGIN");
  const char* const data = std::getenv("TEXCAST_OBS_DATA");
  skips_ = !x_server_.is_there() || plugin == nullptr || data == nullptr;
  if (!x_server_.is_there()) MESSAGE("SKIP: Xvfb cannot be started (package xvfb)");
  if (plugin == nullptr || data == nullptr) MESSAGE("SKIP: TEXCAST_OBS_PLUGIN or TEXCAST_OBS_DATA is not set");
  if (skips_) return;
  base_set_log_handler(log, this);
  REQUIRE(obs_startup("en-US", nullptr, nullptr));
  obs_set_nix_platform(OBS_NIX_PLATFORM_X11_EGL);
  start_video();
  obs_module_t* module = nullptr;
  REQUIRE(obs_open_module(&module, plugin, data) == MODULE_SUCCESS);
  REQUIRE(obs_init_module(module));
  obs_post_load_modules();
}

ObsSession::~ObsSession() {
  if (skips_) return;
  obs_shutdown();
  CHECK(bnum_allocs() == 0);  // by libobs's allocator, which the plugin's strings, sources and settings come from
  base_set_log_handler(nullptr, nullptr);
}

void ObsSession::log(int /*level*/, const char* format, va_list arguments, void* self) {
  std::array<char, 4096> line{};
  std::vsnprintf(line.data(), line.size(), format, arguments);
  if (std::getenv("TEXCAST_OBS_LOG")) std::fprintf(stderr, "%s\n", line.data());
  auto& session = *static_cast<ObsSession*>(self);
  const std::lock_guard lock(session.mutex_);
  if (std::strncmp(line.data(), "[texcast] ", 10) == 0) session.lines_.emplace_back(line.data() + 10);
}

bool ObsSession::has_said(const std::string& words) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(lines_, [&](const std::string& line) { return line.find(words) != std::string::npos; });
}

size_t ObsSession::lines() const {
  const std::lock_guard lock(mutex_);
  return lines_.size();
}

Data data_of(const std::string& json) { return Data(obs_data_create_from_json(json.c_str())); }

Source make_source(const char* id, const std::string& settings) {
  const Data data = data_of(settings);
  return Source(obs_source_create_private(id, id, data.get()));
}

std::string stream_settings(const std::string& address, const std::string& more) {
  return R"({"address": ")" + address + "\"" + more + "}";
}

Source stream_source(const std::string& address, const std::string& more) {
  return make_source("texcast_source", stream_settings(address, more));
}

std::string send_settings(const std::string& destination, const std::string& more) {
  return R"({"device": "cpu-reference", "destination": ")" + destination + "\"" + more + "}";
}

Source send_filter(const std::string& destination, const std::string& more) {
  return make_source("texcast_filter", send_settings(destination, more));
}

Program::Program(obs_source_t* source) : scene_(obs_scene_create_private("scene")) {
  obs_scene_add(scene_.get(), source);
  obs_set_output_source(0, obs_scene_get_source(scene_.get()));
}

DecodedImage drawn_by(obs_source_t* source) {
  obs_enter_graphics();
  const uint32_t width = obs_source_get_width(source), height = obs_source_get_height(source);
  DecodedImage image;
  gs_texrender_t* const target = gs_texrender_create(GS_RGBA, GS_ZS_NONE);
  if (width > 0 && height > 0 && gs_texrender_begin(target, width, height)) {
    vec4 nothing{};
    gs_clear(GS_CLEAR_COLOR, &nothing, 0.0F, 0);
    gs_ortho(0.0F, static_cast<float>(width), 0.0F, static_cast<float>(height), -100.0F, 100.0F);
    obs_source_video_render(source);
    gs_texrender_end(target);
    image = read_texture(gs_texrender_get_texture(target), width, height);
  }
  gs_texrender_destroy(target);
  obs_leave_graphics();
  return image;
}

DecodedImage program_picture() {
  obs_enter_graphics();
  gs_texture_t* const texture = obs_get_main_texture();
  DecodedImage image;
  if (texture) image = read_texture(texture, gs_texture_get_width(texture), gs_texture_get_height(texture));
  obs_leave_graphics();
  return image;
}

std::string state_of(obs_source_t* source) {
  obs_properties_t* const properties = obs_source_properties(source);
  const std::string state = obs_property_long_description(obs_properties_get(properties, "state"));
  obs_properties_destroy(properties);
  return state;
}

}  // namespace texcast::test
