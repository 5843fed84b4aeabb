#include "compact/rd_parameters.h"

#include <algorithm>
#include <cmath>

#include "compact/contexts.h"

namespace texcast::compact {

SearchEffort search_effort(Quality quality) {
  switch (quality) {
    case Quality::fast: return {.candidates = 4, .refits = 0, .least_saved = 8 * 32};
    case Quality::normal: return {.candidates = 8, .refits = 4, .least_saved = 4 * 32};
    case Quality::high:
    case Quality::best: return {};
  }
  return {};
}

RdParameters rd_parameters(double crf) {
  crf = std::clamp(crf, 0.0, 51.0);
  const double lambda = 300 * std::exp2((crf - 23) / 3);
  return {.lambda = std::max(1, static_cast<int>(std::lround(lambda))),
          .quantiser = std::clamp(static_cast<int>(std::lround(7 + (crf - 23) / 3)), 0, kQuantisers - 1),
          .vector_price = static_cast<int>(std::lround(std::sqrt(lambda))) + 1};
}

RdParameters rd_parameters_of_lambda(double lambda) { return rd_parameters(23 + 3 * std::log2(lambda / 300)); }

RdParameters finer(const RdParameters& target, int steps) {
  return {.lambda = std::max(1, target.lambda >> 2 * steps),
          .quantiser = std::max(0, target.quantiser - 2 * steps),
          .vector_price = target.vector_price >> steps,
          .finest = target.finest};
}

RdParameters finer_at_first(const RdParameters& target) {
  RdParameters at_first = rd_parameters_of_lambda(0.4 * target.lambda);
  at_first.finest = target.finest;
  return at_first;
}

RdParameters with_refinements(const RdParameters& target, int steps) {
  RdParameters refined = target;
  refined.finest = finer(target, steps).lambda;
  return refined;
}

}  // namespace texcast::compact
