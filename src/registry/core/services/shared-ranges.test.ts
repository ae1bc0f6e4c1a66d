import { openEmbeddedStore } from '../../../storage/embedded/open.ts';
import { describeSharedRanges } from './testing/shared-ranges-suite.ts';

describeSharedRanges({
  name: 'embedded',
  open: async () => {
    const store = await openEmbeddedStore();
    return { stores: [store, store], [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
  },
});
