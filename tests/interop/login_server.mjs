// A protected MCP server on the official TypeScript SDK over Streamable HTTP. The argument is the issuer
// of its authorization server, whose JWTs it reads without a check of the signature.

import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const issuer = process.argv[2];
const app = createMcpExpressApp();
let url;

const verifier = {
  async verifyAccessToken(token) {
    const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url'));
    if (claims.iss !== issuer || ![claims.aud].flat().includes(url)) {
      throw new InvalidTokenError('not for this server');
    }
    return { token, clientId: claims.client_id, scopes: claims.scope.split(' '), expiresAt: claims.exp, extra: { user: claims.sub } };
  },
};

const metadata = '/.well-known/oauth-protected-resource/mcp';
app.get(metadata, (req, res) => res.json({ resource: url, authorization_servers: [issuer], scopes_supported: ['tools'] }));

const protect = (req, res, next) =>
  requireBearerAuth({ verifier, requiredScopes: ['tools'], resourceMetadataUrl: new URL(metadata, url).href })(req, res, next);

app.post('/mcp', protect, async (req, res) => {
  const server = new McpServer({ name: 'protected', version: '1.0.0' });
  server.registerTool('who', { description: 'Tells the user.' }, ({ authInfo }) => ({ content: [{ type: 'text', text: authInfo.extra.user }] }));
  const transport = new StreamableHTTPServerTransport({});
  res.on('close', () => server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.all('/mcp', protect, (req, res) => res.status(405).end());

const http = app.listen(0, '127.0.0.1', () => {
  url = `http://127.0.0.1:${http.address().port}/mcp`;
  console.error(`url=${url}`);
});
process.on('SIGINT', () => process.exit(0));
