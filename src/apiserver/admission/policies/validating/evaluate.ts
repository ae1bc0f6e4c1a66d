/**
 * What a policy says of a request with one parameter object.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/ | Validating
 *   Admission Policy}
 */
import type { ResourceForm } from '../../../../registry/admission.ts';
import type { Value } from '../../../../cel/index.ts';
import { type Bindings, ExpressionGroup, type GroupOutcome, OutOfBudget } from '../expression-group.ts';
import type { RequestInput } from '../request-input.ts';
import type { CompiledAnnotation, CompiledValidatingPolicy, CompiledValidation } from './compile.ts';

/** What one validation came to. */
export interface Decision {
  readonly action: 'admit' | 'deny';
  /** The expression failed, and the failure policy decided. */
  readonly isError: boolean;
  readonly message: string;
  /** Of the status of a refusal; `Invalid` when empty. */
  readonly reason: string;
  readonly seconds: number;
}

export type AnnotationResult = { readonly key: string; readonly seconds: number } & (
  | { readonly value: string }
  | { readonly error: string }
);

export interface PolicyResult {
  readonly decisions: readonly Decision[];
  readonly annotations: readonly AnnotationResult[];
}

const nothing: PolicyResult = { decisions: [], annotations: [] };

const maxMessageBytes = 5 * 1024;

export interface Evaluation {
  readonly policy: string;
  readonly compiled: CompiledValidatingPolicy;
  readonly failurePolicy: string | undefined;
  readonly form: ResourceForm;
  readonly params: Value;
  readonly input: RequestInput;
}

export async function evaluatePolicy(evaluation: Evaluation): Promise<PolicyResult> {
  const { compiled, form, params, input } = evaluation;
  const failed = (message: string): PolicyResult => ({ decisions: [failure(evaluation, message, 0)], annotations: [] });
  const matched = await input.matches(evaluation.policy, compiled.conditions, form, params);
  if ('error' in matched) return failed(matched.error);
  if (!matched.matches) return nothing;
  const bindings = await input.bindings(form, params);
  try {
    const decisions = await evaluateValidations(evaluation, bindings);
    return { decisions, annotations: await evaluateAnnotations(evaluation, bindings) };
  } catch (error) {
    if (error instanceof OutOfBudget) return failed(error.message);
    throw error;
  }
}

async function evaluateValidations(evaluation: Evaluation, bindings: Bindings): Promise<readonly Decision[]> {
  const { compiled, input } = evaluation;
  const { variables, validations } = compiled;
  const group = new ExpressionGroup({ ...bindings, ...input.answers.variables }, variables, input);
  const decisions: Decision[] = [];
  const refused: { readonly index: number; readonly validation: CompiledValidation; readonly seconds: number }[] = [];
  for (const [index, validation] of validations.entries()) {
    const begin = performance.now();
    const outcome = await group.evaluate(validation.expression);
    const seconds = (performance.now() - begin) / 1000;
    if ('error' in outcome) decisions.push(failure(evaluation, outcome.error, seconds));
    else if (outcome.value === true) decisions.push(admitted(seconds));
    else {
      decisions.push(admitted(seconds));
      refused.push({ index, validation, seconds });
    }
  }
  // What the validations left is for their messages.
  const messages = new ExpressionGroup(bindings, variables, input, group.left);
  for (const { index, validation, seconds } of refused)
    decisions[index] = await refusal(evaluation, validation, messages, seconds);
  return decisions;
}

const admitted = (seconds: number): Decision => ({ action: 'admit', isError: false, message: '', reason: '', seconds });

const failure = ({ failurePolicy }: Evaluation, message: string, seconds: number): Decision => ({
  action: failurePolicy === 'Ignore' ? 'admit' : 'deny',
  isError: true,
  message,
  reason: '',
  seconds,
});

/**
 * @NOTE differs from upstream: messages are made of failed validations only, so that those of others cost nothing.
 */
async function refusal(
  evaluation: Evaluation,
  { validation, expression, message }: CompiledValidation,
  messages: ExpressionGroup,
  seconds: number,
): Promise<Decision> {
  try {
    const made = message === undefined ? '' : shownMessage(await messages.evaluate(message));
    const fixed = (validation.message ?? '').trim();
    const text = [made, fixed].find((one) => one !== '') ?? `failed expression: ${expression.text.trim()}`;
    return { action: 'deny', isError: false, message: text, reason: validation.reason ?? '', seconds };
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    return failure(evaluation, `failed messageExpression: ${error.message}`, seconds);
  }
}

/** Empty for what is no message: it failed, is too long, or has several lines. */
function shownMessage(outcome: GroupOutcome): string {
  const text = 'value' in outcome && typeof outcome.value === 'string' ? outcome.value.trim() : '';
  return Buffer.byteLength(text) > maxMessageBytes || text.includes('\n') ? '' : text;
}

async function evaluateAnnotations(evaluation: Evaluation, bindings: Bindings): Promise<AnnotationResult[]> {
  const { compiled, input } = evaluation;
  // Upstream binds no authorizer here, though expressions may name it.
  const group = new ExpressionGroup(bindings, compiled.variables, input);
  const results: AnnotationResult[] = [];
  for (const annotation of compiled.annotations) {
    const result = await evaluateAnnotation(evaluation, annotation, group);
    if (result !== undefined) results.push(result);
  }
  return results;
}

/** Undefined for what is not annotated. */
async function evaluateAnnotation(
  { failurePolicy }: Evaluation,
  { annotation: { key = '' }, expression }: CompiledAnnotation,
  group: ExpressionGroup,
): Promise<AnnotationResult | undefined> {
  const begin = performance.now();
  const outcome = await group.evaluate(expression);
  const seconds = (performance.now() - begin) / 1000;
  if ('error' in outcome) return failurePolicy === 'Ignore' ? undefined : { key, error: outcome.error, seconds };
  const value = typeof outcome.value === 'string' ? outcome.value.trim() : '';
  return value === '' ? undefined : { key, value, seconds };
}
