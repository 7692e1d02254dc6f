package publish

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// direct is the protocol for hosts on which people see a draft, or on which a draft may exist in part
// ([codehost.ProtocolDirect]): one write makes a review visible with all of its comments.
//
//	look      wait for creates that may still be applied, then look for our mark; delete remains of failed ones
//	intend    record the intent to create; phase SUBMITTING, because the review may be visible from here on
//	create    make the review visible
//	compare   read its comments back; a review that differs is made again, without comments on lines
//	record    phase PUBLISHED, with the id of the review
//
// In PREPARED and CREATING nothing has been sent. After an interruption later than the intent, the next
// worker begins with the look. A host that applies a create after the waiting time makes a twin, which the
// janitor deletes.
type direct struct {
	*session
	host codehost.DirectReviewer
}

// extraApplyDelay is how long after its deadline a request may still be applied.
const extraApplyDelay = 60 * time.Second

// prepared begins with the look, because a request of an earlier publication may be under way.
func (d *direct) prepared(ctx context.Context) error {
	return d.move(ctx, domain.PhaseCreating, "", "")
}

func (d *direct) creating(ctx context.Context) error { return d.ensureReview(ctx) }

// chosen only passes through, because this protocol has no draft to choose. A version that submitted drafts
// may have left a publication in this phase.
func (d *direct) chosen(ctx context.Context) error { return d.ensureReview(ctx) }

func (d *direct) submitting(ctx context.Context) error { return d.ensureReview(ctx) }

// ensureReview looks for the review and creates it if it certainly does not exist.
func (d *direct) ensureReview(ctx context.Context) error {
	d.Claim.Stage("publish: look for the review", 2*time.Minute)
	wait, err := d.unanswered(ctx, "") // before the look, so that the look sees requests applied until then
	if err != nil {
		return err
	}
	found, err := d.seek(ctx)
	switch {
	case err != nil:
		return d.hostError(ctx, err)
	case found.ours.ID != "":
		return d.compare(ctx, found.ours)
	case wait > 0:
		return lateError(wait)
	case found.foreign:
		return d.abandon(ctx, ReasonSlotBusy)
	case found.left != "":
		if err := d.remove(ctx, verbOrphan, found.left, d.host.DeleteReview); err != nil {
			return d.hostError(ctx, err)
		}
		return nil // looks again, because the remains would become a part of the review
	}
	if deleted, err := d.deleted(ctx); err != nil || deleted {
		return err
	}
	if reason, err := d.overtaken(ctx); err != nil {
		return err
	} else if reason != "" {
		return d.abandon(ctx, reason)
	}
	return d.create(ctx)
}

// lateError returns the error of a publication that waits for requests that the host may still apply.
func lateError(wait time.Duration) error {
	return &codehost.Error{Class: codehost.ClassLimited, Op: "look for the review", RetryAfter: wait,
		Message: "a create was not answered; it waits because the host may apply it late"}
}

// create makes the review visible: intent, then the request, then the comparison.
func (d *direct) create(ctx context.Context) error {
	d.Claim.Stage("publish: create the review", 2*time.Minute)
	draft, err := d.draft(ctx)
	if err != nil {
		return err
	}
	attempt, err := d.intendWith(ctx, verbCreate, d.pull(), d.moveToSubmitting)
	if err != nil {
		return err
	}
	review, err := d.host.CreateReview(ctx, d.Repo, d.Task.Run.Number, draft)
	d.recordWrite(ctx, attempt, err)
	switch {
	case codehost.ClassOf(err) == codehost.ClassInvalid:
		return d.withoutInline(ctx, err)
	case codehost.ClassOf(err) == codehost.ClassAmbiguous:
		d.log.Warn("the answer to the review was lost; looking for it before anything else is sent", "error", err)
		return d.pauseForRecovery(ctx, err)
	case codehost.IsAccessLost(err): // refused, and the look has shown that nothing is visible
		d.log.Warn("the host takes no review", "error", err)
		return d.abandon(ctx, ReasonGone)
	case err != nil:
		return d.hostError(ctx, err)
	}
	return d.compare(ctx, review)
}

