/** Asks a program for the credentials of an image: a document on its input, one on its output. */
import { spawn } from 'node:child_process';
import { parseDuration } from '../../../machinery/duration.ts';
import type { CredentialProvider } from './provider-config.ts';

export type CacheKeyType = 'Image' | 'Registry' | 'Global';

export interface ProvidedCredentials {
  readonly cacheKeyType: CacheKeyType;
  /** Undefined for what the configuration says. */
  readonly cacheMs: number | undefined;
  /** By pattern of images. */
  readonly auth: ReadonlyMap<string, { readonly username: string; readonly password: string }>;
}

export interface ExecProviderOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

const maxOutputBytes = 1 << 20;
const cacheKeyTypes: readonly string[] = ['Image', 'Registry', 'Global'];

/** Rejects with what the program did wrong; never with what it has printed. */
export async function askProvider(
  provider: CredentialProvider,
  image: string,
  options: ExecProviderOptions,
): Promise<ProvidedCredentials> {
  const { apiVersion } = provider;
  const request = JSON.stringify({ kind: 'CredentialProviderRequest', apiVersion, image });
  return parseAnswer(await run(provider, request, options), apiVersion);
}

function run(
  { name, program, args, env }: CredentialProvider,
  input: string,
  { environment, timeoutMs }: ExecProviderOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], {
      env: { ...environment, ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    const fail = (why: string, cause?: unknown): void =>
      reject(new Error(`error execing credential provider plugin ${name}: ${why}`, { cause }));
    child.on('error', (error) => fail(error.message, error));
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxOutputBytes) return void chunks.push(chunk);
      child.kill('SIGKILL');
      fail(`its answer has more than ${maxOutputBytes} bytes`);
    });
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(Buffer.concat(chunks).toString());
      fail(signal === 'SIGKILL' ? `it did not answer within ${timeoutMs / 1000} s` : `exit status ${code ?? signal}`);
    });
    child.stdin.end(input);
  });
}

/** Throws for what is no answer. */
export function parseAnswer(text: string, expected: string): ProvidedCredentials {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Error('the answer of the credential provider plugin is no JSON');
  }
  if (typeof answer !== 'object' || answer === null)
    throw new Error('the answer of the credential provider plugin is no object');
  const { kind, apiVersion, cacheKeyType, cacheDuration, auth } = answer as Record<string, unknown>;
  if (kind !== 'CredentialProviderResponse')
    throw new Error(`failed to decode credential provider plugin response: kind is ${JSON.stringify(kind)}`);
  if (apiVersion !== expected)
    throw new Error(
      `apiVersion from credential plugin response did not match expected apiVersion:${expected}, ` +
        `actual apiVersion:${String(apiVersion)}`,
    );
  if (typeof cacheKeyType !== 'string' || !cacheKeyTypes.includes(cacheKeyType))
    throw new Error(`credential provider plugin did not return a valid cacheKeyType: ${JSON.stringify(cacheKeyType)}`);
  const entries = typeof auth === 'object' && auth !== null ? Object.entries(auth as Record<string, unknown>) : [];
  return {
    cacheKeyType: cacheKeyType as CacheKeyType,
    cacheMs: typeof cacheDuration === 'string' ? Number(parseDuration(cacheDuration) / 1_000_000n) : undefined,
    auth: new Map(entries.map(([pattern, value]) => [pattern, passwordOf(value)])),
  };
}

function passwordOf(value: unknown): { username: string; password: string } {
  const { username, password } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return {
    username: typeof username === 'string' ? username : '',
    password: typeof password === 'string' ? password : '',
  };
}
