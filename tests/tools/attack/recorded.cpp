#include "recorded.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "genuine.h"
#include "media/audio_reader.h"
#include "media/clip_reader.h"

namespace texcast::attack {
namespace {

using media::ClipReader;

void each_file(const std::string& folder, const std::function<void(const std::filesystem::path&)>& look) {
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".mov") look(entry.path());
}

// Calls `look` with the blocks of each frame, or with nothing for a damaged frame.
void each_frame(ClipReader& reader, const std::function<void(Bytes)>& look) {
  for (;;) {
    const auto frame = reader.next();
    if (frame && !*frame) return;
    look(frame ? Bytes((*frame)->texture.blocks) : Bytes());
  }
}

uint64_t hash_of(Bytes bytes) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

Recorded look_at_marked(const std::string& folder, const transport::test::MarkedFrames& marked) {
  Recorded recorded;
  std::set<uint32_t> numbers;
  const auto take = [&](Bytes blocks) {
    const auto verdict = marked.judge(blocks);
    if (verdict.forged > 0)
      ++recorded.forged;
    else if (verdict.whole() && numbers.insert(verdict.number).second)
      ++recorded.whole;
    else
      ++recorded.patched;
  };
  each_file(folder, [&](const std::filesystem::path& path) {
    ++recorded.files;
    const auto reader = media::open_clip(path.string());
    const TextureDesc& texture = reader->info().texture;
    const bool is_ours = texture.width == kWidth && texture.height == kHeight && texture.format == TextureFormat::bc1;
    if (!is_ours) recorded.other_bytes += std::filesystem::file_size(path);
    each_frame(*reader, [&](Bytes blocks) {
      if (!is_ours)
        ++recorded.other_frames;
      else if (blocks.empty())
        ++recorded.forged;  // the genuine sender makes no damaged frames
      else
        take(blocks);
    });
  });
  if (!numbers.empty()) recorded.first = *numbers.begin();
  return recorded;
}

Still look_at_still(const std::string& folder) {
  Still still;
  each_file(folder, [&](const std::filesystem::path& path) {
    ++still.files;
    std::vector<uint64_t> frames;  // a hash of each
    const auto reader = media::open_clip(path.string());
    each_frame(*reader, [&](Bytes blocks) { frames.push_back(hash_of(blocks)); });
    std::map<uint64_t, uint64_t> counts;
    for (const uint64_t frame : frames) ++counts[frame];
    const auto usual = std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
    uint64_t row = 0;
    for (const uint64_t frame : frames) {
      row = frame == usual->first ? 0 : row + 1;
      still.wrong += row > 0;
      still.longest = std::max(still.longest, row);
    }
    still.frames += frames.size();
  });
  return still;
}

Heard listen_to(const std::string& folder) {
  constexpr int kRate = 48'000;
  Heard heard;
  each_file(folder, [&](const std::filesystem::path& path) {
    const auto sound = media::open_audio(path.string());
    if (!sound) return;
    sound->set_format({.rate = kRate, .channels = 2});
    std::array<float, 2048> block{};
    for (size_t frames = block.size() / 2; frames == block.size() / 2;) {
      frames = sound->read(block);
      for (size_t i = 0; i < frames; ++i) {
        const float level = block[2 * i];
        const auto is = [level](float wanted) { return std::abs(level - wanted) < 0.01F; };
        double& seconds = is(kGenuineLevel)  ? heard.genuine
                          : is(kForgedLevel) ? heard.forged
                          : is(0)            ? heard.silent
                                             : heard.between;
        seconds += 1.0 / kRate;
      }
    }
  });
  return heard;
}

}  // namespace texcast::attack
