import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hasShared, sharedPath } from '../../../test/support/shared.ts';
import { fieldErrorText } from '../../machinery/field-error.ts';
import { validateFlowSchema } from './flow-schemas/validation.ts';
import { mandatoryFlowSchemas, mandatoryPriorityLevels } from './mandatory.ts';
import { validatePriorityLevel } from './priority-level-configurations/validation.ts';
import { suggestedFlowSchemas, suggestedPriorityLevels } from './suggested.ts';

interface Facts {
  readonly priorityLevels: Readonly<Record<'mandatory' | 'suggested', object>>;
  readonly flowSchemas: Readonly<Record<'mandatory' | 'suggested', object>>;
}

test.skipIf(!hasShared('facts/flowcontrol.json'))(
  'The objects equal the recorded facts (skipped where facts/flowcontrol.json is absent)',
  () => {
    const { priorityLevels, flowSchemas } = JSON.parse(
      readFileSync(sharedPath('facts/flowcontrol.json'), 'utf8'),
    ) as Facts;
    expect({
      mandatory: Object.fromEntries(mandatoryPriorityLevels),
      suggested: Object.fromEntries(suggestedPriorityLevels),
    }).toEqual(priorityLevels);
    expect({
      mandatory: Object.fromEntries(mandatoryFlowSchemas),
      suggested: Object.fromEntries(suggestedFlowSchemas),
    }).toEqual(flowSchemas);
  },
);

test.each([...suggestedFlowSchemas])('Flow schema %s is valid, and its level is one of ours', (name, spec) => {
  expect(validateFlowSchema({ metadata: { name }, spec, status: {} }).map(fieldErrorText)).toEqual([]);
  expect(
    suggestedPriorityLevels.has(spec.priorityLevelConfiguration.name!) ||
      spec.priorityLevelConfiguration.name === 'exempt',
  ).toBe(true);
});

test.each([...suggestedPriorityLevels])('Priority level %s is valid', (name, spec) => {
  expect(validatePriorityLevel({ metadata: { name }, spec, status: {} }).map(fieldErrorText)).toEqual([]);
});
