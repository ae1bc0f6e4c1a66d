import { expect, test } from 'vitest';
import type { WriteGuard } from '../../storage/interface.ts';
import { writeGuarded } from './guarded-write.ts';

const guard = (unchangedSince: number): WriteGuard => ({ prefix: '/log', unchangedSince });

/** Writes that are refused so often for their guards, and what was asked for each. */
async function attempts(answers: readonly (readonly WriteGuard[] | undefined)[], refusals: number) {
  const asked: boolean[] = [];
  const written: (readonly WriteGuard[])[] = [];
  const guards = (again: boolean): Promise<readonly WriteGuard[] | undefined> => {
    asked.push(again);
    return Promise.resolve(answers[asked.length - 1]);
  };
  const result = await writeGuarded({ guards, finish: () => undefined }, (current) => {
    written.push(current);
    return Promise.resolve(written.length > refusals ? 'written' : undefined);
  });
  return { result, asked, written };
}

test.each([
  {
    name: 'what holds is written once',
    answers: [[guard(1)]],
    refusals: 0,
    result: 'written',
    asked: [false],
    writes: [1],
  },
  {
    name: 'what changed and still holds is written again',
    answers: [[guard(1)], [guard(5)]],
    refusals: 1,
    result: 'written',
    asked: [false, true],
    writes: [1, 5],
  },
  {
    name: 'what is lost from the beginning is not written',
    answers: [undefined],
    refusals: 0,
    result: undefined,
    asked: [false],
    writes: [],
  },
  {
    name: 'what is lost later is not written again',
    answers: [[guard(1)], undefined],
    refusals: 1,
    result: undefined,
    asked: [false, true],
    writes: [1],
  },
])('A guarded write: $name', async ({ answers, refusals, result, asked, writes }) => {
  const written = writes.map((revision) => [guard(revision)]);
  expect(await attempts(answers, refusals)).toEqual({ result, asked, written });
});

test('What rests on nothing is written as it is', async () => {
  const result = await writeGuarded({ finish: () => undefined }, (guards) => Promise.resolve(guards));
  expect(result).toEqual([]);
});
