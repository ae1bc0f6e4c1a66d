import type { Duplex } from 'node:stream';

/** What the client may take for reading the last frames, once all have left. */
const lingerMs = 1000;

/**
 * Ends a connection behind what was written to it, and leaves the client a moment to read: a connection that is cut
 * loses what was under way. Until then a client may take its time over the last answers, but not for ever.
 *
 * @param patienceMs for taking what was written
 * @returns to be told how much still comes: what was under way is read, what goes on beyond that is not
 */
export function closeLingering(
  socket: Duplex,
  { patienceMs, underWayBytes }: { readonly patienceMs: number; readonly underWayBytes: number },
): (bytes: number) => void {
  const cut = (): unknown => socket.destroy();
  let timer = setTimeout(cut, patienceMs).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(() => {
    clearTimeout(timer);
    timer = setTimeout(cut, lingerMs).unref();
  });
  socket.resume();
  let left = underWayBytes;
  return (bytes) => {
    if ((left -= bytes) < 0) cut();
  };
}
