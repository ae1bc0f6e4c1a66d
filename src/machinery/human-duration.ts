const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/**
 * A duration as columns show it: two units at most, coarser the longer it is (`45s`, `3m20s`, `5h`, `2d4h`, `400d`).
 * Slightly negative durations, as clocks that differ produce them, are `0s`.
 */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / second);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * 60) return `${seconds}s`;
  const ms = seconds * second;
  if (ms < 10 * minute) return two(ms, minute, 'm', second, 's');
  if (ms < 3 * hour) return `${Math.trunc(ms / minute)}m`;
  if (ms < 8 * hour) return two(ms, hour, 'h', minute, 'm');
  if (ms < 2 * day) return `${Math.trunc(ms / hour)}h`;
  if (ms < 8 * day) return two(ms, day, 'd', hour, 'h');
  if (ms < 2 * year) return `${Math.trunc(ms / day)}d`;
  if (ms < 8 * year) return two(ms, year, 'y', day, 'd');
  return `${Math.trunc(ms / year)}y`;
}

/** The smaller unit is left out when it is zero. */
function two(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.trunc((ms % large) / small);
  return `${Math.trunc(ms / large)}${largeName}${rest === 0 ? '' : `${rest}${smallName}`}`;
}
