#include "audio_copy.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "media/clip_track.h"
#include "media/ffmpeg.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

// Samples whose silence is zero bytes: signed or floating-point. They may be cut anywhere; everything else is treated
// as coded packets.
bool is_plain_pcm(AVCodecID id) {
  constexpr std::array kPlain = {AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S16BE, AV_CODEC_ID_PCM_S24LE,
                                 AV_CODEC_ID_PCM_S24BE, AV_CODEC_ID_PCM_S32LE, AV_CODEC_ID_PCM_S32BE,
                                 AV_CODEC_ID_PCM_F32LE, AV_CODEC_ID_PCM_F32BE, AV_CODEC_ID_PCM_F64LE,
                                 AV_CODEC_ID_PCM_F64BE};
  return std::find(kPlain.begin(), kPlain.end(), id) != kPlain.end();
}

// FFmpeg would write more codecs into QuickTime files; these are the ones that players expect there.
bool mov_takes(AVCodecID id) {
  constexpr std::array kUsual = {AV_CODEC_ID_AAC, AV_CODEC_ID_ALAC, AV_CODEC_ID_MP3, AV_CODEC_ID_AC3};
  return is_plain_pcm(id) || std::find(kUsual.begin(), kUsual.end(), id) != kUsual.end();
}

bool container_takes(const AVCodecParameters& p, bool is_mov) {
  // AAC from broadcasts (ADTS) repeats its description in every packet; files need it in their header.
  if (p.codec_id == AV_CODEC_ID_AAC && p.extradata_size == 0) return false;
  if (is_mov) return mov_takes(p.codec_id);
  const AVOutputFormat* format = av_guess_format("matroska", nullptr, nullptr);
  return format && avformat_query_codec(format, p.codec_id, FF_COMPLIANCE_NORMAL) == 1;
}

// ISO 639-2 has two codes for some languages; QuickTime uses the older one.
std::string language_for(const std::string& language, bool is_mov) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kOlder = {{{"ces", "cze"},
                                                                                     {"deu", "ger"},
                                                                                     {"ell", "gre"},
                                                                                     {"fas", "per"},
                                                                                     {"fre", "fra"},
                                                                                     {"isl", "ice"},
                                                                                     {"mkd", "mac"},
                                                                                     {"nld", "dut"},
                                                                                     {"ron", "rum"},
                                                                                     {"slk", "slo"},
                                                                                     {"sqi", "alb"},
                                                                                     {"zho", "chi"}}};
  const auto older =
      std::find_if(kOlder.begin(), kOlder.end(), [&](const auto& pair) { return pair.first == language; });
  return is_mov && older != kOlder.end() ? std::string(older->second) : language;
}

size_t frame_bytes_of(const AVCodecParameters& p) {
  return static_cast<size_t>(av_get_exact_bits_per_sample(p.codec_id) / 8 * p.ch_layout.nb_channels);
}

}  // namespace

std::unique_ptr<AudioCopy> AudioCopy::open(const AudioSource& source, const char* muxer) {
  if (source.mode == AudioMode::none) return nullptr;
  InputPtr input;
  if (!source.queue) {
    int code = 0;
    input = open_clip_input(source.file, code);
    if (input) code = avformat_find_stream_info(input.get(), nullptr);
    if (code < 0)
      throw Error(ErrorKind::input, fmt::format("cannot read the sound of '{}': {}; --audio none leaves it out",
                                                source.file, av_reason(code)));
  }
  std::unique_ptr<AudioCopy> copy(new AudioCopy(std::move(input), source, muxer));
  return copy->tracks_.empty() ? nullptr : std::move(copy);
}

AudioCopy::AudioCopy(InputPtr input, const AudioSource& source, const char* muxer)
    : input_(std::move(input)), queue_(source.queue), is_mov_(std::string_view(muxer) == "mov"), begin_(source.begin) {
  if (!queue_) {
    add_tracks_of_file(source.mode);
    return;
  }
  queue_->go_to_newest_pass();
  for (size_t i = 0; i < queue_->tracks().size(); ++i) {
    const SoundTrack& track = queue_->tracks()[i];
    add_track(i, *track.parameters, track.time_base, track.language.c_str(), source.mode);
  }
}

