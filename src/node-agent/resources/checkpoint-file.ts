/** Checkpoint files of the agent: written whole, and read with a bound. */
import { open, rename, rm, stat } from 'node:fs/promises';
import { undefinedWhenAbsent } from '../../base/undefined-when-absent.ts';

/** A checkpoint that this agent cannot take over: it does not start until an operator has looked at it. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
}

/** Of a checkpoint, in bytes: a thousand pods have far less. */
const maxBytes = 32 << 20;
const mode = 0o600;

/** Undefined where there is no file. */
export async function readCheckpoint(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(undefinedWhenAbsent);
  if (found === undefined) return undefined;
  if (!found.isFile() || found.size > maxBytes) throw new CheckpointError(`${path} is no checkpoint file`);
  const file = await open(path);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** A reader sees the file as it was, or as it is; after a loss of power likewise. */
export async function writeCheckpoint(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  const file = await open(temporary, 'w', mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

/** Writes one after the other; of several that wait the last is written. */
export class CheckpointWriter {
  readonly #path: string;
  readonly #text: () => string;
  #writing: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** @param text what is to be written, asked when it is */
  constructor(path: string, text: () => string) {
    this.#path = path;
    this.#text = text;
  }

  /** Resolves when what was so before the call is on the disk. */
  save(): Promise<void> {
    this.#next ??= (async () => {
      await this.#writing?.catch(() => undefined);
      this.#writing = this.#next;
      this.#next = undefined;
      await writeCheckpoint(this.#path, this.#text());
    })();
    return this.#next;
  }

  /** Resolves when nothing is being written any more, whatever came of it. */
  async settled(): Promise<void> {
    await this.#next?.catch(() => undefined);
    await this.#writing?.catch(() => undefined);
  }
}

/** Throws a `CheckpointError` for what is no object of JSON. */
export function parseCheckpoint(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CheckpointError(text.trim() === '' ? 'unexpected end of JSON input' : (error as Error).message, {
      cause: error,
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new CheckpointError(corrupted);
  return value as Record<string, unknown>;
}

export const corrupted = 'checkpoint is corrupted';
