import { describe, expect, test } from 'vitest';
import { commandEnd, endForClient, textEnd } from './command-end.ts';

const failure = (more: object): string => JSON.stringify({ metadata: {}, status: 'Failure', ...more });
const exit = (message: string): string =>
  failure({ reason: 'NonZeroExitCode', details: { causes: [{ reason: 'ExitCode', message }] } });
const internal = (message: string): string =>
  failure({
    message: `Internal error occurred: ${message}`,
    reason: 'InternalError',
    details: { causes: [{ message }] },
    code: 500,
  });

describe('how a command ends', () => {
  test.each([
    {
      name: 'success',
      said: '{"metadata":{},"status":"Success"}',
      code: 200,
      told: '{"metadata":{},"status":"Success"}',
    },
    { name: 'nothing', said: '', code: 200, told: '{"metadata":{},"status":"Success"}' },
    {
      name: 'an exit code',
      said: exit('137'),
      code: 200,
      told: failure({
        message: 'command terminated with non-zero exit code: command terminated with exit code 137',
        reason: 'NonZeroExitCode',
        details: { causes: [{ reason: 'ExitCode', message: '137' }] },
      }),
    },
    { name: 'a failure', said: failure({ message: 'no sh' }), code: 500, told: internal('no sh') },
    {
      name: 'an exit code that is none',
      said: exit('256'),
      code: 500,
      told: internal('error stream protocol error: invalid exit code value "256"'),
    },
    {
      name: 'an exit code without details',
      said: failure({ reason: 'NonZeroExitCode' }),
      code: 500,
      told: internal('error stream protocol error: details must be set'),
    },
    {
      name: 'an exit code without its cause',
      said: failure({ reason: 'NonZeroExitCode', details: {} }),
      code: 500,
      told: internal('error stream protocol error: no ExitCode cause given'),
    },
    {
      name: 'an unknown status',
      said: '{"status":"Maybe"}',
      code: 500,
      told: internal('error stream protocol error: unknown error'),
    },
    {
      name: 'no Status',
      said: 'broken',
      code: 500,
      told: internal('error stream protocol error: it is no Status in "broken"'),
    },
  ])('A node agent that says $name is told on in JSON', ({ said, code, told }) => {
    const end = commandEnd(said);
    expect([end.code, endForClient(end)]).toEqual([code, told]);
  });

  test.each([
    { said: '', code: 200, told: '{"metadata":{},"status":"Success"}' },
    { said: 'no sh', code: 500, told: internal('error executing remote command: no sh') },
  ])('An old node agent that says "$said" is told on in JSON', ({ said, code, told }) => {
    const end = textEnd(said);
    expect([end.code, endForClient(end)]).toEqual([code, told]);
  });
});