void AudioCopy::add_tracks_of_file(AudioMode mode) {
  for (unsigned i = 0; i < input_->nb_streams; ++i) {
    AVStream& stream = *input_->streams[i];
    if (stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO)
      add_track(i, *stream.codecpar, stream.time_base, metadata_of(stream.metadata, "language").c_str(), mode);
    if (track_of(i) == nullptr) stream.discard = AVDISCARD_ALL;
  }
  // A recording that begins later in the file is read from a little earlier on: some codecs need packets before it.
  constexpr nanoseconds kRunUp = std::chrono::milliseconds(500);
  if (!tracks_.empty() && begin_ > kRunUp) seek(begin_ - kRunUp);
}

AudioCopy::Track* AudioCopy::track_of(size_t in) {
  const auto track = std::ranges::find(tracks_, in, &Track::in);
  return track == tracks_.end() ? nullptr : &*track;
}

void AudioCopy::seek(nanoseconds time) {
  // Transport streams do not start at 0, and a seek before their start would lose sound that precedes the picture.
  if (input_->start_time != AV_NOPTS_VALUE && time.count() / 1000 <= input_->start_time) return;
  const AVStream& guide = seek_guide(*input_, *input_->streams[tracks_.front().in]);
  const int64_t target = av_rescale_q(time.count(), kNanoseconds, guide.time_base);
  avformat_seek_file(input_.get(), guide.index, INT64_MIN, target, target, 0);
  take_last_av_line();
}

void AudioCopy::add_track(size_t in, const AVCodecParameters& p, AVRational time_base, const char* language,
                          AudioMode mode) {
  Track track{
      .in = in, .time_base = time_base, .language = language, .parameters = ParametersPtr(avcodec_parameters_alloc())};
  if (!track.parameters) throw std::bad_alloc();
  const bool as_it_is = (mode == AudioMode::copy || p.codec_id == AV_CODEC_ID_PCM_S16LE) &&
                        container_takes(p, is_mov_) && p.sample_rate > 0 && p.ch_layout.nb_channels > 0;
  if (!as_it_is) track.decoder = PcmDecoder::open(p, time_base);
  if (!as_it_is && !track.decoder) {
    log_warning("audio track {} ({}) is left out: this FFmpeg cannot decode it", in, avcodec_get_name(p.codec_id));
    return;
  }
  if (avcodec_parameters_copy(track.parameters.get(), as_it_is ? &p : &track.decoder->parameters()) < 0)
    throw std::bad_alloc();
  track.parameters->codec_tag = 0;  // it was the other container's; the muxer chooses its own
  if (track.decoder)
    track.line = std::make_unique<PcmLine>(track.parameters->sample_rate, track.decoder->frame_bytes());
  else if (is_plain_pcm(p.codec_id))
    track.line = std::make_unique<PcmLine>(p.sample_rate, frame_bytes_of(p));
  tracks_.push_back(std::move(track));
}

void AudioCopy::add_tracks(MuxedOutput& output) {
  for (Track& track : tracks_) {
    track.has_begun = false;
    track.out = output.add_track(*track.parameters, {1, track.parameters->sample_rate}, {0, 1},
                                 language_for(track.language, is_mov_), "");
  }
}

int64_t AudioCopy::nanoseconds_of(const Track& track, int64_t stamp) const {
  return av_rescale_q(stamp, track.time_base, kNanoseconds) - begin_.count();
}

void AudioCopy::read_until(nanoseconds end) {
  if (ended_) return;
  queue_ ? read_queue() : read_file_until(end);
}

// Takes the packets that the reader of the pictures has found so far. It reads ahead of them.
void AudioCopy::read_queue() {
  while (auto taken = queue_->take())
    if (Track* track = track_of(taken->track)) take(*track, std::move(taken->packet));
  if (queue_->ended()) end();
}

void AudioCopy::end() {
  ended_ = true;
  for (Track& track : tracks_)
    if (track.decoder) take(track, nullptr);
}

// Reads until every track is known up to `end`. If a track is far ahead of another one, waiting for that ends: files
// interleave their tracks, so the other one has nothing more before `end`.
void AudioCopy::read_file_until(nanoseconds end) {
  constexpr nanoseconds kFarAhead = std::chrono::seconds(10);
  const auto enough = [&] {
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (const Track& track : tracks_) {
      least = std::min(least, track.last_read);
      most = std::max(most, track.last_read);
    }
    return least >= end.count() || most >= (end + kFarAhead).count();
  };
  PacketPtr packet = make_packet();
  while (!ended_ && !enough()) {
    const int code = av_read_frame(input_.get(), packet.get());
    if (code == AVERROR_INVALIDDATA) continue;
    if (code < 0) return this->end();
    if (Track* track = track_of(static_cast<size_t>(packet->stream_index)))
      take(*track, std::exchange(packet, make_packet()));
    else
      av_packet_unref(packet.get());
  }
}

