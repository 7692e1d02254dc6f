package publish

import (
	"context"
	"errors"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/pause"
	"github.com/assay-dev/assay/internal/store"
)

// The reasons why a publication was abandoned.
const (
	ReasonSuperseded = "superseded" // a newer head is under review
	ReasonRetargeted = "retargeted" // the review for another target branch is under way
	ReasonClosed     = "closed"     // the pull request is closed
	ReasonGone       = "gone"       // pull request, repository or access is gone
	ReasonSlotBusy   = "slot_busy"  // another writer's draft holds the slot
	ReasonDeleted    = "deleted"    // a person deleted the chosen draft
	ReasonRefused    = "refused"    // the host refuses the content for good
	ReasonWithheld   = "withheld"   // the draft contains text about an issue that must not be shown any more, and cannot be changed
)

// prepared begins the publication. Nothing has been sent in this phase.
func (s *session) prepared(ctx context.Context) error {
	s.Claim.Stage("publish: check head", 2*time.Minute)
	if s.pub.Kind != KindReview {
		return s.publishQuietly(ctx)
	}
	if reason, err := s.overtaken(ctx); err != nil {
		return err
	} else if reason != "" {
		return s.abandon(ctx, reason)
	}
	return s.create(ctx)
}

// create makes the draft: intent, then the request, then the choice.
func (s *session) create(ctx context.Context) error {
	s.Claim.Stage("publish: create draft", 2*time.Minute)
	attempt, err := s.intend(ctx, verbCreate, s.pull(), domain.PhaseCreating)
	if err != nil {
		return err
	}
	s.pub.Phase = domain.PhaseCreating
	draft, err := s.draft(ctx)
	if err != nil {
		return err
	}
	review, err := s.Host.CreateDraft(ctx, s.Repo, s.Task.Run.Number, draft)
	s.recordWrite(ctx, attempt, err)
	switch codehost.ClassOf(err) {
	case codehost.ClassSlotTaken:
		return s.adopt(ctx)
	case codehost.ClassInvalid:
		return s.withoutInline(ctx, err)
	case codehost.ClassAmbiguous:
		s.log.Warn("the answer to the draft was lost; looking for it before anything else is sent", "error", err)
		return s.pauseForRecovery(ctx, err)
	}
	if err != nil {
		return s.hostError(ctx, err)
	}
	return s.choose(ctx, review.ID)
}

// draft returns the frozen payload as the host gets it: with marks, and without text that must not be shown
// now.
func (s *session) draft(ctx context.Context) (codehost.Draft, error) {
	return s.fitted(ctx, s.payload, s.pub.PayloadSHA256)
}

// frozen returns the frozen payload with marks and without restrictions.
func (s *session) frozen() (codehost.Draft, error) {
	return s.marked(s.Task.Run, s.Host, s.pub, s.payload, s.pub.PayloadSHA256)
}

// fitted returns a payload with marks, without text that must not be shown on the host now.
func (s *session) fitted(ctx context.Context, payload Payload, sha string) (codehost.Draft, error) {
	if s.Fit != nil {
		var err error
		if payload, err = s.Fit(ctx, s.tenant(), s.Task.Run.ID, payload); err != nil {
			return codehost.Draft{}, err
		}
	}
	return s.marked(s.Task.Run, s.Host, s.pub, payload, sha)
}

// marked returns a frozen payload as the host gets it, with marks. A payload of an older version has its
// own marks in its comments, which are replaced. One key makes all marks of a publication, because drafts
// are compared with the sent text.
func (p *Publisher) marked(run store.Run, host codehost.Publisher, publication store.Publication, frozen Payload,
	sha string) (codehost.Draft, error) {
	marker, err := p.Marker.WithKey(publication.MarkKey)
	if err != nil {
		return codehost.Draft{}, err
	}
	at, marker := Place(run), marker.InForm(host.Capabilities().Marks)
	mark, err := marker.Publication(at, publication.ID, sha)
	if err != nil {
		return codehost.Draft{}, err
	}
	d := codehost.Draft{Commit: frozen.Commit, Body: markdown.Blocks(frozen.Body, mark)}
	for _, c := range frozen.Comments {
		mark, err := marker.Finding(at, publication.ID, c.FindingID)
		if err != nil { // the comment is published without a mark, and is not found again
			p.Logger.Error("a comment gets no mark", "publication", publication.ID, "finding", c.FindingID, "error", err)
		}
		c.Body = markdown.Blocks(c.Body.WithoutMarks(), mark)
		d.Comments = append(d.Comments, c.DraftComment)
	}
	return d, nil
}

// creating recovers from a create whose outcome this worker does not know.
func (s *session) creating(ctx context.Context) error {
	s.Claim.Stage("publish: look for the draft", 2*time.Minute)
	found, err := s.find(ctx)
	switch {
	case err != nil:
		return s.hostError(ctx, err)
	case found.ours != "":
		return s.choose(ctx, found.ours)
	case found.foreign:
		return s.abandon(ctx, ReasonSlotBusy)
	case found.orphan != "":
		if err := s.deleteOrphan(ctx, found.orphan); err != nil {
			return s.hostError(ctx, err)
		}
	}
	if reason, err := s.overtaken(ctx); err != nil {
		return err
	} else if reason != "" {
		return s.abandon(ctx, reason)
	}
	return s.create(ctx)
}

