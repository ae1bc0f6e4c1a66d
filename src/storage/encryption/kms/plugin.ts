/** A KMS plugin, v2: what it says of itself, and the key that values are written with. */
import { createHash, randomUUID } from 'node:crypto';
import { sleep, type Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { aesGcmWithDerivedKeys, seedBytes } from '../aes.ts';
import type { EncryptionObserver } from '../observer.ts';
import type { ValueTransformer } from '../transformer.ts';
import { type Annotations, type EncryptedObject, encodeRequest, KeySource, type PluginStatus, v2 } from './api.ts';
import type { KmsClient } from './client.ts';
import { generateKey } from './generate-key.ts';

export interface PluginOptions {
  readonly name: string;
  readonly client: KmsClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: EncryptionObserver;
}

/** The key that values are written with, and how they name it. Reading needs no more than that there is one. */
export interface WriteKey extends Pick<EncryptedObject, 'keyId' | 'source' | 'annotations' | 'sourceType'> {
  readonly transformer: ValueTransformer;
  /** On the clock. Each good answer of the plugin puts it off. */
  readonly expiresAt: number;
}

/**
 * A plugin that is well is asked once a minute, one that is not every ten seconds; in three minutes it has had some
 * chances.
 */
const pollMs = { well: 60_000, unwell: 10_000 };
const writeKeyMs = 3 * 60_000;
/** Health checks share an answer for so long. */
const answerMs = { well: 20_000, unwell: 3_000 };
const versions = ['v2', 'v2beta1'];
const maxKeyIdBytes = 1024;
const maxSourceBytes = 1024;
const maxAnnotationBytes = 32 * 1024;

export class Plugin {
  readonly name: string;
  readonly #options: PluginOptions;
  readonly #closed = new AbortController();
  #key: WriteKey | undefined;
  #version = '';
  #answer: { readonly error: Error | undefined; readonly at: number } | undefined;
  #checking: Promise<void> = Promise.resolve();
  #polling: Promise<void> | undefined;

  constructor(options: PluginOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** Asks once, so that a plugin that is there can be used at once, and goes on asking. */
  async start(): Promise<void> {
    const well = await this.#probe();
    this.#polling = this.#poll(well);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#options.client.close();
    await this.#polling;
  }

  /** Throws while the plugin has not answered yet. */
  get key(): WriteKey {
    if (this.#key === undefined) throw new Error('got unexpected nil transformer');
    return this.#key;
  }

  /**
   * Throws when the plugin was not well for too long: values must not be written with a key that it may have given up.
   */
  get keyForWriting(): WriteKey {
    const { key } = this;
    const now = this.#options.clock.now();
    if (now > key.expiresAt)
      throw new Error(
        `encryptedDEKSource with keyID hash ${goQuote(hashOf(key.keyId))} expired ` +
          `at ${this.#timeOf(key.expiresAt)} (current time is ${this.#timeOf(now)})`,
      );
    return key;
  }

  /** Rejects when the plugin is not well. One question at a time, and its answer counts for a while. */
  check(): Promise<void> {
    const checking = this.#checking.then(() => this.#checkOnce());
    this.#checking = checking.catch(() => undefined);
    return checking;
  }

  async decrypt({
    source,
    keyId,
    annotations,
  }: Pick<EncryptedObject, 'source' | 'keyId' | 'annotations'>): Promise<Buffer> {
    const { plaintext } = await this.#options.client.call(
      v2.decrypt,
      encodeRequest([
        [1, source],
        [2, randomUUID()],
        [3, keyId],
        [4, annotations],
      ]),
    );
    return plaintext;
  }

  async #poll(well: boolean): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      await sleep(this.#options.clock, well ? pollMs.well : pollMs.unwell, signal);
      if (!signal.aborted) well = await this.#probe();
    }
  }

  async #probe(): Promise<boolean> {
    try {
      await this.check();
      return true;
    } catch (error) {
      if (!this.#closed.signal.aborted)
        this.#options.log.error({ name: this.name, err: error }, 'kms plugin failed health check probe');
      return false;
    }
  }

  async #checkOnce(): Promise<void> {
    const { clock } = this.#options;
    const known = this.#answer;
    if (known !== undefined && clock.now() - known.at < (known.error === undefined ? answerMs.well : answerMs.unwell)) {
      if (known.error !== undefined) throw known.error;
      return;
    }
    try {
      await this.#judge(await this.#status());
      this.#answer = { error: undefined, at: clock.now() };
    } catch (error) {
      this.#answer = { error: error as Error, at: clock.now() };
      throw error;
    }
  }

  async #status(): Promise<PluginStatus> {
    try {
      return await this.#options.client.call(v2.status, encodeRequest([]));
    } catch (cause) {
      throw new Error(
        `failed to perform status section of the healthz check for KMS Provider ${this.name}, ` +
          `error: ${(cause as Error).message}`,
        { cause },
      );
    }
  }

  async #judge({ healthz, version, keyId }: PluginStatus): Promise<void> {
    const problems: string[] = [];
    if (healthz !== 'ok') problems.push(`got unexpected healthz status: ${healthz}`);
    if (!versions.includes(version)) problems.push(`expected KMSv2 API version v2, got ${version}`);
    else {
      this.#version ||= version;
      if (this.#version !== version)
        problems.push(
          'KMSv2 API version should not change after the initial status response ' +
            `version ${this.#version}, got ${version}`,
        );
    }
    const wrong = keyIdProblem(keyId);
    if (wrong !== undefined) {
      this.#options.observer.invalidKeyReported(this.name, wrong.code);
      problems.push(`got invalid KMSv2 KeyID hash ${goQuote(keyId === '' ? '' : hashOf(keyId))}: ${wrong.text}`);
    } else {
      this.#options.observer.keyReported(this.name, keyId);
      const failed = await this.#followKey(keyId);
      if (failed !== undefined) problems.push(failed);
    }
    if (problems.length > 0)
      throw new Error(
        `kmsv2 Provider ${this.name} is not healthy, ` +
          `error: ${problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]`}`,
      );
  }

  /**
   * A key that the plugin still names goes on; another one is made when it names another. A failure leaves the old one,
   * until it expires.
   */
  async #followKey(keyId: string): Promise<string | undefined> {
    // Before the plugin is asked: the time is to be an upper bound.
    const expiresAt = this.#options.clock.now() + writeKeyMs;
    if (this.#key?.keyId === keyId) {
      this.#key = { ...this.#key, expiresAt };
      return undefined;
    }
    const uid = randomUUID();
    let made: Omit<WriteKey, 'expiresAt'> | undefined;
    let failure: Error | undefined;
    try {
      made = await this.#generate(uid);
      if (made.keyId === keyId) {
        this.#key = { ...made, expiresAt };
        return undefined;
      }
    } catch (error) {
      failure = error as Error;
    }
    const shown = (id: string | undefined): string => goQuote(id === undefined || id === '' ? '' : hashOf(id));
    return (
      `failed to rotate DEK uid=${goQuote(uid)}, useSeed=true, ` +
      `errState=${this.#key === undefined ? 'got unexpected nil transformer' : '<nil>'}, ` +
      `errGen=${failure?.message ?? '<nil>'}, ` +
      `statusKeyIDHash=${shown(keyId)}, encryptKeyIDHash=${shown(made?.keyId)}, ` +
      `stateKeyIDHash=${shown(this.#key?.keyId)}, ` +
      `expirationTimestamp=${this.#key === undefined ? '0001-01-01T00:00:00Z' : this.#timeOf(this.#key.expiresAt)}`
    );
  }

  async #generate(uid: string): Promise<Omit<WriteKey, 'expiresAt'>> {
    const { client, observer } = this.#options;
    const seed = generateKey(seedBytes, observer);
    const { ciphertext, keyId, annotations } = await client
      .call(
        v2.encrypt,
        encodeRequest([
          [1, seed],
          [2, uid],
        ]),
      )
      .catch((cause: unknown) => {
        throw new Error(`failed to encrypt DEK, error: ${(cause as Error).message}`, { cause });
      });
    const key = { keyId, source: ciphertext, annotations, sourceType: KeySource.seed };
    const problem = keyProblem(key);
    if (problem !== undefined) throw new Error(problem);
    return { ...key, transformer: aesGcmWithDerivedKeys(seed) };
  }

  /** A time on the clock as people read it. */
  #timeOf(at: number): string {
    return `${new Date(Date.now() + at - this.#options.clock.now()).toISOString().slice(0, 19)}Z`;
  }
}