// moveToSubmitting moves to the phase in which the review may be visible.
func (d *direct) moveToSubmitting(ctx context.Context) error {
	for _, to := range []domain.Phase{domain.PhaseChosen, domain.PhaseSubmitting} {
		if domain.PhaseMayMove(d.pub.Phase, to) {
			if err := d.move(ctx, to, "", ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare compares a visible review with the frozen payload, and records the review if they agree. A
// different review is made again, once, with its comments in the body. A review in which a person has
// written stays as it is.
func (d *direct) compare(ctx context.Context, review codehost.Review) error {
	d.Claim.Stage("publish: compare the review", 2*time.Minute)
	if review.ID == d.pub.ReviewID { // compared before
		return d.recordVisible(ctx, review)
	}
	got, people, err := d.conversation().comments(ctx, review.ID)
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return d.pauseForRecovery(ctx, err)
	}
	if err != nil {
		return d.hostError(ctx, err)
	}
	want, err := d.draft(ctx)
	if err != nil {
		return err
	}
	switch {
	case sameComments(want.Comments, got):
	case people || len(want.Comments) == 0:
		d.log.Error("the review on the host is not what was frozen, and stays", "comments", len(got), "people", people)
	default:
		d.log.Warn("the review on the host is not what was frozen", "comments", len(got), "want", len(want.Comments))
		return d.withoutInline(ctx, nil) // the look deletes it, because its payload is older
	}
	return d.recordVisible(ctx, review)
}

// recordVisible records the review.
func (d *direct) recordVisible(ctx context.Context, review codehost.Review) error {
	err := d.Store.InTx(ctx, func(ctx context.Context) error {
		if err := d.moveToSubmitting(ctx); err != nil {
			return err
		}
		ok, err := d.Store.NameReview(ctx, d.tenant(), d.pub.ID, d.pub.Gen, review.ID)
		if err == nil && !ok {
			err = ErrTakenOver
		}
		return err
	})
	if err != nil {
		return err
	}
	d.pub.ReviewID = review.ID
	return d.published(ctx, review.URL)
}

// unanswered returns how long an unanswered create for the pull request, from any publication, may still be
// applied. It counts answered creates of the publication own too, unless that is "".
func (d *direct) unanswered(ctx context.Context, own string) (time.Duration, error) {
	return d.Store.UnansweredCreates(ctx, d.tenant(), d.Task.Run.PullRequest, own, d.maxApplyDelay())
}

// maxApplyDelay returns how long after its intent a request may still be applied.
func (p *Publisher) maxApplyDelay() time.Duration {
	if p.Quiet > 0 {
		return p.Quiet
	}
	write, margin := p.times()
	return write + margin + extraApplyDelay
}

// deleted ends a publication whose review was created and is missing, because a person has deleted it. It
// first waits until lists have had the time to show the review.
func (d *direct) deleted(ctx context.Context) (bool, error) {
	writes, err := d.Store.Writes(ctx, d.tenant(), subjectPublication, d.pub.ID)
	if err != nil {
		return false, err
	}
	made := slices.ContainsFunc(writes, func(w store.WriteAttempt) bool { return w.Verb == verbCreate && w.Outcome == "ok" })
	ours := slices.ContainsFunc(writes, func(w store.WriteAttempt) bool { // includes the draft that an older version had chosen
		return w.Verb == verbTwin || w.Verb == verbOrphan && w.Target == d.target(d.pub.ReviewID)
	})
	if !made || ours {
		return false, nil
	}
	if wait, err := d.unanswered(ctx, d.pub.ID); err != nil || wait > 0 {
		return false, cmp.Or(err, lateError(wait))
	}
	return true, d.abandon(ctx, ReasonDeleted)
}

// settleChosen ends a publication whose job died after its intent: either the review exists, or it can no
// longer appear.
func (d *direct) settleChosen(ctx context.Context) error {
	wait, err := d.unanswered(ctx, "")
	if err != nil {
		return err
	}
	found, err := d.seek(ctx)
	switch {
	case err != nil:
		return d.hostError(ctx, err)
	case found.ours.ID != "":
		return d.recordVisible(ctx, found.ours)
	case wait > 0:
		return lateError(wait)
	}
	if deleted, err := d.deleted(ctx); err != nil || deleted {
		return err
	}
	return d.failUnpublished(ctx)
}
