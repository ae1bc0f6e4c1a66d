/**
 * The code of the thread that watches another thread's event loop. It is passed to a worker as text, so that it needs
 * no separate file in a bundle: it must not use anything from outside of its function.
 *
 * The watched thread notes when its event loop runs. When it has not run for too long, it is interrupted by its
 * inspector, inside of this process: no port is opened. While it is interrupted, for some tens of milliseconds, its
 * call stack is read, and the current request is searched among the variables of the functions on it. The session ends
 * at once: a process that ends during one can crash (https://github.com/nodejs/node, `MainThreadInterface::Post`), and
 * a thread that ends without ending its session leaves the watched thread interrupted for ever.
 */
import type * as fsModule from 'node:fs';
import type * as inspectorModule from 'node:inspector';
import type { Debugger, Runtime, Session } from 'node:inspector';
import type * as threadsModule from 'node:worker_threads';
import type { StallReport, Suspension, WatchdogData } from './messages.ts';

interface Modules {
  readonly threads: typeof threadsModule;
  readonly inspector: typeof inspectorModule;
  readonly fs: typeof fsModule;
}

export function watchdog({ threads, inspector, fs }: Modules): void {
  const { shared, isMain, lastWords, slot } = threads.workerData as WatchdogData;
  const port = threads.parentPort!;
  const numbers = new BigInt64Array(shared);
  const second = 1_000_000_000n;
  const maxFrames = 50;
  /** How long the other thread is held at most. */
  const maxHeldMs = 500;
  const lastWordsAfter = 10n;
  const maxRest = 10n * second;
  /** A timer that is late by so much says that the machine or the process stood still. */
  const suspendedAfter = second / 2n;

  /** The stall that was looked at last, by its beat. */
  let handled = -1n;
  let report: StallReport | undefined;
  let saidLastWords = false;
  /** Ends the session that is open, if one is. */
  let endSession: (() => void) | undefined;
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;
  let due = process.hrtime.bigint();

  const at = (index: number): bigint => Atomics.load(numbers, index);

  function look(): void {
    const now = process.hrtime.bigint();
    const [beat, threshold] = [at(slot.beat), at(slot.threshold)];
    // If the other thread really stands, that is seen the next time.
    const isSuspended = now - due > suspendedAfter;
    if (isSuspended) port.postMessage({ kind: 'suspension', from: due, until: now } satisfies Suspension);
    if (beat !== handled) {
      // What was to be looked at is over.
      endSession?.();
      if (!isSuspended && now - beat > threshold) capture(beat);
    } else if (!saidLastWords && now - beat > lastWordsAfter * threshold) sayLastWords(now - beat);
    arm(now);
  }

  /** Looks again when the threshold is reached, or while something stands, every so often. */
  function arm(now: bigint): void {
    if (isStopping) return;
    const [beat, threshold] = [at(slot.beat), at(slot.threshold)];
    due = beat === handled || beat + threshold <= now ? now + threshold : beat + threshold;
    // The threshold may change.
    if (due - now > maxRest) due = now + maxRest;
    timer = setTimeout(look, Number((due - now) / 1_000_000n) + 1);
  }

  function tell(found: StallReport): void {
    handled = found.beat;
    report = found;
    saidLastWords = false;
    port.postMessage(found);
    Atomics.store(numbers, slot.seenBeat, found.beat);
  }

  function capture(beat: bigint): void {
    handled = beat;
    const found = { kind: 'stall' as const, beat, work: undefined as StallReport['work'], stack: [] as string[] };
    // A debugger that is attached may stop this process at any time, and must not be disturbed.
    if (!isMain || at(slot.debugger) !== 0n) return tell(found);
    const session = new inspector.Session();
    const urls = new Map<string, string>();
    session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => urls.set(scriptId, url));
    let limit: NodeJS.Timeout | undefined;
    const end = (): void => {
      if (endSession !== end) return;
      endSession = undefined;
      clearTimeout(limit);
      session.disconnect();
      tell(found);
      if (isStopping) stop();
    };
    endSession = end;
    session.once('Debugger.paused', ({ params }) => {
      if (endSession !== end || at(slot.beat) !== beat) return end();
      limit = setTimeout(end, maxHeldMs);
      read(session, params.callFrames, urls, found).then(end, end);
    });
    try {
      session.connectToMainThread();
      session.post('Debugger.enable');
      session.post('Debugger.pause');
    } catch {
      // Not every build of Node has an inspector, and the permission model may forbid it.
      end();
    }
  }

  async function read(
    session: Session,
    frames: readonly Debugger.CallFrame[],
    urls: ReadonlyMap<string, string>,
    found: { work: StallReport['work']; stack: string[] },
  ): Promise<void> {
    // The stall is over: the first code that runs is what notes that.
    if (frames.some(({ functionName }) => functionName === 'noteThatEventLoopTurns')) return;
    found.stack = frames
      .slice(0, maxFrames)
      .map(
        ({ functionName, location: { scriptId, lineNumber, columnNumber = 0 } }) =>
          `${functionName === '' ? '(anonymous)' : functionName} ` +
          `(${urls.get(scriptId) ?? ''}:${lineNumber + 1}:${columnNumber + 1})`,
      );
    for (const frame of frames) {
      found.work = await workOf(session, frame);
      if (found.work !== undefined) return;
    }
  }

  /** What an object among `this` and the variables of a function says that it is at work on. */
  async function workOf(session: Session, frame: Debugger.CallFrame): Promise<StallReport['work']> {
    const objects = [frame.this];
    for (const { type, object } of frame.scopeChain) {
      if (type === 'global' || type === 'script' || type === 'module') break;
      const { result } = await post<Runtime.GetPropertiesReturnType>(session, 'Runtime.getProperties', {
        objectId: object.objectId,
        ownProperties: true,
      });
      for (const { value } of result) if (value !== undefined) objects.push(value);
    }
    // Objects with code of their own for every look at them are left alone.
    const ids = objects
      .filter(({ type, subtype, objectId }) => type === 'object' && subtype === undefined && objectId !== undefined)
      .map(({ objectId }) => ({ objectId }));
    if (ids.length === 0) return undefined;
    const functionDeclaration = `function (...objects) {
      const work = Symbol.for('orch.work');
      for (const object of objects) if (typeof object[work] === 'function') return object[work]();
    }`;
    const { result } = await post<Runtime.CallFunctionOnReturnType>(session, 'Runtime.callFunctionOn', {
      objectId: ids[0]!.objectId,
      functionDeclaration,
      arguments: ids,
      returnByValue: true,
      silent: true,
    });
    return result.type === 'object' && result.subtype !== 'error' ? (result.value as StallReport['work']) : undefined;
  }

  function post<T>(session: Session, method: string, params: object): Promise<T> {
    return new Promise((resolve, reject) =>
      session.post(method, params, (error: Error | null, result?: object) =>
        error === null ? resolve(result as T) : reject(new Error(error.message)),
      ),
    );
  }

  /** The log of the other thread may never be written again. */
  function sayLastWords(stands: bigint): void {
    saidLastWords = true;
    if (lastWords === undefined) return;
    const message = 'the event loop stands still, and has not come back yet';
    const details = { seconds: Number((stands * 10n) / second) / 10, ...report?.work, stack: report?.stack ?? [] };
    const time = new Date().toISOString();
    const pairs = Object.entries(details)
      .map(([key, value]) => ` ${key}=${JSON.stringify(value)}`)
      .join('');
    const line =
      lastWords === 'json'
        ? JSON.stringify({ level: 40, time, ...details, msg: message })
        : `W ${time.slice(11, 23)} ${message}${pairs}`;
    try {
      fs.writeSync(2, `${line}\n`);
    } catch {
      // No one takes it.
    }
  }

  function stop(): void {
    isStopping = true;
    if (endSession !== undefined) return;
    clearTimeout(timer);
    port.close();
  }

  // A thread that dies of an error must not leave the watched thread interrupted.
  process.on('uncaughtException', () => endSession?.());
  port.on('message', stop);
  arm(process.hrtime.bigint());
}
