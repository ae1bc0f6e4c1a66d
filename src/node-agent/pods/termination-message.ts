/**
 * The last words of a container: what it wrote to its termination message file, or the end of its log.
 * @see {@link https://kubernetes.io/docs/tasks/debug/debug-application/determine-reason-pod-failure/ | Determine the
 *   reason for Pod failure}
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { ContainerStatus } from '../runtime/gen/cri.ts';
import { messagePathAnnotation, messagePolicyAnnotation } from './config/labels.ts';

const maxBytes = 4096;
const maxLogLines = 80;
const maxLogBytes = 2048;

/** Undefined when there are none. A file that cannot be read is as good as none. */
export async function readTerminationMessage(status: ContainerStatus): Promise<string | undefined> {
  const { annotations = {}, mounts = [], exitCode = 0, logPath = '' } = status;
  const path = annotations[messagePathAnnotation] ?? '';
  const mount = mounts.find(({ containerPath }) => containerPath === path);
  const written = mount?.hostPath === undefined ? '' : await readPart(mount.hostPath, { fromEnd: false, maxBytes });
  if (written !== '') return written;
  if (exitCode === 0 || annotations[messagePolicyAnnotation] !== 'FallbackToLogsOnError' || logPath === '')
    return undefined;
  // Each line of a log has its time and stream in front.
  const log = await readPart(logPath, { fromEnd: true, maxBytes: maxLogBytes + maxLogLines * 64 });
  const text = lastLines(log);
  return text === '' ? undefined : text;
}

async function readPart(
  path: string,
  { fromEnd, maxBytes: most }: { readonly fromEnd: boolean; readonly maxBytes: number },
): Promise<string> {
  try {
    // What a container leaves there may be anything: a pipe would hold the agent up.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) return '';
      const position = fromEnd ? Math.max(0, stat.size - most) : 0;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, position);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}

/** Of a log in the format of CRI: time, stream, whether the line is whole, text. */
export function lastLines(log: string): string {
  const texts = log.split('\n').flatMap((line) => {
    const [, isWhole, text] = /^\S+ (?:stdout|stderr) ([FP])\S* ?(.*)$/.exec(line) ?? [];
    return text === undefined ? [] : [isWhole === 'F' ? `${text}\n` : text];
  });
  const joined = texts.slice(-maxLogLines).join('');
  return Buffer.from(joined).subarray(-maxLogBytes).toString();
}
