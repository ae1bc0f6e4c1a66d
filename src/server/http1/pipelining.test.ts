import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { Pipelining } from './pipelining.ts';

function setUp() {
  const [pipelining, socket]: [Pipelining, Socket] = [new Pipelining(), new Socket()];
  const begun: string[] = [];
  const answers = new Map<string, ServerResponse>();
  return {
    pipelining,
    socket,
    begun,
    take: (name: string, on = socket): void => {
      const response = new ServerResponse(new IncomingMessage(on));
      answers.set(name, response);
      pipelining.take(on, response, () => begun.push(name));
    },
    answer: (name: string): void => void answers.get(name)!.emit('close'),
  };
}

describe('requests of one connection', () => {
  test('Requests of one connection begin one by one, each when the answer to the one before is through', () => {
    const { take, answer, begun } = setUp();
    for (const name of ['first', 'second', 'third']) take(name);
    expect(begun).toEqual(['first']);
    answer('first');
    expect(begun).toEqual(['first', 'second']);
    answer('second');
    expect(begun).toEqual(['first', 'second', 'third']);
  });

  test('Requests of one connection do not wait for those of another connection', () => {
    const { take, begun } = setUp();
    take('first');
    take('other', new Socket());
    expect(begun).toEqual(['first', 'other']);
  });

  test('Requests of one connection do not begin when the connection has ended meanwhile', () => {
    const { take, answer, begun, socket } = setUp();
    take('first');
    take('second');
    socket.destroy();
    answer('first');
    expect(begun).toEqual(['first']);
  });
});

test('A connection is busy until the last of its answers is through', () => {
  const { pipelining, socket, take, answer } = setUp();
  const steps = [pipelining.isBusy(socket)];
  for (const step of [() => take('first'), () => take('second'), () => answer('first'), () => answer('second')]) {
    step();
    steps.push(pipelining.isBusy(socket));
  }
  expect(steps).toEqual([false, true, true, true, false]);
});

test('What only waits for earlier answers keeps no request behind it waiting', () => {
  const { pipelining, socket, take, answer, begun } = setUp();
  take('first');
  pipelining.after(socket, () => begun.push('refusal'));
  take('second');
  expect(begun).toEqual(['first']);
  answer('first');
  expect(begun).toEqual(['first', 'refusal', 'second']);
});
