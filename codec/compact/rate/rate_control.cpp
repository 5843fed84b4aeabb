#include "compact/rate_control.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/ensure.h"

namespace texcast::compact {
namespace {

constexpr double kCoarsestCrf = 45;  // beyond it hardly a bit is saved
// Bits go with lambda to the power of about -1/2: a crf of 6 less, lambda divided by 4, doubles them. Measured on film
// it is 0.3 to 0.7, so that going far from what was coded of late is a guess: towards finer ones it is made carefully.
constexpr double kBitsPower = 0.5, kCarefulPower = 0.65;
// Of what the buffer has room for, what is planned for: guesses are wrong by so much.
constexpr double kPlanned = 0.9;
constexpr double kLeastWanted = 0.25;  // of a frame time's bytes, whatever the buffer holds
constexpr double kPaidBack = 0.3;      // of what is in the buffer, each frame
constexpr double kFinerShare = 0.25;   // of a frame, for what stands, where what moves would take all
// A frame that needs to be coarser than usual by this much has as much of the buffer as it needs: a cut.
constexpr double kCoarser = 1.4, kMuchCoarser = 3;
constexpr double kMostOfAFrame = 0.5;  // of the buffer, for the refinement of a tile
// What a price begins with: of films in ycocg-bc4.
constexpr double kMovingPrice = 0.4, kAnewPrice = 1.0, kFinerPrice = 0.4;

double crf_of(double lambda) { return 23 + 3 * std::log2(lambda / 300); }

}  // namespace

// The more there was to see, against what is usual, the more it counts.
void RateControl::Price::learn() {
  constexpr double kLeast = 0.02, kMost = 0.7;
  if (seen_detail_ > 0) {
    const double weight = std::clamp(seen_detail_ / (seen_detail_ + usual_detail_), kLeast, kMost);
    bytes_ += (seen_bytes_ / seen_detail_ - bytes_) * weight;
    usual_detail_ += (seen_detail_ - usual_detail_) / 8;
  }
  seen_bytes_ = seen_detail_ = 0;
}

void RateControl::Price::believe() {
  if (seen_detail_ > 0) bytes_ = seen_bytes_ / seen_detail_;
  seen_bytes_ = seen_detail_ = 0;
}

RateControl::RateControl(uint32_t tiles, const RateSettings& settings)
    : settings_(settings),
      finest_(with_refinements(rd_parameters(settings.crf), settings.refinements)),
      coarsest_lambda_(std::max<double>(rd_parameters(kCoarsestCrf).lambda, finest_.lambda)),
      sizes_(tiles, settings.payload_bytes),
      prices_{Price(kMovingPrice), Price(kAnewPrice), Price(kFinerPrice)} {
  ENSURE(settings.bits_per_s > 0 && settings.fps > 0 && settings.buffer_frames >= 1);
  target_ = finest_;
  order_.reserve(tiles);
}

void RateControl::set_rate(double bits_per_s) {
  ENSURE(bits_per_s > 0);
  settings_.bits_per_s = bits_per_s;
}

size_t RateControl::line_bytes(const PayloadSizes& sizes) const {
  return settings_.line_bytes ? settings_.line_bytes(sizes.ended()) : sizes.ended().bytes;
}

void RateControl::begin(double frame_times, size_t history_bytes) {
  ENSURE(frame_times > 0);
  fill_ = std::max(0.0, fill_ - frame_times * of_a_frame());
  frame_times_ = std::clamp(frame_times, 1.0, settings_.buffer_frames);
  most_ = static_cast<size_t>(std::max(0.0, room() - fill_));
  sizes_.begin(history_bytes);
  empty_ = taken_ = line_bytes(sizes_);
  unit_bytes_ = moving_bytes_ = moving_guess_ = finer_bytes_ = 0;
  lambda_sum_ = lambda_weight_ = 0;
  known_lambda_ = usual_lambda_;
  was_tried_ = false;
}

double RateControl::guess(const TileToCode& tile, double lambda) const {
  const double price = prices_[static_cast<size_t>(tile.need)].bytes();
  return price * tile.detail / std::pow(tile.need == TileNeed::finer ? tile.lambda : lambda, kBitsPower);
}

// That tiles which would take `demand` at lambda 1 take so many bytes by.
double RateControl::lambda_for(double demand, double bytes) const {
  const double finest = finest_.lambda * hurry_;
  if (demand <= 0) return finest;
  if (bytes <= 0) return coarsest_lambda_;
  double lambda = std::pow(demand / bytes, 1 / kBitsPower);
  if (lambda < known_lambda_) lambda = known_lambda_ * std::pow(lambda / known_lambda_, kBitsPower / kCarefulPower);
  return std::clamp(lambda, finest, coarsest_lambda_);
}

// Bytes of the line for one of units: of late, and in the frame at hand.
double RateControl::overhead() const {
  constexpr double kTrusted = 8000;  // bytes of units
  return (overhead_ * kTrusted + static_cast<double>(taken_ - empty_)) / (kTrusted + unit_bytes_);
}

double RateControl::units_in(double line_bytes) const {
  return std::max(0.0, line_bytes - static_cast<double>(empty_)) / overhead();
}

// Bytes of the line that the frame should take: those of the time since the one before, less what others took before;
// but where it is much harder than those before it, as behind a cut, as much of the buffer as it needs.
double RateControl::line_bytes_wanted(double demand) {
  const double of_one = of_a_frame() * frame_times_, most = kPlanned * static_cast<double>(most_);
  const double usual = std::min(std::max(of_one - kPaidBack * fill_, kLeastWanted * of_one), most);
  const double before = usual_lambda_ > 0 ? usual_lambda_ : finest_.lambda;
  const double coarser = lambda_for(demand, units_in(usual)) / before;
  const double part = std::clamp((coarser - kCoarser) / (kMuchCoarser - kCoarser), 0.0, 1.0);
  is_unsure_ = is_unsure_ || part > 0;
  return std::max(usual, usual + part * (most - usual));
}

// Coding takes twice as long by the finest lambda as by one a hundred times it. Where tiles that move have to wait for
// want of time, a coarser picture is the better one.
void RateControl::mind_the_time(std::span<const TileToCode> tiles) {
  constexpr double kMore = 1.3, kLess = 1 / 1.05, kMost = 100;
  const bool is_short =
      std::ranges::any_of(tiles, [](const TileToCode& t) { return t.need != TileNeed::finer && !t.has_time; });
  hurry_ = std::clamp(hurry_ * (is_short ? kMore : kLess), 1.0, kMost);
}

// Much more of it is new than in the frame before: what that cost says little.
bool RateControl::is_unlike_before(std::span<const TileToCode> tiles) {
  constexpr double kMore = 1.5, kMuch = 1.0 / 16;
  double all = 0;
  anew_ = 0;
  for (const TileToCode& tile : tiles) {
    all += tile.detail;
    if (tile.need == TileNeed::anew) anew_ += tile.detail;
  }
  return anew_ > kMore * usual_anew_ + kMuch * all;
}

// What it takes, at lambda 1, to make standing tiles as good that are coarser than what moves.
double RateControl::as_coarse(std::span<const TileToCode> tiles, double lambda) const {
  constexpr double kCoarserThan = 2;
  double demand = 0;
  for (const TileToCode& tile : tiles)
    if (tile.has_time && tile.need == TileNeed::finer && tile.lambda > kCoarserThan * lambda)
      demand += prices_[static_cast<size_t>(TileNeed::finer)].bytes() * tile.detail;
  return demand;
}

RdParameters RateControl::with_lambda(double lambda) {
  lambda_ = lambda;
  target_ = rd_parameters_of_lambda(lambda);
  target_.finest = finest_.finest;
  return target_;
}

RdParameters RateControl::plan(std::span<TileToCode> tiles) {
  double demand = 0, finer = 0;
  if (was_tried_) {
    for (Price& price : prices_) price.believe();
    known_lambda_ = lambda_;
  } else {
    mind_the_time(tiles);
  }
  for (TileToCode& tile : tiles) {
    tile.is_chosen = false;
    (tile.need == TileNeed::finer ? finer : demand) += guess(tile, 1);
  }
  is_unsure_ = is_unlike_before(tiles);
  const double slices = units_in(line_bytes_wanted(demand));
  if (was_tried_) is_unsure_ = false;
  // What moves, and what stands and is coarser than that, as good as each other; the rest that stands has its share.
  double lambda = lambda_for(demand, slices), coarse = 0;
  for (int i = 0; i < 3 && finer > 0; ++i) {
    coarse = as_coarse(tiles, lambda);
    lambda = lambda_for(demand + coarse, slices);
  }
  const double kept = std::max(std::min(finer, kFinerShare * slices), slices * coarse / std::max(demand + coarse, 1.0));
  with_lambda(first_lambda_ = lambda_for(demand, slices - kept));
  moving_room_ = slices - kept;
  const double moving = choose_moving(tiles);
  finer_room_ = std::max(kept, slices - moving);
  choose_finer(tiles);
  return target_;
}

void RateControl::tried(const TileToCode& tile, size_t unit_bytes) {
  was_tried_ = true;
  Price& price = prices_[static_cast<size_t>(tile.need)];
  price.see(static_cast<double>(unit_bytes), guess(tile, lambda_) / price.bytes());
}

// Those that have waited longest first, as far as there seems to be room by the lambda at hand.
double RateControl::choose_moving(std::span<TileToCode> tiles) {
  order_.clear();
  for (uint32_t i = 0; i < tiles.size(); ++i)
    if (tiles[i].has_time && tiles[i].need != TileNeed::finer) order_.push_back(i);
  std::ranges::sort(order_, [&](uint32_t a, uint32_t b) {
    return tiles[a].late != tiles[b].late ? tiles[a].late > tiles[b].late : a < b;
  });
  const double room = units_in(static_cast<double>(most_));
  double sum = 0;
  left_ = late_left_ = 0;
  for (const uint32_t i : order_) {
    const double bytes = guess(tiles[i], lambda_);
    if (sum > 0 && sum + bytes > room) break;
    sum += bytes;
    tiles[i].is_chosen = true;
    left_ += guess(tiles[i], 1);
    if (tiles[i].late > 0) late_left_ += guess(tiles[i], 1);
  }
  moving_guess_all_ = sum;
  return sum;
}

// The coarsest first: as good as there is room for if all get so, but no better at once than what moves ever is; from
// there on step by step, as what stands for a moment alone is not worth more.
void RateControl::choose_finer(std::span<TileToCode> tiles) {
  constexpr int kStep = 4;
  double demand = 0;
  for (const TileToCode& tile : tiles)
    if (tile.has_time && tile.need == TileNeed::finer)
      demand += prices_[static_cast<size_t>(TileNeed::finer)].bytes() * tile.detail;
  const double together = lambda_for(demand, finer_room_);
  order_.clear();
  for (uint32_t i = 0; i < tiles.size(); ++i)
    if (tiles[i].has_time && tiles[i].need == TileNeed::finer) order_.push_back(i);
  std::ranges::sort(order_, [&](uint32_t a, uint32_t b) {
    return tiles[a].lambda != tiles[b].lambda ? tiles[a].lambda > tiles[b].lambda : a < b;
  });
  double sum = 0;
  for (const uint32_t i : order_) {
    int& lambda = tiles[i].lambda;
    lambda = std::max(finest_.finest, std::min(lambda / kStep, static_cast<int>(together)));
    const double bytes = guess(tiles[i], lambda_);
    if (sum > 0 && sum + bytes > finer_room_) break;
    sum += bytes;
    tiles[i].is_chosen = true;
  }
}

Room RateControl::take(std::span<const TileToCode> tiles, std::span<const CodedSlice> slices) {
  const bool is_finer = tiles.front().need == TileNeed::finer;
  double bytes = 0, guessed = 0;
  uint8_t late = 0;
  PayloadSizes sizes = sizes_;
  for (const CodedSlice& slice : slices) {
    bytes += static_cast<double>(slice.bytes.size());
    sizes.add(slice);
  }
  for (const TileToCode& tile : tiles) {
    guessed += guess(tile, lambda_);
    late = std::max(late, tile.late);
    if (is_finer) continue;
    left_ -= guess(tile, 1);
    if (tile.late > 0) late_left_ -= guess(tile, 1);
  }
  Price& price = prices_[static_cast<size_t>(tiles.front().need)];
  price.see(bytes, guessed / price.bytes());
  const double scale = overhead() / std::pow(lambda_, kBitsPower);
  const double kept = is_finer ? left_ * scale : late == 0 ? late_left_ * scale : 0;
  const size_t line = line_bytes(sizes);
  const bool has_room = static_cast<double>(line) + std::max(kept, 0.0) <= static_cast<double>(most_);
  if (is_finer) {
    if (!has_room || finer_bytes_ + bytes > finer_room_) {
      const bool never = static_cast<double>(line - taken_) > kMostOfAFrame * room();
      return never ? Room::never : Room::later;
    }
    finer_bytes_ += bytes;
  } else {
    moving_bytes_ += bytes;
    moving_guess_ += guessed;
    if (!has_room) return Room::later;
    lambda_sum_ += guessed * std::log(lambda_);
    lambda_weight_ += guessed;
  }
  sizes_ = sizes;
  taken_ = line;
  unit_bytes_ += bytes;
  return Room::there;
}

// What of the frame is coded tells how far the guesses were off. Where they were too low, it gets a little coarser, and
// then takes of what is in the buffer.
RdParameters RateControl::go_on() {
  constexpr double kTrust = 0.25;  // in the guesses, as if so much of the frame had been as they said
  constexpr double kALittle = 1.5, kMostFiner = 0.5, kMostCoarser = 8;
  if (left_ <= 0 || moving_guess_ <= 0) return target_;
  const double trusted = kTrust * moving_guess_all_;
  const double demand = left_ * (moving_bytes_ + trusted) / (moving_guess_ + trusted);
  const double most = units_in(kPlanned * static_cast<double>(most_)) - finer_bytes_;
  const double wanted = lambda_for(demand, moving_room_ - moving_bytes_);
  const double needed = lambda_for(demand, most - moving_bytes_);
  const double lambda = std::min(wanted, std::max(kALittle * first_lambda_, needed));
  return with_lambda(std::clamp(lambda, std::max(kMostFiner * first_lambda_, finest_.lambda * hurry_),
                                std::min(kMostCoarser * lambda_, coarsest_lambda_)));
}

void RateControl::end() {
  fill_ += static_cast<double>(taken_);
  for (Price& price : prices_) price.learn();
  usual_anew_ = anew_;
  constexpr double kNewest = 0.25, kEnoughToTell = 1000;
  if (unit_bytes_ > kEnoughToTell)
    overhead_ += (static_cast<double>(taken_ - empty_) / unit_bytes_ - overhead_) * kNewest;
  if (lambda_weight_ <= 0) return;
  frame_lambda_ = std::exp(lambda_sum_ / lambda_weight_);
  usual_lambda_ = usual_lambda_ > 0 ? std::sqrt(usual_lambda_ * frame_lambda_) : frame_lambda_;
}

double RateControl::crf() const { return crf_of(frame_lambda_ > 0 ? frame_lambda_ : finest_.lambda); }

}  // namespace texcast::compact
