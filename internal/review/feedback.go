package review

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// Bounds of one reading of feedback (design choices).
const (
	feedbackTime = 10 * time.Minute // one step
	maxReacting  = 500              // people whose reactions are considered
	maxRoles     = 100              // people whose role is asked from the host
)

// ReadFeedback stores the outcomes of a pull request's findings that only the code host knows: reactions of people who may write,
// and after the merge the findings that were ignored, or whose suggestion was applied. It may be repeated.
func (s *Service) ReadFeedback(ctx context.Context, c *jobs.Claim) error {
	c.Stage("feedback: load", feedbackTime)
	f := &feedback{Service: s, at: place{tenant: domain.Tenant{ID: c.Job.Tenant}}}
	found, err := f.load(ctx, c.Job)
	if err != nil || !found {
		return jobs.Waiting(err)
	}
	c.Stage("feedback: reactions", feedbackTime)
	if err := f.readThumbs(ctx); err != nil {
		return jobs.Waiting(err)
	}
	c.Stage("feedback: merge", feedbackTime)
	return jobs.Waiting(f.settle(ctx))
}

// feedback is one reading.
type feedback struct {
	*Service
	at         place
	row        store.PullRequest
	repository store.Repository
	pull       codehost.PullRequest
	known      []store.KnownFinding // with a comment; open ones first, then the newest
}

// load reads the present state. It returns false if nothing is read: the pull request has a job of its merge, or cannot be reached.
func (f *feedback) load(ctx context.Context, j store.Job) (found bool, err error) {
	t := f.at.tenant
	if f.row, err = f.Store.PullRequest(ctx, t, j.Subject); err != nil {
		return false, errs.IgnoreAbsent(err)
	}
	if j.Kind == domain.KindFeedback && f.row.State == "merged" {
		return false, nil
	}
	if f.repository, err = f.Store.Repository(ctx, t, f.row.Repository); err != nil || f.repository.State != "active" {
		return false, err
	}
	if f.known, err = f.Store.KnownFindings(ctx, t, f.row.ID); err != nil {
		return false, err
	}
	f.known = slices.DeleteFunc(f.known, func(k store.KnownFinding) bool { return k.CommentID == "" || k.PostedRun == "" })
	slices.Reverse(f.known)
	slices.SortStableFunc(f.known, func(a, b store.KnownFinding) int { return cmp.Compare(isClosed(a), isClosed(b)) })
	if len(f.known) == 0 {
		return false, nil
	}
	f.at.host, f.at.repo, err = f.Hosts.Repository(ctx, f.repository)
	if err == nil {
		f.pull, err = f.at.host.PullRequest(ctx, f.at.repo, f.row.Number)
	}
	if codehost.IsAccessLost(err) {
		return false, nil
	}
	return err == nil, err
}

func isClosed(k store.KnownFinding) int {
	if k.State == domain.FindingOpen {
		return 0
	}
	return 1
}

// readThumbs reads the reactions to our comments and replaces the stored ones.
func (f *feedback) readThumbs(ctx context.Context) error {
	reader, ok := codehost.ReactionReaderOf(f.at.host)
	if !ok {
		return nil
	}
	asked := f.known[:min(len(f.known), codehost.MaxReacted)]
	ids := make([]domain.HostID, 0, len(asked))
	for _, k := range asked {
		ids = append(ids, k.CommentID)
	}
	reactions, err := reader.Reactions(ctx, f.at.repo, f.row.Number, ids)
	if codehost.IsAccessLost(err) || codehost.ClassOf(err) == codehost.ClassTooLarge {
		return nil
	}
	if err != nil {
		return err
	}
	people, err := f.writers(ctx, reactions, asked)
	if err != nil {
		return err
	}
	return f.Store.InTx(ctx, func(ctx context.Context) error {
		for _, k := range asked {
			given, read := reactions[k.CommentID]
			if !read {
				continue
			}
			if err := f.Store.ReplaceThumbs(ctx, f.at.tenant, k.ID, thumbs(given, people)); err != nil {
				return err
			}
		}
		return nil
	})
}

// reacting is a person who reacted to a comment.
type reacting struct {
	codehost.Sender
	key   string // our id, or [domain.HostPerson]
	known bool   // a user here, or a person whose reaction is stored
}

