package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// chosen is the cancel point: nothing is visible. Drafts that are not needed any more
// are deleted when the publication is over (see [Publisher.Clean]).
func (n *notes) chosen(ctx context.Context) error {
	n.Claim.Stage("publish: check head", 2*time.Minute)
	if reason, err := n.overtaken(ctx); err != nil {
		return err
	} else if reason != "" {
		return n.abandon(ctx, reason)
	}
	changed, err := n.changed(ctx)
	if err != nil {
		return n.hostError(ctx, err)
	}
	if changed {
		n.log.Warn("a person has written in a draft; none of them is made visible")
		return n.abandon(ctx, ReasonSlotBusy)
	}
	if held, err := n.withheld(ctx); err != nil {
		return n.hostError(ctx, err)
	} else if held {
		return n.abandon(ctx, ReasonWithheld)
	}
	return n.move(ctx, domain.PhaseSubmitting, "", "")
}

// withheld reports whether the draft of the summary says of an issue what must not be
// known any more: it was made before that was so, and a draft is made visible as it is.
func (n *notes) withheld(ctx context.Context) (bool, error) {
	if n.payload.Issues == nil {
		return false, nil
	}
	fit, err := n.draft(ctx)
	if err != nil {
		return false, err
	}
	frozen, err := n.frozen()
	if err != nil || plain(fit.Body.String()) == plain(frozen.Body.String()) {
		return false, err
	}
	list, err := n.host.NoteDrafts(ctx, n.Repo, n.Task.Run.Number)
	return slices.ContainsFunc(list, func(d codehost.NoteDraft) bool { return plain(d.Body) == plain(frozen.Body.String()) }), err
}

// changed reports whether a chosen draft is not what was frozen: a person shares the
// account. One that the list does not show is decided when it is made visible.
func (n *notes) changed(ctx context.Context) (bool, error) {
	rows, err := n.rows(ctx)
	if err != nil {
		return false, err
	}
	list, err := n.host.NoteDrafts(ctx, n.Repo, n.Task.Run.Number)
	if err != nil {
		return false, err
	}
	draft, err := n.draft(ctx)
	if err != nil {
		return false, err
	}
	frozen, err := n.frozen()
	if err != nil {
		return false, err
	}
	for _, row := range rows {
		i := slices.IndexFunc(list, func(d codehost.NoteDraft) bool { return d.ID == row.Draft })
		if i < 0 {
			continue
		}
		want, err := n.content(draft, row)
		if err != nil {
			return false, err
		}
		if body := plain(list[i].Body); body != plain(want.Body.String()) && (row.Finding != "" || body != plain(frozen.Body.String())) {
			return true, nil
		}
	}
	return false, nil
}

// submitting makes the chosen drafts visible, each when what became of those before it is
// known, and ends the publication.
func (n *notes) submitting(ctx context.Context) error {
	rows, err := n.rows(ctx)
	if err != nil {
		return err
	}
	for i := range rows {
		row := &rows[i]
		ready := true
		if row.Finding == "" && row.Phase == domain.NoteChosen {
			ready, err = n.verify(ctx, rows)
		}
		if err != nil || !ready || n.pub.Phase.Terminal() {
			return err
		}
		switch row.Phase {
		case domain.NoteChosen:
			err = n.show(ctx, row)
		case domain.NotePublishing:
			err = n.became(ctx, row, nil)
		}
		if err != nil || n.pub.Phase.Terminal() {
			return err
		}
		if !row.Phase.Decided() {
			return nil // looks once more
		}
	}
	return n.conclude(ctx, rows)
}

func (n *notes) target(row store.PublicationNote) string {
	return fmt.Sprintf("%s draft %v", n.pull(), row.Draft)
}

