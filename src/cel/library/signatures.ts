/** Short names for tables of functions. */
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  timestampType,
  typeParameter,
  uintType,
} from '../check/types.ts';

export const B = boolType;
export const I = intType;
export const U = uintType;
export const D = doubleType;
export const S = stringType;
export const Y = bytesType;
export const T = timestampType;
export const P = durationType;
export const dyn = dynType;
export const A = typeParameter('A');
export const listOfA = listType(A);
export const strings = listType(stringType);
export const mapOfAB = mapType(A, typeParameter('B'));
