import type { FloodClients } from './flood-clients.ts';

/** What clients do to use up a server's memory. */
export interface Flood {
  readonly name: string;
  /** In a full run; a smaller one has a part of them. */
  readonly connections: number;
  /** Leaves its connections open. */
  readonly run: (clients: FloodClients, size: FloodSize, send: Send) => Promise<void>;
}

export interface FloodSize {
  readonly connections: number;
  /** A part of a count that is not one of connections, at least one. */
  readonly part: (count: number) => number;
  /** How long to wait for the server, in milliseconds: less in a small run. */
  readonly wait: (ms: number) => number;
}

/** A request of an administrator. @returns the status */
export type Send = (method: string, target: string, body?: unknown) => Promise<number>;

const smallShare = 0.1;

/** @param share of the full size, more than 0 and at most 1 */
export const sizeOf = ({ connections }: Flood, share: number): FloodSize => {
  const part = (count: number): number => Math.max(1, Math.round(count * share));
  return { connections: part(connections), part, wait: (ms) => (share < smallShare ? ms / 5 : ms) };
};

export const kilobyte = 1024;
export const megabyte = 1024 * 1024;
export const configMaps = '/api/v1/namespaces/default/configmaps';

/** A request over HTTP/1.1 without a body. */
export const http1Request = (target: string, headers: readonly string[] = []): string =>
  `GET ${target} HTTP/1.1\r\n${['Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
