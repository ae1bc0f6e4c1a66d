import { MessageChannel } from 'node:worker_threads';
import { PortCalls } from '../../base/message-port-calls.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { EmbeddedStore } from '../embedded/embedded-store.ts';
import { MemoryJournal } from '../embedded/memory-journal.ts';
import { describeStoreContract } from '../testing/store-contract.ts';
import { storageErrors } from './error-translation.ts';
import { RemoteStore } from './remote-store.ts';
import { storeMethods } from './serve-store.ts';

describeStoreContract({
  name: 'of another thread',
  create: async () => {
    const clock = new FakeClock();
    const inner = new EmbeddedStore(new MemoryJournal({ maxSizeBytes: 1024 ** 3 }), { clock });
    const { port1, port2 } = new MessageChannel();
    const served = new PortCalls(port1, { methods: storeMethods(() => inner), errors: storageErrors });
    const calls = new PortCalls(port2, { errors: storageErrors });
    const store = new RemoteStore(calls, 'main');
    return {
      store,
      elapse: (seconds) => clock.advance(seconds * 1000),
      async [Symbol.asyncDispose]() {
        await store[Symbol.asyncDispose]();
        calls.close(new Error('the test is over'));
        served.close(new Error('the test is over'));
        await inner[Symbol.asyncDispose]();
      },
    };
  },
});