export const hashOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** What is wrong with how a value names its key; undefined when nothing is. */
export function keyProblem({
  sourceType,
  source,
  keyId,
  annotations,
}: Pick<EncryptedObject, 'keyId' | 'source' | 'annotations' | 'sourceType'>): string | undefined {
  if (sourceType !== KeySource.aesGcmKey && sourceType !== KeySource.seed)
    return `unknown encryptedDEKSourceType: ${sourceType}`;
  if (source.length === 0) return 'failed to validate encrypted DEK source: encrypted DEK source is empty';
  if (source.length > maxSourceBytes)
    return (
      `failed to validate encrypted DEK source: encrypted DEK source is ${source.length} bytes, which exceeds ` +
      `the max size of ${maxSourceBytes}`
    );
  const wrong = keyIdProblem(keyId);
  if (wrong !== undefined) return `failed to validate key id: ${wrong.text}`;
  const problems = annotationProblems(annotations);
  return problems.length === 0
    ? undefined
    : `failed to validate annotations: ${problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]`}`;
}

function keyIdProblem(keyId: string): { readonly code: 'empty' | 'too_long'; readonly text: string } | undefined {
  const length = Buffer.byteLength(keyId);
  if (length === 0) return { code: 'empty', text: 'keyID is empty' };
  return length > maxKeyIdBytes
    ? { code: 'too_long', text: `keyID is ${length} bytes, which exceeds the max size of ${maxKeyIdBytes}` }
    : undefined;
}

function annotationProblems(annotations: Annotations): string[] {
  const problems: string[] = [];
  let total = 0;
  for (const [key, value] of annotations) {
    problems.push(
      ...nameProblems(key).map(
        (problem) => `annotations: ${key === '' ? 'Required value' : `Invalid value: ${goQuote(key)}: ${problem}`}`,
      ),
    );
    total += Buffer.byteLength(key) + value.length;
  }
  if (total > maxAnnotationBytes)
    problems.push(`total size of annotations is ${total}, which exceeds the max size of ${maxAnnotationBytes}`);
  return problems;
}

/** A name with at least one dot in it. */
function nameProblems(name: string): readonly string[] {
  if (name === '') return [''];
  const problems = isDns1123Subdomain(name);
  if (problems.length > 0) return problems;
  return name.includes('.') ? [] : ['should be a domain with at least two segments separated by dots'];
}
