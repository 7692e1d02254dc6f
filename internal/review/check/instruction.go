package check

import (
	"path"
	"strings"
)

// Instructions reports whether a path holds configuration or guidance of
// automatic reviewers and coding assistants.
func Instructions(name string) bool {
	lower := strings.ToLower(name)
	switch path.Base(lower) {
	case ".assay.yaml", ".assay.yml", "agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", ".cursorrules", ".windsurfrules", ".clinerules",
		".coderabbit.yaml", ".coderabbit.yml", ".pr_agent.toml", "copilot-instructions.md", "conventions.md", ".aider.conf.yml":
		return true
	}
	for _, dir := range []string{".assay/", ".cursor/rules/", ".claude/", ".github/instructions/", ".github/prompts/", ".windsurf/rules/", ".clinerules/"} {
		if strings.HasPrefix(lower, dir) || strings.Contains(lower, "/"+dir) {
			return true
		}
	}
	return false
}