// writers returns those who reacted and may write to the repository now, by their id on the host. It asks for the role of at most
// [maxRoles] people, known ones first, so that strangers cannot crowd them out.
func (f *feedback) writers(ctx context.Context, all map[domain.HostID][]codehost.Reaction,
	of []store.KnownFinding) (map[domain.HostID]reacting, error) {
	people, err := f.reacting(ctx, all, of)
	if err != nil {
		return nil, err
	}
	out := map[domain.HostID]reacting{}
	for _, p := range people[:min(len(people), maxRoles)] {
		role, err := policy.CommenterRole(ctx, f.at.host, f.at.repo, codehost.EventComment{Author: p.Login, AuthorID: p.ID})
		if err != nil && !codehost.IsAccessLost(err) && codehost.ClassOf(err) != codehost.ClassInvalid {
			return nil, err
		}
		if err == nil && policy.MayWrite(role) {
			out[p.ID] = p
		}
	}
	return out, nil
}

// reacting lists the people who reacted, without bots, known ones first, at most [maxReacting].
func (f *feedback) reacting(ctx context.Context, all map[domain.HostID][]codehost.Reaction, of []store.KnownFinding) ([]reacting, error) {
	stored, seen := map[string]bool{}, map[domain.HostID]bool{}
	var out []reacting
	for _, k := range of {
		if len(all[k.CommentID]) == 0 {
			continue
		}
		before, err := f.Store.OutcomesOfFinding(ctx, f.at.tenant, k.ID)
		if err != nil {
			return nil, err
		}
		for _, o := range before {
			stored[o.Person] = true
		}
		for _, r := range all[k.CommentID] {
			if p := r.Person; !p.IsBot && p.ID != "" && p.Login != "" && !seen[p.ID] && len(out) < maxReacting {
				seen[p.ID] = true
				out = append(out, reacting{Sender: p, key: domain.HostPerson(f.repository.Access, p.ID)})
			}
		}
	}
	for i := range out {
		p := &out[i]
		p.known = stored[p.key]
		user, err := f.Store.PersonOfHost(ctx, f.at.tenant, f.repository.Access, p.ID)
		if err != nil && !errs.Is(err, errs.NotFound) {
			return nil, err
		}
		if err == nil {
			p.key, p.known = user.ID, true
		}
	}
	slices.SortStableFunc(out, func(a, b reacting) int {
		switch {
		case a.known == b.known:
			return 0
		case a.known:
			return -1
		}
		return 1
	})
	return out, nil
}

// thumbs returns the outcomes of reactions to one comment. A person who gave both thumbs has no opinion.
func thumbs(given []codehost.Reaction, people map[domain.HostID]reacting) (out []domain.Outcome) {
	up, down := map[domain.HostID]bool{}, map[domain.HostID]bool{}
	for _, r := range given {
		if r.Up {
			up[r.Person.ID] = true
		} else {
			down[r.Person.ID] = true
		}
	}
	for id, p := range people {
		switch {
		case up[id] && !down[id]:
			out = append(out, domain.Outcome{Kind: domain.OutcomeThumbsUp, Person: p.key, Name: p.Login})
		case down[id] && !up[id]:
			out = append(out, domain.Outcome{Kind: domain.OutcomeThumbsDown, Person: p.key, Name: p.Login})
		}
	}
	return out
}

// settle records what became of the findings that were open when the pull request was merged. A finding was ignored if the review of
// the merged head left it open.
func (f *feedback) settle(ctx context.Context) error {
	if !f.pull.Merged {
		return nil
	}
	compared := 0
	for _, k := range f.known {
		if k.State != domain.FindingOpen || !k.Known {
			continue
		}
		kind := domain.OutcomeIgnored
		if k.Suggestion != nil && compared < maxApplied {
			compared++
			is, err := f.suggestionApplied(ctx, f.at, k, f.pull.HeadSHA)
			if err != nil {
				return err
			}
			if is {
				kind = domain.OutcomeApplied
			}
		}
		if kind == domain.OutcomeIgnored && f.row.ReviewedHead != f.pull.HeadSHA {
			continue // no review says what became of it
		}
		// a review or a person may have decided on the finding while the host answered
		outcome := domain.Outcome{Finding: k.ID, Kind: kind}
		if _, err := f.Store.AddOutcomeInState(ctx, f.at.tenant, f.row.ID, domain.FindingOpen, outcome); err != nil {
			return err
		}
	}
	return nil
}
