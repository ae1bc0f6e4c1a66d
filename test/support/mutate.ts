import type { RandomSource } from './random.ts';
import { pick, randomInt } from './random.ts';

/** A copy with bytes changed, taken out, put in, doubled, or cut off. */
export function mutate(random: RandomSource, bytes: Buffer): Buffer {
  let out = Buffer.from(bytes);
  for (let n = 1 + randomInt(random, 3); n > 0; n--) {
    const at = randomInt(random, out.length + 1);
    const length = randomInt(random, 6);
    const piece = out.subarray(at, at + length);
    switch (randomInt(random, 6)) {
      case 0:
        if (at < out.length) out[at] = randomInt(random, 256);
        break;
      case 1:
        if (at < out.length) out[at]! ^= 1 << randomInt(random, 8);
        break;
      case 2:
        out = Buffer.concat([out.subarray(0, at), out.subarray(at + length)]);
        break;
      case 3:
        out = Buffer.concat([out.subarray(0, at), piece, out.subarray(at)]);
        break;
      case 4:
        out = Buffer.concat([
          out.subarray(0, at),
          Buffer.from(pick(random, ['ffffffffffffffffff01', '80', '0a', 'ff7f', '00', '0b', '9601']), 'hex'),
          out.subarray(at),
        ]);
        break;
      default:
        out = out.subarray(0, at);
    }
  }
  return out;
}
