/** How what a service runs is ended outside of a teardown: by its agent, or, where that cannot, from the host (T-4). */
import { type Member, noProcess } from './hub.ts';
import { FORCE_BUDGET_MS } from './teardown/index.ts';

/** Of one that is to be started again: its sources are followed as before. @returns why it may still run; `undefined` where it is gone */
export async function endService(member: Member): Promise<string | undefined> {
  try {
    const budgetMs = member.runner.stopTimeoutMs + FORCE_BUDGET_MS;
    await member.runner.stop({ signal: AbortSignal.timeout(budgetMs), budgetMs }, true);
    member.process = noProcess;
    member.news.ended();
    return undefined;
  } catch (error) {
    const mayRun = await forceService(member);
    return mayRun === undefined ? undefined : `${messageOf(error)}; ${mayRun}`;
  }
}

/** @returns why it may still run; `undefined` where it is proven dead */
export async function forceService(member: Member): Promise<string | undefined> {
  member.process = noProcess;
  try {
    const answer = await member.runner.force(AbortSignal.timeout(FORCE_BUDGET_MS));
    return answer.kind === 'may-run' ? answer.why : undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
