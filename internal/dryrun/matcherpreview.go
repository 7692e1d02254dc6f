package dryrun

import (
	"context"
	"errors"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
)

// Bounds of trying a matcher (design choices).
const (
	matcherOpenTime = 20 * time.Second // for fetching the code, with the wait for a free place
	maxTrying       = 2                // matchers that one process tries at the same time, since each fetches code and matches it
	maxMatchPlaces  = 50               // listed places
	programTime     = 8 * time.Second  // for a pattern that ast-grep matches, with its start
)

// The reasons why a matcher was not tried, or not on all files, for people.
const (
	matcherNoReview = "No review is published here yet, so the pattern was only checked for its form."
	matcherNoCode   = "The code of the last review could not be read from the host in time, so the pattern was only checked for its form."
	matcherBusy     = "Other patterns are being tried, so this one was only checked for its form. Try again soon."
	matcherPartly   = "Not all files were matched: there are more than 500, some are too large or have faults of syntax, or " +
		"the time was over."
	matcherNoProgram = "ast-grep did not run on the code of the last review, so the pattern was only checked for its form."
)

// errTrying means that other matchers were tried all the time.
var errTrying = errors.New("other matchers are being tried")

// MatcherPreview shows which places a rule's matcher finds in the files that the newest published review looked at.
type MatcherPreview struct {
	RepositoryID string `json:"repositoryId,omitempty"`
	RunID        string `json:"runId,omitempty"`
	Number       int    `json:"number,omitempty" doc:"Of the pull request"`
	HeadSHA      string `json:"headSha,omitempty"`

	Files    int            `json:"files" doc:"Changed files that the matcher was tried on, as they are at the head"`
	Hits     int            `json:"hits" doc:"Places in these files that match, changed or not"`
	Reported int            `json:"reported" doc:"How many of them the review would report, because the change adds them"`
	Places   []MatchedPlace `json:"places" doc:"The first places, reported ones first; at most 50"`
	Note     string         `json:"note,omitempty" doc:"Why the matcher was not tried, or not on all files"`
}

// MatchedPlace is a place that a matcher finds. Its path is untrusted text.
type MatchedPlace struct {
	Path     string `json:"path" example:"shop/cart.go"`
	Line     int    `json:"line"`
	Reported bool   `json:"reported" doc:"The review would report it"`
}

// tryMatcher tries a matcher on the change of the newest of the runs. Only errors of the database and of the caller's context are
// returned.
func (p *preview) tryMatcher(ctx context.Context, runs []store.Run) (*MatcherPreview, error) {
	out := &MatcherPreview{Places: []MatchedPlace{}, Note: matcherNoReview}
	if len(runs) == 0 {
		return out, nil
	}
	run := runs[0]
	out.RepositoryID, out.RunID, out.Number, out.HeadSHA, out.Note = run.Repository, run.ID, run.Number, run.HeadSHA, matcherNoCode
	repository, err := p.Store.Repository(ctx, p.t, run.Repository)
	if err != nil {
		return out, err
	}
	holds, err := p.policy(ctx, run.Repository)
	if err != nil || p.Hosts == nil || p.Snapshots == nil {
		return out, err
	}
	found, err := p.matchHead(ctx, repository, run, holds)
	if err != nil {
		p.log(ctx, "a matcher could not be tried on the code of a review", err)
		if errors.Is(err, errTrying) {
			out.Note = matcherBusy
		}
		return out, ctx.Err()
	}
	out.Files, out.Hits, out.Reported, out.Note = found.Files, found.Hits, found.Reported, ""
	switch {
	case found.Unmatched != "":
		out.Note = matcherNoProgram
	case found.Partly:
		out.Note = matcherPartly
	}
	for _, m := range found.Places[:min(len(found.Places), maxMatchPlaces)] {
		out.Places = append(out.Places, MatchedPlace{p.Scan(m.Path), m.Line, m.Reported})
	}
	return out, nil
}

func (p *preview) log(ctx context.Context, message string, err error) {
	if p.Logger != nil {
		p.Logger.WarnContext(ctx, message, "error", err)
	}
}

// matchHead reads the code of a run and matches the rule against it.
func (p *preview) matchHead(ctx context.Context, repository store.Repository, run store.Run, holds domain.Policy) (
	out check.RuleMatches, err error) {
	opening, stop := context.WithTimeout(ctx, matcherOpenTime)
	defer stop()
	select {
	case p.trying <- struct{}{}:
		defer func() { <-p.trying }()
	case <-opening.Done():
		return out, errTrying
	}
	host, repo, err := p.Hosts.Reader(opening, repository)
	if err != nil {
		return out, err
	}
	snap, err := p.Snapshots.Open(opening, host, repo, run.Number, run.MergeBase, run.HeadSHA)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, snap.Close()) }()
	raw, err := snap.Diff(opening)
	if err != nil {
		return out, err
	}
	set, err := diff.ParseContext(opening, raw)
	if err != nil {
		return out, err
	}
	var kept []*diff.File
	for _, f := range set.Files {
		if !engine.LeavesOut(f.Path, holds) {
			kept = append(kept, f)
		}
	}
	set.Files = kept
	limit := previewTime
	if p.rule.Matcher.NeedsProgram() {
		limit = programTime
	}
	matching, end := context.WithTimeout(ctx, limit)
	defer end()
	return check.MatchRule(matching, set, snap, p.rule.Checked(), p.Patterns)
}