// show makes one draft visible: intent, then the request, then the record.
func (n *notes) show(ctx context.Context, row *store.PublicationNote) error {
	n.Claim.Stage("publish: make a comment visible", 2*time.Minute)
	if row.Finding == "" {
		if held, err := n.withheld(ctx); err != nil {
			return n.hostError(ctx, err)
		} else if held {
			return n.drop(ctx, row, ReasonWithheld, errors.New("only the key of an issue may be known now"))
		}
	}
	attempt, err := n.intendNote(ctx, verbSubmit, n.target(*row), row, domain.NotePublishing)
	if err != nil {
		return err
	}
	err = n.host.PublishNote(ctx, n.Repo, n.Task.Run.Number, row.Draft)
	n.wrote(ctx, attempt, err)
	switch codehost.ClassOf(err) {
	case codehost.ClassAmbiguous, codehost.ClassNotFound:
		return n.became(ctx, row, err)
	case codehost.ClassInvalid:
		return n.drop(ctx, row, ReasonRefused, err)
	}
	if err != nil {
		return n.hostError(ctx, err)
	}
	return n.moveNote(ctx, row, domain.NoteVisible, "")
}

// mostShows is how often a draft is asked to become visible. A host may refuse it each
// time with an error that says nothing: lib/api/draft_notes.rb of gitlab-org/gitlab answers
// 500 for whatever its service refuses.
const mostShows = 5

// became finds out what became of a draft that was to be made visible: the comment decides,
// whether or not the draft is still listed, because the host makes the one and then
// deletes the other, and may fail in between. A draft that is left is the janitor's. cause is the
// error of a request that was just sent.
func (n *notes) became(ctx context.Context, row *store.PublicationNote, cause error) error {
	n.Claim.Stage("publish: look for a comment", 2*time.Minute)
	drafts, err := n.host.NoteDrafts(ctx, n.Repo, n.Task.Run.Number)
	if err != nil {
		return n.hostError(ctx, err)
	}
	listed := slices.ContainsFunc(drafts, func(d codehost.NoteDraft) bool { return d.ID == row.Draft })
	shown, err := n.find(ctx, *row)
	switch {
	case codehost.ClassOf(err) == codehost.ClassTooLarge && !listed:
		n.log.Warn("there are too many comments to look among; what is no draft any more counts as visible", "note", row.Seq)
		return n.moveNote(ctx, row, domain.NoteVisible, "")
	case err != nil && codehost.ClassOf(err) != codehost.ClassTooLarge:
		return n.hostError(ctx, err)
	case shown.ID != "":
		return n.moveNote(ctx, row, domain.NoteVisible, "")
	}
	if err := n.settled(ctx, *row, !listed); err != nil {
		return err
	}
	if !listed {
		return n.drop(ctx, row, ReasonDeleted, errors.New("there is neither the draft nor the comment"))
	}
	switch tried, err := n.shows(ctx, *row); {
	case err != nil:
		return err
	case tried >= mostShows:
		return n.drop(ctx, row, ReasonRefused, fmt.Errorf("%d requests have made no comment of it", tried))
	case cause != nil:
		return n.look(ctx, cause)
	}
	return n.show(ctx, row)
}

// shows counts the requests to make a draft visible; one that a limit refused is none.
func (n *notes) shows(ctx context.Context, row store.PublicationNote) (int, error) {
	writes, err := n.Store.Writes(ctx, n.tenant(), subjectPublication, n.pub.ID)
	writes = slices.DeleteFunc(writes, func(w store.WriteAttempt) bool {
		return w.Verb != verbSubmit || w.Target != n.target(row) || w.Outcome == string(codehost.ClassLimited)
	})
	return len(writes), err
}

// settled returns an error of [codehost.ClassLimited] while the newest request to make
// a draft visible may still be applied, or, with listed, while lists may not show yet
// what it has done.
func (n *notes) settled(ctx context.Context, row store.PublicationNote, listed bool) error {
	age, outcome, err := n.Store.LatestWrite(ctx, n.tenant(), store.WriteAttempt{SubjectKind: subjectPublication, SubjectID: n.pub.ID, Verb: verbSubmit, Target: n.target(row)})
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	unknown := slices.Contains([]string{"", "error", string(codehost.ClassAmbiguous)}, outcome)
	if left := n.silence() - age; left >= time.Millisecond && (unknown || listed) { // finer than the clock of SQLite counts
		return &codehost.Error{Class: codehost.ClassLimited, Op: "make a comment visible", RetryAfter: left, Message: "what the host may still do with an earlier request is waited for"}
	}
	return nil
}

