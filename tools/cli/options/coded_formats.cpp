#include "cli/coded_formats.h"

#include <vector>

#include "compact/tile_grid.h"
#include "text/figures.h"

namespace texcast::cli {

bool has_coded_stream(TextureFormat format) { return compact::TileGrid::can_cut(format); }
bool has_lossy_coding(TextureFormat format) { return compact::TileGrid::can_be_lossy(format); }
bool has_transform_coding(TextureFormat format) { return compact::TileGrid::can_have_transform(format); }

namespace {

std::string list_formats_with(bool (*has)(TextureFormat)) {
  std::vector<std::string> names;
  for (const TextureFormat format : encoded_formats())
    if (has(format)) names.emplace_back(name(format));
  return joined(names, ", ");
}

}  // namespace

std::string list_lossy_formats() { return list_formats_with(has_lossy_coding); }
std::string list_transform_formats() { return list_formats_with(has_transform_coding); }

std::string list_formats_raw_marked() {
  std::vector<std::string> names;
  for (const TextureFormat format : encoded_formats())
    names.push_back(std::string(name(format)) + (has_coded_stream(format) ? "" : "*"));
  return joined(names, ", ");
}

}  // namespace texcast::cli
