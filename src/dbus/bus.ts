/**
 * A connection to a message bus: calls with an end, and signals. Descriptors of files cannot be passed.
 * @see {@link https://dbus.freedesktop.org/doc/dbus-specification.html#auth-protocol | D-Bus Specification,
 *   Authentication Protocol}
 */
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { type DBusMessage, type DBusValue, decodeMessage, encodeMessage, messageType } from './message.ts';

/** The bus, or the service that was called, says no. */
export class DBusError extends Error {
  override readonly name = 'DBusError';
  /** `org.freedesktop.DBus.Error.ServiceUnknown` */
  readonly errorName: string;

  constructor(errorName: string, message: string) {
    super(message === '' ? errorName : message);
    this.errorName = errorName;
  }
}

export interface DBusCall {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly body?: readonly DBusValue[];
}

export interface DBusSignalMatch {
  readonly sender: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
}

export const systemBusPath = '/run/dbus/system_bus_socket';

const busName = 'org.freedesktop.DBus';
const busPath = '/org/freedesktop/DBus';
const callMs = 25_000;
const maxLineBytes = 16_384;

interface Waiting {
  readonly resolve: (body: readonly DBusValue[]) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

export class DBusConnection {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #handlers: { readonly match: DBusSignalMatch; readonly onSignal: (body: readonly DBusValue[]) => void }[] =
    [];
  #received = Buffer.alloc(0);
  #serial = 0;
  #failure: Error | undefined;
  /** Resolves when the connection is lost, or closed. */
  readonly closed: Promise<void>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#fail(new Error('the connection to the message bus is closed'));
        resolve();
      });
    });
    socket.on('error', (error) => this.#fail(error));
  }

  /** Rejects when there is no bus, or when it does not take this user. */
  static async open(path = systemBusPath): Promise<DBusConnection> {
    const socket = connect(path);
    try {
      await once(socket, 'connect');
      await authenticate(socket);
    } catch (error) {
      socket.destroy();
      throw error;
    }
    const connection = new DBusConnection(socket);
    socket.on('data', (piece: Buffer) => connection.#read(piece));
    await connection.#callBus('Hello');
    return connection;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** The body of the answer. Rejects with a `DBusError`, or when there is none in time. */
  call(call: DBusCall): Promise<readonly DBusValue[]> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const serial = ++this.#serial;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(serial);
        reject(new DBusError('org.freedesktop.DBus.Error.NoReply', `${call.member} was not answered in time`));
      }, callMs);
      this.#waiting.set(serial, { resolve, reject, timer });
      this.#socket.write(encodeMessage({ ...call, type: messageType.call, serial }));
    });
  }

  async onSignal(match: DBusSignalMatch, onSignal: (body: readonly DBusValue[]) => void): Promise<void> {
    this.#handlers.push({ match, onSignal });
    const rule = { type: 'signal', ...match };
    const text = Object.entries(rule).map(([key, value]) => `${key}='${value}'`);
    await this.#callBus('AddMatch', 's', [text.join(',')]);
  }

  #callBus(member: string, signature = '', body: readonly DBusValue[] = []): Promise<readonly DBusValue[]> {
    return this.call({ destination: busName, path: busPath, interface: busName, member, signature, body });
  }

  #read(piece: Buffer): void {
    this.#received = Buffer.concat([this.#received, piece]);
    try {
      for (let read = decodeMessage(this.#received); read !== undefined; read = decodeMessage(this.#received)) {
        this.#received = this.#received.subarray(read.length);
        this.#take(read.message);
      }
    } catch (error) {
      this.#fail(error as Error);
      this.#socket.destroy();
    }
  }

  #take({ type, replySerial = 0, errorName = '', body = [], ...message }: DBusMessage): void {
    if (type === messageType.signal) {
      const isFor = ({ path, interface: name, member }: DBusSignalMatch): boolean =>
        message.path === path && message.interface === name && message.member === member;
      for (const { match, onSignal } of this.#handlers)
        if (isFor(match)) void this.#isFrom(match.sender, message.sender).then((isTrue) => isTrue && onSignal(body));
      return;
    }
    const waiting = this.#waiting.get(replySerial);
    if (waiting === undefined) return;
    this.#waiting.delete(replySerial);
    clearTimeout(waiting.timer);
    if (type === messageType.error)
      waiting.reject(new DBusError(errorName, typeof body[0] === 'string' ? body[0] : ''));
    else waiting.resolve(body);
  }

  /** Any program can send a signal to any other: it counts from the one that owns the name alone. */
  async #isFrom(service: string, sender: string | undefined): Promise<boolean> {
    const owner = await this.#callBus('GetNameOwner', 's', [service]).catch(() => []);
    return owner[0] !== undefined && owner[0] === sender;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(this.#failure);
    }
    this.#waiting.clear();
  }
}

/** As the user of the process, which the bus knows by the socket. */
async function authenticate(socket: Socket): Promise<void> {
  const uid = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex');
  socket.write(`\0AUTH EXTERNAL ${uid}\r\n`);
  const answer = await readLine(socket);
  if (!answer.startsWith('OK ')) throw new DBusError('org.freedesktop.DBus.Error.AuthFailed', answer);
  socket.write('BEGIN\r\n');
}

/** Nothing follows the line before the next word of this side. */
function readLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const settle = (error?: Error): void => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose).off('error', settle);
      if (error === undefined) resolve(text.trimEnd());
      else reject(error);
    };
    const onData = (piece: Buffer): void => {
      text += piece.toString('latin1');
      if (text.includes('\n')) settle();
      else if (text.length > maxLineBytes) settle(new Error('the message bus said no line'));
    };
    const onClose = (): void => settle(new Error('the message bus closed the connection'));
    const timer = setTimeout(() => settle(new Error('the message bus did not answer in time')), callMs);
    socket.on('data', onData).on('close', onClose).on('error', settle);
  });
}
