#!/usr/bin/env node
// Whether the server in this container lives: for HEALTHCHECK of the Dockerfile. ORCH_HEALTHCHECK_URL names another
// port. It shows no credentials, so 401 and 403 are answers of a living server too; only its certificate's name is not
// checked, as it never leaves the machine.
import https from 'node:https';

const url = process.env.ORCH_HEALTHCHECK_URL ?? 'https://127.0.0.1:6443/livez';

const finish = (healthy, reason) => {
  console.log(reason);
  process.exit(healthy ? 0 : 1);
};

https
  .get(url, { rejectUnauthorized: false, timeout: 2500 }, ({ statusCode }) =>
    finish(statusCode < 500, `${url} answered ${statusCode}`),
  )
  .on('timeout', () => finish(false, `${url} did not answer in time`))
  .on('error', (error) => finish(false, `${url}: ${error.message}`));
