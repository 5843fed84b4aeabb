// rate_model.h — predicts the bytes of a tile from its complexity and lambda, and learns from the tiles that are coded.
//
// Bytes are proportional to the complexity, and to lambda to the power of about -1/2. The factor of each kind of tile
// is learned from recent frames.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace texcast::compact {

// Bytes depend on lambda to the power of about -1/2: dividing lambda by 4, which is a crf of 6 less, doubles them. Film
// was measured to have exponents from 0.3 to 0.7.
inline constexpr double kBitsPower = 0.5;

// Why a tile is to be coded.
enum class TileNeed : uint8_t {
  inter,       // it has changed
  intra,       // it is intra, or the reference frame does not predict it
  refinement,  // it is static, and the next step of its quality ramp is due
};
struct TileToCode {
  uint32_t tile = 0;
  TileNeed need{};
  uint8_t frames_deferred = 0;
  bool has_time = true;     // else it is not chosen; a larger lambda needs less time
  uint32_t complexity = 0;  // TileComplexity::estimate
  int lambda = 0;           // refinement: with which it was coded last; after plan(): with which it is to be coded
  int finest = 0;           // refinement of film: the smallest lambda with which it may be coded
  bool is_chosen = false;   // set by plan()
};

// Not thread-safe.
class RateModel {
 public:
  RateModel(int finest_lambda, double coarsest_lambda);
  // From the next frame on; the model keeps all that it has learned.
  void set_limits(int finest_lambda, double coarsest_lambda) {
    finest_lambda_ = finest_lambda;
    coarsest_lambda_ = coarsest_lambda;
  }

  // Begins a frame.
  void begin();
  // Raises the smallest lambda while changed tiles are deferred because time is short, and lowers it again after that.
  void adapt_to_time(std::span<const TileToCode> tiles);
  // Whether much more content is new than in the previous frame, so that the model says little about this one.
  bool is_unlike_previous(std::span<const TileToCode> tiles);

  // Bytes of slices at lambda 1.
  double unit_bytes(const TileToCode& tile) const { return cost(tile.need).bytes() * tile.complexity; }
  // Bytes of slices; refinements have their own lambda.
  double bytes(const TileToCode& tile, double lambda) const;
  // The lambda at which tiles with `unit_bytes` have so many bytes.
  double lambda_for(double unit_bytes, double bytes) const;
  double finest_lambda() const { return finest_lambda_ * time_factor_; }
  double coarsest_lambda() const { return coarsest_lambda_; }
  // Bytes on the line for a byte of slices, by recent frames and by this one so far, which has these bytes.
  double line_overhead(size_t line_bytes, double slice_bytes) const;

  // Tiles of one kind, with `predicted` bytes(), were coded in `bytes`.
  void observe(TileNeed need, double bytes, double predicted);
  // Learns from the observations since begin() only, which were made with `lambda`.
  void learn_trial(double lambda);
  // Learns from the frame. `line_bytes` are those for slices. `lambda` is the mean of inter and intra tiles, if any.
  void end(size_t line_bytes, double slice_bytes, std::optional<double> lambda);
  // The lambda of inter and intra tiles: the recent average, and that of the last frame that had any.
  double usual_lambda() const { return usual_lambda_ > 0 ? usual_lambda_ : finest_lambda_; }
  double last_lambda() const { return last_lambda_ > 0 ? last_lambda_ : finest_lambda_; }

 private:
  // Bytes of slices for a unit of complexity at lambda 1.
  class Cost {
   public:
    explicit Cost(double bytes) : bytes_(bytes) {}
    double bytes() const { return bytes_; }
    void observe(double bytes, double complexity) { observed_bytes_ += bytes, observed_complexity_ += complexity; }
    void learn();
    // Forgets what it learned from earlier observations.
    void replace();

   private:
    double bytes_;
    double usual_complexity_ = 0;                          // of a frame
    double observed_bytes_ = 0, observed_complexity_ = 0;  // since it learned last
  };
  const Cost& cost(TileNeed need) const { return costs_[static_cast<size_t>(need)]; }

  int finest_lambda_;
  double coarsest_lambda_;
  std::array<Cost, 3> costs_;  // by TileNeed
  double line_overhead_ = 1.2;
  double last_lambda_ = 0, usual_lambda_ = 0;  // 0: there was none
  double known_lambda_ = 0;                    // about the one with which the costs were learned
  double time_factor_ = 1;
  double new_complexity_ = 0, usual_new_complexity_ = 0;  // of new content, in this frame and in the previous one
};

}  // namespace texcast::compact
