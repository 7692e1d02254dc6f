package publish

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// commentRows is the common part of the protocols on hosts where a review is not an object: each comment of a
// publication has its own row ([notes], [marked]).
type commentRows struct {
	*session
	lister noteLister
	show   string                                 // verb of the write that makes a comment visible
	target func(row store.PublicationNote) string // names a comment in the intent log, see [session.target]
}

// noteLister lists the visible comments of a pull request.
type noteLister interface {
	Notes(ctx context.Context, repo codehost.Repo, number int) ([]codehost.Comment, error)
}

// plan makes the rows, the summary last. Nothing has been sent yet.
func (c *commentRows) plan(ctx context.Context) error {
	var findings []string
	for _, comment := range c.payload.Comments {
		if comment.FindingID == "" || slices.Contains(findings, comment.FindingID) {
			return fmt.Errorf("publication %s: a comment has no finding of its own", c.pub.ID)
		}
		findings = append(findings, comment.FindingID)
	}
	moved, err := c.Store.PlanNotes(ctx, c.tenant(), c.pub.ID, c.pub.Gen, append(findings, ""))
	if err != nil {
		return err
	}
	if !moved {
		return ErrTakenOver
	}
	c.pub.Phase = domain.PhaseCreating
	return nil
}

func (c *commentRows) rows(ctx context.Context) ([]store.PublicationNote, error) {
	return c.Store.NotesOf(ctx, c.tenant(), c.pub.ID)
}

// content returns a comment as the host gets it, with its mark.
func (c *commentRows) content(d codehost.Draft, row store.PublicationNote) (codehost.DraftComment, error) {
	if row.Finding == "" {
		return codehost.DraftComment{Body: d.Body}, nil
	}
	i := slices.IndexFunc(c.payload.Comments, func(p Comment) bool { return p.FindingID == row.Finding })
	if i < 0 {
		return codehost.DraftComment{}, fmt.Errorf("publication %s: its payload has no comment %d", c.pub.ID, row.Seq)
	}
	return d.Comments[i], nil
}

// marks reports whether a text on the host has the mark of a comment.
func (c *commentRows) marks(row store.PublicationNote, body string) bool {
	at := Place(c.Task.Run)
	if row.Finding != "" {
		id, _, ok := c.Marker.FindFinding(at, c.pub.ID, body)
		return ok && id == row.Finding
	}
	mark, ok := c.Marker.FindPublication(at, body)
	return ok && mark.ID == c.pub.ID && strings.HasPrefix(c.pub.PayloadSHA256, mark.SHA)
}

// intendNote commits the intent of a write about a comment, with its phase, before the write is sent.
func (c *commentRows) intendNote(ctx context.Context, verb, target string,
	row *store.PublicationNote, to domain.NotePhase) (string, error) {
	return c.intendWith(ctx, verb, target, func(ctx context.Context) error {
		if row.Phase == to {
			return nil
		}
		return c.moveNote(ctx, row, to, "")
	})
}

func (c *commentRows) moveNote(ctx context.Context, row *store.PublicationNote, to domain.NotePhase, reason string) error {
	ok, err := c.Store.MoveNote(ctx, c.tenant(), *row, c.pub.Gen, c.pub.Phase, to, reason)
	if err != nil {
		return err
	}
	if !ok {
		return ErrTakenOver
	}
	row.Phase, row.Reason = to, reason
	return nil
}

// chooseNote records which draft, or which visible comment, is the comment: the compare-and-swap.
func (c *commentRows) chooseNote(ctx context.Context, row *store.PublicationNote, id domain.HostID) error {
	ok, err := c.Store.ChooseNote(ctx, c.tenant(), *row, c.pub.Gen, c.pub.Phase, id)
	if err != nil {
		return err
	}
	if !ok {
		return ErrTakenOver
	}
	row.Phase, row.Draft = domain.NoteChosen, id
	return nil
}

// intoBody handles a refused place: the comment moves into the summary, which is not sent yet.
func (c *commentRows) intoBody(ctx context.Context, row *store.PublicationNote, cause error) error {
	if row.Finding == "" {
		c.log.Error("the host refuses the summary", "error", cause)
		return c.abandon(ctx, ReasonRefused)
	}
	c.log.Warn("the host refuses a comment; it moves into the summary", "note", row.Seq, "error", cause)
	frozen, err := c.frozen()
	if err != nil {
		return err
	}
	next := c.payload.dropping(frozen, c.Host.Capabilities().MaxBody, []string{row.Finding})
	return c.Store.InTx(ctx, func(ctx context.Context) error { // the phase stays
		if err := c.replacePayload(ctx, next); err != nil {
			return err
		}
		return c.moveNote(ctx, row, domain.NoteDropped, "the host refused its place; it is in the summary")
	})
}

// countShows counts the requests to make a comment visible that may have reached the host, and returns the
// age of the newest. Requests that a limit or a refused token stopped, or that were certainly not sent, do
// not count.
func (c *commentRows) countShows(ctx context.Context, row store.PublicationNote) (tried int, age time.Duration, err error) {
	writes, err := c.Store.Writes(ctx, c.tenant(), subjectPublication, c.pub.ID)
	if err != nil {
		return 0, 0, err
	}
	for _, w := range writes {
		unsent := w.Outcome == string(codehost.ClassLimited) || w.Outcome == string(codehost.ClassUnavailable) ||
			w.Status == http.StatusUnauthorized
		if w.Verb == c.show && w.Target == c.target(row) && !unsent {
			tried++
		}
	}
	if tried == 0 {
		return 0, 0, nil
	}
	age, _, err = c.newestShow(ctx, row)
	return tried, age, err
}

