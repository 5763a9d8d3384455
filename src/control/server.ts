/**
 * Serves a run's API on a Unix socket: gRPC, gRPC-Web and Connect, over HTTP/1.1 and HTTP/2 without TLS, all on one
 * path. Which HTTP a client speaks is seen from its first bytes.
 */
import { chmodSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { ConnectError, createConnectRouter } from '@connectrpc/connect';
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from '@connectrpc/connect-node';
import { SkeinError } from '../errors/index.ts';
import { ControlService } from '../gen/skein/control/v1/control_pb.js';
import type { ControlImplementation } from './service.ts';

export interface ControlServer {
  /** Lets the calls under way finish, for a second at most, then cuts every connection and removes the socket. */
  close(): Promise<void>;
}

/** Largest message in either direction, bytes. */
const messageLimit = 16 * 1024 * 1024;
/** How long calls may take to finish at `close`, milliseconds. */
const closeBudgetMs = 1000;
/** How long a client may take to say which HTTP it speaks, milliseconds. */
const firstBytesTimeoutMs = 10_000;

/**
 * Listens on `path`, which must be free (0600).
 * @throws {SkeinError} SK1511
 */
export async function serveControl(
  implementation: ControlImplementation,
  path: string,
): Promise<ControlServer> {
  const calls = new Calls();
  const handle = requestHandler(implementation, calls);
  const http1 = createHttpServer(handle);
  const http2 = createHttp2Server(handle);
  http2.on('sessionError', () => {
    // The session closes itself, and its calls are told by their own signals.
  });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A client that goes away in the middle is no fault of the run's.
    socket.on('error', () => socket.destroy());
    void speaksHttp2(socket).then((isHttp2) => {
      if (isHttp2 !== undefined) (isHttp2 ? http2 : http1).emit('connection', socket);
      if (isHttp2 === false) socket.resume();
    });
  });
  await listen(server, path);
  return {
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await calls.settled(closeBudgetMs);
      for (const socket of sockets) socket.destroy();
      await closed;
      rmSync(path, { force: true });
    },
  };
}

type Handler = (request: NodeRequest, response: NodeResponse) => void;
type NodeRequest = Parameters<typeof universalRequestFromNodeRequest>[0];
type NodeResponse = Parameters<typeof universalResponseToNodeResponse>[1];

function requestHandler(implementation: ControlImplementation, calls: Calls): Handler {
  const router = createConnectRouter({
    readMaxBytes: messageLimit,
    writeMaxBytes: messageLimit,
    acceptCompression: [],
  });
  router.service(ControlService, implementation);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  return (request, response) => {
    calls.begin(response);
    const handler = handlers.get(request.url?.split('?', 1)[0] ?? '');
    if (handler === undefined) {
      response.statusCode = 404;
      response.end();
      return;
    }
    void handler(universalRequestFromNodeRequest(request, response, undefined, undefined))
      .then((answer) => universalResponseToNodeResponse(answer, response))
      .catch((error: unknown) => {
        // The call's own errors are answers; what arrives here is a client that went away while it was written to.
        response.destroy(ConnectError.from(error));
      });
  };
}

/** The calls under way. */
class Calls {
  #count = 0;
  #whenNone: (() => void) | undefined;

  begin(response: NodeResponse): void {
    this.#count += 1;
    response.once('close', () => {
      this.#count -= 1;
      if (this.#count === 0) this.#whenNone?.();
    });
    response.on('error', () => {
      // Said by `close`, which follows.
    });
  }

  /** Resolves when none is under way, at the latest after `budgetMs`. */
  settled(budgetMs: number): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, budgetMs);
      this.#whenNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** The beginning of HTTP/2's preface that no method of HTTP/1.1 shares. */
const preface = 'PRI ';

/** Reads so much that it can tell, and puts it back; `undefined` when the client went away or said nothing. */
function speaksHttp2(socket: Socket): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    let seen = Buffer.alloc(0);
    const finish = (answer: boolean | undefined): void => {
      socket.off('data', read);
      socket.off('close', gone);
      clearTimeout(timer);
      if (answer === undefined) socket.destroy();
      else {
        socket.pause();
        socket.unshift(seen);
      }
      resolve(answer);
    };
    const read = (bytes: Buffer): void => {
      seen = Buffer.concat([seen, bytes]);
      const begin = seen.toString('latin1', 0, preface.length);
      if (begin === preface) finish(true);
      else if (!preface.startsWith(begin)) finish(false);
    };
    const gone = (): void => finish(undefined);
    const timer = setTimeout(gone, firstBytesTimeoutMs);
    socket.on('data', read);
    socket.once('close', gone);
  });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new SkeinError('SK1511', `${path} cannot be listened on`, { cause })),
    );
    // Until the mode is set, the folder (0700) keeps others out.
    server.listen(path, () => {
      try {
        chmodSync(path, 0o600);
        resolve();
      } catch (cause) {
        server.close();
        reject(new SkeinError('SK1511', `${path} cannot be kept from others`, { cause }));
      }
    });
  });
}
