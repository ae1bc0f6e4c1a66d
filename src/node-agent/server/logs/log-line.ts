/**
 * A line of a log file as container runtimes write it (CRI): `TIME STREAM TAGS TEXT`.
 * @see {@link https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md | CRI
 *   logging}
 */
export interface LogLine {
  /** As written, RFC 3339. */
  readonly time: string;
  readonly stream: 'stdout' | 'stderr';
  /** The line goes on with the next one of its stream. */
  readonly isPartial: boolean;
  readonly text: Buffer;
}

const space = 0x20;
const partialTag = 'P';

/** Undefined for what is no such line. @param line without its line break */
export function parseLogLine(line: Buffer): LogLine | undefined {
  const first = line.indexOf(space);
  const second = line.indexOf(space, first + 1);
  if (first <= 0 || second < 0) return undefined;
  const third = line.indexOf(space, second + 1);
  const stream = line.latin1Slice(first + 1, second);
  const tags = line.latin1Slice(second + 1, third < 0 ? line.length : third);
  if ((stream !== 'stdout' && stream !== 'stderr') || tags === '') return undefined;
  return {
    time: line.latin1Slice(0, first),
    stream,
    isPartial: tags.split(':', 1)[0] === partialTag,
    text: third < 0 ? Buffer.alloc(0) : line.subarray(third + 1),
  };
}

/** With nine digits behind the point, as `timestamps` shows it. */
export function fixedTime(time: string): string {
  const [, seconds, fraction = '', zone] = /^([^.Z+]+?)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(time) ?? [];
  return seconds === undefined ? time : `${seconds}.${fraction.padEnd(9, '0').slice(0, 9)}${zone}`;
}
