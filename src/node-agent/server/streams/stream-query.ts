/** What a request for a stream says of it. Both throw a {@link Refusal}. */
import { parseInteger } from '../../../machinery/parse-integer.ts';
import { Refusal } from '../refusal.ts';

export interface AskedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** A terminal has one stream of output. */
export function streamsOf(query: URLSearchParams): AskedStreams {
  const asked = (name: string): boolean => query.get(name) === '1';
  const tty = asked('tty');
  const streams = { stdin: asked('input'), stdout: asked('output'), stderr: asked('error') && !tty, tty };
  if (!streams.stdin && !streams.stdout && !streams.stderr)
    throw new Refusal(400, 'you must specify at least 1 of stdin, stdout, stderr');
  return streams;
}

/** A WebSocket has a pair of channels for each; with SPDY each stream says its port. */
export function portsOf(query: URLSearchParams, isWebSocket: boolean): number[] {
  const texts = query.getAll('port').flatMap((value) => value.split(','));
  if (texts.length === 0 && isWebSocket) throw new Refusal(400, 'query parameter "port" is required');
  return texts.map((text) => {
    const port = numberOf(text);
    if (port === undefined) throw new Refusal(400, `unable to parse ${JSON.stringify(text)} as a port`);
    return port;
  });
}

function numberOf(text: string): number | undefined {
  try {
    const port = Number(parseInteger(text));
    return port >= 1 && port <= 65_535 ? port : undefined;
  } catch {
    return undefined;
  }
}
