import { describe, expect, test } from 'vitest';
import { compileJq } from './compile.ts';

const pod = {
  metadata: { labels: { 'a/b': 'x' }, ownerReferences: [{ kind: 'Job' }, { kind: 'Other' }], empty: '' },
  status: {
    phase: 'Running',
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Initialized', status: 'False' },
    ],
    containerStatuses: [
      { name: 'a', restartCount: 0, state: { waiting: { reason: 'ContainerCreating' } } },
      { name: 'b', restartCount: 3, state: { running: { startedAt: 't' } } },
    ],
  },
};

describe('jq 1.7', () => {
  test.each([
    // Paths
    { program: '.status.phase', outputs: ['Running'] },
    { program: '.status.none', outputs: [] },
    { program: '.none.none', outputs: [] },
    { program: '.metadata.empty', outputs: [''] },
    { program: '.metadata.labels["a/b"]', outputs: ['x'] },
    { program: '.metadata["labels"]."a/b"', outputs: ['x'] },
    { program: '.metadata.ownerReferences.[].kind', outputs: ['Job', 'Other'] },
    { program: '.metadata.ownerReferences[].kind', outputs: ['Job', 'Other'] },
    { program: '.metadata.ownerReferences[-1].kind', outputs: ['Other'] },
    { program: '.status.containerStatuses.[].state.waiting.reason', outputs: ['ContainerCreating'] },
    { program: '.status.phase.more', outputs: [] },
    { program: '.status.none[]', outputs: [] },
    // Pipes
    { program: '.status.conditions.[] | select( .type == "Ready" ) | .status', outputs: ['True'] },
    { program: '.status.conditions | map(.type)', outputs: [['Ready', 'Initialized']] },
    { program: '.status | .phase, .none, .phase', outputs: ['Running', 'Running'] },
    { program: '[.status.conditions[].status] | length', outputs: [2] },
    // Operators
    { program: '.status.containerStatuses[] | select(.restartCount > 2) | .name', outputs: ['b'] },
    { program: '.status.containerStatuses[] | .restartCount + 1', outputs: [1, 4] },
    { program: '.status.phase == "Running" and (.metadata.none | not)', outputs: [true] },
    { program: '.metadata.none // "other"', outputs: ['other'] },
    { program: '.status.phase // "other"', outputs: ['Running'] },
    { program: '2 + 3 * 4', outputs: [14] },
    { program: '.status.phase?', outputs: ['Running'] },
    // Functions
    { program: '.metadata | has("labels")', outputs: [true] },
    { program: '.status.containerStatuses | any(.state.running != null)', outputs: [true] },
    { program: '.status.containerStatuses | all(.state.running != null)', outputs: [false] },
    { program: '.status.phase | startswith("Run")', outputs: [true] },
    { program: '"7" | tonumber', outputs: [7] },
    { program: '.status | type', outputs: ['object'] },
  ])('jq 1.7: $program', ({ program, outputs }) => {
    expect(compileJq(program)(pod)).toEqual(outputs);
  });

  test.each([
    { program: '', message: 'unexpected end of program at 0' },
    { program: '.a |', message: 'unexpected end of program at 4' },
    { program: '.a b', message: 'unexpected "b" at 2' },
    { program: '.a[', message: 'unexpected end of program at 3' },
    { program: '(.a', message: 'unexpected end of program at 3, wanted )' },
    { program: 'reduce .[] as $x (0; . + $x)', message: 'function not defined or not supported: reduce/0' },
    { program: 'nothing(1)', message: 'function not defined or not supported: nothing/1' },
    { program: '.a & .b', message: 'unexpected text at 2' },
    { program: '"a\\(1)"', message: 'interpolation of strings is not supported' },
    { program: '('.repeat(200), message: 'nested too deeply' },
    { program: ' '.repeat(20_000), message: 'longer than 10000 characters' },
  ])('jq 1.7 refuses $program', ({ program, message }) => {
    expect(() => compileJq(program)).toThrow(message);
  });
});
