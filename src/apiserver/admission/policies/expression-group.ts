/**
 * Expressions of a policy that share a budget and see the same variables: its validations, its messages, its audit
 * annotations, its mutations.
 */
import {
  type CelType,
  dynType,
  type Environment,
  LazyVariables,
  type Outcome,
  type Program,
  type Value,
} from '../../../cel/index.ts';
import { runCooperatively } from '../../../machinery/cooperative-scheduling.ts';
import type { AuthorizerAnswers } from '../matching/expression-input.ts';

/** An expression, with what it was compiled to or why it is none. */
export interface Expression {
  readonly text: string;
  readonly program: Program | { readonly failure: string };
}

export interface PolicyVariable {
  readonly name?: string;
  readonly expression?: string;
}

export type CompiledVariables = ReadonlyMap<string, Expression['program']>;

/** The expressions of a policy may cost so much together, each group of them. */
export const policyBudget = 10_000_000;

export const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run';

/** The budget of a group is used up: none of its results counts. */
export class OutOfBudget extends Error {
  override readonly name = 'OutOfBudget';
  constructor() {
    super(outOfBudget);
  }
}

export async function compileExpression(
  environment: Environment,
  text: string,
  ...types: readonly CelType[]
): Promise<Expression> {
  return { text, program: await runCooperatively(environment.compiling(text, ...types)) };
}

/**
 * Compiles variables in their order, each of which may use those before it.
 *
 * @param types gets the type of each; the environment has it
 */
export async function compileVariables(
  environment: Environment,
  variables: readonly PolicyVariable[] = [],
  types: Map<string, CelType>,
): Promise<CompiledVariables> {
  const compiled = new Map<string, Expression['program']>();
  for (const { name = '', expression = '' } of variables) {
    const { program } = await compileExpression(environment, expression);
    compiled.set(name, program);
    types.set(name, 'failure' in program ? dynType : program.type);
  }
  return compiled;
}

export type Bindings = Readonly<Record<string, Value>>;

/** `error` as the client is told it. */
export type GroupOutcome = { readonly value: Value } | { readonly error: string };

/** Of the request that is judged. */
export interface GroupInput {
  readonly answers: AuthorizerAnswers;
  /** To be awaited between expressions: lets others run once in a while, and throws when the request is over. */
  next(): Promise<void>;
}

export class ExpressionGroup {
  readonly #bindings: Bindings;
  readonly #variables: LazyVariables;
  readonly #input: GroupInput;
  #left: number;

  constructor(bindings: Bindings, variables: CompiledVariables, input: GroupInput, budget = policyBudget) {
    this.#left = budget;
    this.#variables = new LazyVariables(variables, bindings);
    this.#bindings = { ...bindings, variables: this.#variables };
    this.#input = input;
  }

  /** What is left is the budget of the group after this one. */
  get left(): number {
    return this.#left;
  }

  /** Throws OutOfBudget. */
  async evaluate({ text, program }: Expression): Promise<GroupOutcome> {
    if ('failure' in program) return { error: `compilation error: ${program.failure}` };
    await this.#input.next();
    const outcome = await this.#input.answers.evaluate(program, this.#bindings);
    this.#pay(outcome);
    return 'error' in outcome
      ? { error: `expression '${text}' resulted in error: ${outcome.error}` }
      : { value: outcome.value };
  }

  #pay({ cost }: Outcome): void {
    this.#left -= this.#variables.takeCost() + cost;
    if (this.#left < 0) throw new OutOfBudget();
  }
}
