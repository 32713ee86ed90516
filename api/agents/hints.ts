// Hints of operations name HTTP addresses. An agent can only call the tool and view that call this operation.
import type { AgentTool } from '#schemas/agent-tools.ts'
import { operations } from '#schemas/operations.ts'

/** The hint with `GET /api/v1/…` replaced by the tool and view that call it, if one of these tools does. */
export function hintForAgents(hint: string, tools: readonly AgentTool[]): string {
  return hint.replaceAll(/GET (\/api\/v1\/[\w/{}.-]*[\w}])/g, (all, path: string) => {
    for (const { id } of operations.filter(each => each.method === 'GET' && isPathOf(each.path, path)))
      for (const tool of tools) {
        const view = tool.views.find(each => each.operation === id)
        if (view) return tool.views.length > 1 ? `the tool ${tool.name} with view ${view.view}` : `the tool ${tool.name}`
      }
    return all
  })
}

function isPathOf(pattern: string, path: string): boolean {
  const [parts, given] = [pattern.split('/'), path.split('/')]
  return parts.length === given.length && parts.every((part, at) => part.startsWith('{') || part === given[at])
}
