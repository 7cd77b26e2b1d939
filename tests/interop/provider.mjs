// An authorization server on oidc-provider, which keeps everything in memory. The arguments are its port, which may be
// 0, and the scopes of the servers for which it issues tokens. Its pages let in everybody who clicks through them.

import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const [port, scope] = process.argv.slice(2);
const http = createServer();
http.listen(Number(port), '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${http.address().port}`;
  const provider = new Provider(issuer, {
    features: {
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (ctx, resource) => ({ scope, audience: resource, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } }),
      },
    },
  });
  http.on('request', provider.callback());
  console.error(`url=${issuer}`);
});
