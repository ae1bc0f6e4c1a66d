import { maxNodeScore } from './plugin.ts';

/** Scales scores so that the largest is 100; reversed, so that it is 0 and what was 0 is 100. In place. */
export function normalizeToMax(scores: Float64Array, isReversed = false): void {
  let max = 0;
  for (let i = 0; i < scores.length; i++) if (scores[i]! > max) max = scores[i]!;
  if (max === 0) {
    if (isReversed) scores.fill(maxNodeScore);
    return;
  }
  for (let i = 0; i < scores.length; i++) {
    const scaled = Math.floor((maxNodeScore * scores[i]!) / max);
    scores[i] = isReversed ? maxNodeScore - scaled : scaled;
  }
}
