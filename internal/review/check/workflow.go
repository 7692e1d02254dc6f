package check

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// workflow checks workflows of GitHub Actions and of the hosts that follow its
// format: wider token permissions, and privileged triggers that run the code of
// the pull request (https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/).
func workflow(ctx context.Context, f *diff.File, src Source) (looked, error) {
	if f.Status == diff.Deleted || len(f.Hunks) == 0 || !isWorkflow(f.Path) {
		return looked{}, nil
	}
	after, err := head(ctx, src, f.Path)
	if err != nil || after == nil {
		return looked{}, err
	}
	now, unread := readWorkflow(after)
	if unread {
		return looked{unread: WhyWorkflow}, nil
	}
	var before workflowFacts
	if base := f.BasePath(); base != "" {
		old, err := src.Blob(ctx, domain.Left, base)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return looked{}, err
		}
		before, _ = readWorkflow(old) // one that cannot be read granted nothing: what is granted now is new
	}
	var out looked
	for _, g := range now.grants {
		if err := ctx.Err(); err != nil {
			return looked{}, err
		}
		if !isAdded(f, g.line) || slices.ContainsFunc(before.grants, func(o grant) bool { return o.covers(g) }) {
			continue
		}
		severity, what := domain.Medium, "\""+g.scope+": write\""
		if g.scope == allScopes {
			severity, what = domain.High, "write access to everything (\"write-all\")"
		} else if strings.HasPrefix(g.scope, "id-token") || strings.HasPrefix(g.scope, "contents") || strings.HasPrefix(g.scope, "actions") {
			severity = domain.High
		}
		out.seen = append(out.seen, sightingOf(domain.Finding{
			Origin: domain.OriginStatic, RuleID: "assay/ci-permissions", Category: domain.CategorySecurity, Severity: severity,
			Title: "The workflow's token gets wider permissions",
			Explanation: "This change gives the job token " + visible(clip.Runes(what, 60, "…")) + ", which it did not have before. Every step and every action of the job can use it. " +
				"Grant it only to the job that needs it.",
			Anchor: place(f, g.line, g.line),
		}))
	}
	if now.trigger > 0 && now.checkout > 0 {
		at := 0
		switch {
		case isAdded(f, now.checkout):
			at = now.checkout
		case isAdded(f, now.trigger):
			at = now.trigger
		}
		if at > 0 {
			out.seen = append(out.seen, sightingOf(domain.Finding{
				Origin: domain.OriginStatic, RuleID: "assay/ci-untrusted-checkout", Category: domain.CategorySecurity, Severity: domain.Critical,
				Title: "A privileged workflow checks out the pull request's code",
				Explanation: "A workflow started by \"pull_request_target\" or \"workflow_run\" has the repository's secrets and a writable token, and here it checks out the " +
					"head of the pull request. Anyone who can open a pull request can then run code with them. Use the trigger \"pull_request\", or do not check out the head.",
				Anchor: place(f, at, at),
			}))
		}
	}
	return out, nil
}

func isWorkflow(name string) bool {
	dir, ext := strings.ToLower(path.Dir(name)), strings.ToLower(path.Ext(name))
	return (ext == ".yml" || ext == ".yaml") && (dir == ".github/workflows" || dir == ".gitea/workflows" || dir == ".forgejo/workflows")
}
