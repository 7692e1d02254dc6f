package check

import (
	"context"
	"path"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/wording"
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

// conflicts finds markers of an unfinished merge.
func conflicts(ctx context.Context, f *diff.File, _ Source) (looked, error) {
	if f.Class == diff.ClassDocs || strings.Contains("/"+f.Path, "/testdata/") {
		return looked{}, nil
	}
	start, end := 0, 0
	err := added(ctx, f, func(l diff.Line) {
		if start == 0 && strings.HasPrefix(l.Text, "<<<<<<< ") {
			start = l.New
		}
		if start != 0 && strings.HasPrefix(l.Text, ">>>>>>> ") {
			end = l.New
		}
	})
	if err != nil || end == 0 {
		return looked{}, err
	}
	return sees(domain.Finding{
		Origin: domain.OriginStatic, RuleID: "assay/conflict-marker", Category: domain.CategoryBug, Severity: domain.High,
		Title:       wording.English(wording.TitleConflict),
		Explanation: wording.English(wording.SayConflict),
		Anchor:      place(f, start, start),
	}), nil
}
