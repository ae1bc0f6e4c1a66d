/**
 * Flags of V8 for the processes that work on the API: controller manager, scheduler, node agent, and for the API server
 * beside them on one machine.
 *
 * They are busy for seconds and then idle, beside others on the same machine: what they need least of is memory. A
 * server, which is busy for hours, keeps the engine's own values. docs/performance.md has the measurements.
 */
import v8 from 'node:v8';

/**
 * For the command line of Node, because V8 reads them before any script runs: the megabytes of each half of the young
 * generation, which are 16 otherwise, and how many threads collect and compile beside the main thread, otherwise four.
 * Smaller halves are collected more often, which costs time. `bin/orch` has the same; `test/unit/launcher.test.ts`
 * compares them.
 */
const smallest = ['--max-semi-space-size=1', '--v8-pool-size=1'];
const small = ['--max-semi-space-size=4'];

const flagsOfCommands = new Map([
  ['scheduler', smallest],
  ['kube-scheduler', smallest],
  ['controller-manager', small],
  ['kube-controller-manager', small],
  ['node-agent', small],
]);

/** @param {string} command of `orch` */
export const nodeFlags = (command) => flagsOfCommands.get(command) ?? [];

/** A collection looks at all that is in use, so that many of them cost more the larger that is. */
const growingPercent = { small: 33, large: 75 };
const growth = { name: 'heap-growing-percent', usual: 0, chosen: growingPercent.small };
const largeHeapBytes = 64 * 2 ** 20;
const lookAtHeapEveryMs = 10_000;

/**
 * Set while a process runs, each with the value that V8 starts with. Names and usual values are those of Node 20, 22
 * and 24 by the version of V8, which complains about names that it does not know. Another version works as it does by
 * itself.
 *
 * - `optimization`: what ran a thousand times is optimized, which takes as much of the processor as the work itself
 *   while a process is young. What ran eight thousand times is.
 * - `aging`: code that did not run between two collections of the old generation is compiled again when it is needed:
 *   that of the start.
 */
const flagsByEngine = {
  11: {
    optimization: { name: 'interrupt-budget', usual: 67_584, chosen: 8 * 67_584 },
    aging: { name: 'bytecode-old-age', usual: 5, chosen: 2 },
  },
  12: {
    optimization: { name: 'invocation-count-for-turbofan', usual: 3000, chosen: 8 * 3000 },
    aging: { name: 'bytecode-old-age', usual: 6, chosen: 2 },
  },
  13: {
    optimization: { name: 'invocation-count-for-turbofan', usual: 10_000, chosen: 8 * 10_000 },
    aging: { name: 'bytecode-old-age', usual: 6, chosen: 2 },
  },
};
const { optimization, aging } = flagsByEngine[Number.parseInt(process.versions.v8)] ?? {};

/** Of the command line, where a user may set them too. */
const sizes = ['min-semi-space-size', 'max-semi-space-size', 'initial-old-space-size'];

/**
 * For a process of our own, once V8 has read the sizes: from then on they would only keep it from using compiled code,
 * and be limits of threads.
 */
export function forgetSizes() {
  for (const size of sizes) v8.setFlagsFromString(`--${size}=0`);
}

let tuned = [];

/**
 * They optimize less. The old generation is collected when it has grown by a third, or by three quarters once it is
 * large; V8 lets it grow to four times its size.
 */
export function tuneForDaemons() {
  tuned = [growth, optimization, aging].filter((flag) => flag !== undefined);
  set('chosen');
  setInterval(followHeap, lookAtHeapEveryMs).unref();
}

/** Of a local server: after so much work it is worth optimizing for. */
const youngCpuSeconds = 8;
const lookAtAgeEveryMs = 500;

/**
 * A server beside its daemons on one machine, mostly for minutes: it optimizes less until it has worked for some
 * seconds, and from then on as V8 does by itself.
 */
export function tuneForLocalServer() {
  if (optimization === undefined) return;
  tuned = [optimization];
  set('chosen');
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage();
    if (user + system < youngCpuSeconds * 1e6) return;
    clearInterval(timer);
    set('usual');
    tuned = [];
  }, lookAtAgeEveryMs);
  timer.unref();
}

function followHeap() {
  const size = v8.getHeapStatistics().used_heap_size > largeHeapBytes ? 'large' : 'small';
  if (growth.chosen === growingPercent[size]) return;
  growth.chosen = growingPercent[size];
  set('chosen');
}

/** Compiled code that is kept is of the usual flags: `work` runs with them. */
export function withUsualFlags(work) {
  set('usual');
  try {
    return work();
  } finally {
    set('chosen');
  }
}

function set(which) {
  for (const flag of tuned) v8.setFlagsFromString(`--${flag.name}=${flag[which]}`);
}