// adopt finds the draft that holds the slot. The list may lag behind, so adopt reads it again after growing
// pauses. A draft that never appears is a counted failure, so that the attempts end.
func (s *session) adopt(ctx context.Context) error {
	for _, wait := range s.pauses() {
		found, err := s.find(ctx)
		if err != nil {
			return s.hostError(ctx, err)
		}
		switch {
		case found.ours != "":
			return s.choose(ctx, found.ours)
		case found.orphan != "":
			if err := s.deleteOrphan(ctx, found.orphan); err != nil {
				return s.hostError(ctx, err)
			}
			return nil // still CREATING: looks again, then creates
		case found.foreign:
			return s.abandon(ctx, ReasonSlotBusy)
		}
		s.Claim.Stage("publish: wait for the list", wait+2*time.Minute)
		if err := pause.For(ctx, wait); err != nil {
			return err
		}
	}
	return errors.New("the host says that a draft exists but does not list it")
}

// pauseForRecovery pauses after an ambiguous write, and then the phase's recovery looks. A host that never gives a
// clear answer is a counted failure.
func (s *session) pauseForRecovery(ctx context.Context, cause error) error {
	pauses := s.pauses()
	if s.looks >= len(pauses) {
		return cause
	}
	s.looks++
	return pause.For(ctx, pauses[s.looks-1])
}

func (s *session) pauses() []time.Duration {
	if s.LookAgain != nil {
		return s.LookAgain
	}
	return []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second}
}

// choose records which draft is the review: the compare-and-swap.
func (s *session) choose(ctx context.Context, review domain.HostID) error {
	ok, err := s.Store.ChooseReview(ctx, s.tenant(), s.pub.ID, s.pub.Gen, review)
	if err != nil {
		return err
	}
	if !ok {
		return ErrTakenOver
	}
	s.pub.Phase, s.pub.ReviewID = domain.PhaseChosen, review
	return nil
}

// chosen is the cancel point: the draft is invisible, so giving it up is cheap.
func (s *session) chosen(ctx context.Context) error {
	s.Claim.Stage("publish: check head", 2*time.Minute)
	reason, err := s.overtaken(ctx)
	if err != nil {
		return err
	}
	switch {
	case reason == "":
		return s.submit(ctx)
	}
	err = s.deleteDraft(ctx)
	switch {
	case codehost.ClassOf(err) == codehost.ClassInvalid:
		return s.confirm(ctx, nil) // not a draft any more: a person submitted it
	case codehost.IsAccessLost(err): // missing, or out of our reach
	case err != nil:
		return err
	}
	return s.abandon(ctx, reason)
}

// submit makes the chosen draft visible: intent, then the request, then the record.
func (s *session) submit(ctx context.Context) error {
	s.Claim.Stage("publish: submit", 2*time.Minute)
	attempt, err := s.intend(ctx, verbSubmit, s.pull(), domain.PhaseSubmitting)
	if err != nil {
		return err
	}
	s.pub.Phase = domain.PhaseSubmitting
	draft, err := s.draft(ctx)
	if err != nil {
		return err
	}
	review, err := s.Host.SubmitDraft(ctx, s.Repo, s.Task.Run.Number, s.pub.ReviewID, draft.Body)
	s.recordWrite(ctx, attempt, err)
	switch codehost.ClassOf(err) {
	case codehost.ClassAmbiguous, codehost.ClassInvalid, codehost.ClassNotFound:
		return s.confirm(ctx, err)
	}
	if err != nil {
		return s.hostError(ctx, err)
	}
	return s.published(ctx, review.URL)
}

// submitting recovers from a submit whose outcome this worker does not know.
func (s *session) submitting(ctx context.Context) error {
	s.Claim.Stage("publish: read the review", 2*time.Minute)
	return s.confirm(ctx, nil)
}

// confirm reads the chosen review by its id. A submitted review ends the publication, a draft is submitted
// (again), and a missing one is never posted again. cause is the error of a submit that was just sent.
func (s *session) confirm(ctx context.Context, cause error) error {
	review, err := s.Host.Review(ctx, s.Repo, s.Task.Run.Number, s.pub.ReviewID)
	switch {
	case codehost.ClassOf(err) == codehost.ClassNotFound:
		if err := s.unreached(ctx, err); err != nil {
			return err
		}
		return s.abandon(ctx, ReasonDeleted)
	case err != nil:
		return s.hostError(ctx, err)
	case review.State == codehost.ReviewSubmitted:
		return s.published(ctx, review.URL)
	case cause == nil:
		return s.submit(ctx)
	case codehost.ClassOf(cause) == codehost.ClassInvalid:
		return s.abandon(ctx, ReasonRefused)
	default: // the submit may still be applied; submitting the same id twice cannot make two reviews
		return s.pauseForRecovery(ctx, cause)
	}
}
