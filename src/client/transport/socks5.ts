/**
 * The client's part of SOCKS5: CONNECT, without authentication or with user and password.
 *
 * Names are resolved by the proxy.
 * @see {@link https://www.rfc-editor.org/rfc/rfc1928 | RFC 1928}
 * @see {@link https://www.rfc-editor.org/rfc/rfc1929 | RFC 1929}
 */
import net from 'node:net';
import type { TcpEndpoint } from './socket.ts';

export interface ProxyCredentials {
  readonly user: string;
  readonly password: string;
}

const socksVersion = 5;
const noAuthentication = 0;
const userPassword = 2;
const connect = 1;
const [ipv4, domainName, ipv6] = [1, 3, 4];

/** RFC 1928, section 6. */
const replies: Readonly<Record<number, string>> = {
  1: 'general failure',
  2: 'connection not allowed',
  3: 'network unreachable',
  4: 'host unreachable',
  5: 'connection refused',
  6: 'time to live expired',
  7: 'command not supported',
  8: 'address type not supported',
};

/** The socket, once what is written to it reaches the endpoint. Destroys it where the proxy refuses. */
export async function openSocks5(
  socket: net.Socket,
  { host, port }: TcpEndpoint,
  credentials: ProxyCredentials | undefined,
  signal: AbortSignal,
): Promise<net.Socket> {
  const onAbort = (): void => void socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const methods = credentials === undefined ? [noAuthentication] : [noAuthentication, userPassword];
    socket.write(Buffer.from([socksVersion, methods.length, ...methods]));
    const [, method] = await read(socket, 2);
    if (method === userPassword && credentials !== undefined) await authenticate(socket, credentials);
    else if (method !== noAuthentication) throw new Error('the SOCKS5 proxy accepts no authentication that is offered');
    const request = [socksVersion, connect, 0, ...addressBytes(host), port >> 8, port & 0xff];
    socket.write(Buffer.from(request));
    const [, reply, , addressType] = await read(socket, 4);
    if (reply !== 0) throw new Error(`the SOCKS5 proxy refused the connection: ${replies[reply!] ?? `code ${reply}`}`);
    await read(socket, (await boundAddressLength(socket, addressType!)) + 2);
    return socket;
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function authenticate(socket: net.Socket, { user, password }: ProxyCredentials): Promise<void> {
  const [name, secret] = [Buffer.from(user), Buffer.from(password)];
  if (name.length > 255 || secret.length > 255) throw new Error('user or password of the SOCKS5 proxy is too long');
  socket.write(Buffer.from([1, name.length, ...name, secret.length, ...secret]));
  const [, status] = await read(socket, 2);
  if (status !== 0) throw new Error('the SOCKS5 proxy refused user and password');
}

function addressBytes(host: string): number[] {
  if (net.isIPv4(host)) return [ipv4, ...host.split('.').map(Number)];
  const name = Buffer.from(host);
  if (name.length > 255) throw new Error('the name of the server is too long for a SOCKS5 proxy');
  return [domainName, name.length, ...name];
}

async function boundAddressLength(socket: net.Socket, type: number): Promise<number> {
  if (type === ipv4) return 4;
  if (type === ipv6) return 16;
  if (type === domainName) return (await read(socket, 1))[0]!;
  throw new Error('the SOCKS5 proxy answered with an unknown type of address');
}

/** The next bytes, and no more than them. */
function read(socket: net.Socket, count: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const end = (then: () => void): void => {
      socket.off('readable', look).off('close', onClose);
      then();
    };
    const look = (): void => {
      const bytes = socket.read(count) as Buffer | null;
      if (bytes !== null && bytes.length === count) end(() => resolve(bytes));
    };
    const onClose = (): void => end(() => reject(new Error('the SOCKS5 proxy closed the connection')));
    socket.on('readable', look).once('close', onClose);
    if (socket.destroyed) onClose();
    else look();
  });
}
