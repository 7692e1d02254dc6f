package publish

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// marked is the protocol for hosts that can prepare nothing unseen ([codehost.ProtocolMarked]): each comment is
// visible as soon as it is written.
//
//	plan     store a row for each comment, the summary last; phase CREATING, then CHOSEN
//	look     give the review up if the pull request is closed or a newer head is reviewed; phase SUBMITTING
//	intend   record the intent to write one comment; its row DRAFTING
//	write    make the comment visible
//	choose   record its id by compare-and-swap; its row CHOSEN
//	read     read the comment back by its id; its row VISIBLE, and the next comment follows
//	record   after the summary: phase PUBLISHED, with the id of the summary
//
// Until SUBMITTING nothing has been sent. Later a publication goes on to its end, because a part of the review
// may be visible.
//
// A comment is written again only if the host's list does not show its mark, and only when earlier requests can
// no longer be applied. So a twin needs a host that applies a request later than that, a list that lags for
// longer, or a worker that sleeps between its intent and its request. The janitor deletes twins when the
// publication has ended ([conversation.cleanMarked]); nothing is deleted before, so that no late deletion hits a
// comment that another worker chooses.
type marked struct {
	commentRows
	host  codehost.MarkedNotes
	shown codehost.Comment // the summary, once it was read
}

func newMarked(s *session, host codehost.MarkedNotes) *marked {
	target := func(row store.PublicationNote) string { return fmt.Sprintf("comment %d", row.Seq) }
	return &marked{commentRows: commentRows{s, host, verbCreate, target}, host: host}
}

func (m *marked) prepared(ctx context.Context) error { return m.plan(ctx) }

// creating only passes through, because there are no drafts.
func (m *marked) creating(ctx context.Context) error { return m.move(ctx, domain.PhaseChosen, "", "") }

// chosen is the cancel point: nothing is visible yet.
func (m *marked) chosen(ctx context.Context) error {
	if wanted, err := m.wanted(ctx); err != nil || !wanted {
		return err
	}
	return m.move(ctx, domain.PhaseSubmitting, "", "")
}

// wanted checks whether the review is still wanted. If it returns false, the publication has ended.
func (m *marked) wanted(ctx context.Context) (bool, error) {
	m.Claim.Stage("publish: check head", 2*time.Minute)
	reason, err := m.overtaken(ctx)
	if err != nil {
		return false, err
	}
	m.asked = true
	if reason != "" {
		return false, m.abandon(ctx, reason)
	}
	return true, nil
}

// recheck checks once per attempt, if nothing has been sent yet, whether the review is still wanted.
func (m *marked) recheck(ctx context.Context, rows []store.PublicationNote) (goOn bool, err error) {
	if m.asked {
		return true, nil
	}
	m.asked = true
	if unsent, err := m.untouched(ctx, rows); err != nil || !unsent {
		return err == nil, err
	}
	return m.wanted(ctx)
}

// submitting writes the comments, each after the outcome of the previous one is known, and ends the publication.
func (m *marked) submitting(ctx context.Context) error {
	rows, err := m.rows(ctx)
	if err != nil {
		return err
	}
	if goOn, err := m.recheck(ctx, rows); err != nil || !goOn {
		return err
	}
	for i := range rows {
		row := &rows[i]
		switch row.Phase {
		case domain.NotePlanned:
			if row.Finding == "" {
				err = m.sumUp(ctx, rows)
			}
			if err == nil {
				err = m.writeNote(ctx, row)
			}
		case domain.NoteDrafting:
			err = m.seekNote(ctx, row)
		case domain.NoteChosen:
			err = m.readBack(ctx, row)
		}
		if err != nil || m.pub.Phase.Terminal() {
			return err
		}
		if !row.Phase.Decided() {
			return nil // looks again
		}
	}
	return m.conclude(ctx, rows)
}

// writeNote makes one comment visible: intent, then the request, then the choice.
func (m *marked) writeNote(ctx context.Context, row *store.PublicationNote) error {
	m.Claim.Stage("publish: write a comment", 2*time.Minute)
	draft, err := m.draft(ctx)
	if err != nil {
		return err
	}
	want, err := m.content(draft, *row)
	if err != nil {
		return err
	}
	attempt, err := m.intendNote(ctx, m.show, m.target(*row), row, domain.NoteDrafting)
	if err != nil {
		return err
	}
	made, err := m.host.CreateNote(ctx, m.Repo, m.Task.Run.Number, m.payload.Commit, want)
	m.recordWrite(ctx, attempt, err)
	switch codehost.ClassOf(err) {
	case codehost.ClassInvalid, codehost.ClassTooLarge:
		return m.intoBody(ctx, row, err)
	case codehost.ClassAmbiguous:
		m.log.Warn("the answer to a comment was lost; looking for it before it is written again", "note", row.Seq, "error", err)
		return m.pauseForRecovery(ctx, err)
	}
	if err != nil {
		return m.hostError(ctx, err)
	}
	if err := m.chooseNote(ctx, row, made.ID); err != nil {
		return err
	}
	return m.readBack(ctx, row)
}

