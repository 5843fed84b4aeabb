// coded_formats.h — which texture formats have a coded stream, for help texts and messages. The codec decides; nothing
// here names a format.
#pragma once

#include <string>

#include "texcast/format.h"

namespace texcast::cli {

bool has_coded_stream(TextureFormat format);  // otherwise `send` sends it raw
bool has_lossy_coding(TextureFormat format);  // by --crf and --bitrate
bool has_transform_coding(TextureFormat format);
std::string list_lossy_formats();       // "bc1, ycocg-bc4, …": those that can be encoded
std::string list_transform_formats();   // the same with transform coding
std::string list_formats_raw_marked();  // all that can be encoded: "bc1, …, astc-5x5*"; *: has no coded stream

}  // namespace texcast::cli
