/** Which hook configurations count: policy and trust (ruling 1, conventions 1). */
import type { HookSource } from '../contract/hook.ts';

export interface HookPolicy {
  /** `disableAllHooks`: everything is off but managed hooks. */
  readonly disabled: boolean;
  /** `allowManagedHooksOnly` of managed settings. */
  readonly managedOnly: boolean;
  /** Whether the folder is trusted: without it the project's own hooks do not run. */
  readonly trusted: boolean;
}

const fromProject: readonly HookSource['source'][] = ['project', 'local'];

export const inForce = (sources: readonly HookSource[], policy: HookPolicy): readonly HookSource[] =>
  sources.map((source) => {
    if (source.source === 'managed') return source;
    const off =
      policy.disabled || policy.managedOnly || (!policy.trusted && fromProject.includes(source.source));
    return off && source.active ? { ...source, active: false } : source;
  });
