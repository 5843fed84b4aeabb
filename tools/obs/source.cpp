// source.cpp — the source "texcast stream": shows what arrives at an address.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#include <obs-module.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "found_streams.h"
#include "in_graphics.h"
#include "messages.h"
#include "parts.h"
#include "picture.h"
#include "receiver.h"
#include "shown_formats.h"
#include "sound.h"
#include "state_property.h"
#include "texcast/shape.h"

namespace texcast::obs {
namespace {

gs_effect_t* load_effect() {
  char* const path = obs_module_file("texcast.effect");
  char* errors = nullptr;
  gs_effect_t* const effect = path ? gs_effect_create_from_file(path, &errors) : nullptr;
  if (!effect) say(LogLevel::error, std::string("the effect file cannot be used: ") + (errors ? errors : "not found"));
  bfree(errors);
  bfree(path);
  return effect;
}

struct SourceSettings {
  ReceiverOptions receiver{};
  bool keeps_last = true;
  std::chrono::duration<double> silence{};
  bool while_hidden = true;
};

SourceSettings settings_of(obs_data_t* data) {
  SourceSettings settings;
  settings.receiver.stream = {.listen = obs_data_get_string(data, "address"),
                              .name = obs_data_get_string(data, "name"),
                              .interface = obs_data_get_string(data, "interface"),
                              .passphrase = obs_data_get_string(data, "passphrase")};
  settings.receiver.device = obs_data_get_string(data, "device");
  settings.keeps_last = std::string_view(obs_data_get_string(data, "at_end")) != "nothing";
  settings.silence = std::chrono::duration<double>(obs_data_get_double(data, "silence"));
  settings.while_hidden = obs_data_get_bool(data, "while_hidden");
  return settings;
}

// OBS calls update() and set_showing() on any thread, tick() and render() on its graphics thread.
class Source {
 public:
  Source(obs_data_t* data, obs_source_t* source) : source_(source) {
    watch_streams();
    const InGraphics graphics;
    effect_ = load_effect();
    if (effect_) picture_ = std::make_unique<StreamPicture>(effect_);
    shown_ = formats_of_gpu();
    update(data);
  }

