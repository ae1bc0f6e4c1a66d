/**
 * Runs short commands from a shell that stays. To start a program from this process takes milliseconds in which nothing
 * else is done, because the kernel copies the page tables of the whole process; the shell has few.
 *
 * Commands run one after the other: only those that cannot hang belong here.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A command per line, as quoted words. Each is answered by a line: `0`, or its code and what it said. */
const script = `while IFS= read -r line; do
  eval "set -- $line"
  if said=$("$@" 2>&1 </dev/null); then echo 0; else code=$?; echo "$code $(printf %s "$said" | tr '\\n' ' ')"; fi
done`;

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class MountShell {
  #child: ChildProcess | undefined;
  readonly #waiting: Waiting[] = [];

  /** Whether the words can be told to the shell. */
  static canRun(words: readonly string[]): boolean {
    return words.every((word) => !/[\n\0]/.test(word));
  }

  /** Rejects with what the command said when it fails, and when the shell ends. */
  run(words: readonly string[]): Promise<void> {
    const { stdin } = (this.#child ??= this.#start());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      stdin!.write(`${words.map(quoted).join(' ')}\n`);
    });
  }

  /** The shell ends by itself with this process. */
  #start(): ChildProcess {
    const child = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'] });
    const end = (error: Error): void => {
      if (this.#child !== child) return;
      this.#child = undefined;
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    };
    child.once('error', end);
    child.once('close', () => end(new Error('the shell for mounts has ended')));
    child.stdin.on('error', end);
    createInterface({ input: child.stdout }).on('line', (line) => this.#take(line));
    // Nothing waits for it at the end.
    child.unref();
    for (const stream of [child.stdin, child.stdout] as unknown as { unref(): void }[]) stream.unref();
    return child;
  }

  #take(line: string): void {
    const next = this.#waiting.shift();
    if (line === '0') next?.resolve();
    else next?.reject(new Error(line.slice(line.indexOf(' ') + 1).trim()));
  }
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
