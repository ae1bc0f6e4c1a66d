import { describe, expect, test } from 'vitest';
import { Warnings } from './warnings.ts';

function warningsOf(...texts: string[]): Warnings {
  const warnings = new Warnings();
  for (const text of texts) warnings.add(text);
  return warnings;
}

const many = (count: number, make: (i: number) => string): string[] => Array.from({ length: count }, (_, i) => make(i));
const numbered =
  (length: number) =>
  (i: number): string =>
    String(i).padEnd(length, '.');

describe('warnings of one answer', () => {
  test.each([
    { name: 'are told once', texts: ['a', 'b', 'a'], told: ['a', 'b'] },
    { name: 'are not empty', texts: ['', 'a'], told: ['a'] },
    {
      name: 'are told whole up to 4,096 characters together',
      texts: ['x'.repeat(4000), 'y'.repeat(96)],
      told: ['x'.repeat(4000), 'y'.repeat(96)],
    },
    {
      name: 'are told with 256 characters of each beyond',
      texts: ['x'.repeat(4000), 'y'.repeat(96), 'z'],
      told: ['x'.repeat(256), 'y'.repeat(96), 'z'],
    },
    {
      name: 'are told with 256 characters of each beyond, a single one too',
      texts: ['x'.repeat(4097)],
      told: ['x'.repeat(256)],
    },
    { name: 'count characters, not their bytes or halves', texts: ['😀'.repeat(4096)], told: ['😀'.repeat(4096)] },
    { name: 'are not cut within a character', texts: ['😀'.repeat(4097)], told: ['😀'.repeat(256)] },
    {
      name: 'that differ behind what is told are told both',
      texts: [`${'x'.repeat(4097)}a`, `${'x'.repeat(4097)}b`],
      told: ['x'.repeat(256), 'x'.repeat(256)],
    },
    {
      name: 'end with the one that goes beyond 4,096 characters',
      texts: many(100, numbered(256)),
      told: many(17, numbered(256)),
    },
  ])('Warnings of one answer: $name', ({ texts, told }) => {
    expect(warningsOf(...texts).texts).toEqual(told);
  });

  test.each([
    { name: 'none', texts: [], full: false },
    { name: '4,096 characters', texts: ['x'.repeat(4096)], full: false },
    { name: 'long ones that leave space when they are shortened', texts: ['x'.repeat(5000)], full: false },
    { name: 'short ones of 4,096 characters and more', texts: many(5000, numbered(4)), full: true },
  ])('Warnings of one answer are full or not: $name', ({ texts, full }) => {
    expect(warningsOf(...texts).isFull).toBe(full);
  });

  test.each([
    { name: 'none before', before: [], since: ['a'] },
    { name: 'the same again', before: ['a'], since: ['a', 'b'] },
    {
      name: 'those before were shortened by those since',
      before: ['x'.repeat(4000)],
      since: ['y'.repeat(4000), 'z'.repeat(4000)],
    },
    { name: 'full before', before: many(100, numbered(256)), since: ['a'] },
  ])('Warnings of one answer are taken back: $name', ({ before, since }) => {
    const warnings = warningsOf(...before);
    const takeBack = warnings.mark();
    for (let attempt = 0; attempt < 2; attempt++) {
      for (const text of since) warnings.add(text);
      takeBack();
      expect(warnings.texts).toEqual(warningsOf(...before).texts);
    }
    warnings.add('after');
    expect(warnings.texts).toEqual(warningsOf(...before, 'after').texts);
  });
});

test('A million warnings are not kept', () => {
  const warnings = new Warnings();
  let asked = 0;
  for (let i = 0; i < 1_000_000 && !warnings.isFull; i++) {
    asked++;
    warnings.add(String(i));
  }
  expect(asked).toBeLessThan(4096);
  expect(warnings.texts.join('').length).toBeLessThan(4096 + 256);
});

test('Warnings that another one has shortened are taken over as they are, however alike', () => {
  const there = warningsOf(...many(20, (i) => `${'x'.repeat(300)}${i}`));
  const here = new Warnings();
  here.takeOver(there.texts);
  expect(here.texts).toEqual(there.texts);
  expect(here.isFull).toBe(there.isFull);
});