// newestShow returns the age of the newest intent to make a comment visible, and its outcome.
func (c *commentRows) newestShow(ctx context.Context, row store.PublicationNote) (age time.Duration, outcome string, err error) {
	return c.Store.LatestWrite(ctx, c.tenant(), store.WriteAttempt{SubjectKind: subjectPublication, SubjectID: c.pub.ID,
		Verb: c.show, Target: c.target(row)})
}

// waitError returns an error of [codehost.ClassLimited] while a pause has not ended.
func waitError(left time.Duration, why string) error {
	if left < time.Millisecond { // below the resolution of SQLite's clock
		return nil
	}
	return &codehost.Error{Class: codehost.ClassLimited, Op: "make a comment visible", RetryAfter: left, Message: why}
}

// awaitSettled returns an error of [codehost.ClassLimited] while the newest request to make a comment visible may
// still be applied, or, if listed is true, while lists may not show its effect yet.
func (c *commentRows) awaitSettled(ctx context.Context, row store.PublicationNote, listed bool) error {
	age, outcome, err := c.newestShow(ctx, row)
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
	return waitError(c.maxApplyDelay()-age, "it waits because the host may still apply an earlier request")
}

// find returns the oldest visible comment with the mark of a row, or the zero value. A mark cannot have been
// copied before its comment was visible. If a person has copied it since, our own comment comes first. A
// comment of another account may be ours too, because the connection's account may have changed.
func (c *commentRows) find(ctx context.Context, row store.PublicationNote) (found codehost.Comment, err error) {
	list, err := c.lister.Notes(ctx, c.Repo, c.Task.Run.Number)
	if err != nil {
		return codehost.Comment{}, err
	}
	for _, comment := range list {
		if !c.marks(row, comment.Body) {
			continue
		}
		if comment.Mine {
			return comment, nil
		}
		if found.ID == "" {
			found = comment
		}
	}
	return found, nil
}

// drop continues without a comment that cannot be made visible any more. Without the summary there is no
// review.
func (c *commentRows) drop(ctx context.Context, row *store.PublicationNote, reason string, cause error) error {
	if row.Finding == "" {
		c.log.Error("the summary cannot be made visible", "reason", reason, "error", cause)
		return c.abandon(ctx, reason)
	}
	c.log.Warn("a comment cannot be made visible; the review goes on without it", "note", row.Seq, "reason", reason, "error", cause)
	return c.moveNote(ctx, row, domain.NoteDropped, reason)
}

// recordShown records the publication when all comments are visible. The summary stands for the review.
// Dropped comments do not count as posted.
func (c *commentRows) recordShown(ctx context.Context, rows []store.PublicationNote, shown codehost.Comment) error {
	c.closeSummary(ctx, rows[len(rows)-1], shown)
	for _, row := range rows { // findings in the summary's text count as posted
		inline := slices.ContainsFunc(c.payload.Comments, func(p Comment) bool { return p.FindingID == row.Finding })
		if row.Phase == domain.NoteDropped && inline {
			c.payload.Posted = slices.DeleteFunc(c.payload.Posted, func(id string) bool { return id == row.Finding })
		}
	}
	ok, err := c.Store.NameReview(ctx, c.tenant(), c.pub.ID, c.pub.Gen, shown.ID)
	if err != nil {
		return err
	}
	if !ok {
		return ErrTakenOver
	}
	c.pub.ReviewID = shown.ID
	return c.published(ctx, shown.URL)
}

// closeSummary resolves the summary's thread, if the host made one. The summary needs no answer, and must
// not block the merge of a merge request that requires all threads to be resolved. A failure has no other
// effect.
func (c *commentRows) closeSummary(ctx context.Context, row store.PublicationNote, shown codehost.Comment) {
	host, ok := codehost.ResolverOf(c.Host)
	if !ok || !shown.Open {
		return
	}
	attempt, err := c.intend(ctx, verbResolve, c.target(row), c.pub.Phase)
	if err == nil {
		err = host.SetResolved(ctx, c.Repo, c.Task.Run.Number, shown.ID, true)
		c.recordWrite(ctx, attempt, err)
	}
	if err != nil {
		c.log.Warn("the thread of the summary could not be resolved", "error", err)
	}
}

// completeOrFail ends a publication whose job died: it gives the publication up if nothing can be visible yet,
// and otherwise completes it.
func (c *commentRows) completeOrFail(ctx context.Context, complete func(context.Context) error) error {
	rows, err := c.rows(ctx)
	if err != nil {
		return err
	}
	if unsent, err := c.untouched(ctx, rows); err != nil {
		return err
	} else if unsent {
		return c.failUnpublished(ctx)
	}
	return complete(ctx)
}

// untouched reports whether nothing of the review can be visible, because no request to make a part visible
// can have reached the host.
func (c *commentRows) untouched(ctx context.Context, rows []store.PublicationNote) (bool, error) {
	for _, row := range rows {
		if row.Phase == domain.NoteDropped && row.Draft == "" {
			continue // it never had a draft
		}
		if unsent, err := c.unsent(ctx, row); err != nil || !unsent {
			return false, err
		}
	}
	return true, nil
}

// unsent reports whether no request to make a comment visible can have reached the host.
func (c *commentRows) unsent(ctx context.Context, row store.PublicationNote) (bool, error) {
	switch row.Phase {
	case domain.NoteVisible:
		return false, nil
	case domain.NotePlanned:
		return true, nil
	}
	tried, _, err := c.countShows(ctx, row)
	return tried == 0, err
}
