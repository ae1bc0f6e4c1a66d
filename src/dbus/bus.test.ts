import { describe, expect, onTestFinished, test } from 'vitest';
import { DBusConnection } from './bus.ts';
import { type DBusMessage, decodeMessage, encodeMessage } from './message.ts';
import { startFakeBus } from './testing/fake-bus.ts';

describe('Messages', () => {
  test.each([
    { signature: 'ybnqiu', body: [7, true, -3, 65_535, -70_000, 4_000_000_000] },
    { signature: 'xt', body: [-5n, 2n ** 63n] },
    { signature: 'sog', body: ['häuschen', '/a/b', 'a{sv}'] },
    { signature: 'v', body: [{ signature: 't', value: 5_000_000n }] },
    {
      signature: 'asay',
      body: [
        ['a', '', 'ccc'],
        [1, 2, 3],
      ],
    },
    { signature: 'a{sv}', body: [[['key', { signature: 's', value: 'x' }]]] },
    { signature: '(s(ub))a(ii)', body: [['a', [1, false]], [[1, 2]]] },
    { signature: '', body: [] },
  ])('Values of the signature "$signature" are read as they were written', ({ signature, body }) => {
    const message = { type: 1, serial: 9, path: '/x', member: 'M', destination: 'a.b', signature, body };
    const bytes = encodeMessage(message as DBusMessage);
    const read = decodeMessage(Buffer.concat([bytes, Buffer.from('next')]));
    expect(read?.length).toBe(bytes.length);
    expect(read?.message).toMatchObject({ serial: 9, path: '/x', member: 'M', destination: 'a.b', body });
    for (const length of [0, 15, bytes.length - 1]) expect(decodeMessage(bytes.subarray(0, length))).toBeUndefined();
  });

  test('A message in big endian is read', () => {
    const head = [0x42, 2, 0, 1, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 15];
    const fields = [5, 1, 0x75, 0, 0, 0, 0, 8, 8, 1, 0x67, 0, 1, 0x75, 0, 0];
    const read = decodeMessage(Buffer.from([...head, ...fields, 0, 0, 1, 0]));
    expect(read?.message).toMatchObject({ replySerial: 8, serial: 5, body: [256] });
  });

  test.each([
    { name: 'another byte order', bytes: Buffer.alloc(16, 'x') },
    { name: 'a gigabyte to come', bytes: Buffer.from([0x6c, 2, 0, 1, 0, 0, 0, 0x40, 1, 0, 0, 0, 0, 0, 0, 0]) },
    {
      name: 'an array that is longer than it',
      bytes: Buffer.from([0x6c, 2, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0x10, 0, 0, 0, ...Buffer.alloc(16, 0x61)]),
    },
  ])('A message with $name is refused', ({ bytes }) => {
    expect(() => decodeMessage(bytes)).toThrow();
  });
});

describe('A connection to a bus', () => {
  const service = { destination: 'a.b', path: '/a', interface: 'a.b.I' };

  async function open(...of: Parameters<typeof startFakeBus>) {
    const bus = await startFakeBus(...of);
    const connection = await DBusConnection.open(bus.path);
    onTestFinished(() => connection.close());
    return { bus, connection };
  }

  test('A call is answered, or refused', async () => {
    const { connection } = await open((name, body) =>
      name === 'a.b.I.Twice' ? { signature: 'ss', body: [body[0]!, body[0]!] } : undefined,
    );
    expect(await connection.call({ ...service, member: 'Twice', signature: 's', body: ['x'] })).toEqual(['x', 'x']);
    await expect(connection.call({ ...service, member: 'Other' })).rejects.toMatchObject({
      name: 'DBusError',
      errorName: 'Unknown',
      message: 'it fails',
    });
  });

  test('A signal counts from the owner of its service alone', async () => {
    const { bus, connection } = await open(() => undefined);
    const seen: unknown[] = [];
    const match = { sender: 'a.b', path: '/a', interface: 'a.b.I', member: 'Changed' };
    await connection.onSignal(match, (body) => void seen.push(body[0]));
    bus.signal('/a', 'a.b.I.Changed', 's', ['forged'], ':1.66');
    bus.signal('/b', 'a.b.I.Changed', 's', ['of another object']);
    bus.signal('/a', 'a.b.I.Changed', 's', ['true']);
    await expect.poll(() => seen).toEqual(['true']);
    expect(bus.calls).toContain(
      "org.freedesktop.DBus.AddMatch type='signal',sender='a.b',path='/a',interface='a.b.I',member='Changed'",
    );
  });

  test('Calls fail when the bus is gone', async () => {
    const { bus, connection } = await open(() => (bus.drop(), {}));
    await expect(connection.call({ ...service, member: 'M' })).rejects.toThrow();
    await connection.closed;
    await expect(connection.call({ ...service, member: 'M' })).rejects.toThrow();
  });

  test('A bus that does not take the user is an error', async () => {
    const bus = await startFakeBus(() => undefined, { refuses: true });
    await expect(DBusConnection.open(bus.path)).rejects.toThrow('REJECTED EXTERNAL');
    await expect(DBusConnection.open('/none/bus')).rejects.toThrow('ENOENT');
  });
});
