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

// submitting makes the chosen drafts visible, each when what became of those before it is
// known, and ends the publication.
func (n *notes) submitting(ctx context.Context) error {
	rows, err := n.rows(ctx)
	if err != nil {
		return err
	}
	if goOn, err := n.again(ctx, rows); err != nil || !goOn {
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

// target is that of writes to one draft. It is looked for later, so it names nothing that may change,
// as the name of a project does.
func (n *notes) target(row store.PublicationNote) string {
	return fmt.Sprintf("draft %v", row.Draft)
}

// show makes one draft visible: intent, then the request, then the record.
func (n *notes) show(ctx context.Context, row *store.PublicationNote) error {
	n.Claim.Stage("publish: make a comment visible", 2*time.Minute)
	if row.Finding == "" {
		if fits, err := n.fit(ctx, *row); err != nil || !fits || n.pub.Phase.Terminal() {
			return err
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

// How often a draft is asked to become visible, each time after a pause of twice the length. A host
// may refuse it each time with an error that says nothing: lib/api/draft_notes.rb of gitlab-org/gitlab
// answers 500 for whatever its service refuses, and so does a host that is about to come back. A comment
// goes into the summary after three quarters of an hour; without its summary a review is lost, so that
// is asked for three hours.
const (
	mostShows        = 6
	mostSummaryShows = 8
)

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
		n.log.Warn("there are too many comments to search; a draft that is gone counts as visible", "note", row.Seq)
		return n.moveNote(ctx, row, domain.NoteVisible, "")
	case codehost.ClassOf(err) == codehost.ClassTooLarge && row.Finding != "":
		return n.drop(ctx, row, reasonUnseen, err) // it may be there: asked again it would be there twice
	case err != nil && codehost.ClassOf(err) != codehost.ClassTooLarge:
		return n.hostError(ctx, err)
	case shown.ID != "":
		return n.moveNote(ctx, row, domain.NoteVisible, "")
	}
	tried, age, err := n.shows(ctx, *row)
	if err != nil {
		return err
	}
	most := mostShows
	if row.Finding == "" {
		most = mostSummaryShows
	}
	if listed && cause == nil && tried > 0 && tried < most {
		err = waited(n.silence()<<(tried-1)-age, "the host is left alone for a while before it is asked again")
	} else {
		err = n.settled(ctx, *row, !listed)
	}
	switch {
	case err != nil:
		return err
	case !listed:
		return n.drop(ctx, row, ReasonDeleted, errors.New("there is neither the draft nor the comment"))
	case tried >= most:
		return n.drop(ctx, row, ReasonRefused, fmt.Errorf("%d requests have made no comment of it", tried))
	case cause != nil:
		return n.look(ctx, cause)
	}
	return n.show(ctx, row)
}

// shows counts the requests to make a draft visible that may have reached the host, and tells how old the
// newest is. One that a limit refused, or that was surely not sent, is none.
func (n *notes) shows(ctx context.Context, row store.PublicationNote) (tried int, age time.Duration, err error) {
	writes, err := n.Store.Writes(ctx, n.tenant(), subjectPublication, n.pub.ID)
	if err != nil {
		return 0, 0, err
	}
	for _, w := range writes {
		unsent := w.Outcome == string(codehost.ClassLimited) || w.Outcome == string(codehost.ClassUnavailable)
		if w.Verb == verbSubmit && w.Target == n.target(row) && !unsent {
			tried++
		}
	}
	if tried == 0 {
		return 0, 0, nil
	}
	age, _, err = n.newestShow(ctx, row)
	return tried, age, err
}

// newestShow is how long ago the newest request to make a draft visible was intended, and how it ended.
func (n *notes) newestShow(ctx context.Context, row store.PublicationNote) (age time.Duration, outcome string, err error) {
	return n.Store.LatestWrite(ctx, n.tenant(), store.WriteAttempt{SubjectKind: subjectPublication, SubjectID: n.pub.ID, Verb: verbSubmit, Target: n.target(row)})
}

// waited returns an error of [codehost.ClassLimited] while something is left of a pause.
func waited(left time.Duration, why string) error {
	if left < time.Millisecond { // finer than the clock of SQLite counts
		return nil
	}
	return &codehost.Error{Class: codehost.ClassLimited, Op: "make a comment visible", RetryAfter: left, Message: why}
}

// settled returns an error of [codehost.ClassLimited] while the newest request to make
// a draft visible may still be applied, or, with listed, while lists may not show yet
// what it has done.
func (n *notes) settled(ctx context.Context, row store.PublicationNote, listed bool) error {
	age, outcome, err := n.newestShow(ctx, row)
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	unknown := slices.Contains([]string{"", "error", string(codehost.ClassAmbiguous)}, outcome)
	if !unknown && !listed {
		return nil
	}
	return waited(n.silence()-age, "it waits because the host may still apply an earlier request")
}

// find is the visible comment that carries the mark of a row; the zero value for none. Nobody can have
// copied the mark of what was not visible before; where somebody has copied it since, ours comes first. One of another
// account is ours, too: that of the connection may have changed meanwhile.
func (n *notes) find(ctx context.Context, row store.PublicationNote) (found codehost.Comment, err error) {
	list, err := n.host.Notes(ctx, n.Repo, n.Task.Run.Number)
	if err != nil {
		return codehost.Comment{}, err
	}
	for _, c := range list {
		if !n.marks(row, c.Body) {
			continue
		}
		if c.Mine {
			return c, nil
		}
		if found.ID == "" {
			found = c
		}
	}
	return found, nil
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
	rows, err := n.rows(ctx)
	if err != nil {
		return err
	}
	if unsent, err := n.untouched(ctx, rows); err != nil {
		return err
	} else if unsent {
		return n.failUnpublished(ctx)
	}
	return n.submitting(ctx)
}
