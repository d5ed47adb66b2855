import * as z from 'zod';
import { memberNameOf } from '../contract/team.ts';
import type { Tool } from '../contract/tool.ts';
import { defineTool } from './define.ts';
import type { TeamTools } from './deliver.ts';
import { answer, failure, whyNot } from './task-answer.ts';

/** TeamCreateTool (spec 4.5, ruling 38): the caller leads it; it and everybody it started see a fresh task list. */
export const teamCreateTool = ({ teams, life }: Pick<TeamTools, 'teams' | 'life'>): Tool =>
  defineTool({
    name: 'TeamCreateTool',
    description:
      'Creates a team that you lead, with a fresh task list for all of it. Then create tasks, and start teammates with AgentTool: a "name" and "team_name" each. They claim tasks by themselves, tell you when they are idle, and get messages through SendMessageTool. You lead one team at a time; delete it with TeamDeleteTool when the work is done.',
    input: z.object({
      team_name: z.string().describe('Letters, digits, ".", "_" and "-"'),
      description: z.string().optional().describe('What the team is for'),
      agent_type: z
        .string()
        .optional()
        .describe('Your own role in it, for example researcher or orchestrator'),
    }),
    renamed: { name: 'team_name', teamName: 'team_name', agentType: 'agent_type' },
    call: ({ team_name, description, agent_type }) => ({
      input: { team_name, ...(description ? { description } : {}), ...(agent_type ? { agent_type } : {}) },
      subject: team_name,
      readOnly: false,
      parallel: false,
      async run({ session }) {
        if (
          session.parent !== undefined ||
          (session.team !== undefined && memberNameOf(session) !== 'team-lead')
        )
          return failure('Only the main conversation can lead a team; ask your lead.');
        const team = await teams.create({
          name: team_name,
          description,
          lead: {
            session: session.id,
            project: session.project,
            cwd: session.cwd,
            model: session.model,
            agentType: agent_type,
            taskList: session.taskList,
          },
        });
        if ('refused' in team || 'failed' in team) return failure(whyNot(team) ?? '');
        const to = { team: team.key, taskList: team.taskList };
        await life.follow(session.id, to);
        const response = {
          team_name: team.name,
          lead_agent_id: team.leadAgentId,
          task_list_id: team.taskList,
          ...(description ? { description } : {}),
          ...(agent_type ? { agent_type } : {}),
        };
        const done = answer(response, `Team ${team.name}`, description ?? team.name);
        return { ...done, effects: [{ type: 'team', ...to }] };
      },
    }),
  });
