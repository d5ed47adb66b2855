import type { SandboxReport } from '../commands/sandbox.ts';
import type { Sandbox } from '../contract/sandbox.ts';
import type { LoadedSettings } from '../contract/settings.ts';
import type { SessionState } from '../contract/state.ts';

/** What `/sandbox` shows of a conversation, as those above it bind it now. */
export const sandboxFacts = async (
  { settings }: LoadedSettings,
  sandbox: Sandbox,
  state: SessionState,
): Promise<SandboxReport> => {
  return {
    state: await sandbox.ready(),
    required: settings.sandbox?.required === true,
    spares: settings.sandbox?.autoAllowBashIfSandboxed !== false,
    excluded: settings.sandbox?.excludedCommands ?? [],
    law: sandbox.law({
      checkout: state.checkout,
      project: state.project,
      directories: [...state.directories, ...(settings.permissions?.additionalDirectories ?? [])],
      planning: state.mode === 'plan',
    }),
  };
};
