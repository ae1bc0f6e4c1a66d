import { describe, expect, test } from 'vitest';
import { type Node } from './ast.ts';
import { parse } from './parser.ts';
import { issueTexts } from './source.ts';

const options = { macros: true, optionals: true, twoVariables: true };
const expected =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** The tree as text, operators as calls. */
function shown(node: Node): string {
  switch (node.kind) {
    case 'literal':
      return 'value' in node.literal ? String(node.literal.value) : 'null';
    case 'identifier':
      return node.name;
    case 'select':
      return `${shown(node.operand)}.${node.field}${node.test ? '?' : ''}`;
    case 'call': {
      const target = node.target === undefined ? '' : `${shown(node.target)}.`;
      return `${target}${node.name}(${node.args.map(shown).join(', ')})`;
    }
    case 'list':
      return `[${node.items.map(({ value, optional }) => (optional ? '?' : '') + shown(value)).join(', ')}]`;
    case 'map':
      return `{${node.entries.map(({ key, value }) => `${shown(key)}: ${shown(value)}`).join(', ')}}`;
    case 'struct':
      return `${node.name}{${node.fields.map(({ name, value }) => `${name}: ${shown(value)}`).join(', ')}}`;
    case 'comprehension':
      return `${node.shape!.kind}(${shown(node.range)}, ${node.variable})`;
  }
}

describe('trees', () => {
  test.each([
    ['1 + 2 * 3 - 4', '_-_(_+_(1, _*_(2, 3)), 4)'],
    ['a || b && c', '_||_(a, _&&_(b, c))'],
    ['a ? b : c ? d : e', '_?_:_(a, b, _?_:_(c, d, e))'],
    ['-1', '-1'],
    ['-a', '-_(a)'],
    ['!!a', 'a'],
    ['- 1 - -2', '_-_(-1, -2)'],
    ['a.b.c[0].d(1, "x")', '_[_](a.b.c, 0).d(1, x)'],
    ['a.?b[?c]', '_[?_](_?._(a, b), c)'],
    ['[1, ?a, 2,]', '[1, ?a, 2]'],
    ['{"a": 1, 2: b}', '{a: 1, 2: b}'],
    ['.a.b{c: 1}', '.a.b{c: 1}'],
    ['has(a.b)', 'a.b?'],
    ['a in b == true', '_==_(@in(a, b), true)'],
    ['x.all(y, y > 0)', 'all(x, y)'],
    ['x.map(y, y)', 'collect(x, y)'],
    ['"\\u00e9\\x41\\101"', 'éAA'],
    ["r'\\n'", '\\n'],
    ['"""a\n"b"""', 'a\n"b'],
    ['0x10u', '16'],
    ['1e3', '1000'],
    ['9223372036854775807', '9223372036854775807'],
    ['a // comment\n + 1', '_+_(a, 1)'],
    ['a && b && c && d', '_&&_(_&&_(a, b), _&&_(c, d))'],
  ])('The CEL parser builds a tree: %s', (text, tree) => expect(shown(parse(text, options).node!)).toBe(tree));
});

describe('errors', () => {
  test.each([
    [
      'a token that is none',
      'self ===',
      `ERROR: <input>:1:8: Syntax error: token recognition error at: '='\n | self ===\n | .......^\nERROR: ` +
        `<input>:1:9: Syntax error: mismatched input '<EOF>' expecting ${expected}\n | self ===\n | ........^`,
    ],
    [
      'an assignment',
      'a = 1',
      "ERROR: <input>:1:3: Syntax error: token recognition error at: '= '\n | a = 1\n | ..^\n" +
        "ERROR: <input>:1:5: Syntax error: extraneous input '1' expecting <EOF>\n | a = 1\n | ....^",
    ],
    [
      'no field',
      'request.(',
      "ERROR: <input>:1:9: Syntax error: no viable alternative at input '.('\n | request.(\n | ........^",
    ],
    ['no end', '(a', "ERROR: <input>:1:3: Syntax error: missing ')' at '<EOF>'\n | (a\n | ..^"],
    ['too much', 'a b', "ERROR: <input>:1:3: Syntax error: extraneous input 'b' expecting <EOF>\n | a b\n | ..^"],
    [
      'the second line',
      'a &&\n\tb c d',
      "ERROR: <input>:2:4: Syntax error: mismatched input 'c' expecting <EOF>\n |  b c d\n | ...^",
    ],
    [
      'wide characters',
      '"é" é',
      'ERROR: <input>:1:5: Syntax error: token recognition error at: \'é\'\n | "é" é\n | .．..＾',
    ],
    ['a reserved name', 'for', 'ERROR: <input>:1:1: reserved identifier: for\n | for\n | ^'],
    [
      'a number out of range',
      '9223372036854775808',
      'ERROR: <input>:1:1: invalid int literal\n | 9223372036854775808\n | ^',
    ],
    [
      'no variable',
      'a.all(1, true)',
      'ERROR: <input>:1:7: argument must be a simple name\n | a.all(1, true)\n | ......^',
    ],
  ])('The CEL parser reports an error: %s', (_, text, message) =>
    expect(issueTexts(text, parse(text, options).issues).join('\n')).toBe(message),
  );

  test('Errors that each show a long line are not all shown', () => {
    const text = '@'.repeat(10_000);
    const { issues } = parse(text, options);
    expect(issues.length).toBeGreaterThan(1_000);
    // Each shows the line: sixty-four thousand characters, and the last one whole.
    expect(issueTexts(text, issues)).toHaveLength(7);
  });
});
