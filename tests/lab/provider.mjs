// A real provider of OpenID Connect, for the tests: `node provider.mjs ISSUER_PORT REDIRECT_URI`.
// Lines on standard input steer it: {"person": {...}} is who comes next, with all claims; {"token": {...}} changes
// claims of the next tokens; {"keys": "changed"} signs with another key, announced or (with "secret") not.
// Each line is answered with one.
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { Provider } from "oidc-provider";
import * as jose from "jose";

const [port, redirectUri] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const state = { person: {}, token: {}, signing: null };

async function newKey() {
  const { privateKey } = await jose.generateKeyPair("RS256", { extractable: true });
  const key = await jose.exportJWK(privateKey);
  return { ...key, kid: randomUUID(), use: "sig", alg: "RS256" };
}

const first = await newKey();
let announced = [first];
let signing = first;
const provider = new Provider(issuer, {
  clients: [{
    client_id: "evenhand",
    client_secret: "a secret of the tests",
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: "client_secret_post",
  }],
  jwks: { keys: [first] },
  cookies: { keys: ["of the tests"] },
  claims: {
    openid: ["sub"],
    profile: ["name", "given_name", "family_name", "preferred_username", "locale", "groups"],
    email: ["email", "email_verified"],
  },
  features: { devInteractions: { enabled: false } },
  pkce: { required: () => true },
  interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (_ctx, id) => ({ accountId: id, claims: async () => ({ ...state.person, sub: id }) }),
  loadExistingGrant: async (ctx) => {
    const grant = new ctx.oidc.provider.Grant({
      clientId: ctx.oidc.client.clientId,
      accountId: ctx.oidc.session.accountId,
    });
    grant.addOIDCScope("openid profile email");
    await grant.save();
    return grant;
  },
});

// Whoever is asked to sign in does so at once, as the person of the moment; or stops.
provider.use(async (ctx, next) => {
  if (ctx.path.startsWith("/interaction/")) {
    const result = state.person.stops
      ? { error: "access_denied" }
      : { login: { accountId: state.person.sub } };
    await provider.interactionFinished(ctx.req, ctx.res, result, { mergeWithLastSubmission: false });
    ctx.respond = false;
    return;
  }
  if (ctx.path === "/jwks") {
    ctx.body = { keys: announced.map(({ kty, n, e, kid, use, alg }) => ({ kty, n, e, kid, use, alg })) };
    return;
  }
  await next();
  if (ctx.path === "/token" && ctx.body?.id_token && (signing !== first || Object.keys(state.token).length)) {
    const claims = { ...jose.decodeJwt(ctx.body.id_token), ...state.token };
    const key = await jose.importJWK(signing, "RS256");
    const header = { alg: "RS256", kid: signing.kid };
    const id_token = await new jose.SignJWT(claims).setProtectedHeader(header).sign(key);
    ctx.body = { ...ctx.body, id_token };
  }
});

provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  Object.assign(state, order);
  if (order.keys) {
    signing = await newKey();
    announced = order.keys === "secret" ? [first] : [first, signing];
  }
  console.log("done");
}
