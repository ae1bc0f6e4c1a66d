import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { randomInt, randomSource } from '../../../test/support/random.ts';
import type { StoredObject } from '../../storage/objects.ts';
import type { Sink } from '../../server/exchange.ts';
import { RepresentationBudget } from './budget.ts';
import { writeGzipList } from './gzip-list.ts';
import type { ListItems } from './list.ts';

const random = randomSource(1);

function objectOf(name: string, revision: number, length = 2500): StoredObject {
  const text = `${name} ${revision} ${Array.from({ length: length / 18 }, () => random()).join('')}`;
  return {
    key: `/registry/things/${name}`,
    revision,
    bytes: Buffer.from(text),
    attributes: { namespace: '', name, labels: new Map(), fields: new Map() },
  };
}

/** A list as JSON has it, which counts how many items it was asked for. */
function listOf(objects: readonly StoredObject[], key = 'json'): ListItems & { made: number } {
  return {
    head: () => Buffer.from('['),
    tail: Buffer.from(']\n'),
    objects,
    key,
    made: 0,
    bytes(start, end) {
      this.made += end - start;
      return Buffer.from(
        objects
          .slice(start, end)
          .map(({ bytes }, i) => (start + i > 0 ? ',' : '') + bytes.toString())
          .join(''),
      );
    },
  };
}

const plain = ({ objects }: ListItems): string => `[${objects.map(({ bytes }) => bytes.toString()).join(',')}]\n`;

/** A client that pauses after each write, and goes away after some when told. */
function client(leaveAfter = Infinity): Sink & { readonly received: Buffer[] } {
  const received: Buffer[] = [];
  return {
    received,
    write: (chunk) => {
      received.push(chunk);
      return false;
    },
    drained: () => new Promise((resolve) => setImmediate(resolve)),
    get closed() {
      return received.length >= leaveAfter;
    },
    onClose: () => undefined,
    abort: () => undefined,
  };
}

async function textOf(list: ListItems, budget: RepresentationBudget): Promise<string> {
  const sink = client();
  await writeGzipList(list, budget, sink);
  return zlib.gunzipSync(Buffer.concat(sink.received)).toString();
}

const budgetOf = (bytes = 1 << 26): RepresentationBudget => new RepresentationBudget(bytes);
const things = (count: number): StoredObject[] =>
  Array.from({ length: count }, (_, i) => objectOf(`t${String(i).padStart(5, '0')}`, i + 1));

describe('a compressed list', () => {
  test.each([0, 1, 2, 60, 500])('A compressed list of %i objects is what they say', async (count) => {
    const list = listOf(things(count));
    expect(await textOf(list, budgetOf())).toBe(plain(list));
  });

  test('A compressed list can have a head of more than a stored block can take', async () => {
    const list = { ...listOf(things(3)), head: () => Buffer.from('x'.repeat(150_000)) };
    expect(await textOf(list, budgetOf())).toBe('x'.repeat(150_000) + plain(list).slice(1));
  });

  test('A compressed list is made of what was compressed before', async () => {
    const budget = budgetOf();
    const objects = things(500);
    await textOf(listOf(objects), budget);
    const again = listOf(objects);
    expect(await textOf(again, budget)).toBe(plain(again));
    expect(again.made).toBe(0);
  });

  test('A compressed list compresses anew only near what changed', async () => {
    const budget = budgetOf();
    const objects = things(500);
    await textOf(listOf(objects), budget);
    const changed = listOf(objects.with(250, objectOf('t00250', 900)));
    expect(await textOf(changed, budget)).toBe(plain(changed));
    expect(changed.made).toBeGreaterThan(0);
    expect(changed.made).toBeLessThan(250);
  });

  test('A compressed list does not mistake another version or another representation for what it kept', async () => {
    const budget = budgetOf();
    const first = things(40);
    await textOf(listOf(first), budget);
    const others = [
      first[0]!,
      ...first.slice(1).map(({ attributes: attributes }, i) => objectOf(attributes.name, i + 1000)),
    ];
    expect(await textOf(listOf(others), budget)).toBe(plain(listOf(others)));
    const shouting = {
      ...listOf(first, 'upper'),
      bytes: (start: number, end: number) => Buffer.from(listOf(first).bytes(start, end).toString().toUpperCase()),
    };
    expect(await textOf(shouting, budget)).toBe(plain(listOf(first)).toUpperCase());
  });

  test('A compressed list tells its head how long the items are, whether they are at hand or not', async () => {
    const budget = budgetOf();
    const objects = things(100);
    const told: number[] = [];
    const withLength = (of: readonly StoredObject[]): ListItems => {
      const list = listOf(of);
      return {
        ...list,
        head: (length) => (told.push(length), Buffer.from('[')),
        length: (start, end) => listOf(of).bytes(start, end).length,
      };
    };
    const lists = [objects, objects, objects.with(40, objectOf('t00040', 777, 5000))];
    for (const list of lists) await textOf(withLength(list), budget);
    expect(told).toEqual(lists.map((list) => plain(listOf(list)).length - 3));
  });

  test('A compressed list that begins elsewhere does not take the run that began a list', async () => {
    const budget = budgetOf();
    const objects = things(200);
    await textOf(listOf(objects), budget);
    for (const start of [1, 5, 50, 150]) {
      const page = listOf(objects.slice(start));
      expect(await textOf(page, budget)).toBe(plain(page));
    }
  });

  test('A compressed list stays true through random changes and a budget that is too small', async () => {
    const budget = budgetOf(40_000);
    let objects = things(150);
    for (let round = 0; round < 30; round++) {
      const at = randomInt(random, objects.length);
      const name = objects[at]!.attributes.name;
      const change = randomInt(random, 3);
      if (change === 0) objects = objects.toSpliced(at, 1);
      else if (change === 1) objects = objects.toSpliced(at + 1, 0, objectOf(`${name}x`, 10_000 + round));
      else objects = objects.with(at, objectOf(name, 20_000 + round));
      const list = listOf(objects);
      expect(await textOf(list, budget)).toBe(plain(list));
      expect(budget.bytes).toBeLessThanOrEqual(40_000);
    }
  });

  test('A compressed list ends with the client', async () => {
    const list = listOf(things(2000));
    const sink = client(1);
    await writeGzipList(list, budgetOf(), sink);
    expect(list.made).toBeLessThan(600);
  });

  test('A compressed list fails when an item cannot be encoded', async () => {
    const list = { ...listOf(things(200)), bytes: (start: number) => (start > 50 ? fail() : Buffer.from('x')) };
    await expect(writeGzipList(list, budgetOf(), client())).rejects.toThrow('unreadable');
  });
});

function fail(): never {
  throw new Error('unreadable');
}
