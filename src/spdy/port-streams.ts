/**
 * The streams of port-forward: for each forwarded connection a pair with the same `requestid`, one for data and one for
 * the error that ends it. Each names its port.
 */
import { type Clock, systemClock, type Timer } from '../base/clock.ts';
import type { SpdyConnection } from './connection.ts';
import { resetStatus } from './frames.ts';
import type { SpdyStream } from './stream.ts';

export interface PortStreams {
  readonly port: number;
  readonly data: SpdyStream;
  /** What is written here is why the connection failed; it is ended empty where it did not. */
  readonly error: SpdyStream;
}

/** How long the second stream of a pair may take. */
const pairTimeoutMs = 30_000;

/** Calls back for each pair. A stream without a type, a port or its other half is reset. */
export function onPortStreams(
  connection: SpdyConnection,
  forward: (streams: PortStreams) => void,
  clock: Clock = systemClock,
): void {
  const halves = new Map<string, { readonly stream: SpdyStream; readonly type: string; readonly timer: Timer }>();
  const forget = (id: string): void => {
    halves.get(id)?.timer.cancel();
    halves.delete(id);
  };
  connection.on('stream', (stream) => {
    const type = stream.headers.get('streamtype')?.[0] ?? '';
    const port = portOf(stream);
    const id = requestOf(stream, type);
    const other = halves.get(id);
    if (
      port === undefined ||
      id === '' ||
      other?.type === type ||
      (other !== undefined && portOf(other.stream) !== port)
    )
      return stream.reset(resetStatus.refusedStream);
    stream.reply();
    if (other === undefined) {
      stream.once('close', () => {
        if (halves.get(id)?.stream === stream) forget(id);
      });
      const timer = clock.after(pairTimeoutMs, () => {
        forget(id);
        stream.reset();
      });
      return void halves.set(id, { stream, type, timer });
    }
    forget(id);
    const [data, error] = type === 'data' ? [stream, other.stream] : [other.stream, stream];
    forward({ port, data, error });
  });
  connection.once('close', () => [...halves.keys()].forEach(forget));
}

function portOf({ headers }: SpdyStream): number | undefined {
  const text = headers.get('port')?.[0] ?? '';
  const port = Number(text);
  return /^\d{1,5}$/.test(text) && port > 0 && port <= 65_535 ? port : undefined;
}

/** Old clients do not say which streams belong together: they open the one for errors just before the one for data. */
function requestOf({ id, headers }: SpdyStream, type: string): string {
  const named = headers.get('requestid')?.[0] ?? '';
  if (type === 'error') return named === '' ? String(id) : named;
  if (type === 'data') return named === '' ? String(id - 2) : named;
  return '';
}
