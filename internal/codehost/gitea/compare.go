package gitea

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxBoundary is the most commits that are tried as the merge base.
const maxBoundary = 20

// comparison is the answer of compare/{base}...{head}: the commits after the merge base up to the head,
// without the merge base (services/git/compare.go, routers/api/v1/repo/compare.go of Gitea 1.26.4).
type comparison struct {
	TotalCommits int `json:"total_commits"`
	Commits      []struct {
		SHA     string `json:"sha"`
		Parents []struct {
			SHA string `json:"sha"`
		} `json:"parents"`
	} `json:"commits"`
}

// Compare implements [codehost.Reader]. The host lists the commits after the merge base but does not name
// it.
func (h *Host) Compare(ctx context.Context, repo codehost.Repo, base, head string) (codehost.Comparison, error) {
	const op = "compare commits"
	if err := wire.CheckRepo(op, repo); err != nil {
		return codehost.Comparison{}, err
	}
	if !codehost.IsCommit(base) || !codehost.IsCommit(head) {
		return codehost.Comparison{}, codehost.Refused(op, "base and head must be full commit ids")
	}
	ahead, err := h.compare(ctx, op, repo, base, head)
	if err != nil {
		return codehost.Comparison{}, err
	}
	behind, err := h.compare(ctx, op, repo, head, base)
	if err != nil {
		return codehost.Comparison{}, err
	}
	out := codehost.Comparison{AheadBy: len(ahead.Commits), BehindBy: len(behind.Commits)}
	switch {
	case out.AheadBy == 0:
		out.MergeBase = head
	case out.BehindBy == 0:
		out.MergeBase = base
	default:
		out.MergeBase, err = h.mergeBase(ctx, op, repo, ahead)
	}
	if err != nil {
		return codehost.Comparison{}, err
	}
	return out, nil
}

// mergeBase finds the merge base among the unlisted parents of listed commits. These are the merge base and
// some of its ancestors, so mergeBase returns the one that descends from all others.
func (h *Host) mergeBase(ctx context.Context, op string, repo codehost.Repo, ahead comparison) (string, error) {
	listed := map[string]bool{}
	for _, c := range ahead.Commits {
		listed[c.SHA] = true
	}
	var edge []string
	for _, c := range ahead.Commits {
		for _, p := range c.Parents {
			if !listed[p.SHA] && !slices.Contains(edge, p.SHA) {
				edge = append(edge, p.SHA)
			}
		}
	}
	switch {
	case len(edge) == 0:
		return "", &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the answer names no parents of its commits"}
	case len(edge) > maxBoundary:
		return "", &codehost.Error{Class: codehost.ClassTooLarge, Op: op, Message: "too many merges lie between the two commits"}
	}
	best := edge[0]
	for _, other := range edge[1:] {
		after, err := h.compare(ctx, op, repo, best, other)
		if err != nil {
			return "", err
		}
		if len(after.Commits) > 0 { // other is not an ancestor of best, so best is not the merge base
			best = other
		}
	}
	return best, nil
}

func (h *Host) compare(ctx context.Context, op string, repo codehost.Repo, base, head string) (comparison, error) {
	var out comparison
	// The query omits files and signatures, which we do not need, on hosts that support it.
	body, err := h.get(ctx, op, "/repos/"+repo.FullName()+"/compare/"+base+"..."+head+"?files=false&verification=false")
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(body, &out); err == nil && out.TotalCommits != len(out.Commits) {
		err = errors.New("it lists another number of commits than it says")
	} else if err == nil {
		return out, nil
	}
	return comparison{}, &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the answer is not what the API describes"}
}
