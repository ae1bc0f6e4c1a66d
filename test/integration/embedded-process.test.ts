/**
 * The embedded store in separate processes: what a kill leaves behind, which process may open a directory, when a write
 * is acknowledged.
 */
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openEmbeddedStore } from '../../src/storage/embedded/open.ts';
import type { KeyEvent, Store } from '../../src/storage/interface.ts';
import type { Acknowledgement } from '../fixtures/embedded-writer.ts';
import { bundle } from '../support/bundle.ts';

let program: string;
beforeAll(async () => {
  program = await bundle(new URL('../fixtures/embedded-writer.ts', import.meta.url));
});
afterAll(() => rmSync(program, { force: true }));

type Told =
  | Acknowledgement
  | { readonly kind: 'open'; readonly pid: number }
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string };

function temporaryDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'orch-store-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A writer, and all it has told so far. */
class Writer {
  readonly told: Told[] = [];
  readonly #process: ChildProcessByStdio<null, Readable, null>;
  readonly #ended: Promise<unknown>;
  #hasEnded = false;
  #heard: () => void = () => {};

  constructor(directory: string, options: { seed?: number; writers?: number; count?: number } = {}) {
    const { seed = 0, writers = 1, count } = options;
    const args = [program, directory, String(seed), String(writers), ...(count === undefined ? [] : [String(count)])];
    this.#process = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: this.#process.stdout });
    lines.on('line', (line) => {
      this.told.push(JSON.parse(line) as Told);
      this.#heard();
    });
    this.#ended = Promise.all([once(this.#process, 'exit'), once(lines, 'close')]).then(() => {
      this.#hasEnded = true;
      this.#heard();
    });
    onTestFinished(() => this.kill());
  }

  get acknowledged(): Acknowledgement[] {
    return this.told.filter((what) => what.kind === 'write' || what.kind === 'compact');
  }

  async untilTold(count: number): Promise<this> {
    while (this.told.length < count) {
      if (this.#hasEnded) throw new Error(`the writer ended after ${this.told.length} lines`);
      await new Promise<void>((resolve) => (this.#heard = resolve));
    }
    return this;
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }
}

/** Every revision from the oldest on, each once, and nothing but them. */
async function historyOf(store: Store, compacted: number): Promise<KeyEvent[]> {
  const current = await store.currentRevision();
  const events: KeyEvent[] = [];
  if (current === 1) return events;
  for await (const batch of store.watch('/', { after: compacted, signal: new AbortController().signal })) {
    events.push(...batch.events);
    if (batch.revision >= current) break;
  }
  expect(events.map((event) => event.modRevision)).toEqual(
    Array.from({ length: current - compacted }, (_, i) => compacted + 1 + i),
  );
  return events;
}

const outline = (value: string | null | undefined): string =>
  typeof value !== 'string' ? 'deleted' : `${value.length} bytes, ${value.slice(0, 8)}`;

async function expectAcknowledged(store: Store, acknowledged: readonly Acknowledgement[]): Promise<void> {
  const compacted = Math.max(1, ...acknowledged.filter((what) => what.kind === 'compact').map((what) => what.revision));
  const byRevision = new Map((await historyOf(store, compacted)).map((event) => [event.modRevision, event]));
  const last = new Map<string, Acknowledgement & { kind: 'write' }>();
  for (const what of acknowledged) {
    if (what.kind !== 'write') continue;
    if ((last.get(what.key)?.revision ?? 0) < what.revision) last.set(what.key, what);
    if (what.revision <= compacted) continue;
    const event = byRevision.get(what.revision);
    expect([event?.key, outline(event?.type === 'delete' ? null : event?.value.toString())]).toEqual([
      what.key,
      outline(what.value),
    ]);
  }
  for (const { key, value, revision } of last.values()) {
    const { kv } = await store.get(key, { revision: Math.max(revision, compacted) });
    // A later write of this key may have become durable right before the kill, and history up to it compacted.
    if (revision >= compacted || kv?.modRevision === revision)
      expect([key, outline(kv?.value.toString())]).toEqual([key, outline(value)]);
    else expect(kv?.modRevision ?? Infinity).toBeGreaterThan(revision);
  }
}

describe('kill -9', () => {
  test('A kill -9 at any moment loses nothing that was acknowledged and leaves a store that works', {
    timeout: 120_000,
  }, async () => {
    const directory = temporaryDirectory();
    const acknowledged: Acknowledgement[] = [];
    for (let seed = 0; seed < 12; seed++) {
      const writer = new Writer(directory, { seed, writers: 1 + (seed % 3) * 8 });
      await writer.untilTold(1 + Math.floor(Math.random() * 600));
      await writer.kill();
      acknowledged.push(...writer.acknowledged);
      await using store = await openEmbeddedStore({ directory });
      await expectAcknowledged(store, acknowledged);
      const { revision } = await store.create(`/k/after-${seed}`, Buffer.from('x'));
      acknowledged.push({ kind: 'write', revision, key: `/k/after-${seed}`, value: 'x' });
    }
    expect(acknowledged.length).toBeGreaterThan(500);
  });

  test('A kill -9 of the owner makes the directory free at once', { timeout: 60_000 }, async () => {
    const directory = temporaryDirectory();
    const writer = await new Writer(directory).untilTold(20);
    await writer.kill();
    await using store = await openEmbeddedStore({ directory });
    expect(await store.currentRevision()).toBeGreaterThan(10);
  });
});

describe('a directory that another process has', () => {
  test('A directory that another process has is refused with the id of that process, which goes on undisturbed', {
    timeout: 60_000,
  }, async () => {
    const directory = temporaryDirectory();
    const writer = await new Writer(directory).untilTold(5);
    const [opened] = writer.told;
    await expect(openEmbeddedStore({ directory })).rejects.toMatchObject({
      name: 'StorageError',
      reason: 'Unavailable',
      message: `the data directory ${directory} is in use by another process (pid ${(opened as { pid: number }).pid})`,
    });
    await writer.untilTold(writer.told.length + 50);
    await writer.kill();
  });

  test('A directory that another process has is given to one of many processes that open it at once', {
    timeout: 60_000,
  }, async () => {
    const directory = temporaryDirectory();
    const writers = Array.from({ length: 4 }, (_, seed) => new Writer(directory, { seed, count: 100_000 }));
    await Promise.all(writers.map((writer) => writer.untilTold(1)));
    expect(writers.map((writer) => writer.told[0]?.kind).toSorted()).toEqual(['failed', 'failed', 'failed', 'open']);
  });
});

const strace = spawnSync('strace', ['-e', 'trace=write', 'true']);
const cannotTrace =
  strace.error !== undefined
    ? 'strace is not installed'
    : strace.status === 0
      ? undefined
      : 'strace may not trace here';

describe(`the order of system calls${cannotTrace === undefined ? '' : ` (skipped: ${cannotTrace})`}`, () => {
  test.skipIf(cannotTrace !== undefined)(
    'The order of system calls is data, fdatasync, synchronous meta page, answer',
    { timeout: 60_000 },
    () => {
      const directory = temporaryDirectory();
      const trace = path.join(directory, 'trace');
      const calls = 'trace=openat,pwrite64,pwritev,writev,fdatasync,fsync,write';
      const run = spawnSync('strace', [
        '-f',
        '-s',
        '40',
        '-e',
        calls,
        '-o',
        trace,
        process.execPath,
        program,
        path.join(directory, 'data'),
        '0',
        '1',
        '30',
      ]);
      expect(run.status).toBe(0);
      const steps = stepsOf(readFileSync(trace, 'utf8'));
      const answers = steps.flatMap((step, i) => (step === 'answer' ? [i] : []));
      expect(answers).toHaveLength(30);
      let from = steps.indexOf('open') + 1;
      for (const answer of answers) {
        expect(steps.slice(from, answer).join(' ')).toMatch(/^(data )+sync meta$/);
        from = answer + 1;
      }
    },
  );
});

type Step = 'open' | 'data' | 'sync' | 'meta' | 'answer';

/** What a trace tells of the store's file, in the order in which the calls returned. */
function stepsOf(trace: string): Step[] {
  const unfinished = new Map<string, string>();
  const meaning = new Map<string, 'data' | 'meta'>();
  const steps: Step[] = [];
  for (const line of trace.split('\n')) {
    const [, pid = '', text = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (text.endsWith('<unfinished ...>')) {
      unfinished.set(pid, text.slice(0, -'<unfinished ...>'.length));
      continue;
    }
    const call = text.replace(/^<\.\.\. \w+ resumed>/, () => unfinished.get(pid) ?? '');
    const step = stepOf(call, meaning);
    if (step !== undefined) steps.push(step);
  }
  return steps;
}

function stepOf(call: string, meaning: Map<string, 'data' | 'meta'>): Step | undefined {
  const opened = /^openat\(.*\/data\.mdb", ([A-Z_|]+).*\) = (\d+)$/.exec(call);
  if (opened) meaning.set(opened[2]!, /O_D?SYNC/.test(opened[1]!) ? 'meta' : 'data');
  else if (/^openat\(.* = (\d+)$/.test(call)) meaning.delete(/ = (\d+)$/.exec(call)![1]!);
  const written = /^(?:pwrite64|pwritev|writev)\((\d+),.* = [1-9]\d*$/.exec(call);
  if (written) return meaning.get(written[1]!);
  const synced = /^f(?:data)?sync\((\d+)\)\s+= 0$/.exec(call);
  if (synced) return meaning.get(synced[1]!) === 'data' ? 'sync' : undefined;
  if (call.startsWith('write(1, "{\\"kind\\":\\"open\\"')) return 'open';
  return call.startsWith('write(1, "{\\"kind\\":\\"write\\"') ? 'answer' : undefined;
}
