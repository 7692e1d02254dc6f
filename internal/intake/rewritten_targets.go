package intake

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// The bounds of one sweep of a repository (design choices). The next sweep continues.
const (
	mostTargets  = 10 // requested target branches, those with the most pull requests first
	mostCompares = 50 // comparisons of commits
)

// reviewed is an open pull request whose head's newest run is a published review for its target branch.
type reviewed struct {
	pr  codehost.PullRequest
	row store.PullRequest
	run store.Run
}

// sweepTargets looks for target branches that were rewritten since a review: the merge base is older then,
// and the change contains more than was reviewed. A branch that only grew makes no change larger. So each
// branch costs a request, and a pull request costs one only if its branch was rewritten.
func (s *Service) sweepTargets(ctx context.Context, repo store.Repository, p domain.Policy, host codehost.Host, ref codehost.Repo,
	pulls []codehost.PullRequest) error {
	branches, ok := codehost.CommitterOf(host)
	if !ok {
		return nil
	}
	into, err := s.reviewedInto(ctx, repo, pulls)
	if err != nil {
		return err
	}
	targets := make([]string, 0, len(into))
	for name := range into {
		targets = append(targets, name)
	}
	slices.SortFunc(targets, func(a, b string) int { return len(into[b]) - len(into[a]) })
	l := commitComparer{Service: s, host: host, ref: ref, grown: map[string]bool{}}
	for _, name := range targets[:min(len(targets), mostTargets)] {
		tip, err := branches.BranchHead(ctx, ref, name)
		if codehost.ClassOf(err) == codehost.ClassNotFound {
			continue
		}
		if err != nil {
			return err
		}
		for _, r := range into[name] {
			if tip == r.run.BaseSHA || tip == r.row.TargetTip {
				continue
			}
			same, err := l.sameChange(ctx, r, tip)
			if err != nil || l.compared > mostCompares {
				return err
			}
			if same {
				err = s.Store.SetTargetTip(ctx, domain.Tenant{ID: repo.Tenant}, r.row.ID, tip)
			} else {
				err = s.reviewRewritten(ctx, repo, p, r)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// reviewedInto groups the reviewed pull requests by target branch.
func (s *Service) reviewedInto(ctx context.Context, repo store.Repository, pulls []codehost.PullRequest) (map[string][]reviewed, error) {
	t, into := domain.Tenant{ID: repo.Tenant}, map[string][]reviewed{}
	for _, pr := range pulls {
		row, err := s.Store.PullRequestNumbered(ctx, t, repo.ID, pr.Number)
		if errs.Is(err, errs.NotFound) || err == nil && (row.HeadSHA != pr.HeadSHA || row.BaseRef != pr.BaseRef) {
			continue
		}
		if err != nil {
			return nil, err
		}
		newest, err := s.Store.NewestRunOfHead(ctx, t, row.ID, row.HeadSHA)
		if err != nil && !errs.Is(err, errs.NotFound) {
			return nil, err
		}
		if newest.State == domain.RunCompleted && newest.BaseRef == row.BaseRef && newest.MergeBase != "" {
			into[row.BaseRef] = append(into[row.BaseRef], reviewed{pr, row, newest})
		}
	}
	return into, nil
}

// commitComparer compares commits in one sweep.
type commitComparer struct {
	*Service
	host     codehost.Host
	ref      codehost.Repo
	grown    map[string]bool // by both commits: whether the target's earlier commit is still part of its branch
	compared int
}

// sameChange reports whether a pull request's merge base is not older than that of its review. tip is the
// newest commit of its target branch.
func (l *commitComparer) sameChange(ctx context.Context, r reviewed, tip string) (bool, error) {
	from := r.run.BaseSHA
	if r.row.TargetTip != "" {
		from = r.row.TargetTip
	}
	grown, known := l.grown[from+tip]
	if !known {
		base, err := l.mergeBase(ctx, from, tip)
		if err != nil {
			return false, err
		}
		grown = base == from
		l.grown[from+tip] = grown
	}
	if grown {
		return true, nil
	}
	base, err := l.mergeBase(ctx, tip, r.row.HeadSHA)
	return base == r.run.MergeBase, err
}

// mergeBase returns the merge base of two commits; "" if they have no common commit or the host lacks one
// of them.
func (l *commitComparer) mergeBase(ctx context.Context, a, b string) (string, error) {
	l.compared++
	cmp, err := l.host.Compare(ctx, l.ref, a, b)
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return "", nil
	}
	return cmp.MergeBase, err
}

// reviewRewritten starts the run of a pull request with a rewritten target branch, unless the pull request
// has changed meanwhile.
func (s *Service) reviewRewritten(ctx context.Context, repo store.Repository, p domain.Policy, r reviewed) error {
	t := domain.Tenant{ID: repo.Tenant}
	outside, err := s.outside(ctx, repo, p, r.pr, run.ActionRetargeted)
	if err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		row, err := s.Store.PullRequestForUpdate(ctx, t, r.row.ID)
		if err != nil {
			return err
		}
		newest, err := s.Store.NewestRunOfHead(ctx, t, row.ID, r.row.HeadSHA)
		if err != nil || newest.ID != r.run.ID || row.HeadSHA != r.row.HeadSHA || row.BaseRef != r.row.BaseRef || row.State != "open" {
			return err
		}
		w := run.Request{Event: "found by the sweep", Asker: domain.Asker{How: domain.AskedBySweep}}
		_, err = s.Runs.Once(ctx, t, row, completeRequest(p, row, r.pr, run.ActionRetargeted, outside, w))
		return err
	})
}
