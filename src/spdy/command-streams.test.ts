import { describe, expect, test } from 'vitest';
import { FakeClock } from '../base/testing/fake-clock.ts';
import { type CommandStream, commandStreams } from './command-streams.ts';
import { connected, settle } from './testing/connected.ts';

const open = ({ client }: ReturnType<typeof connected>, ...types: string[]) =>
  types.map((type) => client.open(new Map([['streamtype', [type]]])));

describe('streams of a command', () => {
  test('They are there when the client has opened one of each type', async () => {
    const pair = connected();
    const streams = commandStreams(pair.server, ['error', 'stdin', 'stdout']);
    open(pair, 'stdout', 'error', 'stdin');
    expect(Object.entries(await streams).map(([type, { id }]) => [type, id])).toEqual([
      ['stdout', 1],
      ['error', 3],
      ['stdin', 5],
    ]);
    const [late] = open(pair, 'stderr');
    await expect(late!.replied).rejects.toThrow('status 3');
  });

  test.each([
    { name: 'a type that was not asked for', types: ['error', 'data'], text: 'unexpected stream type: "data"' },
    { name: 'a type twice', types: ['error', 'error'], text: 'unexpected stream type: "error"' },
    { name: 'no type', types: [''], text: 'unexpected stream type: ""' },
  ])('A client that opens a stream with $name loses its connection', async ({ types, text }) => {
    const pair = connected();
    const wanted: CommandStream[] = ['error', 'stdout'];
    const streams = commandStreams(pair.server, wanted);
    open(pair, ...types);
    await expect(streams).rejects.toThrow(text);
    await settle();
    expect([pair.server.isClosed, pair.client.isClosed]).toEqual([true, true]);
  });

  test('A client that does not open all of its streams in time loses its connection', async () => {
    const clock = new FakeClock();
    const pair = connected();
    const failed = commandStreams(pair.server, ['error', 'stdout'], { clock }).catch(String);
    open(pair, 'error');
    await clock.advance(29_999);
    expect(pair.server.isClosed).toBe(false);
    await clock.advance(1);
    expect(await failed).toContain('timed out waiting for client to create streams');
    expect([pair.server.isClosed, clock.pending]).toEqual([true, 0]);
  });

  test('A client that goes before leaves no timer behind', async () => {
    const clock = new FakeClock();
    const pair = connected();
    const failed = commandStreams(pair.server, ['error'], { clock }).catch(String);
    pair.client.destroy();
    expect(await failed).toContain('the connection ended');
    expect(clock.pending).toBe(0);
  });
});
