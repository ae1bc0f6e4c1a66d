import { expect, test } from 'vitest';
import { expiredContinue, expiredList, expiredWatch, isResourceExpired, slowWatch } from './resource-expired.ts';
import { notFound, StatusError } from './status.ts';

test.each([
  { name: 'a list at a version that was compacted', error: expiredList() },
  { name: 'a watch after a version that was compacted', error: expiredWatch() },
  { name: 'a page after its snapshot expired', error: expiredContinue('token') },
  { name: 'a watch whose client was too slow', error: slowWatch() },
])('$name is answered with 410 and reason Expired', ({ error }) => {
  expect(error).toMatchObject({ code: 410, reason: 'Expired' });
  expect(isResourceExpired(error)).toBe(true);
});

test('The answer to an expired continue token has a token for the rest of the list', () => {
  expect(expiredContinue('token').toStatus()).toMatchObject({ metadata: { continue: 'token' } });
});

test('A 410 of an older server, with reason Gone, counts as expired, and a 404 does not', () => {
  expect(isResourceExpired(new StatusError(410, 'Gone', 'old'))).toBe(true);
  expect(isResourceExpired(notFound({ group: '', resource: 'pods' }, 'a'))).toBe(false);
});
