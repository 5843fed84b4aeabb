#include "names.h"

#include <cmath>
#include <string_view>
#include <utility>

namespace texcast::python {
namespace {

template <class Value>
struct Named {
  const char* name;
  Value value;
};

[[noreturn]] void refuse(const char* what, const std::string& name, const std::string& known) {
  throw Error(ErrorKind::usage, std::string("unknown ") + what + " '" + name + "'; it is one of " + known);
}

template <class Value, size_t count>
Value find(const char* what, const std::string& name, const Named<Value> (&values)[count]) {
  std::string known;
  for (const Named<Value>& row : values) {
    if (name == row.name) return row.value;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  refuse(what, name, known);
}

template <class Value, size_t count>
const char* name_in(const Named<Value> (&values)[count], Value value) {
  for (const Named<Value>& row : values)
    if (row.value == value) return row.name;
  return "";
}

constexpr Named<ColorMatrix> kMatrices[] = {
    {"bt601", ColorMatrix::bt601}, {"bt709", ColorMatrix::bt709}, {"bt2020", ColorMatrix::bt2020}};
constexpr Named<TransformCoding> kTransforms[] = {
    {"auto", TransformCoding::automatic}, {"on", TransformCoding::on}, {"off", TransformCoding::off}};
constexpr Named<SoundCoding> kSoundCodings[] = {{"pcm", SoundCoding::pcm}, {"opus", SoundCoding::opus}};
constexpr Named<FileCoding> kCodings[] = {{"plain", FileCoding::plain}, {"compact", FileCoding::compact}};
constexpr Named<IfExists> kPolicies[] = {
    {"refuse", IfExists::refuse}, {"overwrite", IfExists::overwrite}, {"number", IfExists::number}};
constexpr Named<StillKind> kKinds[] = {{"dds", StillKind::dds}, {"ktx2", StillKind::ktx2}, {"astc", StillKind::astc}};
constexpr Named<LogLevel> kLevels[] = {
    {"debug", LogLevel::debug}, {"info", LogLevel::info}, {"warning", LogLevel::warning}, {"error", LogLevel::error}};

}  // namespace

TextureFormat format_named(const std::string& name) {
  if (const auto format = texture_format_from_name(name)) return *format;
  std::string known = list_texture_formats();
  for (const TextureFormat format : received_formats()) known += ", " + std::string(texcast::name(format));
  refuse("format", name, known);
}

Quality quality_named(const std::string& name) {
  if (const auto quality = quality_from_name(name)) return *quality;
  std::string known;
  for (const Quality quality : kQualities) known += (known.empty() ? "" : ", ") + std::string(texcast::name(quality));
  refuse("quality", name, known);
}

Method method_named(const std::string& name) {
  if (const auto method = method_from_name(name)) return *method;
  std::string known;
  for (const Method method : kMethods) known += (known.empty() ? "" : ", ") + std::string(texcast::name(method));
  refuse("method", name, known);
}

ColorMatrix matrix_named(const std::string& name) { return find("matrix", name, kMatrices); }
TransformCoding transform_named(const std::string& name) { return find("transform", name, kTransforms); }
SoundCoding sound_coding_named(const std::string& name) { return find("coding of sound", name, kSoundCodings); }
FileCoding file_coding_named(const std::string& name) { return find("coding", name, kCodings); }
IfExists if_exists_named(const std::string& name) { return find("policy for files that exist", name, kPolicies); }
StillKind still_kind_named(const std::string& name) { return find("kind of file", name, kKinds); }
LogLevel log_level_named(const std::string& name) { return find("level", name, kLevels); }

const char* name_of(ColorMatrix matrix) { return name_in(kMatrices, matrix); }
const char* name_of(FileCoding coding) { return name_in(kCodings, coding); }
const char* name_of(LogLevel level) { return name_in(kLevels, level); }

const char* dtype_of(SampleType type) {
  switch (type) {
    case SampleType::unorm8: break;
    case SampleType::unorm16: return "uint16";
    case SampleType::half: return "float16";
  }
  return "uint8";
}

std::optional<double> unix_seconds(WallTime time) {
  if (time == WallTime{}) return std::nullopt;
  return in_seconds(time.time_since_epoch());
}

nanoseconds checked_seconds(double seconds) {
  constexpr double kMost = 6e9;
  if (!(std::abs(seconds) < kMost))
    throw Error(ErrorKind::usage, std::to_string(seconds) + " seconds are no time of a stream or file");
  return nanoseconds(std::llround(seconds * 1e9));
}

}  // namespace texcast::python
