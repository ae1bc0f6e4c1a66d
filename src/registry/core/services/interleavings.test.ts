import { openEmbeddedStore } from '../../../storage/embedded/open.ts';
import { describeInterleavings } from './testing/interleavings-suite.ts';

describeInterleavings({
  name: 'embedded',
  open: async () => {
    const store = await openEmbeddedStore();
    return { stores: [store, store], [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
  },
});
