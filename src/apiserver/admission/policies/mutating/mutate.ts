/** One policy changes the object of a request: its mutations, in their order. */
import type { BuiltInTypes } from '../../../../machinery/managed-fields/built-in-types.ts';
import { JsonTypeError } from '../../../../machinery/json/json-error.ts';
import { internalError } from '../../../../machinery/status.ts';
import type { JsonObject } from '../../../../machinery/value.ts';
import type { ResourceForm } from '../../../../registry/admission.ts';
import type { Value } from '../../../../cel/index.ts';
import { ExpressionGroup, OutOfBudget } from '../expression-group.ts';
import type { RequestInput } from '../request-input.ts';
import { applyConfiguration, applyPatch, MutationProblem } from './changes.ts';
import type { CompiledMutatingPolicy, CompiledMutation } from './compile.ts';

export interface Invocation {
  readonly policy: string;
  readonly compiled: CompiledMutatingPolicy;
  readonly form: ResourceForm;
  readonly params: Value;
  readonly input: RequestInput;
  readonly types: BuiltInTypes;
}

export interface MutationResult {
  /** Whether the object is another one now; undefined where the policy was not asked. */
  readonly changed: boolean | undefined;
  /** Mutations that could not be made: the others were. */
  readonly errors: readonly string[];
}

const notAsked: MutationResult = { changed: undefined, errors: [] };

/** @param isWanted asked when the conditions hold */
export async function mutate(invocation: Invocation, isWanted: () => boolean): Promise<MutationResult> {
  const { compiled, form, params, input } = invocation;
  const matched = await input.matches(invocation.policy, compiled.conditions, form, params);
  if ('error' in matched) return { changed: false, errors: [matched.error] };
  if (!matched.matches || !isWanted()) return notAsked;
  const errors: string[] = [];
  let changed = false;
  for (const mutation of compiled.mutations) {
    try {
      changed = (await makeMutation(invocation, mutation)) || changed;
    } catch (error) {
      if (!(error instanceof MutationProblem || error instanceof OutOfBudget)) throw error;
      errors.push(error.message);
    }
  }
  return { changed, errors };
}

async function makeMutation(invocation: Invocation, mutation: CompiledMutation): Promise<boolean> {
  const { form, input } = invocation;
  const { object, forms } = input.attributes;
  const shown = await input.objects.object(form);
  if (object === undefined || shown === undefined) return false;
  const value = await evaluate(invocation, mutation);
  const next = changedBy(invocation, mutation, shown, value);
  if (next === shown) return false;
  try {
    return await forms.replace(object, next, form);
  } catch (error) {
    if (!(error instanceof JsonTypeError)) throw error;
    if (mutation.patchType === 'JSONPatch') throw internalError(error.message, { cause: error });
    throw new MutationProblem(error.message);
  } finally {
    input.objects.changed();
  }
}

async function evaluate(
  { compiled, form, params, input }: Invocation,
  { expression }: CompiledMutation,
): Promise<Value> {
  if ('failure' in expression.program) throw new MutationProblem(expression.program.failure);
  const bindings = { ...(await input.bindings(form, params)), ...input.answers.variables };
  const outcome = await new ExpressionGroup(bindings, compiled.variables, input).evaluate(expression);
  if ('error' in outcome) throw new MutationProblem(outcome.error);
  return outcome.value;
}

function changedBy(
  { form, input, types }: Invocation,
  { patchType }: CompiledMutation,
  shown: JsonObject,
  value: Value,
): JsonObject {
  if (patchType === 'JSONPatch') return applyPatch(shown, value);
  const type = input.attributes.forms.typeOf(form);
  return applyConfiguration(typeof type === 'string' ? types.of(type) : type, shown, value);
}
