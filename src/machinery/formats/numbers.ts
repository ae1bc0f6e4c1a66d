import { inclusiveRangeMessage, ok } from './messages.ts';

/** Largest 32-bit signed integer: the bound of ids and seconds. */
export const maxInt32 = 2147483647;

type NumberChecker = (value: number | bigint) => readonly string[];

const range = (low: number, high: number): NumberChecker => {
  const message = Object.freeze([inclusiveRangeMessage(low, high)]);
  return (value) => (value >= low && value <= high ? ok : message);
};

export const isPortNumber: NumberChecker = range(1, 65535);
export const isUserId: NumberChecker = range(0, maxInt32);
export const isGroupId: NumberChecker = range(0, maxInt32);

export const isInRange = (value: number | bigint, low: number, high: number): readonly string[] =>
  value >= low && value <= high ? ok : [inclusiveRangeMessage(low, high)];
