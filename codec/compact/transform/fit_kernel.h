// fit_kernel.h — fits a lane's block in each lane. Included in the namespaces narrow and wide (lanes.h).
//
// Each row of `texels` has the same texel of all blocks. A candidate is evaluated in 12 instructions for a texel of all
// lanes, so that a block of 16 texels costs as many in 16 lanes.

inline constexpr int kBatch = 16;  // blocks in a row of texels
struct Ends {
  I16 high, low;
};

inline I16 chosen(I16 mask, I16 yes, I16 no) { return (mask & yes) | (~mask & no); }

// Candidates' numbers. The level of a texel w between the end points is (14 (w - low) + range - 1) / (2 range), rounded
// down. The number is below 15 range. A multiplication replaces the division: by 2^21 / (2 range) from a range of 17
// on, by 2^16 / (2 range) below, where the number is first multiplied by 32. transform_simd_test.cpp tries all of them.
struct Line {
  I16 high, low;
  U16 factor, offset, reciprocal, seventh, base;

  explicit Line(const Ends& ends) : high(ends.high), low(ends.low) {
    const I16 range = larger(high - low, I16{} + int16_t{1}), is_small = range < int16_t{17};
    const U16 scale = reinterpret_cast<U16>(is_small & int16_t{31}) + uint16_t{1};
    factor = scale * uint16_t{14};
    offset = reinterpret_cast<U16>(range - int16_t{1}) * scale - reinterpret_cast<U16>(low) * factor;
    seventh = multiply_high((reinterpret_cast<U16>(range) << 8) + uint16_t{3}, U16{} + uint16_t{9363});
    base = (reinterpret_cast<U16>(low) << 8) + uint16_t{128};
    // 2^20 / range or 2^15 / range, rounded down, plus 1.
    const I16 zero{};
    const I16 power = chosen(is_small, I16{} + int16_t{1}, I16{} + int16_t{32});
    reciprocal = reinterpret_cast<U16>(limited_words(quotients(mix_low(power, zero), mix_low(range, zero)),
                                                     quotients(mix_high(power, zero), mix_high(range, zero)))) +
                 uint16_t{32769};
  }
  // The numbers are those of 32 bits. The result is 32768 less, so that it has 16 bits with a sign.
  static I32 quotients(I16 power, I16 range) {
    const F32 numerator = __builtin_convertvector(reinterpret_cast<I32>(power) << 15, F32);
    return __builtin_convertvector(numerator / __builtin_convertvector(reinterpret_cast<I32>(range), F32), I32) - 32768;
  }
  U16 levels(I16 texels) const {
    const auto between = reinterpret_cast<U16>(smaller(larger(texels, low), high));
    return multiply_high(between * factor + offset, reciprocal) >> 5;
  }
  // In 1/256, rounded. The product is not exact, but near enough, as no value lies in the middle between two integers.
  U16 values(U16 levels) const { return (levels * seventh + base) >> 8; }
};

inline I16 row_of(const uint16_t* texels, int i) { return load_lanes(texels + i * kBatch); }

// The sum of squared errors; sums above 65535 become 65535, which is more than any best candidate has. So does a
// candidate without a range.
inline U16 error_of(const uint16_t* texels, const Ends& ends) {
  const Line line(ends);
  U16 error{};
  for (int i = 0; i < 16; ++i) {
    const I16 wanted = row_of(texels, i);
    const U16 difference = line.values(line.levels(wanted)) - reinterpret_cast<U16>(wanted);
    error = add_saturated(error, difference * difference);
  }
  return error | reinterpret_cast<U16>(ends.high <= ends.low);
}

struct Best {
  Ends ends;
  U16 error;
  void take(const Ends& other, U16 of_other) {
    const auto better = reinterpret_cast<I16>(of_other < error);
    error = reinterpret_cast<U16>(chosen(better, reinterpret_cast<I16>(of_other), reinterpret_cast<I16>(error)));
    ends.high = chosen(better, other.high, ends.high);
    ends.low = chosen(better, other.low, ends.low);
  }
};

