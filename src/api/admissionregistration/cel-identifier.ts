import { isReserved } from '../../cel/syntax/reserved-words.ts';

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

export const isCelIdentifier = (text: string): boolean => identifier.test(text) && !isReserved(text);
