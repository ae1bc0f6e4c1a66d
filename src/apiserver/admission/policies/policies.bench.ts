/** What policies cost a request: those that are not for it, and one that is. */
import { bench, describe } from 'vitest';
import { attributesFor } from '../testing/attributes.ts';
import { BoundPolicies } from './bound-policies.ts';
import type { PolicySources } from './sources.ts';
import { binding, pluginOptions, validating } from './testing/policies.ts';
import { createValidatingPolicies, type PolicyPluginOptions } from './validating/plugin.ts';

const rules = (resources: string[]) => ({
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources }],
});

/** Policies as an informer has them: the index is made once. */
function pluginFor(count: number, resources: string[], spec: object = {}) {
  const policies = Array.from({ length: count }, (_, i) =>
    validating(
      { matchConstraints: rules(resources) as never, validations: [{ expression: 'true' }], ...spec },
      `p${i}`,
    ),
  );
  const bindings = policies.map(({ metadata }) => binding({ policyName: metadata.name! }, `b-${metadata.name}`));
  const sources: PolicySources = {
    create: (_, compile) => {
      const index = new BoundPolicies<never, never, never>(compile as never).index(
        policies as never,
        bindings as never,
      );
      return { current: () => index as never };
    },
  };
  const options: PolicyPluginOptions = { ...pluginOptions({ policies: [], bindings: [] }), sources };
  return createValidatingPolicies(options);
}

const object = { metadata: { name: 'p', namespace: 'team' }, spec: { replicas: 3 } };
const pod = attributesFor('pods', object);

describe('policies', () => {
  const others = pluginFor(1000, ['secrets']);
  const elsewhere = pluginFor(1000, ['pods'], {
    matchConstraints: { ...rules(['pods']), namespaceSelector: { matchLabels: { of: 'b' } } },
  });
  const one = pluginFor(1, ['pods'], { validations: [{ expression: 'object.spec.replicas <= 5' }] });

  bench('1,000 policies for another resource', async () => {
    await others.validate!(pod);
  });
  bench('1,000 policies for other namespaces', async () => {
    await elsewhere.validate!(pod);
  });
  bench('one policy that is evaluated', async () => {
    await one.validate!(pod);
  });
});
