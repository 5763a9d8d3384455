/** `http-status`: a declared path answers as declared. */
import { type ClientRequest, type IncomingMessage, request as requestPlain, STATUS_CODES } from 'node:http';
import { request as requestSecured } from 'node:https';
import { isLoopback } from '../../network/index.ts';
import { attempt, connectionError, failed, type ProbeOptions, type ProbeResult } from './attempt.ts';
import type { HttpTarget } from './target.ts';

/** How much of a body is searched for `body-contains`. */
const BODY_LIMIT_BYTES = 1024 * 1024;

/**
 * Asks for the declared path on a connection of its own, and judges the status and, where declared, the body. Redirects
 * are not followed: a 3xx is judged as the status that it is. On a loopback address a certificate is not verified, since
 * development certificates are self-signed and nobody can stand in between; on any other it is.
 */
export function httpStatus(
  target: Omit<HttpTarget, 'predicate'>,
  options: ProbeOptions,
): Promise<ProbeResult> {
  const { host, port, secured, health } = target;
  return attempt(options, (settle) => {
    const common = {
      host,
      port,
      path: health.path,
      method: health.method,
      headers: Object.fromEntries(health.headers),
      agent: false as const,
    };
    const request: ClientRequest = secured
      ? requestSecured({ ...common, rejectUnauthorized: !isLoopback(host) })
      : requestPlain(common);
    request.once('response', (response) => judge(target, response, settle));
    // Stays: destroying a request that waits for its answer reports an error of its own.
    request.on('error', (error) => settle(failed(connectionError(error))));
    request.end();
    return () => request.destroy();
  });
}

function judge(
  { health }: Omit<HttpTarget, 'predicate'>,
  response: IncomingMessage,
  settle: (result: ProbeResult) => void,
): void {
  const status = response.statusCode ?? 0;
  response.on('error', (error) => settle(failed(connectionError(error))));
  if (!health.statuses.some(([from, to]) => status >= from && status <= to)) {
    settle(failed(`${status} ${response.statusMessage || STATUS_CODES[status] || ''}`.trimEnd()));
    return;
  }
  if (health.bodyContains === undefined) settle({ ok: true });
  else search(response, Buffer.from(health.bodyContains), settle);
}

/** Looks for `wanted` in the first bytes of the body, also across the edges of its chunks. */
function search(response: IncomingMessage, wanted: Buffer, settle: (result: ProbeResult) => void): void {
  const missing = (where: string): void =>
    settle(failed(`${where} does not contain ${JSON.stringify(wanted.toString())}`));
  let readBytes = 0;
  let tail: Buffer = Buffer.alloc(0);
  response.on('data', (chunk: Buffer) => {
    const window = Buffer.concat([tail, chunk.subarray(0, BODY_LIMIT_BYTES - readBytes)]);
    if (window.includes(wanted)) settle({ ok: true });
    readBytes += chunk.length;
    if (readBytes >= BODY_LIMIT_BYTES) missing('the first 1 MiB of the body');
    tail = window.subarray(Math.max(0, window.length - wanted.length + 1));
  });
  response.once('end', () => missing('the body'));
}
