/** For tests that make the event loop stand. */
import { seenStalls } from '../detector.ts';

const maxTurns = 20_000_000_000;

/** Stands until the other thread has looked, however fast or busy the machine is. */
export function holdUntilSeen(): void {
  const before = seenStalls();
  for (let turn = 0; seenStalls() === before; turn++)
    if (turn === maxTurns) throw new Error('the stall was not noticed');
}
