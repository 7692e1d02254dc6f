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
	if f.row.FeedbackHead == "" { // else a review was published after the merge and the last reading
		c.Stage("feedback: reactions", feedbackTime)
		if err := f.readThumbs(ctx); err != nil {
			return jobs.Waiting(err)
		}
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

// load reads the present state. It returns false if nothing is read: the pull request has a job of its merge, was read after its
// merge, or cannot be reached.
func (f *feedback) load(ctx context.Context, j store.Job) (found bool, err error) {
	t := f.at.tenant
	if f.row, err = f.Store.PullRequest(ctx, t, j.Subject); err != nil {
		return false, errs.IgnoreAbsent(err)
	}
	if f.row.State == "merged" && (j.Kind == domain.KindFeedback || f.row.FeedbackIsRead()) {
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
	people, err := f.reacting(ctx, reactions, asked)
	if err != nil {
		return err
	}
	people, rest, after := f.divideByTurn(people)
	roles, err := f.rolesOf(ctx, people, rest)
	if codehost.IsAccessLost(err) {
		f.Logger.WarnContext(ctx, "the roles of people who reacted to findings cannot be read; the stored reactions stay",
			"tenant", f.at.tenant.ID, "pull_request", f.row.ID, "class", codehost.ClassOf(err))
		return nil
	}
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		f.Logger.WarnContext(ctx, "more people reacted to findings than one reading asks for their role; the next reading begins with the others",
			"tenant", f.at.tenant.ID, "pull_request", f.row.ID, "asked", len(people), "left_out", len(rest))
	}
	return f.Store.InTx(ctx, func(ctx context.Context) error {
		if err := f.Store.SetFeedbackAfter(ctx, f.at.tenant, f.row.ID, after); err != nil {
			return err
		}
		for _, k := range asked {
			given, read := reactions[k.CommentID]
			if !read {
				continue
			}
			if err := f.Store.ReplaceThumbs(ctx, f.at.tenant, k.ID, thumbs(given, roles.writers), roles.undecided(given)); err != nil {
				return err
			}
		}
		return nil
	})
}

// reacting is a person who reacted to a comment.
type reacting struct {
	codehost.Sender
	hostKey string // [domain.HostPerson]
	key     string // our id of a user, else hostKey
	known   bool   // a user here, or a person whose outcome is stored
}

// roles tells who may write to the repository now, by their id on the host.
type roles struct {
	writers map[domain.HostID]reacting
	unknown map[domain.HostID]reacting // people whose role was not asked, or whose login the host does not take
}

// undecided returns the keys of those who reacted to a comment and whose role is unknown.
func (r roles) undecided(given []codehost.Reaction) map[string]bool {
	out := map[string]bool{}
	for _, g := range given {
		if p, is := r.unknown[g.Person.ID]; is {
			out[p.key], out[p.hostKey] = true, true
		}
	}
	return out
}

// divideByTurn divides people into those whose role this reading asks for, at most [maxRoles], and the rest. Known people come first, and
// leave half of the places to others. In each group the people after that of [store.PullRequest.FeedbackAfter] come first, in the
// order of their ids, so that each reading begins with those whom the last one left out. It returns where the next one goes on.
func (f *feedback) divideByTurn(people []reacting) (asked, rest []reacting, after store.FeedbackCursor) {
	var known, others []reacting
	for _, p := range people {
		if p.known {
			known = append(known, p)
		} else {
			others = append(others, p)
		}
	}
	n := min(len(known), max(maxRoles-len(others), maxRoles/2))
	m := min(len(others), maxRoles-n)
	known, others = inTurn(known, f.row.FeedbackAfter.Known), inTurn(others, f.row.FeedbackAfter.Others)
	if n < len(known) {
		after.Known = known[n-1].ID
	}
	if m < len(others) {
		after.Others = others[m-1].ID
	}
	return slices.Concat(known[:n], others[:m]), slices.Concat(known[n:], others[m:]), after
}

// inTurn sorts people by their ids, and begins with the first one after a person.
func inTurn(people []reacting, after domain.HostID) []reacting {
	slices.SortFunc(people, func(a, b reacting) int { return cmp.Compare(a.ID, b.ID) })
	first := max(0, slices.IndexFunc(people, func(p reacting) bool { return p.ID > after }))
	return slices.Concat(people[first:], people[:first])
}

// rolesOf asks the host for the roles of people, but not of the rest. An error that [codehost.IsAccessLost] reports says that the
// repository or its roles cannot be read, not that a person has no rights.
func (f *feedback) rolesOf(ctx context.Context, people, rest []reacting) (roles, error) {
	out := roles{writers: map[domain.HostID]reacting{}, unknown: map[domain.HostID]reacting{}}
	for _, p := range rest {
		out.unknown[p.ID] = p
	}
	absent := false // a person is not known to the host, or has no rights: an unreachable repository looks alike
	for _, p := range people {
		role, err := policy.CommenterRole(ctx, f.at.host, f.at.repo, codehost.EventComment{Author: p.Login, AuthorID: p.ID})
		switch class := codehost.ClassOf(err); {
		case class == codehost.ClassNotFound, err == nil && role == "none":
			absent = true
		case class == codehost.ClassInvalid:
			out.unknown[p.ID] = p
		case err != nil:
			return roles{}, err
		case policy.MayWrite(role):
			out.writers[p.ID] = p
		}
	}
	if absent {
		if _, err := f.at.host.PullRequest(ctx, f.at.repo, f.row.Number); err != nil {
			return roles{}, err
		}
	}
	return out, nil
}

// reacting lists the people who reacted, without bots. The bounds of [codehost.ReactionReader] bound the list.
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
			if p := r.Person; !p.IsBot && p.ID != "" && p.Login != "" && !seen[p.ID] {
				seen[p.ID] = true
				key := domain.HostPerson(f.repository.Access, p.ID)
				out = append(out, reacting{Sender: p, key: key, hostKey: key})
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
	return f.Store.SetFeedbackHead(ctx, f.at.tenant, f.row.ID, f.row.ReviewedHead)
}
