/**
 * Flags of V8 for the processes that work on the API: controller manager, scheduler, node agent.
 *
 * They are busy for seconds and then idle. Optimizing what ran a thousand times took as much of the processor as the
 * work itself (docs/performance.md), so they optimize what ran eight thousand times. A server, which is busy for hours,
 * keeps the engine's own value.
 */
import v8 from 'node:v8';

/** Each with the value that V8 starts with. */
const flagsOfDaemons = [{ name: 'interrupt-budget', usual: 67_584, chosen: 8 * 67_584 }];

let isTuned = false;

export function tuneForDaemons() {
  isTuned = true;
  set('chosen');
}

/** Compiled code that is kept is of the usual flags: `work` runs with them. */
export function withUsualFlags(work) {
  if (!isTuned) return work();
  set('usual');
  try {
    return work();
  } finally {
    set('chosen');
  }
}

function set(which) {
  for (const flag of flagsOfDaemons) v8.setFlagsFromString(`--${flag.name}=${flag[which]}`);
}
