/** What all kinds with a pod template do with it. */
import {
  type PodLike,
  podValidationOptions,
  podValidationOptionsForUpdate,
} from '../../../api/core/pods/validation-options.ts';
import type { PodValidationOptions } from '../../../api/core/pods/validation-option-types.ts';
import { podWarnings } from '../../../api/core/pods/warnings.ts';
import type { PodTemplateSpec } from '../../../api/gen/types/core-v1.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Label } from '../../../machinery/formats/names.ts';
import type { StrategyContext } from '../../strategy.ts';
import { dropDisabledFields } from './disabled-fields.ts';

export const templatePath = FieldPath.of('spec', 'template');

export function dropTemplateFields(
  template: PodTemplateSpec | undefined,
  old: PodTemplateSpec | undefined,
  { enabled }: StrategyContext,
): void {
  if (template !== undefined) dropDisabledFields(template.spec, old?.spec, enabled);
}

export function templateRules(context: StrategyContext, template?: PodLike, old?: PodLike): PodValidationOptions {
  return template === undefined || old === undefined
    ? podValidationOptions(context, false)
    : podValidationOptionsForUpdate(context, false, template, old);
}

export const templateWarnings = (
  template: PodTemplateSpec | undefined,
  path: FieldPath = templatePath,
): Iterable<string> => (template === undefined ? [] : podWarnings(template, path));

/** For a workload whose pods are named after it. */
export function* workloadWarnings({
  metadata,
  spec,
}: {
  metadata: { name?: string };
  spec: { template?: PodTemplateSpec };
}): Generator<string> {
  yield* podNameWarnings(metadata);
  yield* templateWarnings(spec.template);
}

/** A name that pods' names begin with. */
export function podNameWarnings({ name = '' }: { name?: string }): string[] {
  const messages = isDns1123Label(name);
  return messages.length === 0
    ? []
    : [
        'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a ' +
          `DNS label is recommended: [${messages.join(' ')}]`,
      ];
}

interface Versioned {
  readonly metadata: { generation?: number | bigint };
}

/** Warnings are repeated on an update only when what they are about may have changed. */
export const isChanged = ({ metadata }: Versioned, old: Versioned): boolean =>
  metadata.generation !== old.metadata.generation;
