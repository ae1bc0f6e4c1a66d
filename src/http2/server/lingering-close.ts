import type { Duplex } from 'node:stream';

/** How long the client may read the last frames after all of them were sent. */
const lingerMs = 1000;

/**
 * A lingering close: ends a connection after the bytes that were written to it, and goes on reading for a short time.
 * A socket that is closed with unread data sends RST, and the client loses what it has not read yet.
 *
 * @param patienceMs how long the client may take to receive what was written
 * @returns to be called with the length of each received chunk: beyond `underWayBytes` the connection is cut
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
