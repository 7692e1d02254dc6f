package diff

import (
	"path"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// Files that steer coding assistants and automatic reviewers, in lower case. The check of hidden
// characters, the notice of a review and the classification all use these tables.
var (
	steeringNames = words(`agents.md agents.override.md agent.md claude.md claude.local.md gemini.md qwen.md codex.md copilot.md
		crush.md warp.md grok.md
		replit.md skill.md bugbot.md airules.md conventions.md best_practices.md copilot-instructions.md llms.txt llms-full.txt .rules
		.cursorrules .cursorignore .windsurfrules .clinerules .clineignore .roorules .roomodes .goosehints .continuerules
			.augment-guidelines .codeiumrules
		.openhands_instructions .aider.conf.yml .aider.conf.yaml .mcp.json mcp.json opencode.json opencode.jsonc crush.json firebender.json
		.assay.yaml .assay.yml .coderabbit.yaml .coderabbit.yml .pr_agent.toml greptile.json ellipsis.yaml .sourcery.yaml .sweep.yaml
			.gemini-extension.json`)
	steeringFolders = words(`.assay .cursor .claude .claude-plugin .windsurf .clinerules .roo .continue .codex .gemini .agents .agent
		.opencode .trae .kiro
		.augment .amazonq .junie .qodo .qoder .devin .factory .openhands .lingma .goose .crush .bolt .rules .skills`)
	steeringHub  = words(`instructions prompts chatmodes agents skills`) // below .github, .gitlab, .vscode
	steeringEnds = strings.Fields(`.mdc .prompt .prompty .prompt.md .instructions.md .chatmode.md .agent.md .agents.md .claude.md .rules.md`)
	promptName   = regexp.MustCompile(`(^|[._ -])(system[._ -]?)?prompts?([._ -]|$)`)
)

// Instructions reports whether a path has configuration or guidance for automatic reviewers and coding
// assistants. Such a file counts as code, because the tools follow it.
func Instructions(name string) bool {
	n := named(name)
	if steeringNames[n.base] || n.ends(steeringEnds) {
		return true
	}
	for i, dir := range n.dirs {
		if steeringFolders[dir] {
			return true
		}
		if i+1 < len(n.dirs) && steeringHub[n.dirs[i+1]] && (dir == ".github" || dir == ".gitlab" || dir == ".vscode") {
			return true
		}
	}
	return false
}

// isPrompt reports whether a document is a model prompt of a program, by its name or folder.
func (n fileName) isPrompt() bool {
	return n.in("prompts", "prompt", "prompt-templates", "system-prompts", "skills", "agents", "llm-prompts") ||
		promptName.MatchString(strings.TrimSuffix(n.base, path.Ext(n.base)))
}
