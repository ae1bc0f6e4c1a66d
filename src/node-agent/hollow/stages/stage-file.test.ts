import { describe, expect, test } from 'vitest';
import { parseStages } from './stage-file.ts';

const document = (spec: string, apiVersion = 'kwok.x-k8s.io/v1alpha1'): string => `
apiVersion: ${apiVersion}
kind: Stage
metadata: {name: s}
spec: ${spec}`;

describe('files of stages', () => {
  test.each([
    { name: 'an empty file', text: '', names: [] },
    { name: 'comments', text: '# nothing\n---\n# more', names: [] },
    { name: 'one document', text: document('{resourceRef: {kind: Pod}}'), names: ['s'] },
    {
      name: 'several documents',
      text: `${document('{resourceRef: {kind: Pod}}')}\n---\n${document('{resourceRef: {kind: Node}}')}`,
      names: ['s', 's'],
    },
    {
      name: 'a list',
      text: JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: [
          {
            apiVersion: 'orch.io/v1alpha1',
            kind: 'Stage',
            metadata: { name: 'inner' },
            spec: { resourceRef: { kind: 'Pod' } },
          },
        ],
      }),
      names: ['inner'],
    },
    {
      name: 'documents that are marked in a template',
      text: document(`
  resourceRef: {kind: Pod}
  next:
    statusTemplate: |
      phase: Running
---
# the end`),
      names: ['s'],
    },
  ])('Files of stages: $name', ({ text, names }) => {
    expect(parseStages(text).map(({ metadata }) => metadata.name)).toEqual(names);
  });

  test.each([
    { name: 'no object', text: 'a', message: 'document 1: is no object' },
    {
      name: 'another kind',
      text: 'apiVersion: v1\nkind: Pod',
      message: 'document 1: is a v1 Pod, and no kwok.x-k8s.io/v1alpha1 or orch.io/v1alpha1 Stage',
    },
    { name: 'no YAML', text: 'a: [', message: 'document 1: yaml: ' },
    {
      name: 'no name',
      text: 'apiVersion: kwok.x-k8s.io/v1alpha1\nkind: Stage',
      message: 'document 1: metadata.name: is required',
    },
    { name: 'no spec', text: document('null'), message: 'stage s: spec: must be an object' },
    { name: 'no resource', text: document('{}'), message: 'stage s: spec.resourceRef: is required' },
    {
      name: 'another resource',
      text: document('{resourceRef: {kind: Service}}'),
      message: 'spec.resourceRef.kind: must be one of Pod, Node',
    },
    {
      name: 'an unknown field',
      text: document('{resourceRef: {kind: Pod}, next: {statustemplate: x}}'),
      message: 'spec.next.statustemplate: unknown field',
    },
    {
      name: 'a negative delay',
      text: document('{resourceRef: {kind: Pod}, delay: {durationMilliseconds: -1}}'),
      message: 'spec.delay.durationMilliseconds: must be greater than or equal to 0',
    },
    {
      name: 'a wrong operator',
      text: document('{resourceRef: {kind: Pod}, selector: {matchExpressions: [{key: .a, operator: Is}]}}'),
      message: 'spec.selector.matchExpressions[0].operator: must be one of In, NotIn, Exists, DoesNotExist',
    },
    {
      name: 'In without values',
      text: document('{resourceRef: {kind: Pod}, selector: {matchExpressions: [{key: .a, operator: In}]}}'),
      message: 'spec.selector: values: operator In needs at least one',
    },
    {
      name: 'Exists with values',
      text: document(
        '{resourceRef: {kind: Pod}, selector: {matchExpressions: [{key: .a, operator: Exists, values: [b]}]}}',
      ),
      message: 'spec.selector: values: operator Exists takes none',
    },
    {
      name: 'a program that is no jq',
      text: document("{resourceRef: {kind: Pod}, selector: {matchExpressions: [{key: '.a[', operator: Exists}]}}"),
      message: 'spec.selector: unexpected end of program at 3',
    },
    {
      name: 'a template that is none',
      text: document("{resourceRef: {kind: Pod}, next: {statusTemplate: '{{ if }}'}}"),
      message: 'spec.next: line 1: unexpected end of action',
    },
    {
      name: 'CEL',
      text: document('{resourceRef: {kind: Pod}, weightFrom: {cel: {expression: a}}}'),
      message: 'spec.weightFrom.cel: is not supported',
    },
    {
      name: "what kwok's stages do not have",
      text: document('{resourceRef: {kind: Pod}, next: {containers: {state: Running}}}'),
      message: 'spec.next.containers: needs apiVersion orch.io/v1alpha1',
    },
    {
      name: 'a name that is there twice',
      text: `${document('{resourceRef: {kind: Pod}}')}\n---\n${document('{resourceRef: {kind: Pod}}')}`,
      message: 'stage s for Pod is there twice',
    },
  ])('A file of stages refuses $name', ({ text, message }) => {
    expect(() => parseStages(text)).toThrow(message);
  });
});
