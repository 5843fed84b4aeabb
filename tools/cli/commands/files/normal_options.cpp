#include "files/normal_options.h"

#include <optional>

#include "compact/transform_choice.h"
#include "files/texture_files.h"
#include "media/files.h"
#include "media/recorder.h"

namespace texcast::cli {
namespace {

template <typename Value>
void drop_if(std::optional<Value>& option, const Value& usual) {
  if (option == usual) option.reset();
}

void make_normal(EncodingOptions& o) {
  const Method method = o.method.value_or(method_for(o.format, o.quality));
  if (o.method && has_quality(o.format, o.quality)) drop_if(o.method, method_for(o.format, o.quality));
  o.options = options_of(o.format, method, o.options);
  drop_if(o.options.passes, kUsualPasses);
  drop_if(o.options.radius, kUsualRadius);
}

void make_normal_coded_stream(EncodeOptions& o) {
  const bool transform = o.lossy && compact::chooses_transform(o.lossy.transform, o.encoding.format);
  if (!o.lossy || transform == compact::chooses_transform(TransformCoding::automatic, o.encoding.format))
    o.lossy.transform = TransformCoding::automatic;
  o.packing.snappy.reset();
  o.packing.chunks.reset();
  o.packing.layout.reset();
  if (o.lossy) o.packing.coding.reset();  // follows from --crf
  if (o.keyframe_interval) drop_if(o.keyframe_interval, media::usual_keyframe_interval(transform));
}

void make_normal_hap(EncodeOptions& o) {
  o.packing.coding.reset();
  o.keyframe_interval.reset();
  drop_if(o.packing.snappy, true);
  drop_if(o.packing.layout, RecordingLayout::hapq);
}

void make_normal_still(EncodeOptions& o) {
  const std::optional<bool> zstd = o.packing.zstd;
  o.packing = {};
  if (media::lower_extension(o.output) == ".ktx2" && zstd == false) o.packing.zstd = false;
  o.lossy = {};
  o.keyframe_interval.reset();
  o.audio.reset();
}

}  // namespace

EncodeOptions normal_options(const EncodeOptions& asked) {
  EncodeOptions o = asked;
  make_normal(o.encoding);
  if (!holds_tracks(o.output)) {
    make_normal_still(o);
    return o;
  }
  o.packing.zstd.reset();
  drop_if(o.audio, AudioChoice::copy);
  const bool is_coded = o.lossy || o.packing.coding == FileCoding::compact;
  if (!o.lossy) o.lossy = {};
  is_coded ? make_normal_coded_stream(o) : make_normal_hap(o);
  return o;
}

}  // namespace texcast::cli
