/** How the seats of a server are divided among its levels, and how levels borrow from each other. */

export interface LevelShares {
  readonly shares: number;
  /** Percent of the level's seats that others may use; 0 where absent. */
  readonly lendablePercent?: number | undefined;
  /** Percent of the level's seats that it may borrow; absent: as many as there are. */
  readonly borrowingLimitPercent?: number | undefined;
}

export interface SeatBounds {
  readonly nominal: number;
  readonly lower: number;
  readonly upper: number;
}

/** Seats of each level by its shares, rounded up: the sum may be a little more than `total`. */
export function seatBounds(total: number, levels: readonly LevelShares[]): SeatBounds[] {
  const sum = levels.reduce((shares, level) => shares + level.shares, 0);
  return levels.map(({ shares, lendablePercent = 0, borrowingLimitPercent }) => {
    const nominal = sum === 0 ? 0 : Math.ceil((total * shares) / sum);
    const lendable = Math.round((nominal * lendablePercent) / 100);
    const borrowed = borrowingLimitPercent === undefined ? total : Math.round((nominal * borrowingLimitPercent) / 100);
    return { nominal, lower: nominal - lendable, upper: nominal + borrowed };
  });
}

export interface Claim {
  readonly lower: number;
  readonly upper: number;
  /** What the level should have, not below `lower`. */
  readonly target: number;
}

/** A level that asks for nothing still grows with the others. */
const leastTarget = 0.001;

export interface Allocation {
  readonly seats: readonly number[];
  /** Which part of its target each level gets that is at neither of its bounds. */
  readonly fairFraction: number;
}

/**
 * Divides `total`: each level gets the same part of its target, within its bounds. Where the bounds do not allow the
 * sum, the nearest that they allow.
 */
export function divideSeats(total: number, claims: readonly Claim[]): Allocation {
  const targets = claims.map(({ target }) => Math.max(target, leastTarget));
  const seatsAt = (fraction: number): number[] =>
    claims.map(({ lower, upper }, i) => Math.max(lower, Math.min(upper, fraction * targets[i]!)));
  const sumAt = (fraction: number): number => seatsAt(fraction).reduce((sum, seats) => sum + seats, 0);
  // The sum rises with the fraction, in straight lines between the points where a level reaches a bound.
  const bends = claims
    .flatMap(({ lower, upper }, i) => [lower / targets[i]!, upper / targets[i]!])
    .sort((a, b) => a - b);
  let from = bends[0] ?? 0;
  let low = sumAt(from);
  for (const to of bends) {
    const high = sumAt(to);
    if (high >= total) {
      const fair = high === low ? from : Math.max(from, from + ((total - low) / (high - low)) * (to - from));
      return { seats: seatsAt(fair), fairFraction: fair };
    }
    [from, low] = [to, high];
  }
  return { seats: seatsAt(from), fairFraction: from };
}
