// SPDX-License-Identifier: GPL-2.0-or-later
#include "send_options.h"

#include <sstream>
#include <string>
#include <string_view>

#include "messages.h"
#include "sound.h"
#include "texcast/stream_preset.h"

namespace texcast::obs {
namespace {

// A preset decides about the coding.
bool show_coding(obs_properties_t* properties, obs_property_t* /*changed*/, obs_data_t* data) {
  const std::string_view coding = obs_data_get_string(data, "coding");
  const bool own = *obs_data_get_string(data, "preset") == 0;
  obs_property_set_visible(obs_properties_get(properties, "format"), own);
  obs_property_set_visible(obs_properties_get(properties, "coding"), own);
  obs_property_set_visible(obs_properties_get(properties, "crf"), own && coding == "crf");
  obs_property_set_visible(obs_properties_get(properties, "mbit_per_s"), own && coding == "bitrate");
  return true;
}

void add_presets(obs_properties_t* all) {
  obs_property_t* const presets =
      obs_properties_add_list(all, "preset", text("Preset"), OBS_COMBO_TYPE_LIST, OBS_COMBO_FORMAT_STRING);
  obs_property_list_add_string(presets, text("Preset.None"), "");
  for (const StreamPreset& preset : stream_presets())
    obs_property_list_add_string(presets, (preset.name + ": " + preset.what).c_str(), preset.name.c_str());
  obs_property_set_modified_callback(presets, show_coding);
}

void add_sound(obs_properties_t* all) {
  obs_property_t* const sound =
      obs_properties_add_list(all, "sound", text("Sound"), OBS_COMBO_TYPE_LIST, OBS_COMBO_FORMAT_STRING);
  obs_property_list_add_string(sound, text("Sound.Pcm"), "pcm");
  obs_property_list_add_string(sound, text("Sound.Opus"), "opus");
  obs_property_list_add_string(sound, text("Sound.None"), "none");
}

void set_sound(StreamSenderSettings& stream, obs_data_t* data) {
  const std::string_view sound = obs_data_get_string(data, "sound");
  if (sound == "none") return;
  stream.sound = sound_of_obs();
  stream.sound_coding = sound == "opus" ? SoundCoding::opus : SoundCoding::pcm;
}

std::vector<std::string> words_of(const char* line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

void set_coding(StreamSenderSettings& stream, obs_data_t* data) {
  const std::string_view coding = obs_data_get_string(data, "coding");
  stream.compact = coding != "raw";
  if (coding == "crf") stream.crf = obs_data_get_double(data, "crf");
  if (coding == "bitrate") stream.bitrate = obs_data_get_double(data, "mbit_per_s") * 1e6;
}

}  // namespace

void set_send_defaults(obs_data_t* data) {
  obs_data_set_default_string(data, "format", std::string(name(TextureFormat::bc1)).c_str());
  obs_data_set_default_string(data, "quality", std::string(name(Quality::fast)).c_str());
  obs_data_set_default_string(data, "coding", "lossless");
  obs_data_set_default_string(data, "preset", "");
  obs_data_set_default_string(data, "sound", "pcm");
  obs_data_set_default_double(data, "crf", 23);
  obs_data_set_default_double(data, "mbit_per_s", 50);
}

void add_send_properties(obs_properties_t* all) {
  obs_property_t* const to = obs_properties_add_text(all, "destination", text("Destination"), OBS_TEXT_DEFAULT);
  obs_property_set_long_description(to, text("Destination.Hint"));
  obs_properties_add_text(all, "passphrase", text("Passphrase"), OBS_TEXT_PASSWORD);
  obs_property_t* const announced = obs_properties_add_text(all, "name", text("Announce"), OBS_TEXT_DEFAULT);
  obs_property_set_long_description(announced, text("Announce.Sender"));
  add_presets(all);
  obs_property_t* const formats =
      obs_properties_add_list(all, "format", text("Format"), OBS_COMBO_TYPE_LIST, OBS_COMBO_FORMAT_STRING);
  for (const TextureFormat format : encoded_formats()) {
    const std::string named(name(format));
    obs_property_list_add_string(formats, named.c_str(), named.c_str());
  }
  obs_property_t* const qualities =
      obs_properties_add_list(all, "quality", text("Quality"), OBS_COMBO_TYPE_LIST, OBS_COMBO_FORMAT_STRING);
  for (const Quality quality : kQualities) {
    const std::string named(name(quality));
    obs_property_list_add_string(qualities, named.c_str(), named.c_str());
  }
  obs_property_t* const coding =
      obs_properties_add_list(all, "coding", text("Coding"), OBS_COMBO_TYPE_LIST, OBS_COMBO_FORMAT_STRING);
  obs_property_list_add_string(coding, text("Coding.Lossless"), "lossless");
  obs_property_list_add_string(coding, text("Coding.Crf"), "crf");
  obs_property_list_add_string(coding, text("Coding.Bitrate"), "bitrate");
  obs_property_list_add_string(coding, text("Coding.Raw"), "raw");
  obs_property_set_modified_callback(coding, show_coding);
  obs_properties_add_float_slider(all, "crf", text("Crf"), 0, 51, 0.5);
  obs_property_t* const rate = obs_properties_add_float(all, "mbit_per_s", text("Bitrate"), 0.1, 10'000, 1);
  obs_property_float_set_suffix(rate, " Mbit/s");
  add_sound(all);
  obs_property_t* const interface = obs_properties_add_text(all, "interface", text("Interface"), OBS_TEXT_DEFAULT);
  obs_property_set_long_description(interface, text("Interface.Hint"));
  obs_property_t* const device = obs_properties_add_text(all, "device", text("Device"), OBS_TEXT_DEFAULT);
  obs_property_set_long_description(device, text("Device.Hint"));
}

std::optional<SendOptions> send_options_of(obs_data_t* data) {
  SendOptions options;
  options.stream.destinations = words_of(obs_data_get_string(data, "destination"));
  if (options.stream.destinations.empty()) return std::nullopt;
  options.stream.passphrase = obs_data_get_string(data, "passphrase");
  options.stream.interface = obs_data_get_string(data, "interface");
  options.stream.name = obs_data_get_string(data, "name");
  options.preset = obs_data_get_string(data, "preset");
  set_coding(options.stream, data);
  set_sound(options.stream, data);
  options.format = texture_format_from_name(obs_data_get_string(data, "format")).value_or(TextureFormat::bc1);
  options.stream.quality = quality_from_name(obs_data_get_string(data, "quality")).value_or(Quality::fast);
  options.device = obs_data_get_string(data, "device");
  return options;
}

double canvas_fps() {
  obs_video_info video{};
  return obs_get_video_info(&video) && video.fps_den > 0 ? static_cast<double>(video.fps_num) / video.fps_den : 60;
}

}  // namespace texcast::obs
