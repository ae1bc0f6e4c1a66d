/** For tests that block the event loop. */
import { beginStall } from '../detector.ts';

const maxTurns = 1_000_000;
const longestNs = 50_000_000_000n;

/** Blocks until the other thread has looked into this very stall, however fast or busy the machine is. */
export function holdUntilSeen(): void {
  const isSeen = beginStall();
  const end = process.hrtime.bigint() + longestNs;
  for (let turn = 0; !isSeen(); turn++) {
    if (turn < maxTurns) continue;
    if (process.hrtime.bigint() > end) throw new Error('the stall was not noticed');
    turn = 0;
  }
}
