/** The phases of a `skein/process` service. */
import { resolve } from 'node:path';
import {
  AgentFailure,
  type CommandOutcome,
  exitText,
  type InitAnswer,
  type InitPhase,
  type Phase,
  type ServiceContext,
  type ServiceHandler,
  type StartPhase,
  type TestAnswer,
  type TestPhase,
  type ValidationAnswer,
  type Variable,
} from '../../sdk/index.ts';
import { commandLine } from './command.ts';
import { exposedConfigurations } from './exposure.ts';
import type { Command, ProcessSpec } from './spec.ts';
import { runTests } from './test-run.ts';
import { durationMs, signalName } from './written.ts';

export class ProcessService implements ServiceHandler {
  readonly #context: ServiceContext<ProcessSpec>;
  /** Of the latest Init, for lint and compile, which bring none; before it, the agent's own. */
  #environment: readonly Variable[] = ownEnvironment();

  constructor(context: ServiceContext<ProcessSpec>) {
    this.#context = context;
  }

  get stopTimeoutMs(): number | undefined {
    const written = this.#spec['stop-timeout'];
    return written === undefined ? undefined : durationMs(written);
  }

  get hotReload(): boolean {
    return this.#spec['hot-reload'] ?? false;
  }

  async init(phase: InitPhase): Promise<InitAnswer> {
    this.#environment = phase.environment;
    const { build, watch = [], ignore = [] } = this.#spec;
    await this.#context.watch({
      paths: watch,
      ignore,
      phase: build === undefined ? 'start' : 'init',
      cwd: this.#folder,
    });
    const configurations = exposedConfigurations(this.#spec['runtime-configuration'] ?? {}, {
      endpoints: this.#context.endpoints,
      mappings: phase.proposedMappings,
    });
    if (build !== undefined) {
      const outcome = await this.#run(build, phase.environment, phase.signal);
      if (!succeeded(outcome)) throw failed('BUILD_FAILED', 'the build', outcome);
    }
    return { mappings: phase.proposedMappings, configurations };
  }

  async start({ environment }: StartPhase): Promise<void> {
    const written = this.#spec['stop-signal'];
    const stopSignal = written === undefined ? undefined : signalName(written);
    await this.#context.supervise({
      command: commandLine(this.#spec.command),
      cwd: this.#folder,
      environment,
      ...(stopSignal !== undefined && { stopSignal }),
    });
  }

  async lint({ signal }: Phase): Promise<ValidationAnswer> {
    return this.#validate('lint', 'LINT_FAILED', signal);
  }

  async compile({ signal }: Phase): Promise<ValidationAnswer> {
    return this.#validate('compile', 'COMPILE_FAILED', signal);
  }

  async test(phase: TestPhase): Promise<TestAnswer> {
    const { test } = this.#spec;
    if (test === undefined) throw notDeclared('test');
    const spec =
      typeof test === 'string' || !('command' in test)
        ? { command: test, format: 'exit-status' as const }
        : test;
    const run = (onLine?: (line: string, stream: 'stdout' | 'stderr') => void): Promise<CommandOutcome> =>
      this.#run(spec.command, phase.environment, phase.signal, onLine);
    return runTests(spec, phase.selection, { folder: this.#folder, run });
  }

  get #spec(): ProcessSpec {
    return this.#context.spec;
  }

  /** Relative to the service's own. */
  get #folder(): string {
    return resolve(this.#context.directory, this.#spec['working-directory'] ?? '.');
  }

  async #validate(phase: 'lint' | 'compile', code: string, signal: AbortSignal): Promise<ValidationAnswer> {
    const command = this.#spec[phase];
    if (command === undefined) throw notDeclared(phase);
    const outcome = await this.#run(command, this.#environment, signal);
    if (!succeeded(outcome)) throw failed(code, phase, outcome);
    return { diagnostics: [] };
  }

  #run(
    command: Command,
    environment: readonly Variable[],
    signal: AbortSignal,
    onLine?: (line: string, stream: 'stdout' | 'stderr') => void,
  ): Promise<CommandOutcome> {
    return this.#context.run({
      command: commandLine(command),
      cwd: this.#folder,
      environment,
      signal,
      ...(onLine && { onLine }),
    });
  }
}

/** The short list that the host gives to every agent (C-17). */
function ownEnvironment(): Variable[] {
  return Object.entries(process.env)
    .filter(([name]) => !name.startsWith('SKEIN_'))
    .map(([name, value = '']) => ({ name, value, secret: false }));
}

function succeeded({ exit }: CommandOutcome): boolean {
  return exit.kind === 'exited' && exit.code === 0;
}

function failed(code: string, what: string, { exit, pid, lastLines }: CommandOutcome): AgentFailure {
  return new AgentFailure(code, `${what} ${exitText(exit)}`, { exit, pid, lastLines });
}

function notDeclared(phase: string): AgentFailure {
  return new AgentFailure('NOT_SUPPORTED', `the service declares no ${phase} command`, {
    remedy: `Write the command under \`spec.${phase}\` of the service.`,
  });
}