  ~Source() {
    receiver_.reset();
    const InGraphics graphics;
    picture_.reset();
    gs_effect_destroy(effect_);
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  void update(obs_data_t* data) {
    const std::lock_guard lock(mutex_);
    SourceSettings settings = settings_of(data);
    const bool same = settings.receiver == settings_.receiver;
    settings_ = std::move(settings);
    if (!same) receiver_.reset();
    adjust();
  }

  void set_showing(bool showing) {
    const std::lock_guard lock(mutex_);
    showing_ = showing;
    adjust();
  }

  uint32_t width() const { return size_of(&ShownSize::width); }
  uint32_t height() const { return size_of(&ShownSize::height); }

  // Called on the graphics thread. Locks are taken inside of the graphics context, never around it.
  void tick() {
    if (const auto newest = take_newest()) {
      const InGraphics graphics;
      const std::lock_guard lock(mutex_);
      picture_->show(*newest);
      has_picture_ = picture_->texture() != nullptr;
      shape_ = shown_size(picture_->desc().width, picture_->desc().height, picture_->desc().aspect);
    }
  }

  void render(gs_effect_t* effect) {
    const std::lock_guard lock(mutex_);
    if (!has_picture_) return;
    gs_texture_t* const texture = picture_->texture();
    const bool converts = gs_framebuffer_srgb_enabled();
    gs_enable_framebuffer_srgb(true);
    gs_blend_state_push();
    gs_blend_function(GS_BLEND_ONE, GS_BLEND_INVSRCALPHA);
    gs_effect_set_texture_srgb(gs_effect_get_param_by_name(effect, "image"), texture);
    gs_draw_sprite(texture, 0, static_cast<uint32_t>(shape_.width), static_cast<uint32_t>(shape_.height));
    gs_blend_state_pop();
    gs_enable_framebuffer_srgb(converts);
  }

  std::string status() const {
    const std::lock_guard lock(mutex_);
    return receiver_ ? receiver_->status() : text("Status.NotReceiving");
  }

 private:
  std::shared_ptr<const Picture> take_newest() {
    const std::lock_guard lock(mutex_);
    if (!receiver_ || !picture_) return nullptr;
    if (auto newest = receiver_->take_newest()) return newest;
    const auto silence = std::chrono::duration_cast<std::chrono::nanoseconds>(settings_.silence);
    if (!settings_.keeps_last && has_picture_ && receiver_->silent_for(silence)) {
      has_picture_ = false;
      shape_ = {};
    }
    return nullptr;
  }

  uint32_t size_of(int ShownSize::*side) const {
    const std::lock_guard lock(mutex_);
    return static_cast<uint32_t>(shape_.*side);
  }

  // Starts or ends the reception.
  void adjust() {
    const bool wanted = settings_.while_hidden || showing_;
    if (!wanted) receiver_.reset();
    if (wanted && !receiver_) {
      receiver_ = std::make_unique<Receiver>(
          settings_.receiver, shown_, [source = source_](const ReceivedSound& sound) { output_sound(source, sound); });
    }
  }

  obs_source_t* const source_;
  mutable std::mutex mutex_;
  FormatSet shown_;
  gs_effect_t* effect_ = nullptr;
  std::unique_ptr<StreamPicture> picture_;
  SourceSettings settings_;
  std::unique_ptr<Receiver> receiver_;
  ShownSize shape_{};
  bool has_picture_ = false, showing_ = false;
};

Source& source_of(void* data) { return *static_cast<Source*>(data); }

void* create_source(obs_data_t* data, obs_source_t* source) {
  try {
    return new Source(data, source);
  } catch (const std::exception& error) {
    say(LogLevel::error, error.what());
    return nullptr;
  }
}

void set_defaults(obs_data_t* data) {
  obs_data_set_default_string(data, "address", "rtp://:5004");
  obs_data_set_default_string(data, "at_end", "last");
  obs_data_set_default_double(data, "silence", 3);
  obs_data_set_default_bool(data, "while_hidden", true);
}

bool refresh_source_state(obs_properties_t* properties, obs_property_t* /*button*/, void* data) {
  return data && show_state(properties, source_of(data).status());
}

// Silence only matters if something happens then.
bool show_silence(obs_properties_t* properties, obs_property_t* /*changed*/, obs_data_t* data) {
  const bool keeps_last = std::string_view(obs_data_get_string(data, "at_end")) != "nothing";
  obs_property_set_visible(obs_properties_get(properties, "silence"), !keeps_last);
  return true;
}

obs_properties_t* source_properties(void* data) {
  obs_properties_t* const all = obs_properties_create();
  add_state(all, data ? source_of(data).status() : "");
  add_refresh_button(all, refresh_source_state);
  obs_property_t* const address =
      obs_properties_add_list(all, "address", text("Address"), OBS_COMBO_TYPE_EDITABLE, OBS_COMBO_FORMAT_STRING);
  obs_property_list_add_string(address, "rtp://:5004", "rtp://:5004");
  add_found_streams(address);
  obs_property_set_long_description(address, text("Address.Hint"));
  obs_properties_add_text(all, "passphrase", text("Passphrase"), OBS_TEXT_PASSWORD);
  obs_property_t* const name = obs_properties_add_text(all, "name", text("Announce"), OBS_TEXT_DEFAULT);
  obs_property_set_long_description(name, text("Announce.Receiver"));
  obs_property_t* const interface = obs_properties_add_text(all, "interface", text("Interface"), OBS_TEXT_DEFAULT);
  obs_property_set_long_description(interface, text("Interface.Hint"));
  obs_property_t* const end =
      obs_properties_add_list(all, "at_end", text("AtEnd"), OBS_COMBO_TYPE_LIST, OBS_COMBO_FORMAT_STRING);
  obs_property_list_add_string(end, text("AtEnd.Last"), "last");
  obs_property_list_add_string(end, text("AtEnd.Nothing"), "nothing");
  obs_property_set_modified_callback(end, show_silence);
  obs_property_t* const silence = obs_properties_add_float(all, "silence", text("Silence"), 0.2, 3600, 0.1);
  obs_property_float_set_suffix(silence, " s");
  obs_properties_add_bool(all, "while_hidden", text("Hidden"));
  obs_property_t* const device = obs_properties_add_text(all, "device", text("Device"), OBS_TEXT_DEFAULT);
  obs_property_set_long_description(device, text("Device.Hint"));
  return all;
}

}  // namespace

void register_source() {
  obs_source_info info{};
  info.id = "texcast_source";
  info.type = OBS_SOURCE_TYPE_INPUT;
  info.output_flags = OBS_SOURCE_VIDEO | OBS_SOURCE_AUDIO | OBS_SOURCE_SRGB | OBS_SOURCE_DO_NOT_DUPLICATE;
  info.icon_type = OBS_ICON_TYPE_CAMERA;
  info.get_name = [](void*) { return text("Source.Name"); };
  info.create = create_source;
  info.destroy = [](void* data) { delete &source_of(data); };
  info.get_width = [](void* data) { return source_of(data).width(); };
  info.get_height = [](void* data) { return source_of(data).height(); };
  info.get_defaults = set_defaults;
  info.get_properties = source_properties;
  info.update = [](void* data, obs_data_t* settings) { source_of(data).update(settings); };
  info.show = [](void* data) { source_of(data).set_showing(true); };
  info.hide = [](void* data) { source_of(data).set_showing(false); };
  info.video_tick = [](void* data, float) { source_of(data).tick(); };
  info.video_render = [](void* data, gs_effect_t* effect) { source_of(data).render(effect); };
  obs_register_source(&info);
}

}  // namespace texcast::obs
