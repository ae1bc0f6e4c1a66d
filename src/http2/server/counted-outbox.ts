/** An outbox whose backlog counts as memory of a quota. */
import type { Duplex } from 'node:stream';
import type { Usage } from '../../base/evicting-quota.ts';
import { Outbox } from '../outbox.ts';

/** A shorter backlog is not counted. */
const countedBacklogBytes = 16 * 1024;

export function countedOutbox(socket: Duplex, usage: Usage | undefined): Outbox {
  if (usage === undefined) return new Outbox(socket, {});
  return new Outbox(socket, {
    backlog: (bytes) => usage.set(bytes > countedBacklogBytes && !socket.destroyed ? bytes : 0),
  });
}
