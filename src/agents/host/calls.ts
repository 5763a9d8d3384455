/**
 * A client whose calls have deadlines by phase, whose answers are judged, and whose errors say which agent, which
 * service and which phase. The request names the instance, so that no caller has to.
 */
import type { DescMethod, DescService, Message } from '@bufbuild/protobuf';
import type { CallableClient, CallOptions } from '../wire/index.ts';
import { judgeAnswer } from './answer.ts';
import { callFault, exitFault } from './call-fault.ts';
import { type Callee, siteOf } from './caller.ts';
import type { AgentTimeouts } from './timeouts.ts';

/**
 * The same methods, judged. Calls reject with SK1320 to SK1328, or with the reason of their signal; a stream's messages
 * are handed on unjudged, for one bad event must not end the news of all other instances.
 */
export function judgedClient<Service extends DescService>(
  service: Service,
  client: CallableClient<Service>,
  callee: Callee,
): CallableClient<Service> {
  const raw = client as Readonly<Record<string, RawUnary & RawStream>>;
  const methods = service.methods.map((method) => {
    const call = raw[method.localName] as RawUnary & RawStream;
    return [
      method.localName,
      method.methodKind === 'unary' ? judgedUnary(method, call, callee) : judgedStream(method, call, callee),
    ];
  });
  return Object.fromEntries(methods) as CallableClient<Service>;
}

type RawUnary = (request: object, options: CallOptions) => Promise<Message>;
type RawStream = (request: object, options: CallOptions) => AsyncIterable<Message>;

function judgedUnary(method: DescMethod, call: RawUnary, callee: Callee): RawUnary {
  return async (request, options = {}) => {
    const site = siteOf(callee, method, request);
    if (callee.exit !== undefined) throw exitFault(site, callee.exit);
    const timeoutMs = options.timeoutMs ?? deadlineMs(method, request, callee.timeouts);
    const limited = timeoutMs === undefined ? options : { ...options, timeoutMs };
    let answer: Message;
    try {
      answer = await call(request, limited);
    } catch (error) {
      if (options.signal?.aborted) throw error;
      throw await callFault(site, error, timeoutMs);
    }
    judgeAnswer(site, method.output, answer);
    return answer;
  };
}

function judgedStream(method: DescMethod, call: RawStream, callee: Callee): RawStream {
  return async function* (request, options = {}) {
    const site = siteOf(callee, method, request);
    if (callee.exit !== undefined) throw exitFault(site, callee.exit);
    try {
      yield* call(request, options);
    } catch (error) {
      if (options.signal?.aborted) throw error;
      throw await callFault(site, error, options.timeoutMs);
    }
  };
}

/** Milliseconds that a phase may take; `undefined`: no deadline. */
function deadlineMs(method: DescMethod, request: object, timeouts: AgentTimeouts): number | undefined {
  const ms = phaseMs(method, request, timeouts);
  return Number.isFinite(ms) ? ms : undefined;
}

function phaseMs(method: DescMethod, request: object, timeouts: AgentTimeouts): number {
  switch (method.localName) {
    case 'getAgentInformation':
    case 'information':
    case 'answer':
      return timeouts.informationMs;
    case 'load':
      return timeouts.loadMs;
    case 'init':
      return timeouts.initMs;
    case 'start':
      return timeouts.startMs;
    case 'stop':
    case 'destroy':
      return ((request as { timeoutMs?: number }).timeoutMs ?? timeouts.stopMs) + timeouts.stopGraceMs;
    case 'shutdown':
      return timeouts.shutdownMs + timeouts.stopGraceMs;
    default:
      return timeouts.workMs;
  }
}
