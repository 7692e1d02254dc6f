package publish

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// What hosts need whose drafts may be there in part, or take in parts of another one
// of the account ([codehost.ProtocolCheckedDraft]): a look and a deletion before each
// create, and a comparison before the submit. A draft in which a person has written
// is never deleted, nor made visible.

// The bounds of that.
const (
	mostAgain = 3                // drafts that differ; then the comments move into the body
	mostKnown = 100              // publications of a pull request whose marks are looked for
	lateness  = 60 * time.Second // how long after its deadline a request may still be applied
)

// checked reports whether a host needs them.
func checked(host codehost.Publisher) bool {
	return host.Capabilities().Protocol() == codehost.ProtocolCheckedDraft
}

// fits reports whether there is a protocol here for what the host can do.
func fits(host codehost.Publisher) bool {
	switch host.Capabilities().Protocol() {
	case codehost.ProtocolDraft, codehost.ProtocolCheckedDraft:
		return true
	case codehost.ProtocolNotes:
		_, ok := host.(codehost.NoteByNote)
		return ok
	}
	return false
}

// compare holds the chosen draft against what was frozen, when nothing can change it
// any more, and submits it if they are the same.
func (s *session) compare(ctx context.Context) error {
	s.Claim.Stage("publish: compare the draft", 2*time.Minute)
	if err := s.quiet(ctx); err != nil {
		return err
	}
	review, err := s.Host.Review(ctx, s.Repo, s.Task.Run.Number, s.pub.ReviewID)
	switch {
	case codehost.ClassOf(err) == codehost.ClassNotFound:
		return s.vanished(ctx)
	case err != nil:
		return s.hostError(ctx, err)
	case review.State == codehost.ReviewSubmitted:
		return s.published(ctx, review.URL)
	}
	got, err := s.Host.ReviewComments(ctx, s.Repo, s.Task.Run.Number, s.pub.ReviewID)
	if err != nil {
		return s.hostError(ctx, err)
	}
	want, err := s.draft(ctx)
	if err != nil {
		return err
	}
	if same(want.Comments, got) {
		return s.submit(ctx)
	}
	s.log.Warn("the draft on the host is not what was frozen", "comments", len(got), "want", len(want.Comments))
	return s.again(ctx, review)
}

// same reports whether a draft has exactly the comments that were frozen, in whatever
// order. Hosts may change line ends and drop blank space at the ends; 0 is a line that
// the host does not tell.
func same(want []codehost.DraftComment, got []codehost.Comment) bool {
	if len(want) != len(got) {
		return false
	}
	used := make([]bool, len(got))
	for _, w := range want {
		found := false
		for i, g := range got {
			if !used[i] && g.Path == w.Path && (g.Line == w.Line || g.Line == 0) && plain(g.Body) == plain(w.Body.String()) {
				used[i], found = true, true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

func plain(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }

// quiet returns an error of [codehost.ClassLimited] while a create for the pull
// request whose answer nobody has may still be applied: it would become a part of the
// draft. None is sent while a draft is chosen, so what is quiet stays quiet.
func (s *session) quiet(ctx context.Context) error {
	left, err := s.Store.UnansweredCreates(ctx, s.tenant(), s.Task.Run.PullRequest, s.silence())
	if err != nil || left == 0 {
		return err
	}
	return &codehost.Error{Class: codehost.ClassLimited, Op: "compare the draft", RetryAfter: left, Message: "a create was not answered; what the host applies late is waited for"}
}

// silence is how long after its intent a request is waited for that may still be applied.
func (p *Publisher) silence() time.Duration {
	if p.Quiet > 0 {
		return p.Quiet
	}
	write, margin := p.times()
	return write + margin + lateness
}

// again deletes a chosen draft that differs, takes the choice back, and begins with
// the create once more. Where drafts keep differing, the comments move into the body.
func (s *session) again(ctx context.Context, review codehost.Review) error {
	content, err := s.content(ctx, s.Task.Run, s.Host, s.Repo, review, s.pub.ID)
	if err != nil {
		return s.hostError(ctx, err)
	}
	if content == draftForeign {
		s.log.Warn("a person has written in the draft; it is left alone")
		return s.abandon(ctx, ReasonSlotBusy)
	}
	before, _, err := s.Store.PriorWrites(ctx, s.tenant(), subjectPublication, s.pub.ID, verbDelete)
	if err != nil {
		return err
	}
	err = s.deleteDraft(ctx)
	switch codehost.ClassOf(err) {
	case codehost.ClassInvalid, codehost.ClassAmbiguous: // perhaps no draft any more: the next look says what it is
		return s.look(ctx, err)
	}
	if err != nil {
		return s.hostError(ctx, err)
	}
	cleared, err := s.clear(ctx)
	switch {
	case err != nil:
		return err
	case !cleared:
		return ErrTakenOver
	case before+1 >= mostAgain:
		return s.withoutInline(ctx, fmt.Errorf("%d drafts were not what was frozen", before+1))
	}
	return nil // CREATING: looks, then creates
}

// clear takes the choice of the draft back that this publication has deleted.
func (s *session) clear(ctx context.Context) (bool, error) {
	ok, err := s.Store.ClearReview(ctx, s.tenant(), s.pub.ID, s.pub.Gen, s.pub.ReviewID, verbDelete, s.target(s.pub.ReviewID))
	if err == nil && ok {
		s.pub.Phase, s.pub.ReviewID = domain.PhaseCreating, store.Publication{}.ReviewID
	}
	return ok, err
}

// vanished is a chosen draft that is not there any more: deleted by us, by a worker
// that could not write that down, or by somebody else.
func (s *session) vanished(ctx context.Context) error {
	cleared, err := s.clear(ctx)
	if err != nil || cleared {
		return err
	}
	return s.abandon(ctx, ReasonDeleted)
}

// content says what a draft is by everything that is written in it: draftOrphan where
// all of it is of the publication own ("" for none) or of others of the pull request
// that are over, draftForeign where anything is of a person or of a publication that
// still goes on. A draft in which there is nothing is nobody's, and an orphan.
func (p *Publisher) content(ctx context.Context, run store.Run, host codehost.Publisher, repo codehost.Repo, review codehost.Review, own string) (int, error) {
	known, err := p.Store.PublicationsOfPull(ctx, domain.Tenant{ID: run.Tenant}, run.PullRequest, mostKnown)
	if err != nil {
		return draftForeign, err
	}
	var over []string
	for _, k := range known {
		switch {
		case k.Phase == domain.PhasePublished && k.ReviewID == review.ID:
			return draftStale, nil
		case k.ID == own || k.Phase.Terminal():
			over = append(over, k.ID)
		}
	}
	at := Place(run)
	if plain(review.Body) != "" {
		mark, ok := p.Marker.FindPublication(at, review.Body)
		if !ok || !slices.Contains(over, mark.ID) {
			return draftForeign, nil
		}
	}
	comments, err := host.ReviewComments(ctx, repo, run.Number, review.ID)
	if err != nil {
		return draftForeign, err
	}
	for _, c := range comments {
		marked := func(publication string) bool { _, _, ok := p.Marker.FindFinding(at, publication, c.Body); return ok }
		if !c.Mine || !slices.ContainsFunc(over, marked) {
			return draftForeign, nil
		}
	}
	return draftOrphan, nil
}
