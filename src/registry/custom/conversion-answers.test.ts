import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { ConversionAnswers } from './conversion-answers.ts';

const megabyte = 1024 * 1024;

describe('answers of conversion webhooks', () => {
  test('Answers of conversion webhooks are kept for the callers that waited, however large they are', () => {
    const answers = new ConversionAnswers<number>(new FakeClock());
    for (let i = 0; i < 200; i++) answers.set(`object-${i}`, i, 3 * megabyte);
    expect(Array.from({ length: 200 }, (_, i) => answers.get(`object-${i}`))).toEqual(
      Array.from({ length: 200 }, (_, i) => i),
    );
  });

  test('Answers of conversion webhooks go when they have too many bytes and are no longer young', async () => {
    const clock = new FakeClock();
    const answers = new ConversionAnswers<number>(clock);
    for (let i = 0; i < 200; i++) answers.set(`object-${i}`, i, 3 * megabyte);
    await clock.advance(2_000);
    answers.set('another', 1, 1);
    expect(answers.bytes).toBeLessThanOrEqual(64 * megabyte);
    expect([answers.get('object-0'), answers.get('object-199'), answers.get('another')]).toEqual([undefined, 199, 1]);
  });

  test('Answers of conversion webhooks are not more than a thousand', () => {
    const answers = new ConversionAnswers<number>(new FakeClock());
    for (let i = 0; i < 1200; i++) answers.set(`object-${i}`, i, 1);
    expect([answers.bytes, answers.get('object-199'), answers.get('object-200')]).toEqual([1000, undefined, 200]);
  });

  test('All answers of conversion webhooks go after a while', async () => {
    const clock = new FakeClock();
    const answers = new ConversionAnswers<number>(clock);
    answers.set('first', 1, 1);
    await clock.advance(9_000);
    answers.set('second', 2, 1);
    await clock.advance(2_000);
    expect([answers.get('first'), answers.get('second')]).toEqual([undefined, 2]);
    await clock.advance(10_000);
    expect([answers.bytes, answers.get('second')]).toEqual([0, undefined]);
  });
});
