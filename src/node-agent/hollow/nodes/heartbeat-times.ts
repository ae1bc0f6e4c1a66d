/**
 * When hollow nodes send their heartbeats. Those of one process come together, once a second: an API server takes
 * twenty renewals that come together for little more than one, and so do all that watch.
 */

const slotMs = 1000;

/** The moment to send what is due at `at`, by the same clock: not later. */
export const slotOf = (at: number): number => Math.floor(at / slotMs) * slotMs;

/**
 * Of the second heartbeat. Nodes that start together spread over half of the time between two.
 * @param random in [0, 1)
 */
export const secondBeat = (now: number, everyMs: number, random: number): number =>
  slotOf(now + (everyMs * (1 + random)) / 2);

export const nextBeat = (now: number, everyMs: number): number => slotOf(now + everyMs);
