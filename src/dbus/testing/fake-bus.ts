/** A message bus with services of a test. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type DBusMessage, type DBusValue, decodeMessage, encodeMessage, messageType } from '../message.ts';

export interface FakeReply {
  readonly signature?: string;
  readonly body?: readonly DBusValue[];
  readonly error?: string;
}

export interface FakeBus {
  readonly path: string;
  /** `org.freedesktop.login1.Manager.PrepareForShutdown` with its values, of those who call. */
  readonly calls: string[];
  /** From the connection that owns the services, unless it says otherwise. */
  signal(path: string, name: string, signature: string, body: readonly DBusValue[], sender?: string): void;
  /** Ends all connections. */
  drop(): void;
}

const owner = ':1.7';

export async function startFakeBus(
  answer: (name: string, body: readonly DBusValue[]) => FakeReply | undefined,
  { refuses = false } = {},
): Promise<FakeBus> {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-bus-'));
  const calls: string[] = [];
  const sockets = new Set<Socket>();
  let serial = 0;
  const send = (socket: Socket, message: Omit<DBusMessage, 'serial'>): void =>
    void socket.write(encodeMessage({ ...message, serial: ++serial }));
  const reply = (socket: Socket, message: DBusMessage): void => {
    const name = `${message.interface}.${message.member}`;
    const body = message.body ?? [];
    calls.push([name, ...body.map(String)].join(' '));
    const { signature = '', body: values = [], error } = busAnswer(name) ?? answer(name, body) ?? { error: 'Unknown' };
    const { serial: replySerial } = message;
    if (error === undefined) send(socket, { type: messageType.return, replySerial, signature, body: values });
    else send(socket, { type: messageType.error, replySerial, errorName: error, signature: 's', body: ['it fails'] });
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    let received = Buffer.alloc(0);
    let isOpen = false;
    socket.on('data', (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      if (!isOpen) {
        const text = received.toString('latin1');
        const begin = text.indexOf('BEGIN\r\n');
        if (begin < 0) {
          if (text.endsWith('\r\n')) socket.write(refuses ? 'REJECTED EXTERNAL\r\n' : 'OK 1234\r\n');
          return;
        }
        isOpen = true;
        received = received.subarray(begin + 'BEGIN\r\n'.length);
      }
      for (let read = decodeMessage(received); read !== undefined; read = decodeMessage(received)) {
        received = received.subarray(read.length);
        reply(socket, read.message);
      }
    });
  });
  const socketPath = path.join(directory, 'bus');
  server.listen(socketPath);
  await once(server, 'listening');
  const drop = (): void => sockets.forEach((socket) => socket.destroy());
  onTestFinished(async () => {
    drop();
    await new Promise((resolve) => server.close(resolve));
    await rm(directory, { recursive: true, force: true });
  });
  return {
    path: socketPath,
    calls,
    drop,
    signal(objectPath, name, signature, body, sender = owner) {
      const at = name.lastIndexOf('.');
      const message = { interface: name.slice(0, at), member: name.slice(at + 1), path: objectPath };
      for (const socket of sockets) send(socket, { ...message, type: messageType.signal, sender, signature, body });
    },
  };
}

function busAnswer(name: string): FakeReply | undefined {
  switch (name) {
    case 'org.freedesktop.DBus.Hello':
      return { signature: 's', body: [':1.9'] };
    case 'org.freedesktop.DBus.AddMatch':
      return {};
    case 'org.freedesktop.DBus.GetNameOwner':
      return { signature: 's', body: [owner] };
    default:
      return undefined;
  }
}
