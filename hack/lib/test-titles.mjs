/**
 * ESLint rule: the title of a test is a sentence that stands alone. The line of a failed test then says which behaviour
 * broke, and a search for its words finds it. What `describe` says before it does not count.
 *
 * `eslint --fix` writes the capital letter; a missing subject has to be written by the author.
 */

/** Names that are written in lower case also at the beginning of a sentence. */
const lowerCaseNames = new Set(
  'etcd jq kubectl kwok npm orch protobufjs secretbox undici'.split(' ').flatMap((name) => [name, `${name}'s`]),
);

/** First words of a sentence whose subject is missing: the title goes on with that of its `describe`. */
const withoutSubject = /^(?:and|are|but|do|does|had|has|have|is|may|nor|or|that|was|were|whom|whose)(?![\w-])/i;

const modifiers = new Set('concurrent each fails for only runIf sequential skip skipIf todo'.split(' '));

/** Whether an expression is `test`, `it` or one of their forms: `test.each([…])`, `it.skipIf(…)`. */
function isTest(node) {
  if (node.type === 'Identifier') return node.name === 'it' || node.name === 'test';
  if (node.type === 'CallExpression') return node.callee.type === 'MemberExpression' && isTest(node.callee);
  if (node.type === 'TaggedTemplateExpression') return isTest(node.tag);
  return node.type === 'MemberExpression' && modifiers.has(node.property.name) && isTest(node.object);
}

/** The text up to the first inserted value, and whether that is all. */
function beginning(node) {
  if (node.type === 'Literal' && typeof node.value === 'string') return { text: node.value, isWhole: true };
  if (node.type !== 'TemplateLiteral') return undefined;
  return { text: node.quasis[0].value.cooked, isWhole: node.quasis.length === 1 };
}

/** What is wrong with a title; undefined when nothing is. */
export function problemOf(title) {
  if (/^(?:%[a-z#]|\$\w+)?$/.test(title)) return 'onlyRow';
  if (withoutSubject.test(title)) return 'noSubject';
  const [word] = title.split(/[\s,:;]/);
  return /^[a-z][a-z'’-]*$/.test(word) && !lowerCaseNames.has(word) ? 'noCapital' : undefined;
}

const rule = {
  meta: {
    type: 'suggestion',
    fixable: 'code',
    messages: {
      onlyRow: 'The title says of what the row is a case, not only its name: "A claim without a volume: $name".',
      noSubject: 'The title of a test is a whole sentence: it names its subject, whatever `describe` says.',
      noCapital: 'The title of a test is a sentence and begins with a capital letter.',
    },
    schema: [],
  },
  create: (context) => ({
    CallExpression(node) {
      const [title] = node.arguments;
      if (node.arguments.length < 2 || !isTest(node.callee)) return;
      const { text, isWhole } = beginning(title) ?? {};
      if (text === undefined || (!isWhole && text === '')) return;
      const messageId = problemOf(text);
      if (messageId === undefined) return;
      const at = title.range[0] + 1;
      const capital = (fixer) => fixer.replaceTextRange([at, at + 1], text[0].toUpperCase());
      context.report({ node: title, messageId, fix: messageId === 'noCapital' ? capital : null });
    },
  }),
};

export default { rules: { sentence: rule } };
