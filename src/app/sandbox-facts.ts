import type { SandboxReport } from '../commands/sandbox.ts';
import type { SessionState } from '../contract/state.ts';
import type { House } from './house.ts';

/** What `/sandbox` shows of this conversation. */
export const sandboxFacts = async (house: House, session: SessionState): Promise<SandboxReport> => {
  const { sandbox } = house.commands;
  const settings = house.world.loaded().settings;
  const state = house.gate.bound(session);
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
