package check

import (
	"context"
	"path"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
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

// instructions tells that files which steer reviewers were changed; they count
// from the base branch only, so the change itself is not reviewed by them.
func instructions(_ context.Context, f *diff.File, _ Source) (looked, error) {
	if !Instructions(f.Path) && (f.OldPath == "" || !Instructions(f.OldPath)) {
		return looked{}, nil
	}
	return sees(domain.Finding{
		Origin: domain.OriginRule, RuleID: "assay/reviewer-instructions-changed", Category: domain.CategoryRule, Severity: domain.Info,
		Title: "Reviewer instructions changed",
		Explanation: "This change touches a file that instructs automatic reviewers or assistants. This review used the version of the base branch; " +
			"the new one takes effect once it is merged. A person should read it.",
		Anchor: firstChange(f),
	}), nil
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
		Title:       "Resolve the merge conflict markers",
		Explanation: "This change adds the markers of an unfinished merge (\"<<<<<<<\" and \">>>>>>>\"). Choose one side and delete the markers.",
		Anchor:      place(f, start, start),
	}), nil
}
