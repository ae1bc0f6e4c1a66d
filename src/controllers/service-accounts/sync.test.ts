import { expect, test } from 'vitest';
import type { Namespace, ServiceAccount } from '../../api/gen/types/core-v1.ts';
import { ApiError } from '../../client/api-error.ts';
import { isSettled, lacksAccount } from './sync.ts';

const namespace = (phase?: string): Namespace =>
  ({ metadata: { name: 'n' }, status: phase === undefined ? {} : { phase } }) as unknown as Namespace;
const account = { metadata: { name: 'default', namespace: 'n' } } as ServiceAccount;

test.each([
  { name: 'that is new gets it', namespace: namespace('Active'), lacks: true },
  { name: 'that has it is left alone', namespace: namespace('Active'), account, lacks: false },
  { name: 'that is ending gets none', namespace: namespace('Terminating'), lacks: false },
  { name: 'without a phase waits for one', namespace: namespace(), lacks: false },
  { name: 'that is gone gets none', namespace: undefined, lacks: false },
])('The account of a namespace: one $name', ({ namespace: of, account: known, lacks }) => {
  expect(lacksAccount(of, known)).toBe(lacks);
});

const refusal = (code: number, reason: string, causes: { reason: string }[] = []): ApiError =>
  new ApiError(code, reason, reason, { causes });

test.each([
  { name: 'It is there already', error: refusal(409, 'AlreadyExists'), settled: true },
  { name: 'Its namespace is gone', error: refusal(404, 'NotFound'), settled: true },
  {
    name: 'Its namespace ends',
    error: refusal(403, 'Forbidden', [{ reason: 'NamespaceTerminating' }]),
    settled: true,
  },
  { name: 'The server does not let it be made', error: refusal(403, 'Forbidden'), settled: false },
  { name: 'The server has too much to do', error: refusal(429, 'TooManyRequests'), settled: false },
  { name: 'The server does not answer', error: new Error('connection refused'), settled: false },
])('An account that could not be made is tried again unless that changes nothing: $name', ({ error, settled }) => {
  expect(isSettled(error)).toBe(settled);
});