// find is the visible comment that carries the mark of a row; the zero value for none.
func (n *notes) find(ctx context.Context, row store.PublicationNote) (codehost.Comment, error) {
	list, err := n.host.Notes(ctx, n.Repo, n.Task.Run.Number)
	if err != nil {
		return codehost.Comment{}, err
	}
	for _, c := range list {
		if c.Mine && n.marks(row, c.Body) {
			return c, nil
		}
	}
	return codehost.Comment{}, nil
}

// drop goes on without a comment that cannot be made visible any more. Without the
// summary there is no review.
func (n *notes) drop(ctx context.Context, row *store.PublicationNote, reason string, cause error) error {
	if row.Finding == "" {
		n.log.Error("the summary cannot be made visible", "reason", reason, "error", cause)
		return n.abandon(ctx, reason)
	}
	n.log.Warn("a comment cannot be made visible; the review goes on without it", "note", row.Seq, "reason", reason, "error", cause)
	return n.moveNote(ctx, row, domain.NoteDropped, reason)
}

// conclude records the publication when everything is visible: by the summary, which
// stands for the review. What was dropped on the way was not posted.
func (n *notes) conclude(ctx context.Context, rows []store.PublicationNote) error {
	n.Claim.Stage("publish: read the summary", 2*time.Minute)
	summary := rows[len(rows)-1]
	shown, err := n.find(ctx, summary)
	if codehost.ClassOf(err) == codehost.ClassTooLarge {
		n.log.Warn("there are too many comments to find the summary among; it is not edited later")
		return n.published(ctx, "")
	}
	if err != nil {
		return n.hostError(ctx, err)
	}
	if shown.ID == "" {
		if err := n.settled(ctx, summary, true); err != nil {
			return err
		}
		return n.abandon(ctx, ReasonDeleted)
	}
	n.closeSummary(ctx, summary, shown)
	for _, row := range rows { // those that the summary says are not among them
		inline := slices.ContainsFunc(n.payload.Comments, func(c Comment) bool { return c.FindingID == row.Finding })
		if row.Phase == domain.NoteDropped && inline {
			n.payload.Posted = slices.DeleteFunc(n.payload.Posted, func(id string) bool { return id == row.Finding })
		}
	}
	ok, err := n.Store.NameReview(ctx, n.tenant(), n.pub.ID, n.pub.Gen, shown.ID)
	if err != nil {
		return err
	}
	if !ok {
		return ErrTakenOver
	}
	n.pub.ReviewID = shown.ID
	return n.published(ctx, shown.URL)
}

// closeSummary resolves the summary where the host made a thread of it: it asks for nothing, and
// must not keep a merge request from being merged in which all threads have to be resolved. That it cannot be done
// changes nothing else.
func (n *notes) closeSummary(ctx context.Context, row store.PublicationNote, shown codehost.Comment) {
	host, ok := codehost.ResolverOf(n.Host)
	if !ok || !shown.Open {
		return
	}
	attempt, err := n.intend(ctx, verbResolve, n.target(row), n.pub.Phase)
	if err == nil {
		err = host.SetResolved(ctx, n.Repo, n.Task.Run.Number, shown.ID, true)
		n.wrote(ctx, attempt, err)
	}
	if err != nil {
		n.log.Warn("the thread of the summary could not be resolved", "error", err)
	}
}

// settleChosen ends a publication whose job died: where nothing can be visible yet it is given
// up, else it is brought to its end.
func (n *notes) settleChosen(ctx context.Context) error {
	if n.pub.Phase == domain.PhaseChosen {
		return n.failUnpublished(ctx)
	}
	return n.submitting(ctx)
}
