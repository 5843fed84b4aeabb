#include "play_source.h"

#include <utility>

#include "clip_input.h"
#include "recorder_settings.h"
#include "stream/source_url.h"

namespace texcast::cli {

bool is_received(const std::string& name) { return stream::is_rtp(name) || stream::is_capture(name); }

PlaySource open_play_source(const PlayOptions& o, const std::string& name, player::Presenter& presenter,
                            std::shared_ptr<const transport::WireKeys> keys) {
  PlaySource source;
  source.name = name;
  if (is_received(name)) {
    const bool every_frame = o.no_window && stream::is_capture(name);
    stream::StreamFeedSettings settings{
        .title = name,
        .delivery = every_frame ? stream::Delivery::every_frame : stream::Delivery::newest_wins,
        .record = recorder_settings(o.stream.record, o.stream.packing),
        .layout = layout_settings(o.stream),
        .latency = o.latency.value_or(LatencyChoice{}).fixed,
        .keys = std::move(keys),
        .timeout = o.stream.timeout};
    auto datagrams = stream::open_datagrams(name, every_frame ? stream::Pace::unpaced : stream::Pace::as_captured,
                                            o.stream.interface);
    source.stream = std::make_unique<stream::StreamFeed>(std::move(datagrams), settings);
  } else {
    stream::ClipFeedSettings settings{
        .pace = o.no_window ? stream::ClipPace::every_frame_at_once : stream::ClipPace::by_time_stamps,
        .presenter = &presenter,
        .sound = !o.offscreen && !o.no_audio};
    source.clip = std::make_unique<stream::ClipFeed>(open_texture_file(name), std::move(settings));
  }
  return source;
}

}  // namespace texcast::cli
