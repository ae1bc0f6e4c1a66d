/** A section of the recordings as tests, one for each case. See README.md. */
import { afterAll, describe, test } from 'vitest';
import { hasShared } from '../../support/shared.ts';
import type { Cluster } from './cluster.ts';
import { notYet } from './not-yet.ts';
import { casesOf, type RecordedCase } from './recording.ts';
import { rulesOf, type Section, type SectionRules } from './sections.ts';

/** Sleeps, waits and the time until a cluster is free. */
const timeoutMs = 600_000;

/** Clusters at a time for cases that need one alone. */
const clusters = 3;

const isReference = process.env['ORCH_REPLAY_CONTROLLERS'] === 'reference';

/** Only cases whose id contains this. */
const only = process.env['ORCH_REPLAY_ONLY'];

export function replaysSection(section: Section): void {
  const isRecorded = hasShared('golden', `${section}.jsonl`);
  const title = section.replace(/^controllers-/, '');
  describe.concurrent(isRecorded ? title : `${title} (skipped: the recordings are absent)`, () => {
    const rules = rulesOf(section);
    const start = startFor(rules);
    const provider = rules.isAlone ? new OwnClusters(start) : new SharedCluster(start);
    afterAll(() => provider.close());
    if (!isRecorded) test.skip('all cases');
    for (const recorded of isRecorded ? casesOf(section) : []) {
      const reason = notYet(section, recorded.id, isReference);
      test.skipIf(reason !== undefined || (only !== undefined && !recorded.id.includes(only)))(
        reason === undefined ? recorded.id : `${recorded.id} (skipped: ${reason})`,
        { timeout: timeoutMs },
        () => provider.use((cluster) => replayOn(cluster, recorded, section)),
      );
    }
  });
}

async function replayOn(cluster: Cluster, recorded: RecordedCase, section: Section): Promise<void> {
  const { replay } = await import('./run.ts');
  const found = await replay(recorded, cluster, rulesOf(section));
  if (found.length === 0) return;
  const log = process.env['ORCH_REPLAY_LOG'] === '1' ? [`log of the controllers:`, cluster.log()] : [];
  const error = new Error([`- is recorded, + is ours`, ...found, ...log].join('\n'));
  // Where the harness compares says nothing.
  error.stack = error.message;
  throw error;
}

/** Started with the first case: sections that are not asked for cost nothing. */
const startFor =
  ({ taintsNewNodes }: SectionRules) =>
  async (): Promise<Cluster> =>
    (await import('./cluster.ts')).startCluster({ taintsNewNodes });

type Start = ReturnType<typeof startFor>;

class SharedCluster {
  readonly #start: Start;
  #cluster: Promise<Cluster> | undefined;

  constructor(start: Start) {
    this.#start = start;
  }

  async use(run: (cluster: Cluster) => Promise<void>): Promise<void> {
    this.#cluster ??= this.#start();
    await run(await this.#cluster);
  }

  async close(): Promise<void> {
    await (await this.#cluster)?.[Symbol.asyncDispose]();
  }
}

class OwnClusters {
  readonly #start: Start;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(start: Start) {
    this.#start = start;
  }

  async use(run: (cluster: Cluster) => Promise<void>): Promise<void> {
    if (this.#running >= clusters) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      await using cluster = await this.#start();
      await run(cluster);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
