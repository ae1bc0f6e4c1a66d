/** The public conformance data of CEL, its JSON read without protobuf. */
import { tests } from '@bufbuild/cel-spec/testdata/conformance.js';

export interface SpecCase {
  readonly id: string;
  readonly expr: string;
  readonly value?: SpecValue;
  readonly typeEnv?: readonly { readonly name: string; readonly ident?: { readonly type: SpecType } }[];
  readonly bindings?: Readonly<
    Record<string, { readonly value?: SpecValue; readonly error?: unknown; readonly unknown?: unknown }>
  >;
  readonly disableCheck?: boolean;
  readonly disableMacros?: boolean;
  readonly checkOnly?: boolean;
  readonly container?: string;
  readonly evalError?: { readonly errors: readonly { readonly message: string }[] };
  readonly typedResult?: { readonly result?: SpecValue; readonly deducedType?: SpecType };
}

export type SpecValue = Readonly<Record<string, unknown>>;
export type SpecType = Readonly<Record<string, unknown>>;

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: Omit<SpecCase, 'id'> & { readonly name?: string } }[];
}

/** Cases of a suite by their path: `basic/self_eval_zeroish/self_eval_int_zero`. */
export function casesOf(name: string): SpecCase[] {
  const suite = (tests as unknown as Suite).suites!.find((one) => one.name === name);
  return suite === undefined ? [] : collect(suite, '');
}

function collect({ name, suites = [], tests: own = [] }: Suite, prefix: string): SpecCase[] {
  const at = `${prefix}${name}/`;
  return [
    ...own.map(({ original }) => ({ ...original, id: `${at}${original.name}` })),
    ...suites.flatMap((suite) => collect(suite, at)),
  ];
}
