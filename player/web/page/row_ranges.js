// row_ranges.js — which rows of a picture have changed since it was drawn.
// @ts-check

/** Rows first … end - 1.
 *  @typedef {{first: number, end: number}} Range */

// Each range is drawn by itself, so rows between two that are close are drawn with them.
const LEAST_GAP = 16;
const MOST_RANGES = 8;

export class RowRanges {
  /** Sorted, and at least LEAST_GAP rows apart.
   *  @type {Range[]} */
  #ranges = [];

  get isEmpty() {
    return this.#ranges.length === 0;
  }

  /** @param {number} first @param {number} end */
  add(first, end) {
    if (first >= end) return;
    const isClose = (/** @type {Range} */ other) => other.first < end + LEAST_GAP && first < other.end + LEAST_GAP;
    const close = this.#ranges.filter(isClose);
    const joined = {
      first: Math.min(first, ...close.map((range) => range.first)),
      end: Math.max(end, ...close.map((range) => range.end)),
    };
    this.#ranges = [...this.#ranges.filter((range) => !isClose(range)), joined].sort((a, b) => a.first - b.first);
    if (this.#ranges.length > MOST_RANGES) this.#joinNearest();
  }

  /** Returns the ranges, and forgets them. */
  take() {
    const ranges = this.#ranges;
    this.#ranges = [];
    return ranges;
  }

  #joinNearest() {
    const gaps = this.#ranges.slice(1).map(({ first }, i) => first - this.#ranges[i].end);
    const at = gaps.indexOf(Math.min(...gaps));
    this.#ranges.splice(at, 2, { first: this.#ranges[at].first, end: this.#ranges[at + 1].end });
  }
}
