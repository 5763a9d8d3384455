/** What an agent is told of a service by its Load, in a run and without one. */
import type { InstanceRequest } from '../agents/host/index.ts';
import { RuntimeContext } from '../gen/skein/base/v1/service_pb.js';
import type { LoadRequestSchema } from '../gen/skein/runtime/v1/runtime_pb.js';
import type { Service } from '../workspace/index.ts';
import { endpointMessage, kindMessage } from './messages.ts';
import { logFileLimitBytes } from './run.ts';

/** Where a service is loaded. */
export interface LoadPlace {
  readonly run: string;
  readonly workspaceName: string;
  readonly workspaceRoot: string;
  /** Absolute. */
  readonly runDirectory: string;
  /** Absolute folder of the service's kept data. */
  readonly dataDirectory: string;
  /** Absolute file of the service's output; `''`: none is kept. */
  readonly logFile: string;
}

export function loadRequest(service: Service, place: LoadPlace): InstanceRequest<typeof LoadRequestSchema> {
  return {
    identity: {
      workspace: place.workspaceName,
      module: service.module,
      name: service.name,
      environment: 'local',
      namingScope: '',
      fixture: '',
      run: place.run,
    },
    directory: service.directory,
    spec: service.spec as never,
    endpoints: service.endpoints.map(endpointMessage),
    runtimeContext: RuntimeContext.NATIVE,
    kind: kindMessage(service.kind),
    dataDirectory: place.dataDirectory,
    runDirectory: place.runDirectory,
    logFile: place.logFile,
    logFileLimitBytes: BigInt(logFileLimitBytes),
    disposable: false,
    workspaceDirectory: place.workspaceRoot,
  };
}
