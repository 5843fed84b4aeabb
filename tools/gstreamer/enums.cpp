#include "enums.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "texcast/format.h"
#include "texcast/quality.h"
#include "texcast/sound.h"
#include "texcast/stream_preset.h"
#include "texcast/transform_coding.h"

namespace texcast::gstreamer {
namespace {

struct Choice {
  int value;
  std::string nick;
  std::string text;
};

// GObject keeps the pointers for the life of the process.
GType make_enum(const char* type_name, const std::vector<Choice>& choices) {
  auto values = std::make_unique<GEnumValue[]>(choices.size() + 1);  // the last one is zero
  std::ranges::transform(choices, values.get(), [](const Choice& choice) {
    return GEnumValue{choice.value, g_intern_string(choice.text.c_str()), g_intern_string(choice.nick.c_str())};
  });
  return g_enum_register_static(type_name, values.release());
}

std::string rounded(double bits) {
  std::string text = std::to_string(bits);
  return text.substr(0, text.find('.') + 3);
}

GType make_format_type() {
  std::vector<Choice> choices;
  for (const TextureFormat format : encoded_formats())
    choices.push_back({static_cast<int>(format), std::string(name(format)),
                       rounded(bits_per_pixel(format)) + " bits per pixel, qualities " + list_qualities(format)});
  return make_enum("GstTexcastFormat", choices);
}

GType make_quality_type() {
  std::vector<Choice> choices;
  for (const Quality quality : kQualities)
    choices.push_back({static_cast<int>(quality), std::string(name(quality)),
                       "Search effort of the encoder: " + std::string(name(quality))});
  return make_enum("GstTexcastQuality", choices);
}

GType make_preset_type() {
  std::vector<Choice> choices = {{0, "none", "The properties as they are"}};
  for (const StreamPreset& preset : stream_presets())
    choices.push_back({static_cast<int>(choices.size()), preset.name, preset.what});
  return make_enum("GstTexcastPreset", choices);
}

GType make_sound_coding_type() {
  return make_enum("GstTexcastAudio", {{static_cast<int>(SoundCoding::pcm), "pcm", "16 bits per sample"},
                                       {static_cast<int>(SoundCoding::opus), "opus", "96 kbit/s per channel, 48 kHz"}});
}

GType make_transform_type() {
  return make_enum("GstTexcastTransform",
                   {{static_cast<int>(TransformCoding::automatic), "auto", "If the format can have it"},
                    {static_cast<int>(TransformCoding::on), "on", "The format must have it"},
                    {static_cast<int>(TransformCoding::off), "off", "For receivers older than texcast 0.3"}});
}

}  // namespace

GType format_type() {
  static const GType type = make_format_type();
  return type;
}

GType quality_type() {
  static const GType type = make_quality_type();
  return type;
}

GType preset_type() {
  static const GType type = make_preset_type();
  return type;
}

GType sound_coding_type() {
  static const GType type = make_sound_coding_type();
  return type;
}

GType transform_type() {
  static const GType type = make_transform_type();
  return type;
}

}  // namespace texcast::gstreamer
