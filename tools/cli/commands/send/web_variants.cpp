#include "send/web_variants.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "send/send_wire.h"

namespace texcast::cli {
namespace {

// Computers take S3TC; telephones and tablets ETC2 or ASTC, of which ETC2 needs half of the bits.
constexpr std::array kUsualVariants = {TextureFormat::bc1, TextureFormat::etc2, TextureFormat::astc_4x4};

// Every GPU that takes `variant` takes `own`.
bool is_needless(TextureFormat variant, TextureFormat own) {
  const auto needed = texture_families(variant);
  return std::ranges::all_of(texture_families(own), [&](std::string_view family) {
    return std::ranges::find(needed, family) != needed.end();
  });
}

}  // namespace

SendOptions options_of_variant(const SendOptions& o, TextureFormat format) {
  SendOptions variant = o;
  variant.encoding.format = format;
  variant.encoding.method.reset();
  variant.encoding.options = {};
  if (!stream::can_go_lossy(format)) variant.lossy = {};
  variant.lossy.transform = TransformCoding::off;
  variant.lossy_by_default = false;
  variant.purpose.reset();
  variant.key_file.clear();
  variant.crypto.reset();
  return variant;
}

std::vector<TextureFormat> variant_formats(const std::optional<std::vector<TextureFormat>>& chosen, TextureFormat own) {
  std::vector<TextureFormat> formats;
  if (chosen) {
    for (const TextureFormat format : *chosen)
      if (format != own && std::ranges::find(formats, format) == formats.end()) formats.push_back(format);
    return formats;
  }
  std::ranges::copy_if(kUsualVariants, std::back_inserter(formats),
                       [own](TextureFormat variant) { return !is_needless(variant, own); });
  return formats;
}

WebVariants::WebVariants(const SendOptions& options, WebGate& gate, double fps) {
  if (!gate.is_open()) return;
  for (const TextureFormat format : variant_formats(options.web_formats, options.encoding.format)) {
    Variant& variant = *variants_.emplace_back(std::make_unique<Variant>(Variant{options_of_variant(options, format)}));
    const stream::SendSettings wire = wire_settings(variant.options);
    const std::vector<stream::WebDestination> places = gate.add(offer_of(format, false, false));
    std::vector<std::string> urls;
    for (size_t i = 0; i < places.size(); ++i) urls.push_back("web://" + std::to_string(i));
    variant.destinations = std::make_unique<stream::Destinations>(
        urls,
        stream::NetworkChoice{.open_web =
                                  [&](const std::string& url) {
                                    return places[static_cast<size_t>(std::ranges::find(urls, url) - urls.begin())];
                                  },
                              .most_viewers = static_cast<size_t>(options.web.most_viewers.value_or(kUsualViewers))},
        true, IfExists::refuse, stream::coding_of(wire, format));
    variant.plan = std::make_unique<SendPlan>(variant.options, wire, *variant.destinations, fps);
    plans_.push_back({.plan = *variant.plan, .destinations = *variant.destinations});
  }
}

std::vector<std::shared_ptr<web::Stream>> WebVariants::streams() const {
  std::vector<std::shared_ptr<web::Stream>> all;
  for (const auto& variant : variants_)
    for (auto& stream : variant->destinations->web_streams()) all.push_back(std::move(stream));
  return all;
}

void WebVariants::offer(bool has_sound, bool is_sealed) {
  for (const auto& variant : variants_)
    for (const auto& stream : variant->destinations->web_streams())
      stream->change(offer_of(variant->options.encoding.format, has_sound, is_sealed));
}

}  // namespace texcast::cli
