/** Integers are those of 64 bits: what does not fit is an error. Numbers while exact, else bigints. */
import { CelError, Double, Duration, Timestamp, Uint, type Value } from '../values/values.ts';

export type Int = number | bigint;

const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;
export const overflow = new CelError('integer overflow');
const timeOverflow = new CelError('timestamp overflow');
const durationOverflow = new CelError('duration overflow');

/** An integer in its canonical type (number or bigint); an error outside of 64 bits. */
export function intResult(value: bigint): Value {
  if (value >= -9007199254740991n && value <= 9007199254740991n) return Number(value);
  return value < minInt || value > maxInt ? overflow : value;
}

export const uintResult = (value: bigint): Value =>
  value < 0n || value > maxUint ? new CelError('unsigned integer overflow') : new Uint(value);

export function addInts(a: Int, b: Int): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return intResult(BigInt(a) + BigInt(b));
}

export function subtractInts(a: Int, b: Int): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return intResult(BigInt(a) - BigInt(b));
}

export function multiplyInts(a: Int, b: Int): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return intResult(BigInt(a) * BigInt(b));
}

/** Towards zero. */
export function divideInts(a: Int, b: Int): Value {
  if (b === 0) return new CelError('division by zero');
  return typeof a === 'number' && typeof b === 'number' ? (a - (a % b)) / b + 0 : intResult(BigInt(a) / BigInt(b));
}

export function moduloInts(a: Int, b: Int): Value {
  if (b === 0) return new CelError('modulus by zero');
  if (BigInt(a) === minInt && b === -1) return overflow;
  return typeof a === 'number' && typeof b === 'number' ? (a % b) + 0 : intResult(BigInt(a) % BigInt(b));
}

export const negateInt = (a: Int): Value => (typeof a === 'number' ? 0 - a : intResult(-a));

export const addUints = (a: Uint, b: Uint): Value => uintResult(a.value + b.value);
export const addDoubles = (a: Double, b: Double): Value => new Double(a.value + b.value);

const nanosPerSecond = 1_000_000_000n;
/** Year 1 and the end of year 9999. */
const minSeconds = -62135596800;
const maxSeconds = 253402300799;

export function addDurations(a: bigint, b: bigint): Value {
  return durationResult(a + b);
}

export const durationResult = (nanos: bigint): Value =>
  nanos < minInt || nanos > maxInt ? durationOverflow : new Duration(nanos);

export function timeResult(seconds: number, nanos: number): Value {
  return seconds < minSeconds || seconds > maxSeconds ? timeOverflow : new Timestamp(seconds, nanos);
}

const nanosOf = (time: Timestamp): bigint => BigInt(time.seconds) * nanosPerSecond + BigInt(time.nanos);

export function shiftTime(time: Timestamp, by: bigint): Value {
  const total = nanosOf(time) + by;
  const nanos = ((total % nanosPerSecond) + nanosPerSecond) % nanosPerSecond;
  return timeResult(Number((total - nanos) / nanosPerSecond), Number(nanos));
}

export function subtractTimes(a: Timestamp, b: Timestamp): Value {
  return durationResult(nanosOf(a) - nanosOf(b));
}
