#include "player/osd_text.h"

#include <SDL_ttf.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/log.h"
#include "texcast/error.h"

namespace texcast::player {
namespace {

// Printable ASCII, the printable part of Latin-1 (file names), and other characters of the player's own lines.
struct GlyphRange {
  char32_t first;
  char32_t last;
};
constexpr std::array<GlyphRange, 5> kRanges = {
    {{U' ', U'~'}, {U'\u00A1', U'\u00FF'}, {U'…', U'…'}, {U'→', U'→'}, {U'—', U'—'}}};

constexpr size_t glyph_count() {
  size_t count = 0;
  for (const GlyphRange& range : kRanges) count += range.last - range.first + 1;
  return count;
}

size_t glyph_index(char32_t character) {
  size_t index = 0;
  for (const GlyphRange& range : kRanges) {
    if (character >= range.first && character <= range.last) return index + (character - range.first);
    index += range.last - range.first + 1;
  }
  return '?' - ' ';
}

// Removes one character from `text`; an invalid byte of UTF-8 counts as one unknown character. Text may come from a
// stream or a file name, so it may contain anything.
char32_t next_character(std::string_view& text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(0);
  const size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 0;
  char32_t character = length <= 1 ? lead : lead & (0x7FU >> length);
  bool valid = length != 0;
  for (size_t i = 1; i < length; ++i) {
    valid = valid && (byte(i) & 0xC0U) == 0x80;
    character = character << 6 | (byte(i) & 0x3FU);
  }
  text.remove_prefix(valid ? length : 1);
  return valid ? character : U'\uFFFD';
}

size_t count_characters(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) next_character(text);
  return count;
}

constexpr int kNameInk = 190;  // of 256: less than the values, and still readable over a white picture
constexpr size_t kNameGap = 2;

struct Columns {
  size_t value = 0;  // where text after a tab begins
  size_t all = 0;
};

Columns measure(std::span<const std::string> lines) {
  Columns columns;
  size_t longest_value = 0;
  for (const std::string_view line : lines) {
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos) {
      columns.all = std::max(columns.all, count_characters(line));
    } else {
      columns.value = std::max(columns.value, count_characters(line.substr(0, tab)) + kNameGap);
      longest_value = std::max(longest_value, count_characters(line.substr(tab + 1)));
    }
  }
  columns.all = std::max(columns.all, columns.value + longest_value);
  return columns;
}

// False, with a warning, if there is no SDL_ttf or it fails.
bool open_ttf() {
  try {
    if (TTF_Init() == 0) return true;
    log_warning("no text on the picture: {}", TTF_GetError());
  } catch (const Error& error) {
    log_warning("no text on the picture: {}", error.what());
  }
  return false;
}

// Keeps SDL_ttf open, which counts its users.
struct TtfLibrary {
  bool open = open_ttf();
  ~TtfLibrary() {
    if (open) TTF_Quit();
  }
};

struct FontCloser {
  void operator()(TTF_Font* font) const { TTF_CloseFont(font); }
};
struct SurfaceFreer {
  void operator()(SDL_Surface* surface) const { SDL_FreeSurface(surface); }
};

}  // namespace

// All glyphs of one size in equal cells, one above the other, 8-bit coverage.
struct OsdText::Atlas {
  TtfLibrary library;
  int pixel_height = 0;
  int cell_width = 0;
  int cell_height = 0;
  std::vector<uint8_t> coverage;

  const uint8_t* cell(char32_t character) const {
    return coverage.data() + glyph_index(character) * static_cast<size_t>(cell_width * cell_height);
  }
};

OsdText::OsdText(std::string font_file) : font_file_(std::move(font_file)), atlas_(std::make_unique<Atlas>()) {
  usable_ = load(16);
}

OsdText::~OsdText() = default;

bool OsdText::load(int pixel_height) {
  if (atlas_->pixel_height == pixel_height) return true;
  if (!atlas_->library.open) return false;
  const std::unique_ptr<TTF_Font, FontCloser> font(TTF_OpenFont(font_file_.c_str(), pixel_height));
  if (!font) {
    log_warning("no text on the picture: cannot read the font {} ({}); install the package fonts-dejavu-core",
                font_file_, TTF_GetError());
    return false;
  }
  int width = 0;
  TTF_SizeUTF8(font.get(), "M", &width, nullptr);
  atlas_->pixel_height = pixel_height;
  atlas_->cell_width = width;
  atlas_->cell_height = TTF_FontLineSkip(font.get());
  const auto cell_bytes = static_cast<size_t>(width * atlas_->cell_height);
  atlas_->coverage.assign(glyph_count() * cell_bytes, 0);
  for (const GlyphRange& range : kRanges) {
    for (char32_t character = range.first; character <= range.last; ++character) {
      // Shaded: an 8-bit picture whose palette ranges from background to foreground, so that the index is the coverage.
      const std::unique_ptr<SDL_Surface, SurfaceFreer> glyph(
          TTF_RenderGlyph32_Shaded(font.get(), character, {255, 255, 255, 255}, {0, 0, 0, 255}));
      if (!glyph || character == U' ') continue;
      uint8_t* cell = atlas_->coverage.data() + glyph_index(character) * cell_bytes;
      const auto* pixels = static_cast<const uint8_t*>(glyph->pixels);
      for (int y = 0; y < std::min(glyph->h, atlas_->cell_height); ++y)
        std::copy_n(pixels + y * glyph->pitch, std::min(glyph->w, width), cell + y * width);
    }
  }
  return true;
}

int OsdText::border() const { return atlas_->cell_height / 2; }

void OsdText::render(std::span<const std::string> lines, int pixel_height, int max_width, int max_height,
                     TextPanel& panel) {
  panel.width = panel.height = 0;
  if (!usable_ || lines.empty()) return;
  usable_ = load(pixel_height);
  if (!usable_) return;
  const int cell_width = atlas_->cell_width;
  const int cell_height = atlas_->cell_height;
  const Columns columns = measure(lines);
  const int fit_columns = std::max(0, (max_width - 2 * border()) / cell_width);
  const int fit_rows = std::max(0, (max_height - 2 * border()) / cell_height);
  const int shown_columns = static_cast<int>(std::min<size_t>(columns.all, static_cast<size_t>(fit_columns)));
  const int shown_rows = static_cast<int>(std::min<size_t>(lines.size(), static_cast<size_t>(fit_rows)));
  if (shown_columns == 0 || shown_rows == 0) return;

  panel.width = shown_columns * cell_width + 2 * border();
  panel.height = shown_rows * cell_height + 2 * border();
  panel.coverage.assign(static_cast<size_t>(panel.width) * static_cast<size_t>(panel.height), 0);
  for (int row = 0; row < shown_rows; ++row) {
    std::string_view rest = lines[static_cast<size_t>(row)];
    bool is_name = rest.find('\t') != std::string_view::npos;
    for (int column = 0; column < shown_columns && !rest.empty(); ++column) {
      if (is_name && rest.front() == '\t') {
        is_name = false;
        rest.remove_prefix(1);
        column = static_cast<int>(columns.value);
        if (column >= shown_columns || rest.empty()) break;
      }
      const uint8_t* from = atlas_->cell(next_character(rest));
      uint8_t* to =
          panel.coverage.data() + (border() + row * cell_height) * panel.width + border() + column * cell_width;
      for (int y = 0; y < cell_height; ++y)
        std::transform(from + y * cell_width, from + (y + 1) * cell_width, to + y * panel.width,
                       [&](uint8_t ink) { return is_name ? static_cast<uint8_t>(ink * kNameInk / 256) : ink; });
    }
  }
}

}  // namespace texcast::player
