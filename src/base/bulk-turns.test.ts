import { expect, test } from 'vitest';
import { BulkTurns } from './bulk-turns.ts';

/** Rounds that the test runs. */
function scene() {
  const rounds: (() => void)[] = [];
  const turns = new BulkTurns((go) => rounds.push(go));
  const log: string[] = [];
  const round = async (): Promise<void> => {
    rounds.shift()!();
    await Promise.resolve();
  };
  const write = async (name: string, pieces: number): Promise<void> => {
    for (let i = 0; i < pieces; i++) {
      await turns.next();
      log.push(`${name}${i}`);
    }
  };
  return { rounds, log, round, write };
}

test('Long answers send one piece in a round, in turn', async () => {
  const { rounds, log, round, write } = scene();
  const done = Promise.all([write('a', 2), write('b', 2), write('c', 1)]);
  const perRound: number[] = [];
  while (rounds.length > 0) {
    const before = log.length;
    await round();
    perRound.push(log.length - before);
  }
  await done;
  expect(log).toEqual(['a0', 'b0', 'c0', 'a1', 'b1']);
  expect(perRound).toEqual([1, 1, 1, 1, 1]);
});

test('No round is asked for while no answer waits', async () => {
  const { rounds, round, write } = scene();
  expect(rounds).toHaveLength(0);
  const done = write('a', 1);
  expect(rounds).toHaveLength(1);
  await round();
  await done;
  expect(rounds).toHaveLength(0);
});
