/** Calls a FlexVolume driver: a program with a command and its arguments, whose answer is a document on its output. */
import { spawn } from 'node:child_process';

export interface DriverAnswer {
  readonly status: 'Success' | 'Failure' | 'Not supported';
  readonly message: string;
  /** Of `init`. */
  readonly capabilities: Readonly<Record<string, unknown>>;
}

export interface DriverCallOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

const maxOutputBytes = 1 << 20;

/** Rejects for a program that does not run, does not end, or says something else than what a driver says. */
export async function callDriver(
  program: string,
  words: readonly string[],
  options: DriverCallOptions,
): Promise<DriverAnswer> {
  const text = await run(program, words, options);
  const answer = parsed(text);
  if (answer === undefined)
    throw new Error(`Failed to unmarshal output for command: ${words[0]}, output: ${JSON.stringify(short(text))}`);
  return answer;
}

const short = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

/** A driver that fails ends with a code, and says why on its output all the same. */
function run(program: string, words: readonly string[], { timeoutMs, signal }: DriverCallOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...words], {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      ...(signal === undefined ? {} : { signal }),
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.on('error', reject);
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxOutputBytes) return void chunks.push(chunk);
      child.kill('SIGKILL');
      reject(new Error(`driver call ${words[0]}: its answer has more than ${maxOutputBytes} bytes`));
    });
    child.on('close', (_, killedBy) => {
      if (killedBy === 'SIGKILL') reject(new Error(`driver call ${words[0]}: it did not end in ${timeoutMs / 1000} s`));
      else resolve(Buffer.concat(chunks).toString());
    });
  });
}

function parsed(text: string): DriverAnswer | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { status, message, capabilities } = (value ?? {}) as Record<string, unknown>;
  if (status !== 'Success' && status !== 'Failure' && status !== 'Not supported') return undefined;
  return {
    status,
    message: typeof message === 'string' ? message : '',
    capabilities: typeof capabilities === 'object' && capabilities !== null ? { ...capabilities } : {},
  };
}
