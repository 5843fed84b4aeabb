#include "cli/coded_formats.h"

#include <vector>

#include "compact/tile_grid.h"
#include "text/figures.h"

namespace texcast::cli {

bool has_coded_stream(TextureFormat format) { return compact::TileGrid::can_cut(format); }
bool has_lossy_coding(TextureFormat format) { return compact::TileGrid::can_be_lossy(format); }

std::string list_lossy_formats() {
  std::vector<std::string> names;
  for (const TextureFormat format : encoded_formats())
    if (has_lossy_coding(format)) names.emplace_back(name(format));
  return joined(names, ", ");
}

std::string list_formats_raw_marked() {
  std::vector<std::string> names;
  for (const TextureFormat format : encoded_formats())
    names.push_back(std::string(name(format)) + (has_coded_stream(format) ? "" : "*"));
  return joined(names, ", ");
}

}  // namespace texcast::cli
