import { describe, expect, test } from 'vitest';
import type { KeyEvent } from '../interface.ts';
import { RevisionAssembler } from './revision-assembler.ts';

const event = (modRevision: number, i = 0): KeyEvent => ({
  type: 'put',
  key: `/k${i}`,
  value: Buffer.alloc(0),
  modRevision,
  createRevision: modRevision,
});

/** Answers as [revisions, fragment], and the revisions given out after each. */
const cases: { name: string; answers: [number[], boolean][]; whole: number[][]; pending: boolean }[] = [
  {
    name: 'an answer of whole revisions passes',
    answers: [[[1, 2, 2, 3], false]],
    whole: [[1, 2, 2, 3]],
    pending: false,
  },
  {
    name: 'the last revision of a fragment waits for its rest',
    answers: [
      [[1, 2, 2], true],
      [[2, 3], false],
    ],
    whole: [[1], [2, 2, 2, 3]],
    pending: false,
  },
  {
    name: 'a revision over many fragments comes as one',
    answers: [
      [[5, 5], true],
      [[5, 5], true],
      [[5], false],
    ],
    whole: [[], [], [5, 5, 5, 5, 5]],
    pending: false,
  },
  {
    name: 'a fragment that happens to end with a revision gives it out with the next',
    answers: [
      [[1, 2], true],
      [[3, 4], true],
    ],
    whole: [[1], [2, 3]],
    pending: true,
  },
  {
    name: 'an empty last fragment completes',
    answers: [
      [[1], true],
      [[], false],
    ],
    whole: [[], [1]],
    pending: false,
  },
  {
    name: 'an empty fragment changes nothing',
    answers: [
      [[1], true],
      [[], true],
      [[1], false],
    ],
    whole: [[], [], [1, 1]],
    pending: false,
  },
];

describe('revisions split over answers', () => {
  test.each(cases)('Revisions split over answers: $name', ({ answers, whole, pending }) => {
    const assembler = new RevisionAssembler();
    expect(
      answers.map(([revisions, fragment]) =>
        assembler.push(revisions.map(event), fragment).map((one) => one.modRevision),
      ),
    ).toEqual(whole);
    expect(assembler.pending).toBe(pending);
  });

  test('Revisions split over answers keep the order of their events', () => {
    const assembler = new RevisionAssembler();
    assembler.push([event(1, 0), event(1, 1)], true);
    expect(assembler.push([event(1, 2), event(1, 3)], false).map((one) => one.key)).toEqual([
      '/k0',
      '/k1',
      '/k2',
      '/k3',
    ]);
  });
});
