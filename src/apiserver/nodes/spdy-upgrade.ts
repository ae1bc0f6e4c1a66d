/** What is asked of node agents that are to speak SPDY/3.1, and whether they do. */
import { wishFor } from './relayed-headers.ts';

type Headers = ReadonlyMap<string, readonly string[]>;

/** @param protocols what the streams may be for, best first */
export const spdyWish = (protocols: readonly string[]): (readonly [string, readonly string[]])[] => [
  ...wishFor(['SPDY/3.1']),
  ['x-stream-protocol-version', protocols],
];

export function isSpdy(headers: Headers): boolean {
  const says = (name: string, text: string): boolean =>
    headers.get(name)?.some((value) => value.toLowerCase().includes(text)) === true;
  return says('connection', 'upgrade') && says('upgrade', 'spdy/3.1');
}
