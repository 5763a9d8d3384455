/**
 * What the hostile agents have in common: a whole, well-behaved agent without any SDK, of which each of them breaks one
 * rule. `--pids=FILE` (an argument) makes it append the pids that must not survive.
 */
import { appendFileSync, chmodSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { Health } from '../../../src/gen/grpc/health/v1/health_pb.js';
import { AgentService } from '../../../src/gen/skein/agent/v1/agent_pb.js';
import { RuntimeService } from '../../../src/gen/skein/runtime/v1/runtime_pb.js';

export const done = { state: 1 };

/** The word after the program's name, such as the phase to break. */
export const variant = process.argv[2] ?? '';

export function recordPid(pid) {
  const file = process.argv.find((argument) => argument.startsWith('--pids='))?.slice('--pids='.length);
  if (file !== undefined) appendFileSync(file, `${pid}\n`);
}

recordPid(process.pid);

if (process.env.SKEIN_AGENT !== '1') {
  console.error('an agent of the tests; it is launched by a host');
  process.exit(2);
}

const lines = createInterface({ input: process.stdin });

/** The host's first line. */
export const bootstrap = new Promise((resolve) => lines.once('line', (line) => resolve(JSON.parse(line))));

/** Ends with the life-line unless told otherwise. */
export function endWithHost() {
  lines.once('close', () => process.exit(0));
}

function definitionOf(service) {
  return Object.fromEntries(
    service.methods.map((method) => [
      method.localName,
      {
        path: `/${service.typeName}/${method.name}`,
        requestStream: false,
        responseStream: method.methodKind === 'server_streaming',
        requestSerialize: (message) => Buffer.from(toBinary(method.input, message)),
        requestDeserialize: (bytes) => fromBinary(method.input, bytes),
        responseSerialize: (message) => Buffer.from(toBinary(method.output, message)),
        responseDeserialize: (bytes) => fromBinary(method.output, bytes),
      },
    ]),
  );
}

/**
 * Serves. `methods` by local name: `(request, call) => answer`, where a promise that never settles hangs;
 * `streams`: `(call) => void`, where `call.send(init)` sends a message.
 */
export async function serve({
  contract = { protocol: 1, capabilities: ['runtime/v1', 'watch/v1', 'logs/v1', 'multi-service/v1'] },
  name = 'test/agent',
  version = '1.0.0',
  methods = {},
  streams = {},
  serving = 1,
  checksToken = (sent, token) => sent === token,
  handshake = (path) => `skein|1|unix:${path}`,
  mode = 0o600,
} = {}) {
  const { token, socket } = await bootstrap;
  endWithHost();
  const answers = {
    getAgentInformation: () => ({ contract, name, version }),
    shutdown: () => {
      setTimeout(() => process.exit(0), 20);
      return {};
    },
    load: () => ({ status: done }),
    init: () => ({ status: done }),
    start: () => ({ status: done, generation: 1n }),
    stop: () => ({ status: done, outcome: 1 }),
    destroy: () => ({ status: done }),
    information: () => ({ state: 1 }),
    ...methods,
  };
  const server = new Server({ 'grpc.max_send_message_length': -1 });
  for (const service of [AgentService, RuntimeService]) {
    const handlers = service.methods.map((method) => {
      const refused = (call) => !checksToken(call.metadata.get('skein-token')[0], token);
      if (method.methodKind === 'server_streaming')
        return [
          method.localName,
          (call) => {
            if (refused(call))
              return call.destroy(Object.assign(new Error('token'), { code: status.UNAUTHENTICATED }));
            const flow = (init) => call.write(create(method.output, init));
            const stream = streams[method.localName];
            if (stream) stream(Object.assign(call, { send: flow }));
          },
        ];
      return [
        method.localName,
        async (call, callback) => {
          if (refused(call)) return callback({ code: status.UNAUTHENTICATED, details: 'wrong token' });
          const answer = answers[method.localName];
          if (answer === undefined) return callback({ code: status.UNIMPLEMENTED, details: method.name });
          callback(null, create(method.output, await answer(call.request, call)));
        },
      ];
    });
    server.addService(definitionOf(service), Object.fromEntries(handlers));
  }
  server.addService(definitionOf(Health), {
    check: (_call, callback) => callback(null, create(Health.method.check.output, { status: serving })),
    watch: () => undefined,
  });
  await new Promise((resolve, reject) =>
    server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    ),
  );
  chmodSync(socket, mode);
  console.log(handshake(socket));
}

export const never = () => new Promise(() => undefined);
