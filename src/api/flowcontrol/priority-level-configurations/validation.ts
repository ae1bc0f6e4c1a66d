/**
 * How many requests of a level may run, and what happens to the others. @see {@link
 * https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#prioritylevelconfiguration |
 * PriorityLevelConfiguration}
 */
import type {
  ExemptPriorityLevelConfiguration,
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from '../../gen/types/flowcontrol-v1.ts';
import { forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { isInRange } from '../../../machinery/formats/numbers.ts';
import { invalidEach } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta } from '../../meta/object-meta.ts';
import { mandatoryPriorityLevels } from '../mandatory.ts';
import { checkStatusConditions } from '../status-conditions.ts';
import { shownStruct } from '../../shown-struct.ts';

const specPath = FieldPath.of('spec');
const exempt = 'exempt';
const maxQueues = 10_000_000;
/** Bits of the hash from which a flow's hand of queues is dealt. */
const maxHashBits = 60;

export function setPriorityLevelDefaults({ spec }: PriorityLevelConfiguration): void {
  if (spec.exempt !== undefined) {
    spec.exempt.nominalConcurrencyShares ??= 0;
    spec.exempt.lendablePercent ??= 0;
  }
  if (spec.limited === undefined) return;
  spec.limited.nominalConcurrencyShares ??= 30;
  spec.limited.lendablePercent ??= 0;
  const { queuing } = spec.limited.limitResponse;
  if (queuing === undefined) return;
  queuing.queues ||= 64;
  queuing.handSize ||= 8;
  queuing.queueLengthLimit ||= 50;
}

export function validatePriorityLevel({ metadata, spec, status }: PriorityLevelConfiguration): FieldErrors {
  const { name = '' } = metadata;
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName });
  checkSpec(spec, name, errors);
  checkMandatory(spec, name, errors);
  checkStatusConditions(status.conditions, errors);
  return errors;
}

export function validatePriorityLevelStatusUpdate({ status }: PriorityLevelConfiguration): FieldErrors {
  const errors = new FieldErrors();
  checkStatusConditions(status.conditions, errors);
  return errors;
}

/** Of the exempt level the shares may be set. */
function checkMandatory(spec: PriorityLevelConfigurationSpec, name: string, errors: FieldErrors): void {
  const fixed = mandatoryPriorityLevels.get(name);
  const wanted =
    fixed !== undefined && name === exempt && spec.exempt !== undefined ? { ...fixed, exempt: spec.exempt } : fixed;
  if (wanted === undefined || isEqual(spec, wanted)) return;
  const rule =
    name === exempt
      ? "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value"
      : `spec of '${name}' must equal the fixed value`;
  errors.push(invalid(specPath, shownStruct('flowcontrol/v1.PriorityLevelConfigurationSpec', spec), rule));
}

function checkSpec(
  { type = '', limited, exempt: exempted }: PriorityLevelConfigurationSpec,
  name: string,
  errors: FieldErrors,
): void {
  if ((name === exempt) !== (type === 'Exempt'))
    errors.push(invalid(specPath.child('type'), type, "type must be 'Exempt' if and only if name is 'exempt'"));
  if (type === 'Exempt') {
    if (limited !== undefined)
      errors.push(forbidden(specPath.child('limited'), 'must be nil if the type is not Limited'));
    if (exempted !== undefined) checkExempt(exempted, specPath.child('exempt'), errors);
  } else if (type === 'Limited') {
    if (exempted !== undefined) errors.push(forbidden(specPath.child('exempt'), 'must be nil if the type is Limited'));
    if (limited === undefined)
      errors.push(required(specPath.child('limited'), 'must not be empty when type is Limited'));
    else checkLimited(limited, specPath.child('limited'), errors);
  } else errors.push(notSupported(specPath.child('type'), type, ['Exempt', 'Limited']));
}

function checkExempt(
  { nominalConcurrencyShares: shares = 0, lendablePercent }: ExemptPriorityLevelConfiguration,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (shares < 0)
    errors.push(invalid(path.child('nominalConcurrencyShares'), shares, 'must be a non-negative integer'));
  checkPercent(lendablePercent, path.child('lendablePercent'), errors);
}

function checkPercent(value: number | undefined, path: FieldPath, errors: FieldErrors): void {
  if (value !== undefined) invalidEach(isInRange(value, 0, 100), path, value, errors);
}

function checkLimited(limited: LimitedPriorityLevelConfiguration, path: FieldPath, errors: FieldErrors): void {
  const {
    nominalConcurrencyShares: shares = 0,
    limitResponse,
    lendablePercent,
    borrowingLimitPercent: borrowing,
  } = limited;
  if (shares < 0)
    errors.push(invalid(path.child('nominalConcurrencyShares'), shares, 'must be a non-negative integer'));
  checkLimitResponse(limitResponse, path.child('limitResponse'), errors);
  checkPercent(lendablePercent, path.child('lendablePercent'), errors);
  if (borrowing !== undefined && borrowing < 0)
    errors.push(
      invalid(path.child('borrowingLimitPercent'), borrowing, 'if specified, must be a non-negative integer'),
    );
}

function checkLimitResponse({ type = '', queuing }: LimitResponse, path: FieldPath, errors: FieldErrors): void {
  const at = path.child('queuing');
  if (type === 'Reject') {
    if (queuing !== undefined) errors.push(forbidden(at, 'must be nil if limited.limitResponse.type is not Limited'));
  } else if (type === 'Queue') {
    if (queuing === undefined) errors.push(required(at, 'must not be empty if limited.limitResponse.type is Limited'));
    else checkQueuing(queuing, at, errors);
  } else errors.push(notSupported(path.child('type'), type, ['Queue', 'Reject']));
}

function checkQueuing(
  { queues = 0, handSize = 0, queueLengthLimit = 0 }: QueuingConfiguration,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (queueLengthLimit <= 0) errors.push(invalid(path.child('queueLengthLimit'), queueLengthLimit, 'must be positive'));
  if (queues <= 0) errors.push(invalid(path.child('queues'), queues, 'must be positive'));
  else if (queues > maxQueues)
    errors.push(invalid(path.child('queues'), queues, `must not be greater than ${maxQueues}`));
  const hand = path.child('handSize');
  if (handSize <= 0) errors.push(invalid(hand, handSize, 'must be positive'));
  else if (handSize > queues) errors.push(invalid(hand, handSize, `should not be greater than queues (${queues})`));
  else if (entropyBits(queues, handSize) > maxHashBits)
    errors.push(
      invalid(
        hand,
        handSize,
        `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ` +
          `${maxHashBits}`,
      ),
    );
}

/** Bits that dealing `handSize` attributes from `deckSize` uses up. */
const entropyBits = (deckSize: number, handSize: number): number => Math.ceil(Math.log2(deckSize) * handSize);
