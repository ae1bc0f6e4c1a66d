import { Flag } from '../frames.ts';

export const wholeRequest = Flag.endHeaders | Flag.endStream;

export const nothing = Buffer.alloc(0);

export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
