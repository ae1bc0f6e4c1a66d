/**
 * Quantities. @see {@link https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-quantity-library | Kubernetes
 * quantity library}
 */
import { parseQuantity, Quantity, QuantityError } from '../../machinery/quantity.ts';
import { type FunctionDeclaration, globalOverload, type Library, memberOverload } from '../check/declarations.ts';
import { opaqueType } from '../check/types.ts';
import * as estimates from '../cost/call-estimates.ts';
import { readsFirst } from '../cost/sizes.ts';
import { CelError, Double, Opaque, type Value } from '../values/values.ts';
import { type Int, intResult } from './arithmetic.ts';
import { B, D, I, S } from './signatures.ts';

const Q = opaqueType('kubernetes.Quantity');

export class QuantityValue extends Opaque {
  override readonly type = Q;
  readonly quantity: Quantity;
  constructor(quantity: Quantity) {
    super();
    this.quantity = quantity;
  }

  override equals(other: Opaque): boolean {
    return other instanceof QuantityValue && this.quantity.compare(other.quantity) === 0;
  }
}

function read(text: string): QuantityValue | CelError {
  try {
    return new QuantityValue(parseQuantity(text));
  } catch (error) {
    if (error instanceof QuantityError) return new CelError(error.message);
    throw error;
  }
}

const reads = { cost: readsFirst as (...args: Value[]) => number, estimate: estimates.looksThroughFirst };
const minInt = -(2n ** 63n);
const fitsInt = (quantity: Quantity): boolean =>
  quantity.isInteger() && quantity.value() >= minInt && quantity.value() < -minInt;

type Two = (a: QuantityValue, b: QuantityValue) => Value;
const both = (id: string, result: typeof B, run: Two) => memberOverload(id, [Q, Q], result, run);
const ofInt = (value: Int): Quantity => new Quantity(BigInt(value));

/** @NOTE differs from upstream: it is documented as a method and declared as a function; both work here. */
const sign = ({ quantity }: QuantityValue): Value => quantity.sign();

const functions: readonly FunctionDeclaration[] = [
  { name: 'quantity', overloads: [globalOverload('string_to_quantity', [S], Q, read, reads)] },
  {
    name: 'isQuantity',
    overloads: [
      globalOverload('is_quantity_string', [S], B, (text: string) => read(text) instanceof QuantityValue, reads),
    ],
  },
  {
    name: 'sign',
    overloads: [globalOverload('quantity_sign', [Q], I, sign), memberOverload('quantity_sign_member', [Q], I, sign)],
  },
  {
    name: 'isGreaterThan',
    overloads: [both('quantity_is_greater_than', B, (a, b) => a.quantity.compare(b.quantity) > 0)],
  },
  { name: 'isLessThan', overloads: [both('quantity_is_less_than', B, (a, b) => a.quantity.compare(b.quantity) < 0)] },
  { name: 'compareTo', overloads: [both('quantity_compare_to', I, (a, b) => a.quantity.compare(b.quantity))] },
  {
    name: 'asApproximateFloat',
    overloads: [
      memberOverload('quantity_get_float', [Q], D, ({ quantity }: QuantityValue) => new Double(quantity.toNumber())),
    ],
  },
  {
    name: 'asInteger',
    overloads: [
      memberOverload('quantity_get_int', [Q], I, ({ quantity }: QuantityValue) =>
        fitsInt(quantity) ? intResult(quantity.value()) : new CelError('cannot convert value to integer'),
      ),
    ],
  },
  {
    name: 'isInteger',
    overloads: [memberOverload('quantity_is_integer', [Q], B, ({ quantity }: QuantityValue) => fitsInt(quantity))],
  },
  {
    name: 'add',
    overloads: [
      both('quantity_add', Q, (a, b) => new QuantityValue(a.quantity.add(b.quantity))),
      memberOverload(
        'quantity_add_int',
        [Q, I],
        Q,
        ({ quantity }: QuantityValue, b: Int) => new QuantityValue(quantity.add(ofInt(b))),
      ),
    ],
  },
  {
    name: 'sub',
    overloads: [
      both('quantity_sub', Q, (a, b) => new QuantityValue(a.quantity.sub(b.quantity))),
      memberOverload(
        'quantity_sub_int',
        [Q, I],
        Q,
        ({ quantity }: QuantityValue, b: Int) => new QuantityValue(quantity.sub(ofInt(b))),
      ),
    ],
  },
];

export const quantities: Library = { functions, types: new Map([['kubernetes.Quantity', Q]]) };
