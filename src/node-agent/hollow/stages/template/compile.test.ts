import { describe, expect, test } from 'vitest';
import { compileText } from './compile.ts';
import type { TemplateContext } from './functions.ts';

const context: TemplateContext = {
  now: '2026-01-02T03:04:05.000000Z',
  startTime: '2026-01-01T00:00:00.000000Z',
  nodeName: 'node-1',
  nodePort: 10250,
  nodeIPs: (name) => [`ip-of-${name}`],
  podIPs: (name, isHostNetwork) => (isHostNetwork ? [`ip-of-${name}`] : ['10.1.2.3']),
};

const data = {
  metadata: { name: 'web', annotations: { 'a/b': 'yes' }, labels: { z: '1', a: '2' } },
  spec: {
    nodeName: 'node-1',
    containers: [
      { name: 'a', image: 'x:1' },
      { name: 'b', image: 'y:2' },
    ],
  },
};

describe('Go templates, text/template', () => {
  test.each([
    // Values
    { name: 'a field', text: '{{ .metadata.name }}', result: 'web' },
    { name: 'a field that is not there', text: '[{{ .status.phase }}]', result: '[<no value>]' },
    { name: 'a map', text: '{{ .metadata.labels }}', result: 'map[a:2 z:1]' },
    { name: 'a list of texts', text: '{{ list "a" 1 true nil }}', result: '[a 1 true <no value>]' },
    { name: 'a raw text', text: '{{ `a"b` }}', result: 'a"b' },
    { name: 'an escape in a text', text: String.raw`{{ "a\tb" }}`, result: 'a\tb' },
    { name: 'the root', text: '{{ range .spec.containers }}{{ $.metadata.name }}{{ end }}', result: 'webweb' },
    { name: 'a negative number', text: '{{ -3 }}', result: '-3' },
    // Spaces and comments
    { name: 'white space that is trimmed', text: 'a  {{- " b " -}}  c', result: 'a b c' },
    { name: 'a comment', text: 'a{{/* no\n value */}}b', result: 'ab' },
    { name: 'text around actions', text: '<{{ 1 }}>', result: '<1>' },
    // Variables
    { name: 'a variable', text: '{{ $x := 1 }}{{ $x }}', result: '1' },
    {
      name: 'a variable that is changed in a block',
      text: '{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}',
      result: '2',
    },
    {
      name: 'a variable of a block hides another',
      text: '{{ $x := 1 }}{{ if true }}{{ $x := 2 }}{{ end }}{{ $x }}',
      result: '1',
    },
    { name: 'a field of a variable', text: '{{ $m := .metadata }}{{ $m.name }}', result: 'web' },
    {
      name: 'a field after a variable is another value',
      text: '{{ index $.metadata.labels .metadata.labels.z }}',
      result: '<no value>',
    },
    // Control
    { name: 'if', text: '{{ if .metadata.name }}yes{{ end }}', result: 'yes' },
    { name: 'if of an empty map', text: '{{ if dict }}yes{{ else }}no{{ end }}', result: 'no' },
    { name: 'else if', text: '{{ if false }}a{{ else if true }}b{{ else }}c{{ end }}', result: 'b' },
    { name: 'with', text: '{{ with .metadata }}{{ .name }}{{ end }}', result: 'web' },
    { name: 'with a variable', text: '{{ with $x := .metadata.name }}{{ $x }}{{ . }}{{ end }}', result: 'webweb' },
    { name: 'with of nothing', text: '{{ with .none }}a{{ else }}b{{ end }}', result: 'b' },
    { name: 'range', text: '{{ range .spec.containers }}{{ .name }} {{ end }}', result: 'a b' },
    {
      name: 'range with index',
      text: '{{ range $i, $c := .spec.containers }}{{ $i }}{{ $c.name }}{{ end }}',
      result: '0a1b',
    },
    {
      name: 'range of a map, by its keys',
      text: '{{ range $k, $v := .metadata.labels }}{{ $k }}{{ $v }}{{ end }}',
      result: 'a2z1',
    },
    { name: 'range of nothing', text: '{{ range .none }}a{{ else }}b{{ end }}', result: 'b' },
    // Functions
    { name: 'a pipeline', text: '{{ .metadata.name | printf "%s-%s" "x" }}', result: 'x-web' },
    { name: 'parentheses', text: '{{ not (eq .metadata.name "web") }}', result: 'false' },
    { name: 'eq of several', text: '{{ eq .metadata.name "a" "web" }}', result: 'true' },
    { name: 'eq with nothing', text: '{{ eq .none "a" }}', result: 'false' },
    { name: 'or, the first that is true', text: '{{ or .none "" "c" "d" }}', result: 'c' },
    { name: 'and, the first that is not', text: '{{ and 1 0 2 }}', result: '0' },
    { name: 'or does not look further', text: '{{ or 1 (index .none 0) }}', result: '1' },
    { name: 'lt', text: '{{ lt 2 10 }}', result: 'true' },
    { name: 'len', text: '{{ len .spec.containers }}', result: '2' },
    { name: 'index of a map', text: '{{ index .metadata.annotations "a/b" }}', result: 'yes' },
    { name: 'index of what a map does not have', text: '{{ or ( index .metadata.annotations "c" ) "" }}', result: '' },
    { name: 'index of a list', text: '{{ (index .spec.containers 1).image }}', result: 'y:2' },
    { name: 'default', text: '{{ .none | default "x" }}', result: 'x' },
    // kwok's functions
    { name: 'Quote of a text', text: String.raw`{{ "a\"b" | Quote }}`, result: String.raw`"a\"b"` },
    { name: 'Quote of a number', text: '{{ 1 | Quote }}', result: '"1"' },
    { name: 'Now', text: '{{ Now | Quote }}', result: '"2026-01-02T03:04:05.000000Z"' },
    { name: 'YAML', text: 'a:\n{{ YAML .metadata.labels 1 }}', result: 'a:\n\n  a: "2"\n  z: "1"\n' },
    { name: 'NodeIPWith', text: '{{ NodeIPWith .spec.nodeName }}', result: 'ip-of-node-1' },
    {
      name: 'PodIPsWith',
      text: '{{ index (PodIPsWith .spec.nodeName ( or .spec.hostNetwork false ) "uid" "name" "ns") 0 }}',
      result: '10.1.2.3',
    },
    { name: 'PodIPWith on the network of the host', text: '{{ PodIPWith "n" true "" "" "" }}', result: 'ip-of-n' },
    {
      name: 'NodeConditions',
      text: '{{ range NodeConditions }}{{ .type }} {{ end }}',
      result: 'Ready MemoryPressure DiskPressure PIDPressure NetworkUnavailable',
    },
  ])('Go templates, text/template: $name', ({ text, result }) => {
    expect(compileText(text)(data, context).trimEnd()).toBe(result.trimEnd());
  });

  test.each([
    { name: 'an unknown function', text: '{{ fail "x" }}', message: 'line 1: function "fail" not defined' },
    { name: 'a block without end', text: '{{ if true }}', message: '{{if}} without {{end}}' },
    { name: 'an end without block', text: 'a{{ end }}', message: 'unexpected {{end}}' },
    { name: 'an action without end', text: '\n{{ .a', message: 'line 1: unexpected text in action: ""' },
    {
      name: 'definitions of templates',
      text: '{{ define "x" }}{{ end }}',
      message: 'line 1: {{define}} is not supported',
    },
    { name: 'parentheses without end', text: `{{ ${'('.repeat(200)} }}`, message: 'nested too deeply' },
    { name: 'blocks without end', text: '{{ if true }}'.repeat(200), message: 'nested too deeply' },
    { name: 'a text without end', text: 'a'.repeat(200_000), message: 'longer than 100000 characters' },
    { name: 'an empty action', text: 'a\n{{ }}', message: 'line 2: unexpected end of action' },
  ])('Go templates refuse $name', ({ text, message }) => {
    expect(() => compileText(text)).toThrow(message);
  });

  test.each([
    {
      name: 'index of nothing',
      text: '{{ index .none 0 }}',
      message: "error calling index: can't index item of type nil",
    },
    { name: 'an unknown variable', text: '{{ $x }}', message: 'line 1: undefined variable "$x"' },
    { name: 'too few values', text: '{{ eq 1 }}', message: 'line 1: wrong number of args for eq: want 2 got 1' },
    { name: 'range of a number', text: '{{ range 3 }}{{ end }}', message: "range can't iterate over 3" },
  ])('Fails for $name', ({ text, message }) => {
    expect(() => compileText(text)(data, context)).toThrow(message);
  });
});
