package gitea

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxBoundary bounds the commits that are tried as the merge base.
const maxBoundary = 20

// comparison is the answer of compare/{base}...{head}: the commits from the merge
// base to the head, and not the merge base (services/git/compare.go,
// routers/api/v1/repo/compare.go of Gitea 1.26.4).
type comparison struct {
	TotalCommits int `json:"total_commits"`
	Commits      []struct {
		SHA     string `json:"sha"`
		Parents []struct {
			SHA string `json:"sha"`
		} `json:"parents"`
	} `json:"commits"`
}

// Compare implements [codehost.Reader]. The host does not name the merge base, but
// lists what came after it.
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

// mergeBase finds the merge base among the parents of listed commits that are not
// listed themselves: they are the merge base and ancestors of it, so it is the one
// that all others are ancestors of.
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
		if len(after.Commits) > 0 { // other is no ancestor of best, so best is not the merge base
			best = other
		}
	}
	return best, nil
}

func (h *Host) compare(ctx context.Context, op string, repo codehost.Repo, base, head string) (comparison, error) {
	var out comparison
	// Without files and signatures, which nobody reads here, where the host takes the wish.
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
