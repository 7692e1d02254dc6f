package review

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/store"
)

// maxApplied is the most suggestions of a pull request that are compared with a head at once, because each costs two requests
// (design choice).
const maxApplied = 20

// place is a tenant's repository on its host.
type place struct {
	tenant domain.Tenant
	host   codehost.Host
	repo   codehost.Repo
}

// feedback records the resolved findings whose suggestion was applied, and schedules the reading of people's reactions to the
// findings.
func (r *reflection) feedback(ctx context.Context, p publish.Payload) error {
	t := r.run.Owner()
	if len(p.Resolved) > 0 {
		known, err := r.Store.KnownFindings(ctx, t, r.run.PullRequest)
		if err != nil {
			return err
		}
		known = slices.DeleteFunc(known, func(k store.KnownFinding) bool {
			return k.State != domain.FindingResolved || k.PostedRun == "" || k.Suggestion == nil || !slices.Contains(p.Resolved, k.ID)
		})
		for _, k := range known[:min(len(known), maxApplied)] {
			is, err := r.suggestionApplied(ctx, place{t, r.host, r.repo}, k, r.run.HeadSHA)
			if err != nil {
				return err
			}
			if !is {
				continue
			}
			outcome := domain.Outcome{Finding: k.ID, Kind: domain.OutcomeApplied}
			if _, err := r.Store.AddOutcomeInState(ctx, t, r.run.PullRequest, domain.FindingResolved, outcome); err != nil {
				return err
			}
		}
	}
	if err := r.findFixes(ctx, p.Resolved); err != nil {
		return err
	}
	pull, err := r.Store.PullRequest(ctx, t, r.run.PullRequest)
	if err != nil {
		return err
	}
	return r.Runs.ScheduleFeedback(ctx, t, pull)
}

// suggestionApplied reports whether a head has what a finding's suggestion makes of its file. It compares contents, not the
// messages of commits: the file at the finding's commit with the suggestion, and the file at the head. It returns false if the
// host does not have one of them.
func (s *Service) suggestionApplied(ctx context.Context, at place, k store.KnownFinding, head string) (bool, error) {
	seen, err := s.Store.Sightings(ctx, at.tenant, k.ID)
	if err != nil {
		return false, err
	}
	shown := slices.IndexFunc(seen, func(v store.Sighting) bool { return v.Run == k.PostedRun })
	if shown < 0 || seen[shown].HeadSHA == head || seen[shown].Finding.Suggestion == nil {
		return false, nil
	}
	return s.hasEdit(ctx, at, *seen[shown].Finding.Suggestion, seen[shown].HeadSHA, head)
}

// findFixes records which fixes of resolved findings the head has, for figures. At most [maxApplied] edits are compared.
func (r *reflection) findFixes(ctx context.Context, resolved []string) error {
	t := r.run.Owner()
	fixes, err := r.Store.FixesToFind(ctx, t, r.run.PullRequest, resolved)
	if err != nil {
		return err
	}
	left := maxApplied
	for _, f := range fixes {
		if left -= len(f.Edits); left < 0 {
			return nil
		}
		in := len(f.Edits) > 0 && f.HeadSHA != r.run.HeadSHA
		for i := 0; in && i < len(f.Edits); i++ {
			if in, err = r.hasEdit(ctx, place{t, r.host, r.repo}, f.Edits[i], f.HeadSHA, r.run.HeadSHA); err != nil {
				return err
			}
		}
		if !in {
			continue
		}
		if _, err := r.Store.SetFixInCode(ctx, t, f.FixRun, f.Finding); err != nil {
			return err
		}
	}
	return nil
}

// hasEdit reports whether a head has what an edit makes of a file of another commit. It returns false if the host does not have
// one of the files.
func (s *Service) hasEdit(ctx context.Context, at place, g domain.Suggestion, from, head string) (is bool, err error) {
	var texts [2][]byte
	for i, commit := range []string{from, head} {
		texts[i], err = at.host.Content(ctx, at.repo, g.Path, commit)
		if class := codehost.ClassOf(err); codehost.IsAccessLost(err) || class == codehost.ClassTooLarge || class == codehost.ClassInvalid {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return hasSuggestion(texts[0], texts[1], g), nil
}

// hasSuggestion reports whether the text after has, at the lines of the suggestion, what the suggestion makes of the text before.
// Other lines may differ.
func hasSuggestion(before, after []byte, g domain.Suggestion) bool {
	before, after = unixLines(before), unixLines(after)
	lines := strings.Split(string(before), "\n")
	if g.Start < 1 || g.End < g.Start || g.End > len(lines) || strings.Join(lines[g.Start-1:g.End], "\n") != withoutEnd(g.Old) {
		return false
	}
	want := anchor.Apply(before, g)
	if bytes.Equal(before, want) {
		return false
	}
	first, made := g.Start, 0 // the lines that the suggestion makes
	if g.New != "" {
		made = strings.Count(withoutEnd(g.New), "\n") + 1
	}
	for _, h := range diff.Compare(want, after) {
		next := h.OldStart // line of want
		for _, l := range h.Lines {
			switch {
			case l.Op == diff.Delete && next >= first && next < first+made, l.Op == diff.Add && next > first && next < first+made,
				l.Op == diff.Add && next == first && made == 0:
				return false
			}
			if l.Op != diff.Add {
				next++
			}
		}
	}
	return true
}

// withoutEnd returns lines with the line breaks of Unix, and without the last one.
func withoutEnd(s string) string { return strings.TrimSuffix(string(unixLines([]byte(s))), "\n") }

// unixLines returns a text with the line breaks of Unix.
func unixLines(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }
