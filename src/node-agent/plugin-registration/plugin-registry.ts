/**
 * Finds plugins by their sockets in a directory (`plugins_registry`), and registers them with what is there for their
 * type. A socket that is replaced is another plugin; one that is gone takes its plugin away. One that fails is tried
 * again, after half a second and then twice as long each time, and does not hold up the others.
 */
import { watch } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, sleep } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { undefinedWhenAbsent } from '../../base/undefined-when-absent.ts';
import type { PluginHandlers } from './plugin-handler.ts';
import { openRegistration, type RegisteredPlugin } from './register-plugin.ts';

export interface PluginRegistryOptions {
  /** Made when it is missing. */
  readonly directory: string;
  readonly handlers: PluginHandlers;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Sockets that the kernel tells of are found at once; the rest with the next look. */
const lookMs = 5000;
const firstRetryMs = 500;
const maxRetryMs = 122_000;
/** More is not looked at: a directory that a plugin fills cannot hold up the agent. */
const maxSockets = 1000;
const maxDepth = 5;

interface Entry {
  /** Another socket at the same path has another one. */
  readonly stamp: string;
  readonly ended: AbortController;
  plugin: RegisteredPlugin | undefined;
  /** The registration that is under way, with its retries. */
  running: Promise<void>;
}

export class PluginRegistry {
  readonly #options: PluginRegistryOptions;
  /** By path of the socket. */
  readonly #entries = new Map<string, Entry>();
  readonly #stopped = new AbortController();
  #wake = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: PluginRegistryOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Plugins stay registered. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#wake.abort();
    await this.#running;
    for (const { ended } of this.#entries.values()) ended.abort();
    await Promise.all([...this.#entries.values()].map(({ running }) => running));
  }

  async #run(): Promise<void> {
    const { directory, clock, log } = this.#options;
    const { signal } = this.#stopped;
    let watching: (() => void) | undefined;
    while (!signal.aborted) {
      this.#wake = new AbortController();
      try {
        await mkdir(directory, { recursive: true, mode: 0o750 });
        watching ??= watchDirectory(directory, () => this.#wake.abort());
        await this.look();
      } catch (error) {
        log.warn({ err: error, directory }, 'plugins cannot be looked for');
      }
      if (!signal.aborted) await sleep(clock, lookMs, this.#wake.signal);
    }
    watching?.();
  }

  /** Once. Registrations that it begins go on by themselves. */
  async look(): Promise<void> {
    const found = await socketsBelow(this.#options.directory);
    for (const [socket, entry] of this.#entries)
      if (found.get(socket) !== entry.stamp) {
        this.#entries.delete(socket);
        await this.#remove(entry);
      }
    for (const [socket, stamp] of found) if (!this.#entries.has(socket)) this.#add(socket, stamp);
  }

  #add(socket: string, stamp: string): void {
    const entry: Entry = { stamp, ended: new AbortController(), plugin: undefined, running: Promise.resolve() };
    this.#entries.set(socket, entry);
    entry.running = this.#register(socket, entry);
  }

  async #register(socket: string, entry: Entry): Promise<void> {
    const { handlers, clock, log } = this.#options;
    const { signal } = entry.ended;
    for (let tries = 0; !signal.aborted; tries++) {
      try {
        entry.plugin = await openRegistration(socket, handlers, signal);
        log.info({ plugin: entry.plugin.name, type: entry.plugin.type }, 'a plugin was registered');
        return;
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error, socket }, 'a plugin could not be registered');
      }
      await sleep(clock, Math.min(maxRetryMs, firstRetryMs * 2 ** tries), signal);
    }
  }

  async #remove(entry: Entry): Promise<void> {
    entry.ended.abort();
    await entry.running;
    if (entry.plugin === undefined) return;
    const { name, type } = entry.plugin;
    const { handlers, log } = this.#options;
    try {
      await handlers.get(type)?.deregister(name);
      log.info({ plugin: name, type }, 'a plugin is gone');
    } catch (error) {
      log.warn({ err: error, plugin: name }, 'a plugin that is gone could not be taken away');
    }
  }
}

function watchDirectory(directory: string, onChange: () => void): (() => void) | undefined {
  try {
    const watcher = watch(directory, { persistent: false, recursive: false }, onChange);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return undefined;
  }
}

/** Path → what tells one socket from the next at this path. Names that begin with a dot are not looked at. */
async function socketsBelow(directory: string, depth = 0, found = new Map<string, string>()) {
  const entries = (await readdir(directory, { withFileTypes: true }).catch(undefinedWhenAbsent)) ?? [];
  for (const entry of entries) {
    if (entry.name.startsWith('.') || found.size >= maxSockets) continue;
    const file = path.join(directory, entry.name);
    if (entry.isDirectory() && depth < maxDepth) await socketsBelow(file, depth + 1, found);
    if (!entry.isSocket()) continue;
    const stats = await stat(file, { bigint: true }).catch(undefinedWhenAbsent);
    if (stats !== undefined) found.set(file, `${stats.ino} ${stats.mtimeNs}`);
  }
  return found;
}