// Evaluates four candidates in their order, kFold of them at once: if there are few blocks, lanes come in kFold groups
// that have the same blocks.
template <int kFold>
inline void attempt(const uint16_t* texels, const Ends (&candidates)[4], Best& best) {
  for (int i = 0; i < 4; i += kFold) {
    Ends together = candidates[i];
    for (int group = 1; group < kFold; ++group) {
      const I16 lanes = lanes_of_group<kFold>(group);
      together.high = chosen(lanes, candidates[i + group].high, together.high);
      together.low = chosen(lanes, candidates[i + group].low, together.low);
    }
    const U16 errors = error_of(texels, together);
    for (int group = 0; group < kFold; ++group) best.take(candidates[i + group], of_group<kFold>(errors, group));
  }
}

// The nearest integers to the quotients, limited to 0 to 255. Divisors are at most 3136 (the variance of 16 levels,
// times 256), numerators at most 2^24; the numerator is 0 if the divisor is. Floating point is exact here: the
// numerators of quotients below 256 have less than 24 bits, and a quotient that is no integer is further from the next
// one than the rounding error.
inline I32 limited_quotients(I32 numerators, I32 divisors) {
  const F32 above = __builtin_convertvector(numerators + numerators + divisors, F32);
  const F32 below = __builtin_convertvector(divisors + divisors - (divisors == 0), F32);
  const I32 quotients = __builtin_convertvector(above / below, I32), most = I32{} + 255;
  const I32 is_more = quotients > most;
  return (quotients & ~(quotients >> 31) & ~is_more) | (most & is_more);
}

// The end points with the least squared error for the levels of the best ones.
inline Ends least_squares(const uint16_t* texels, const Ends& best) {
  const Line line(best);
  U16 sum{}, squares{}, values{}, products{};
  for (int i = 0; i < 16; ++i) {
    const I16 wanted = row_of(texels, i);
    const U16 levels = line.levels(wanted);
    sum += levels;
    squares += levels * levels;
    values += reinterpret_cast<U16>(wanted);
    products += levels * reinterpret_cast<U16>(wanted);
  }
  // Divisor 16 n2 - n^2, low end point n2 w - n nw over it, slope 16 nw - n w. All sums have 16 bits with a sign.
  const auto n = reinterpret_cast<I16>(sum), n2 = reinterpret_cast<I16>(squares), w = reinterpret_cast<I16>(values);
  const auto nw = reinterpret_cast<I16>(products), sixteen = I16{} + int16_t{16};
  const I32 divisors[2] = {multiply_pairs(mix_low(n2, n), mix_low(sixteen, -n)),
                           multiply_pairs(mix_high(n2, n), mix_high(sixteen, -n))};
  const I32 at_low[2] = {multiply_pairs(mix_low(n2, n), mix_low(w, -nw)),
                         multiply_pairs(mix_high(n2, n), mix_high(w, -nw))};
  const I32 slopes[2] = {multiply_pairs(mix_low(nw, n), mix_low(sixteen, -w)),
                         multiply_pairs(mix_high(nw, n), mix_high(sixteen, -w))};
  I32 high[2], low[2];
  for (int i = 0; i < 2; ++i) {
    high[i] = limited_quotients(at_low[i] + (slopes[i] << 3) - slopes[i], divisors[i]);
    low[i] = limited_quotients(at_low[i], divisors[i]);
  }
  return {limited_words(high[0], high[1]), limited_words(low[0], low[1])};
}

