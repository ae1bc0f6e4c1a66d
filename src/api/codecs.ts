import { createCodecs } from '../machinery/codec/index.ts';
import { schemas } from './schemas.ts';

/**
 * Codecs of all built-in types. Pure functions, compiled at first use, so one set serves every server of the process.
 */
export const codecs = createCodecs(schemas);
