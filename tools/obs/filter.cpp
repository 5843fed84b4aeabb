// filter.cpp — the filter "texcast: send this source": sends the picture of one source.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#include <obs-module.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "frame_copy.h"
#include "frame_reader.h"
#include "in_graphics.h"
#include "messages.h"
#include "parts.h"
#include "send_options.h"
#include "sound.h"
#include "state_property.h"

namespace texcast::obs {
namespace {

// OBS calls update() on any thread, tick() and offer() on its graphics thread.
class Filter {
 public:
  Filter(obs_data_t* data, obs_source_t* source) : source_(source) {
    update(data);
    obs_add_main_render_callback(draw, this);
  }

  ~Filter() {
    obs_remove_main_render_callback(draw, this);
    listen_to(nullptr);
    sender_.reset();
    const InGraphics graphics;
    reader_.reset();
  }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  void update(obs_data_t* data) {
    auto options = send_options_of(data);
    const std::lock_guard lock(mutex_);
    if (options == options_) return;
    options_ = std::move(options);
    sender_.reset();
  }

  obs_source_t* source() const { return source_; }

  // OBS may draw several times for one frame; the picture is sent once.
  void tick() { is_due_ = true; }

  std::string status() const {
    const std::lock_guard lock(mutex_);
    if (!options_) return text("Destination.Missing");
    return sender_ ? sender_->status() : text("Status.Stopped");
  }

 private:
  static void draw(void* self, uint32_t /*width*/, uint32_t /*height*/) { static_cast<Filter*>(self)->offer(); }

  static void hear(void* self, obs_source_t* /*source*/, const audio_data* audio, bool muted) {
    static_cast<Filter*>(self)->on_sound(*audio, muted);
  }

  // Takes the sound of `parent` from now on, and no longer that of another one. Null: of none.
  void listen_to(obs_source_t* parent) {
    if (parent && heard_ && obs_weak_source_references_source(heard_, parent)) return;
    if (obs_source_t* const before = obs_weak_source_get_source(heard_)) {
      obs_source_remove_audio_capture_callback(before, hear, this);
      obs_source_release(before);
    }
    obs_weak_source_release(heard_);
    heard_ = parent ? obs_source_get_weak_source(parent) : nullptr;
    if (parent) obs_source_add_audio_capture_callback(parent, hear, this);
  }

  // Called on OBS's audio thread, or on one of the source.
  void on_sound(const audio_data& audio, bool muted) {
    std::shared_ptr<Sender> sender;
    std::optional<SoundFormat> format;
    {
      const std::lock_guard lock(mutex_);
      sender = sender_;
      if (options_) format = options_->stream.sound;
    }
    if (sender && format && !muted)
      sender->submit_sound(interleaved(audio.data, audio.frames, *format), nanoseconds(audio.timestamp));
  }

  void offer() {
    if (!is_due_) return;
    is_due_ = false;
    obs_source_t* const parent = obs_source_get_ref(obs_filter_get_parent(source_));
    if (!parent) return;
    listen_to(parent);
    if (const auto sender = sender_if_enabled())
      reader_->read(parent, reads_alpha_, obs_get_video_frame_time(),
                    [&](const FrameFormat& format, const PlaneView& plane, uint64_t time_ns) {
                      submit_copy(*sender, format, {plane}, nanoseconds(time_ns));
                    });
    obs_source_release(parent);
  }

  std::shared_ptr<Sender> sender_if_enabled() {
    const std::lock_guard lock(mutex_);
    if (!options_ || !obs_source_enabled(source_)) {
      sender_.reset();
      return nullptr;
    }
    if (!reader_) reader_ = std::make_unique<FrameReader>();
    if (!sender_) sender_ = std::make_shared<Sender>(*options_, canvas_fps());
    reads_alpha_ = texcast::reads_alpha(options_->format) && channel_count(options_->format) == 4;
    return sender_;
  }

  obs_source_t* const source_;
  mutable std::mutex mutex_;
  std::optional<SendOptions> options_;
  std::shared_ptr<Sender> sender_;
  std::unique_ptr<FrameReader> reader_;  // of the graphics thread
  obs_weak_source_t* heard_ = nullptr;   // likewise
  bool is_due_ = false, reads_alpha_ = false;
};

Filter& filter_of(void* data) { return *static_cast<Filter*>(data); }

void* create_filter(obs_data_t* data, obs_source_t* source) {
  try {
    return new Filter(data, source);
  } catch (const std::exception& error) {
    say(LogLevel::error, error.what());
    return nullptr;
  }
}

bool refresh_filter_state(obs_properties_t* properties, obs_property_t* /*button*/, void* data) {
  return data && show_state(properties, filter_of(data).status());
}

obs_properties_t* filter_properties(void* data) {
  obs_properties_t* const all = obs_properties_create();
  add_state(all, data ? filter_of(data).status() : "");
  add_refresh_button(all, refresh_filter_state);
  add_send_properties(all);
  return all;
}

}  // namespace

void register_filter() {
  obs_source_info info{};
  info.id = "texcast_filter";
  info.type = OBS_SOURCE_TYPE_FILTER;
  info.output_flags = OBS_SOURCE_VIDEO | OBS_SOURCE_SRGB;
  info.get_name = [](void*) { return text("Filter.Name"); };
  info.create = create_filter;
  info.destroy = [](void* data) { delete &filter_of(data); };
  info.get_defaults = set_send_defaults;
  info.get_properties = filter_properties;
  info.update = [](void* data, obs_data_t* settings) { filter_of(data).update(settings); };
  info.video_tick = [](void* data, float) { filter_of(data).tick(); };
  info.video_render = [](void* data, gs_effect_t*) { obs_source_skip_video_filter(filter_of(data).source()); };
  obs_register_source(&info);
}

}  // namespace texcast::obs
