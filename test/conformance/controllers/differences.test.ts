/** The comparison finds what is different, and nothing else. */
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/machinery/value.ts';
import { differences } from './differences.ts';
import { entriesOfLines, type Observation } from './observation.ts';

type Objects = Readonly<Record<string, JsonValue>>;

const objects = (step: number, what: string, expected: Objects, actual: Objects): Observation => ({
  step,
  what,
  expected: new Map(Object.entries(expected)),
  actual: new Map(Object.entries(actual)),
});

const events = (step: number, expected: readonly string[], actual: readonly string[]): Observation => ({
  step,
  what: 'events',
  expected: entriesOfLines(expected),
  actual: entriesOfLines(actual),
});

const pod = (uid: string, phase = 'Pending'): JsonValue => ({ metadata: { uid: `<uid:${uid}>` }, status: { phase } });

describe('the same up to other numbers', () => {
  test.each<{ name: string; observations: readonly Observation[] }>([
    { name: 'nothing', observations: [] },
    {
      name: 'objects with names of their own',
      observations: [
        objects(
          1,
          'pods',
          { 'a-<random:1>': pod('1'), 'a-<random:2>': pod('2') },
          { 'a-<random:x>': pod('p'), 'a-<random:y>': pod('q') },
        ),
      ],
    },
    {
      name: 'alike objects of which another one ends',
      observations: [
        objects(
          1,
          'pods',
          { 'a-<random:1>': pod('1'), 'a-<random:2>': pod('2') },
          { 'a-<random:x>': pod('p'), 'a-<random:y>': pod('q') },
        ),
        objects(3, 'pods', { 'a-<random:1>': pod('1') }, { 'a-<random:y>': pod('q') }),
        events(3, ['Deleted pod: a-<random:2>'], ['Deleted pod: a-<random:x>']),
      ],
    },
    {
      name: 'objects that are known by their events alone',
      observations: [
        events(1, ['Created a-<random:1>', 'Deleted a-<random:1>'], ['Created a-<random:x>', 'Deleted a-<random:x>']),
      ],
    },
    {
      name: 'twenty that are alike',
      observations: [
        objects(
          1,
          'pods',
          Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`a-<random:${i}>`, pod(`${i}`)])),
          Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`a-<random:x${19 - i}>`, pod(`p${i}`)])),
        ),
      ],
    },
    {
      name: 'a ring and its turn',
      observations: [
        events(
          1,
          ['<uid:1> to <uid:2>', '<uid:2> to <uid:3>', '<uid:3> to <uid:1>'],
          ['<uid:b> to <uid:c>', '<uid:c> to <uid:a>', '<uid:a> to <uid:b>'],
        ),
      ],
    },
  ])('The same up to other numbers: $name', ({ observations }) => {
    expect(differences(observations)).toEqual([]);
  });
});

describe('differences', () => {
  test.each<{ name: string; observations: readonly Observation[]; expected: readonly string[] }>([
    {
      name: 'a message',
      observations: [events(2, ['Normal Made a', 'Normal Gone b'], ['Normal Made a', 'Normal Went b'])],
      expected: ['step 2, events:', '  - Normal Gone b', '  + Normal Went b'],
    },
    {
      name: 'an event that is missing',
      observations: [events(2, ['Normal Made a-<random:1>'], [])],
      expected: ['step 2, events:', '  - Normal Made a-<random:1>'],
    },
    {
      name: 'an event too many',
      observations: [events(2, ['Made a-<random:1>'], ['Made a-<random:x>', 'Made a-<random:y>'])],
      expected: ['step 2, events:', '  + Made a-<random:y>'],
    },
    {
      name: 'a count',
      observations: [objects(1, 'replicasets', { a: { status: { replicas: 2 } } }, { a: { status: { replicas: 3 } } })],
      expected: ['step 1, replicasets:', '  a', '    - status.replicas: 2', '    + status.replicas: 3'],
    },
    {
      name: 'a number that is a text',
      observations: [objects(1, 'services', { a: { port: 1 } }, { a: { port: '1' } })],
      expected: ['step 1, services:', '  a', '    - port: 1', '    + port: "1"'],
    },
    {
      name: 'a member that is missing, and one too many',
      observations: [objects(1, 'pods', { a: { x: 1, y: [] } }, { a: { x: 1, z: {} } })],
      expected: ['step 1, pods:', '  a', '    - y: []', '    + z: {}'],
    },
    {
      name: 'the state of one of several objects',
      observations: [
        objects(
          1,
          'pods',
          { 'a-<random:1>': pod('1'), 'a-<random:2>': pod('2', 'Running') },
          { 'a-<random:x>': pod('p', 'Failed'), 'a-<random:y>': pod('q') },
        ),
      ],
      expected: ['step 1, pods:', '  a-<random:2>', '    - status.phase: "Running"', '    + status.phase: "Failed"'],
    },
    {
      name: 'two values that were the same',
      observations: [objects(1, 'pods', { a: { x: '<uid:1>', y: '<uid:1>' } }, { a: { x: '<uid:p>', y: '<uid:q>' } })],
      expected: ['step 1, pods:', '  a', '    - y: "<uid:1>"', '    + y: "<uid:q>"'],
    },
    {
      name: 'one value where two were',
      observations: [objects(1, 'pods', { a: { x: '<uid:1>', y: '<uid:2>' } }, { a: { x: '<uid:p>', y: '<uid:p>' } })],
      expected: ['step 1, pods:', '  a', '    - y: "<uid:2>"', '    + y: "<uid:1>"'],
    },
    {
      name: 'an object that was made again instead of kept',
      observations: [
        objects(1, 'pods', { a: pod('1') }, { a: pod('p') }),
        objects(2, 'pods', { a: pod('1') }, { a: pod('q') }),
      ],
      expected: ['step 2, pods:', '  a', '    - metadata.uid: "<uid:1>"', '    + metadata.uid: "<uid:q>"'],
    },
    {
      name: 'an event about another object',
      observations: [
        objects(
          1,
          'pods',
          { 'a-<random:1>': pod('1'), 'a-<random:2>': pod('2', 'Failed') },
          { 'a-<random:x>': pod('p'), 'a-<random:y>': pod('q', 'Failed') },
        ),
        events(1, ['Deleted pod: a-<random:2>'], ['Deleted pod: a-<random:x>']),
      ],
      expected: ['step 1, events:', '  - Deleted pod: a-<random:2>', '  + Deleted pod: a-<random:1>'],
    },
    {
      name: 'another order',
      observations: [
        objects(
          1,
          'pods',
          { a: { list: [{ name: 'x' }, { name: 'y' }] } },
          { a: { list: [{ name: 'y' }, { name: 'x' }] } },
        ),
      ],
      expected: ['step 1, pods:', '  a', '    - list (order): x, y', '    + list (order): y, x'],
    },
    {
      name: 'two rings of three instead of one of six',
      observations: [
        events(
          1,
          [1, 2, 3, 4, 5, 6].map((n) => `<uid:${n}> to <uid:${(n % 6) + 1}>`),
          ['a b', 'b c', 'c a', 'd e', 'e f', 'f d'].map((pair) => pair.replace(/(\w) (\w)/, '<uid:$1> to <uid:$2>')),
        ),
      ],
      expected: expect.arrayContaining(['step 1, events:']) as string[],
    },
  ])('Differences: $name', ({ observations, expected }) => {
    expect(differences(observations)).toEqual(expected);
  });
});
