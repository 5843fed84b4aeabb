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
          .vector_cost = static_cast<int>(std::lround(std::sqrt(lambda))) + 1};
}

RdParameters rd_parameters_of_lambda(double lambda) { return rd_parameters(23 + 3 * std::log2(lambda / 300)); }

RdParameters refined(const RdParameters& parameters, int steps) {
  return {.lambda = std::max(1, parameters.lambda >> 2 * steps),
          .quantiser = std::max(0, parameters.quantiser - 2 * steps),
          .vector_cost = parameters.vector_cost >> steps,
          .finest = parameters.finest};
}

RdParameters refined_at_first(const RdParameters& parameters) {
  RdParameters at_first = rd_parameters_of_lambda(0.4 * parameters.lambda);
  at_first.finest = parameters.finest;
  return at_first;
}

RdParameters with_refinements(const RdParameters& parameters, int steps) {
  RdParameters ramped = parameters;
  ramped.finest = refined(parameters, steps).lambda;
  return ramped;
}

}  // namespace texcast::compact
