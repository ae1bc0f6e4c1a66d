/** A write buffer whose backlog counts as memory of a quota. */
import type { Duplex } from 'node:stream';
import type { Usage } from '../../base/evicting-quota.ts';
import { WriteBuffer } from '../write-buffer.ts';

/** A shorter backlog is not counted. */
const countedBacklogBytes = 16 * 1024;

export function countedWriteBuffer(socket: Duplex, usage: Usage | undefined): WriteBuffer {
  if (usage === undefined) return new WriteBuffer(socket, {});
  return new WriteBuffer(socket, {
    backlog: (bytes) => usage.set(bytes > countedBacklogBytes && !socket.destroyed ? bytes : 0),
  });
}
