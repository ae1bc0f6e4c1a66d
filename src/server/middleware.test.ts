import { describe, expect, test } from 'vitest';
import type { ApiResponse } from './exchange.ts';
import { compose, type Middleware } from './middleware.ts';

const answer: ApiResponse = { status: 200, headers: {} };
const endpoint = (): Promise<ApiResponse> => Promise.resolve(answer);

/** Notes when it is entered and left. */
const noted =
  (name: string): Middleware<string[]> =>
  async (notes, next) => {
    notes.push(`> ${name}`);
    const response = await next();
    notes.push(`< ${name}`);
    return response;
  };

describe('a composed chain', () => {
  test('A composed chain asks its steps in order with one context, and returns the answer through them', async () => {
    const notes: string[] = [];
    const handle = compose([noted('a'), noted('b')], endpoint);
    expect(await handle(notes)).toBe(answer);
    expect(notes).toEqual(['> a', '> b', '< b', '< a']);
  });

  test('A composed chain ends at a step that answers itself', async () => {
    const own: ApiResponse = { status: 403, headers: {} };
    const notes: string[] = [];
    expect(await compose([noted('a'), () => Promise.resolve(own), noted('b')], endpoint)(notes)).toBe(own);
    expect(notes).toEqual(['> a', '< a']);
  });

  test.each<[where: string, step: Middleware<string[]>]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])('A composed chain rejects when a step %s, and the steps outside see it', async (_, step) => {
    const seen: unknown[] = [];
    const outside: Middleware<string[]> = (_ctx, next) =>
      next().catch((error: unknown) => {
        seen.push(error);
        throw error;
      });
    await expect(compose([outside, step], endpoint)([])).rejects.toThrow('broken');
    expect(seen).toHaveLength(1);
  });

  test('A composed chain refuses to ask the rest of the chain twice', async () => {
    const twice: Middleware<string[]> = async (_, next) => {
      await next();
      return next();
    };
    await expect(compose([twice], endpoint)([])).rejects.toThrow('next() called multiple times');
  });

  test('A composed chain serves requests beside each other, each with its own context', async () => {
    const handle = compose<{ readonly id: number; seen?: number }>(
      [
        async (ctx, next) => {
          ctx.seen = ctx.id;
          await Promise.resolve();
          return next();
        },
      ],
      (ctx) => Promise.resolve({ status: ctx.seen!, headers: {} }),
    );
    const all = await Promise.all([201, 202, 203].map((id) => handle({ id })));
    expect(all.map(({ status }) => status)).toEqual([201, 202, 203]);
  });

  test('A composed chain of no steps is its endpoint', async () => {
    expect(await compose([], endpoint)([])).toBe(answer);
  });
});