// Stores the blocks, and the texels of each row if there is a place for them.
inline void store_lanes_of(const uint16_t* texels, const Ends& ends, uint64_t* sub_blocks, uint8_t* fitted) {
  const Line line(ends);
  U16 indices[16];
  for (int i = 0; i < 16; ++i) {
    const U16 levels = line.levels(row_of(texels, i));
    if (fitted != nullptr) store_limited_bytes(fitted + i * kBatch, reinterpret_cast<I16>(line.values(levels)));
    // Levels 0 to 7 from the low end point have the indices 1, 7, 6, 5, 4, 3, 2 and 0.
    const U16 opposite = (U16{} - levels) & uint16_t{7};
    indices[i] = opposite ^ (reinterpret_cast<U16>(reinterpret_cast<I16>(opposite) < int16_t{2}) & uint16_t{1});
  }
  uint16_t words[4][kLanes];
  store_lanes(words[0], reinterpret_cast<U16>(ends.high) | reinterpret_cast<U16>(ends.low) << 8);
  store_lanes(words[1],
              indices[0] | indices[1] << 3 | indices[2] << 6 | indices[3] << 9 | indices[4] << 12 | indices[5] << 15);
  store_lanes(words[2], indices[5] >> 1 | indices[6] << 2 | indices[7] << 5 | indices[8] << 8 | indices[9] << 11 |
                            indices[10] << 14);
  store_lanes(words[3], indices[10] >> 2 | indices[11] << 1 | indices[12] << 4 | indices[13] << 7 | indices[14] << 10 |
                            indices[15] << 13);
  for (int i = 0; i < kLanes; i += 8)
    store_mixed(words[0] + i, words[1] + i, words[2] + i, words[3] + i, sub_blocks + i);
}

template <int kFold>
inline Ends best_ends(const uint16_t* texels) {
  I16 least = row_of(texels, 0), most = least;
  for (int i = 1; i < 16; ++i) {
    least = smaller(least, row_of(texels, i));
    most = larger(most, row_of(texels, i));
  }
  // The candidates of docs/compact.md, in their order. The range is at most 255: divisions are multiplications.
  const auto range = reinterpret_cast<U16>(most - least);
  const auto tenth = reinterpret_cast<I16>(multiply_high(range + uint16_t{5}, U16{} + uint16_t{6554}));
  const auto thirty_second = reinterpret_cast<I16>((range + uint16_t{16}) >> 5);
  const auto sixteenth = reinterpret_cast<I16>((range + uint16_t{8}) >> 4);
  Best best{{most, least}, error_of(texels, {most, least})};
  attempt<kFold>(texels,
                 {{most - thirty_second, least + thirty_second},
                  {most - tenth, least + tenth},
                  {most - sixteenth, least},
                  {most, least + sixteenth}},
                 best);
  const Ends squares = least_squares(texels, best.ends);
  best.take(squares, error_of(texels, squares));
  const auto [high, low] = best.ends;
  const I16 one = I16{} + int16_t{1};
  attempt<kFold>(texels,
                 {{smaller(high + one, I16{} + int16_t{255}), low},
                  {high - one, low},
                  {high, low + one},
                  {high, larger(low - one, I16{})}},
                 best);
  return best.ends;
}

template <int kFold>
inline void fit_folded(const U8x16* wanted, int count, uint64_t* sub_blocks, U8x16* fitted) {
  constexpr int kGroup = kFold == 1 ? kBatch : kLanes / kFold;
  U8x16 rows[kBatch];
  for (int i = 0; i < kBatch; ++i) rows[i] = wanted[kFold == 1 ? i : std::min(i % kGroup, count - 1)];
  transpose_bytes(rows);
  alignas(32) uint16_t texels[16 * kBatch];
  for (int i = 0; i < 16; ++i) {
    compact::store_vector(texels + i * kBatch, compact::mix_low(rows[i], U8x16{}));
    compact::store_vector(texels + i * kBatch + 8, compact::mix_high(rows[i], U8x16{}));
  }
  uint8_t* const bytes = fitted == nullptr ? nullptr : reinterpret_cast<uint8_t*>(rows);
  for (int first = 0; first < count; first += kLanes)
    store_lanes_of(texels + first, best_ends<kFold>(texels + first), sub_blocks + first,
                   bytes == nullptr ? nullptr : bytes + first);
  if (fitted == nullptr) return;
  transpose_bytes(rows);
  for (int i = 0; i < count; ++i) fitted[i] = rows[i];
}
