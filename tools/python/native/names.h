// names.h — values of libtexcast by their names, as the command line has them. An unknown name is Error{usage}, which
// lists those that exist.
#pragma once

#include <texcast/container.h>
#include <texcast/encoder.h>
#include <texcast/file_writer.h>
#include <texcast/log.h>
#include <texcast/sound.h>
#include <texcast/transform_coding.h>

#include <chrono>
#include <optional>
#include <string>

namespace texcast::python {

TextureFormat format_named(const std::string& name);
Quality quality_named(const std::string& name);
Method method_named(const std::string& name);
ColorMatrix matrix_named(const std::string& name);         // bt601, bt709, bt2020
TransformCoding transform_named(const std::string& name);  // auto, on, off
SoundCoding sound_coding_named(const std::string& name);   // pcm, opus
FileCoding file_coding_named(const std::string& name);     // plain, compact
IfExists if_exists_named(const std::string& name);         // refuse, overwrite, number
StillKind still_kind_named(const std::string& name);       // dds, ktx2, astc
LogLevel log_level_named(const std::string& name);         // debug, info, warning, error
const char* name_of(ColorMatrix matrix);
const char* name_of(FileCoding coding);
const char* name_of(LogLevel level);
const char* dtype_of(SampleType type);  // numpy's name of the type: uint8, uint16, float16

// Python's times are seconds, as floating point. Nothing: not known.
std::optional<double> unix_seconds(WallTime time);
// Error{usage} unless the number is finite and a time of less than 200 years.
nanoseconds checked_seconds(double seconds);

}  // namespace texcast::python
