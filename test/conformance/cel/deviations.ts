import type { SpecCase } from './suites.ts';

/** What makes a case one about things that expressions of Kubernetes do not meet. */
const rules: readonly (readonly [reason: string, applies: (spec: SpecCase) => boolean])[] = [
  [
    'is about protobuf messages',
    ({ expr }) => /TestAllTypes|google\.protobuf\.(?:\w*Value|Any|Struct)\b|\w\{\}\.\w/.test(expr),
  ],
  [
    'is about protobuf messages',
    ({ typeEnv = [] }) => typeEnv.some(({ ident }) => /TestAllTypes/.test(String(ident?.type['messageType']))),
  ],
  [
    'is about functions that the case declares for itself',
    ({ typeEnv = [] }) => typeEnv.some((declaration) => 'function' in declaration),
  ],
];

/** The reason why a case is left out. */
export function deviationOf(spec: SpecCase): string | undefined {
  return rules.find(([, applies]) => applies(spec))?.[0];
}
