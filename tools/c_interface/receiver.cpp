// Receivers, and the textures that they give.
#include "texcast/c/receiver.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conversions.h"
#include "texcast/stream_receiver.h"

struct texcast_received {
  explicit texcast_received(const texcast::ReceivedTexture& texture) : received(texture) {}

  texcast::ReceivedTexture received;
  std::shared_ptr<const void> memory{};  // of the texture; null inside a callback until it is kept
  std::atomic<int> shares = 1;
};

namespace texcast::c {

namespace {

struct Release {
  void operator()(texcast_received* received) const { texcast_received_release(received); }
};
using Share = std::unique_ptr<texcast_received, Release>;

void keep(texcast_received& received) {
  if (!received.memory) received.memory = received.received.keep();
}

// The textures that wait for texcast_receiver_next().
class Queue {
 public:
  explicit Queue(size_t most) : most_(most) {}

  void put(const ReceivedTexture& texture) {
    Share share(new texcast_received(texture));
    keep(*share);
    const std::lock_guard lock(mutex_);
    if (waiting_.size() == most_) {
      waiting_.pop_front();
      ++skipped_;
    }
    waiting_.push_back(std::move(share));
    changed_.notify_one();
  }
  // Null: none came in time, or the queue is closed and empty.
  Share take(int64_t timeout_ns) {
    std::unique_lock lock(mutex_);
    const auto over = [this] { return !waiting_.empty() || closed_; };
    if (timeout_ns < 0)
      changed_.wait(lock, over);
    else
      changed_.wait_for(lock, std::min<nanoseconds>(nanoseconds(timeout_ns), std::chrono::hours(24 * 365)), over);
    if (waiting_.empty()) return nullptr;
    Share first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  bool is_over() const {
    const std::lock_guard lock(mutex_);
    return closed_ && waiting_.empty();
  }
  uint64_t skipped() const {
    const std::lock_guard lock(mutex_);
    return skipped_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  const size_t most_;
  std::deque<Share> waiting_{};
  uint64_t skipped_ = 0;
  bool closed_ = false;
};

constexpr size_t kUsualQueue = 4, kMostQueued = 64, kMostKept = 900;

texcast_receiver_settings checked(const texcast_receiver_settings* settings) {
  auto given = input(settings, "texcast_receiver_settings");
  if (given.from_count > 0) required(given.from, "from");
  if (given.textures_kept > kMostKept) throw_misuse("at most 900 textures can be kept at a time");
  if (given.queue > kMostQueued) throw_misuse("at most 64 textures can wait in the queue");
  if (given.queue == 0) given.queue = kUsualQueue;
  return given;
}

StreamReceiverSettings receiver_settings(const texcast_receiver_settings& given) {
  StreamReceiverSettings result;
  if (given.listen) result.listen = given.listen;
  result.name = text(given.name);
  result.interface = text(given.network_interface);
  for (size_t i = 0; i < given.from_count; ++i)
    result.from.emplace_back(&required(given.from[i], "an address of from"));
  result.passphrase = text(given.passphrase);
  if (given.cipher) result.cipher = given.cipher;
  if (given.max_age_ns != 0) result.max_age = nanoseconds(std::max<int64_t>(given.max_age_ns, 0));
  result.max_width = given.max_width;
  result.max_height = given.max_height;
  if (given.textures_kept != 0) result.textures_kept = given.textures_kept;
  if (!given.on_texture) result.textures_kept += given.queue;
  return result;
}

texcast_sound c_sound(const ReceivedSound& sound) {
  return {.struct_size = sizeof(texcast_sound),
          .samples = sound.samples.data(),
          .count = sound.samples.size() / static_cast<size_t>(sound.format.channels),
          .pts_ns = sound.pts.count(),
          .sample_rate = sound.format.sample_rate,
          .channels = sound.format.channels,
          .is_new_stream = sound.new_stream,
          .is_concealed = sound.concealed};
}

// Marks this thread as the one that is in a callback.
class Inside {
 public:
  explicit Inside(std::atomic<std::thread::id>& caller) : caller_(caller) { caller_ = std::this_thread::get_id(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { caller_ = std::thread::id(); }

 private:
  std::atomic<std::thread::id>& caller_;
};

// The receiver's callbacks. They outlive the handle if one of them destroys that.
struct Delivery {
  explicit Delivery(const texcast_receiver_settings& given)
      : queue(given.queue), function(given.on_texture), sound_function(given.on_sound), user(given.user) {}

  void deliver(const ReceivedTexture& texture) {
    if (!function) return enqueue(texture);
    const Share share(new texcast_received(texture));
    const Inside inside(caller);
    function(user, share.get());
  }
  void deliver(const ReceivedSound& sound) {
    const texcast_sound block = c_sound(sound);
    const Inside inside(sound_caller);
    sound_function(user, &block);
  }
  // A failure ends the reception, and nobody should wait for more textures.
  void enqueue(const ReceivedTexture& texture) {
    try {
      queue.put(texture);
    } catch (...) {
      queue.close();
      throw;
    }
  }

  Queue queue;
  const texcast_received_function function;
  const texcast_sound_function sound_function;
  void* const user;
  std::atomic<std::thread::id> caller{}, sound_caller{};  // the threads that are in on_texture and in on_sound
  bool is_caller(std::thread::id thread) const { return caller == thread || sound_caller == thread; }
};

StreamReceiver::OnTexture on_texture(std::shared_ptr<Delivery> delivery) {
  return [delivery = std::move(delivery)](const ReceivedTexture& texture) { delivery->deliver(texture); };
}
StreamReceiver::OnSound on_sound(std::shared_ptr<Delivery> delivery) {
  if (!delivery->sound_function) return {};
  return [delivery = std::move(delivery)](const ReceivedSound& sound) { delivery->deliver(sound); };
}

int64_t since_1970(WallTime time) { return time.time_since_epoch().count(); }

texcast_received_info c_info(const ReceivedTexture& received) {
  return {.struct_size = sizeof(texcast_received_info),
          .fps = received.fps,
          .number = received.number,
          .available_ns = since_1970(received.times.available),
          .encoded_ns = since_1970(received.times.encoded),
          .sent_ns = since_1970(received.times.sent),
          .first_packet_ns = since_1970(received.times.first_packet),
          .assembled_ns = since_1970(received.times.assembled),
          .concealed_blocks = received.concealed_blocks,
          .is_new_stream = received.new_stream};
}

texcast_receiver_status c_status(const StreamReceiverStatus& s, uint64_t skipped) {
  static_assert(static_cast<int>(StreamRefusal::from_the_future) == TEXCAST_REFUSAL_FROM_THE_FUTURE);
  static_assert(static_cast<int>(StreamRefusal::older_texcast) == TEXCAST_REFUSAL_OLDER_TEXCAST);
  static_assert(static_cast<int>(StreamRefusal::not_encrypted) == TEXCAST_REFUSAL_NOT_ENCRYPTED);
  static_assert(static_cast<int>(StreamRefusal::wrong_passphrase) == TEXCAST_REFUSAL_WRONG_PASSPHRASE);
  texcast_receiver_status result{.struct_size = sizeof(texcast_receiver_status),
                                 .frames = s.frames,
                                 .frames_concealed = s.frames_concealed,
                                 .frames_lost = s.frames_lost,
                                 .frames_unbuffered = s.frames_unbuffered,
                                 .frames_undecoded = s.frames_undecoded,
                                 .frames_unsupported = s.frames_unsupported,
                                 .frames_skipped = skipped,
                                 .packets = s.packets,
                                 .bytes = s.bytes,
                                 .packets_lost = s.packets_lost,
                                 .packets_recovered = s.packets_recovered,
                                 .packets_refused = s.packets_refused,
                                 .packets_foreign = s.packets_foreign,
                                 .packets_malformed = s.packets_malformed,
                                 .pictures_too_large = s.pictures_too_large,
                                 .dropped_by_system = s.dropped_by_system,
                                 .sound_packets = s.sound_packets,
                                 .sound_packets_lost = s.sound_packets_lost,
                                 .sound_concealed_ms = s.sound_concealed_ms,
                                 .refusal = static_cast<texcast_refusal>(s.refusal),
                                 .sender = {}};
  s.sender.copy(result.sender, sizeof(result.sender) - 1);
  return result;
}

}  // namespace

}  // namespace texcast::c

struct texcast_receiver {
  explicit texcast_receiver(const texcast_receiver_settings& settings)
      : delivery(std::make_shared<texcast::c::Delivery>(settings)),
        receiver(texcast::c::receiver_settings(settings), texcast::c::on_texture(delivery),
                 texcast::c::on_sound(delivery)),
        urls(receiver.send_to()) {}

  const std::shared_ptr<texcast::c::Delivery> delivery;
  std::mutex stopping{};  // held by texcast_receiver_stop()
  texcast::StreamReceiver receiver;
  const std::vector<std::string> urls;
};

using namespace texcast;
using namespace texcast::c;

texcast_status texcast_receiver_create(const texcast_receiver_settings* settings, texcast_receiver** receiver,
                                       texcast_error* error) {
  return guarded(error, [&] {
    texcast_receiver*& out = handle_out(receiver, "receiver");
    out = new texcast_receiver(checked(settings));
    return TEXCAST_OK;
  });
}

texcast_status texcast_receiver_next(texcast_receiver* receiver, int64_t timeout_ns, texcast_received** received,
                                     texcast_error* error) {
  return guarded(error, [&] {
    texcast_received*& out = handle_out(received, "received");
    texcast_receiver& self = required(receiver, "receiver");
    if (self.delivery->function) throw_misuse("this receiver passes its textures to on_texture");
    Share share = self.delivery->queue.take(timeout_ns);
    if (!share) return self.delivery->queue.is_over() ? TEXCAST_END : TEXCAST_TIMEOUT;
    out = share.release();
    return TEXCAST_OK;
  });
}

texcast_status texcast_receiver_stop(texcast_receiver* receiver, texcast_error* error) {
  return guarded(error, [&] {
    texcast_receiver& self = required(receiver, "receiver");
    if (self.delivery->is_caller(std::this_thread::get_id()))
      throw_misuse("a receiver cannot be stopped from within its callback");
    const std::lock_guard lock(self.stopping);
    self.delivery->queue.close();
    self.receiver.stop();
    return TEXCAST_OK;
  });
}

texcast_status texcast_receiver_get_status(const texcast_receiver* receiver, texcast_receiver_status* status,
                                           texcast_error* error) {
  return guarded(error, [&] {
    const texcast_receiver& self = required(receiver, "receiver");
    const Output out(status, "texcast_receiver_status");
    out.set(c_status(self.receiver.status(), self.delivery->queue.skipped()));
    return TEXCAST_OK;
  });
}

const char* texcast_receiver_url(const texcast_receiver* receiver, size_t index) {
  return receiver && index < receiver->urls.size() ? receiver->urls[index].c_str() : nullptr;
}

void texcast_receiver_destroy(texcast_receiver* receiver) { delete receiver; }

texcast_status texcast_received_get_texture(const texcast_received* received, texcast_texture* texture,
                                            texcast_error* error) {
  return guarded(error, [&] {
    const ReceivedTexture& self = required(received, "received").received;
    const Output out(texture, "texture");
    out.set(c_texture(self.texture, self.times.pts));
    return TEXCAST_OK;
  });
}

texcast_status texcast_received_get_info(const texcast_received* received, texcast_received_info* info,
                                         texcast_error* error) {
  return guarded(error, [&] {
    const ReceivedTexture& self = required(received, "received").received;
    const Output out(info, "texcast_received_info");
    out.set(c_info(self));
    return TEXCAST_OK;
  });
}

texcast_status texcast_received_keep(texcast_received* received, texcast_error* error) {
  return guarded(error, [&] {
    texcast_received& self = required(received, "received");
    keep(self);
    ++self.shares;
    return TEXCAST_OK;
  });
}

void texcast_received_release(texcast_received* received) {
  if (received && --received->shares == 0) delete received;
}
