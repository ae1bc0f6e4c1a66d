import { expect, test } from 'vitest';
import * as errors from '../machinery/status.ts';
import { resourceExpired } from '../machinery/resource-expired.ts';
import * as is from './api-error.ts';

const pods = { group: '', resource: 'pods' };

test.each([
  { error: errors.badRequest('m'), names: ['isBadRequest'] },
  { error: errors.unauthorized(), names: ['isUnauthorized'] },
  { error: errors.forbidden(pods, 'p', 'no'), names: ['isForbidden'] },
  { error: errors.notFound(pods, 'p'), names: ['isNotFound'] },
  { error: errors.conflict(pods, 'p', 'm'), names: ['isConflict'] },
  { error: errors.alreadyExists(pods, 'p'), names: ['isAlreadyExists'] },
  { error: resourceExpired('m'), names: ['isExpired'] },
  { error: new errors.StatusError(410, 'Gone', 'm'), names: ['isExpired', 'isGone'] },
  { error: errors.tooManyRequests('m', 1), names: ['isTooManyRequests'] },
  { error: errors.internalError('m'), names: ['isInternalError'] },
  { error: errors.serviceUnavailable('m'), names: ['isServiceUnavailable'] },
  { error: errors.timeout('m'), names: ['isTimeout'] },
  { error: errors.serverTimeout(pods, 'list', 2), names: ['isServerTimeout'] },
  { error: new errors.StatusError(404, '', 'without a reason'), names: ['isNotFound'] },
  { error: new is.ConnectionError('lost'), names: [] },
])('$error.message is $names', ({ error, names }) => {
  const predicates = Object.entries(is).filter(([name]) => name.startsWith('is') && name !== 'isApiError');
  const holding = predicates.filter(([, predicate]) => (predicate as (error: unknown) => boolean)(error));
  expect(holding.map(([name]) => name).sort()).toEqual(names);
});

test.each([
  { error: errors.tooManyRequests('m', 3), seconds: 3 },
  { error: errors.notFound(pods, 'p'), seconds: undefined },
  { error: new Error('another'), seconds: undefined },
])('An error suggests a delay of $seconds s', ({ error, seconds }) => {
  expect(is.suggestsDelay(error)).toBe(seconds);
});