void AudioCopy::take(Track& track, PacketPtr packet) {
  if (packet && packet->pts == AV_NOPTS_VALUE) packet->pts = packet->dts;
  const auto put = [&](int64_t pts, Bytes samples) {
    const AVRational sample{1, track.parameters->sample_rate};
    const int64_t first =
        pts == AV_NOPTS_VALUE ? track.line->end() : av_rescale_q(nanoseconds_of(track, pts), kNanoseconds, sample);
    track.line->put(first, samples);
  };
  if (packet && packet->pts != AV_NOPTS_VALUE) track.last_read = nanoseconds_of(track, packet->pts);
  if (track.decoder) return track.decoder->decode(packet.get(), put);
  if (!packet || (packet->flags & AV_PKT_FLAG_CORRUPT) != 0 || packet->size <= 0) return;
  if (track.line)
    put(packet->pts, std::as_bytes(std::span(packet->data, static_cast<size_t>(packet->size))));
  else if (packet->pts != AV_NOPTS_VALUE)
    track.packets.push_back(std::move(packet));
}

void AudioCopy::write_until(nanoseconds end, nanoseconds part_begin, MuxedOutput& output) {
  read_until(end);
  for (Track& track : tracks_) {
    if (track.line)
      write_pcm(track, end, part_begin, output);
    else
      write_packets(track, end, part_begin, output);
  }
}

int64_t AudioCopy::bytes_until(nanoseconds end) {
  read_until(end);
  int64_t bytes = 0;
  for (const Track& track : tracks_) {
    if (track.line)
      bytes += track.line->bytes_until(av_rescale_q(end.count(), kNanoseconds, {1, track.parameters->sample_rate}));
    for (const PacketPtr& packet : track.packets)
      if (nanoseconds_of(track, packet->pts) < end.count()) bytes += packet->size;
  }
  return bytes;
}

void AudioCopy::write_pcm(Track& track, nanoseconds end, nanoseconds part_begin, MuxedOutput& output) {
  const AVRational sample{1, track.parameters->sample_rate};
  const int64_t begin = av_rescale_q(part_begin.count(), kNanoseconds, sample);
  const auto piece = track.line->take_until(av_rescale_q(end.count(), kNanoseconds, sample));
  if (piece.count == 0) return;
  output.write({.track = track.out,
                .bytes = piece.bytes,
                .pts = piece.first - begin,
                .duration = piece.count,
                .time_base = sample});
}

void AudioCopy::write_packets(Track& track, nanoseconds end, nanoseconds part_begin, MuxedOutput& output) {
  while (!track.packets.empty() && nanoseconds_of(track, track.packets.front()->pts) < end.count()) {
    PacketPtr packet = std::move(track.packets.front());
    track.packets.pop_front();
    if (nanoseconds_of(track, packet->pts) >= part_begin.count()) {
      if (!std::exchange(track.has_begun, true)) write_run_up(track, part_begin, output);
      write_packet(track, *packet, part_begin, output);
    }
    track.before.push_back(std::move(packet));
    if (track.before.size() > 2) track.before.pop_front();
  }
}

// Sound at the beginning may depend on the previous packet, and decoding that on its predecessor. In QuickTime files
// both may have negative times, and players decode but do not play them. Matroska has no such thing: there the
// sound begins with the first whole packet.
void AudioCopy::write_run_up(Track& track, nanoseconds part_begin, MuxedOutput& output) const {
  if (!is_mov_) return;
  for (const PacketPtr& packet : track.before) {
    const int64_t begin = nanoseconds_of(track, packet->pts);
    const int64_t duration = av_rescale_q(packet->duration, track.time_base, kNanoseconds);
    if (begin + 2 * duration > part_begin.count()) write_packet(track, *packet, part_begin, output);
  }
}

void AudioCopy::write_packet(const Track& track, const AVPacket& packet, nanoseconds part_begin,
                             MuxedOutput& output) const {
  output.write({.track = track.out,
                .bytes = std::as_bytes(std::span(packet.data, static_cast<size_t>(packet.size))),
                .pts = nanoseconds_of(track, packet.pts) - part_begin.count(),
                .duration = av_rescale_q(packet.duration, track.time_base, kNanoseconds)});
}

}  // namespace texcast::media