// seekNote looks for a comment that an earlier request may have written, and writes it if it certainly does not
// exist. Each pause is twice as long as the one before.
func (m *marked) seekNote(ctx context.Context, row *store.PublicationNote) error {
	m.Claim.Stage("publish: look for a comment", 2*time.Minute)
	tried, age, err := m.countShows(ctx, *row) // before the look, so that the look sees requests applied until then
	if err != nil {
		return err
	}
	if tried == 0 {
		return m.writeNote(ctx, row)
	}
	found, err := m.find(ctx, *row)
	switch {
	case codehost.ClassOf(err) == codehost.ClassTooLarge:
		return m.drop(ctx, row, m.unseen(*row), err) // a second request could duplicate it
	case err != nil:
		return m.hostError(ctx, err)
	case found.ID != "":
		if err := m.chooseNote(ctx, row, found.ID); err != nil {
			return err
		}
		return m.recordSeen(ctx, row, found)
	}
	if err := waitError(m.maxApplyDelay()<<(tried-1)-age, "it waits because the host may still apply an earlier request"); err != nil {
		return err
	}
	maxTries := maxShows
	if row.Finding == "" {
		maxTries = maxSummaryShows
	}
	if tried >= maxTries {
		return m.drop(ctx, row, ReasonRefused, fmt.Errorf("%d requests have made no comment of it", tried))
	}
	return m.writeNote(ctx, row)
}

// unseen returns the reason for giving up a comment that cannot be looked for.
func (m *marked) unseen(row store.PublicationNote) string {
	if row.Finding == "" {
		return ReasonRefused
	}
	return reasonUnseen
}

// readBack reads a chosen comment by its id. If it stays missing for longer than lists lag, the host did not keep
// it or a person deleted it. It is not written again; the summary contains it.
func (m *marked) readBack(ctx context.Context, row *store.PublicationNote) error {
	m.Claim.Stage("publish: read a comment", 2*time.Minute)
	got, err := m.host.Note(ctx, m.Repo, m.Task.Run.Number, row.Draft)
	switch {
	case codehost.ClassOf(err) == codehost.ClassNotFound:
		if err := m.unreached(ctx, err); err != nil {
			return err
		}
		if err := m.awaitSettled(ctx, *row, true); err != nil {
			return err
		}
		return m.drop(ctx, row, ReasonDeleted, err)
	case err != nil:
		return m.hostError(ctx, err)
	}
	return m.recordSeen(ctx, row, got)
}

// recordSeen records that a chosen comment was read. A person may have edited it; it stays as it is.
func (m *marked) recordSeen(ctx context.Context, row *store.PublicationNote, got codehost.Comment) error {
	if !m.marks(*row, got.Body) {
		m.log.Warn("a comment on the host does not end with its mark; its text was changed", "note", row.Seq, "comment", got.ID)
	}
	if row.Finding == "" {
		m.shown = got
	}
	return m.moveNote(ctx, row, domain.NoteVisible, "")
}

// sumUp adds the comments that are not visible to the summary, before the summary is written for the first time.
func (m *marked) sumUp(ctx context.Context, rows []store.PublicationNote) error {
	after, err := m.amendment(ctx, rows)
	if err != nil || after == nil {
		return err
	}
	return m.replacePayload(ctx, after.next)
}

// conclude reads the summary, unless this attempt has read it, and records the publication.
func (m *marked) conclude(ctx context.Context, rows []store.PublicationNote) (err error) {
	shown := m.shown
	if shown.ID == "" {
		m.Claim.Stage("publish: read the summary", 2*time.Minute)
		shown, err = m.host.Note(ctx, m.Repo, m.Task.Run.Number, rows[len(rows)-1].Draft)
	}
	switch {
	case codehost.ClassOf(err) == codehost.ClassNotFound:
		if err := m.unreached(ctx, err); err != nil {
			return err
		}
		return m.abandon(ctx, ReasonDeleted)
	case err != nil:
		return m.hostError(ctx, err)
	}
	return m.recordShown(ctx, rows, shown)
}

func (m *marked) settleChosen(ctx context.Context) error { return m.completeOrFail(ctx, m.submitting) }
