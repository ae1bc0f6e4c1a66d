/** What the public data notes of the messages of upstream's parser and checker. */
import { tests as checking } from '@bufbuild/cel-spec/testdata/checking.js';
import { tests as parsing } from '@bufbuild/cel-spec/testdata/parsing.js';
import { describe, expect, test } from 'vitest';
import { environment } from '../../../src/cel/environment.ts';

interface Noted {
  readonly original: { readonly expr: string };
  readonly error?: string;
}

/** Why a case is not compared. */
const leftOut: readonly (readonly [reason: string, applies: (noted: Noted) => boolean])[] = [
  ['its limit is smaller than that of an API server', ({ error }) => /recursion|recovery/.test(error!)],
  [
    'its declarations are not in the data',
    ({ original: { expr }, error }) => /\bx\.(all\(|single|repeated)/.test(expr) || error!.includes('google.expr'),
  ],
  ['there are no messages', ({ original: { expr } }) => /^\w+\{.+\}$|NotAMessage|int\{|TestAllTypes/.test(expr)],
  ['numbers of different types can be compared', ({ original: { expr } }) => /^1 [<>]=? 1\.0/.test(expr)],
  ['quoted names are newer than this language', ({ original: { expr } }) => expr.includes('`')],
  ['it stops at the first option that is off', ({ original: { expr } }) => expr.includes('.?value}')],
  ['a newer name of the macro', ({ original: { expr } }) => expr.startsWith('[].existsOne')],
  ['the words of an ambiguity', ({ original: { expr } }) => expr === '--' || expr === 'func{{a}}'],
];

const cases = [
  ...(parsing as unknown as { tests: Noted[] }).tests,
  ...(checking as unknown as { tests: Noted[] }).tests,
].filter(({ error }) => error !== undefined);

/** With the layout and the tokens of the server's version. */
const wanted = (error: string): string =>
  'compilation ' +
  `failed: ${error
    .replaceAll('ERROR: :', 'ERROR: <input>:')
    .replaceAll('{IDENTIFIER, ESC_IDENTIFIER}', 'IDENTIFIER')
    .replaceAll(', ' + 'ESC_IDENTIFIER', '')
    .trim()}`;

describe('messages of cel-go', () => {
  test('The data has more than 150 messages', () => expect(cases.length).toBeGreaterThan(150));

  for (const noted of cases) {
    const title = JSON.stringify(noted.original.expr).slice(0, 80);
    const reason = leftOut.find(([, applies]) => applies(noted))?.[0];
    test.skipIf(reason !== undefined)(reason === undefined ? title : `${title}: ${reason}`, () => {
      const parsingOptions = { optionals: !noted.error!.includes('unsupported syntax') };
      const compiled = environment({ variables: {}, version: 27, homogeneous: false, parsing: parsingOptions }).compile(
        noted.original.expr,
      );
      expect('failure' in compiled ? compiled.failure : 'compiles').toBe(wanted(noted.error!));
    });
  }
});
