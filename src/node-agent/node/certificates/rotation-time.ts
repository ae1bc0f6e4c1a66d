/** When a certificate is renewed. */

export interface Life {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/**
 * After 70 to 90 % of its life, so that nodes that joined together do not ask together.
 *
 * @param random in [0, 1)
 * @returns milliseconds since 1970
 */
export const renewalOf = ({ from, until }: Life, random: number): number =>
  from + (until - from) * (0.7 + 0.2 * random);
