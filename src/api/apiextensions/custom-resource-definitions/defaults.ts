import type { CustomResourceDefinition } from '../../gen/types/apiextensions-v1.ts';
import { setServiceTargetDefaults } from '../../meta/webhook-client.ts';

export function setCustomResourceDefinitionDefaults({ spec }: CustomResourceDefinition): void {
  const { names } = spec;
  const { kind = '' } = names;
  if ((names.singular ?? '') === '' && kind !== '') names.singular = kind.toLowerCase();
  if ((names.listKind ?? '') === '' && kind !== '') names.listKind = `${kind}List`;
  spec.conversion ??= { strategy: 'None' };
  setServiceTargetDefaults(spec.conversion.webhook?.clientConfig?.service);
}
