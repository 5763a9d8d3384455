/** `RuntimeService` over the instances: reads requests, writes answers, and turns what is thrown into failures. */
import { create, type DescMessage, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import type { Failure, Status } from '../../gen/skein/base/v1/status_pb.js';
import * as runtime from '../../gen/skein/runtime/v1/runtime_pb.js';
import { agentLog } from './agent-log.ts';
import type { Agents } from './agents.ts';
import type { ValidationAnswer } from './definition.ts';
import { AgentFailure, failedStatus, failureOf, isForeseen, okStatus } from './failure.ts';
import { type LoadFacts, notLoaded, type ServiceInstance } from './instance.ts';
import type { Instances } from './instances.ts';
import type { Diagnostic, TestSuite } from './model.ts';
import { processGroups } from './process-groups.ts';
import { CallFault, type ServiceMethods } from './server.ts';
import type { StopResult } from './supervision.ts';
import {
  readConfiguration,
  readDependencyConfigurations,
  readDependencyMappings,
  readEndpoint,
  readIdentity,
  readKind,
  readMapping,
  readRuntimeContext,
  readSelection,
  readVariable,
  writeConfiguration,
  writeDiagnostic,
  writeEndpoint,
  writeMapping,
  writeRuntimeContext,
  writeSuite,
} from './translation.ts';

export function runtimeService(
  agents: Agents,
  instances: Instances,
): ServiceMethods<typeof runtime.RuntimeService> {
  const describe = (name: string, error: unknown): Failure =>
    instances.find(name)?.describe(error) ?? failureOf(error);
  const loaded = (name: string, phase: string): ServiceInstance => {
    const instance = instances.find(name);
    if (instance === undefined) throw notLoaded(phase);
    return instance;
  };
  const call = (name: string, signal: AbortSignal): Call => ({
    signal,
    describe: (error) => describe(name, error),
  });
  return {
    load: (request, signal) =>
      answer(runtime.LoadResponseSchema, call(request.instance, signal), async () => {
        if (request.instance === '') throw new AgentFailure('INSTANCE_MISSING', 'Load names no instance');
        const facts = loadFacts(request);
        const agent = await agents.find(request.agent);
        if (agent === undefined)
          throw new AgentFailure(
            'AGENT_UNKNOWN',
            `there is no agent ${request.agent} here; there are ${agents.names.join(', ')}`,
          );
        try {
          const endpoints = await instances.open(request.instance, agent).load(facts, signal);
          return { status: okStatus(), endpoints: endpoints.map(writeEndpoint) };
        } finally {
          instances.forget(request.instance);
        }
      }),

    init: (request, signal) =>
      answer(runtime.InitResponseSchema, call(request.instance, signal), async () => {
        const phase = {
          round: request.round,
          proposedMappings: request.proposedNetworkMappings.map(readMapping),
          dependencyMappings: request.dependencyNetworkMappings.map(readDependencyMappings),
          dependencyConfigurations: request.dependencyConfigurations.map(readDependencyConfigurations),
          workspaceConfigurations: request.workspaceConfigurations.map(readConfiguration),
          environment: request.environment.map(readVariable),
        };
        const answered = await loaded(request.instance, 'init').init(phase, signal);
        return {
          status: okStatus(),
          networkMappings: (answered.mappings ?? []).map(writeMapping),
          configurations: (answered.configurations ?? []).map(writeConfiguration),
          runtimeContext: writeRuntimeContext(answered.runtimeContext),
        };
      }),

    start: (request, signal) =>
      answer(runtime.StartResponseSchema, call(request.instance, signal), async () => {
        const phase = {
          round: request.round,
          environment: request.environment.map(readVariable),
          mappings: request.networkMappings.map(readMapping),
          dependencyMappings: request.dependencyNetworkMappings.map(readDependencyMappings),
          dependencyConfigurations: request.dependencyConfigurations.map(readDependencyConfigurations),
        };
        const { generation, processes } = await loaded(request.instance, 'start').start(phase, signal);
        const groups = await processGroups(processes);
        return { status: okStatus(), generation: BigInt(generation), processGroups: groups };
      }),

    test: (request, signal) =>
      answer(runtime.TestResponseSchema, call(request.instance, signal), async () => {
        const began = performance.now();
        const phase = {
          selection: readSelection(request.selection),
          coverage: request.coverage,
          environment: request.environment.map(readVariable),
        };
        const { suites, selection, lineCoverage } = await loaded(request.instance, 'test').test(
          phase,
          signal,
        );
        return {
          status: testStatus(suites),
          run: {
            selection: { ...selection },
            suites: suites.map(writeSuite),
            durationMs: BigInt(Math.round(performance.now() - began)),
            ...(lineCoverage !== undefined && { lineCoverage }),
          },
        };
      }),

    lint: (request, signal) =>
      answer(runtime.LintResponseSchema, call(request.instance, signal), async () =>
        validation('lint', await loaded(request.instance, 'lint').lint(request.fix, signal)),
      ),

    compile: (request, signal) =>
      answer(runtime.CompileResponseSchema, call(request.instance, signal), async () =>
        validation('compile', await loaded(request.instance, 'compile').compile(signal)),
      ),

    // A stop that has begun is not undone by its caller's going away.
    stop: (request, signal) =>
      answer(runtime.StopResponseSchema, call(request.instance, signal), async () => {
        const result =
          (await instances.find(request.instance)?.stop(request.timeoutMs, request.again)) ?? 'stopped';
        return { status: stopStatus(result), outcome: stopOutcomes[result] };
      }),

    destroy: (request, signal) =>
      answer(runtime.DestroyResponseSchema, call(request.instance, signal), async () => {
        await instances.find(request.instance)?.destroy(request.deleteData, signal);
        instances.forget(request.instance);
        return { status: okStatus() };
      }),

    information: async (request) => {
      const instance = instances.find(request.instance);
      // The answer has no status of its own.
      if (instance === undefined)
        throw new CallFault('not-found', `there is no instance ${request.instance}`);
      return instances.information(instance);
    },

    watch: (request, signal) => {
      const names = new Set(request.instances);
      return instances.events.watch(names, instances.present(names), signal);
    },

    logs: (request, signal) => instances.logs.read(new Set(request.instances), signal),

    ask: () => {
      throw new CallFault('unimplemented', 'this agent asks nothing (no ask/v1)');
    },

    answer: (request, signal) =>
      answer(runtime.AnswerResponseSchema, call(request.instance, signal), async () => {
        throw new AgentFailure('NO_QUESTION', 'this agent has asked nothing');
      }),
  };
}

/** An answer with a status, which a failure leaves as the only field. */
type Answered = DescMessage & GenMessage<MessageShape<DescMessage> & { status?: Status | undefined }>;

interface Call {
  readonly signal: AbortSignal;
  /** The failure that something thrown is answered by. */
  readonly describe: (error: unknown) => Failure;
}

async function answer<Schema extends Answered>(
  schema: Schema,
  { signal, describe }: Call,
  work: () => Promise<MessageInitShape<Schema>>,
): Promise<MessageShape<Schema>> {
  try {
    return create(schema, await work());
  } catch (error) {
    if (!isForeseen(error) && !signal.aborted)
      agentLog('error', `${schema.typeName}: unforeseen failure`, error);
    return create(schema, { status: failedStatus(describe(error)) } as MessageInitShape<Schema>);
  }
}

function loadFacts(request: runtime.LoadRequest): LoadFacts {
  return {
    identity: readIdentity(request.identity),
    spec: request.spec ?? {},
    kind: readKind(request.kind),
    runtimeContext: readRuntimeContext(request.runtimeContext),
    endpoints: request.endpoints.map(readEndpoint),
    directory: request.directory,
    dataDirectory: request.dataDirectory,
    runDirectory: request.runDirectory,
    workspaceDirectory: request.workspaceDirectory,
    disposable: request.disposable,
    logFile: request.logFile,
    logFileLimitBytes: Number(request.logFileLimitBytes),
  };
}

const stopOutcomes: Readonly<Record<StopResult, runtime.StopResponse_Outcome>> = {
  stopped: runtime.StopResponse_Outcome.STOPPED,
  forced: runtime.StopResponse_Outcome.FORCED,
  'timed-out': runtime.StopResponse_Outcome.TIMED_OUT,
};

function stopStatus(result: StopResult): Status {
  if (result !== 'timed-out') return okStatus();
  const message = 'some of its processes may still run, for they did not end by SIGKILL';
  return failedStatus(failureOf(new AgentFailure('STILL_RUNNING', message, { retryable: true })));
}

function testStatus(suites: readonly TestSuite[]): Status {
  const cases = suites.flatMap((suite) => suite.cases);
  const failed = cases.filter((one) => one.outcome === 'failed');
  if (failed.length === 0) return okStatus();
  const lastLines = failed.flatMap(({ name, message = '' }) => `${name}: ${message}`.split('\n'));
  const message = `${failed.length} of ${cases.length} tests failed`;
  return failedStatus(failureOf(new AgentFailure('TESTS_FAILED', message, { lastLines })));
}

function validation(
  phase: 'lint' | 'compile',
  { diagnostics }: ValidationAnswer,
): { status: Status; diagnostics: ReturnType<typeof writeDiagnostic>[] } {
  const errors = diagnostics.filter((found) => found.severity === 'error');
  const code = phase === 'lint' ? 'LINT_FAILED' : 'COMPILE_FAILED';
  const failure = new AgentFailure(code, `${phase} found ${errors.length} errors`, {
    lastLines: errors.map(diagnosticText),
  });
  const status = errors.length === 0 ? okStatus() : failedStatus(failureOf(failure));
  return { status, diagnostics: diagnostics.map(writeDiagnostic) };
}

function diagnosticText({ file = '', line = 0, column = 0, message }: Diagnostic): string {
  return file === '' ? message : `${file}:${line}:${column} ${message}`;
}
