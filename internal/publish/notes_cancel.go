package publish

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// chosen is the cancel point: nothing is visible yet. Drafts that are no longer needed are deleted when the
// publication has finished (see [Publisher.Clean]).
func (n *notes) chosen(ctx context.Context) error {
	rows, err := n.rows(ctx)
	if err != nil {
		return err
	}
	if wanted, err := n.wanted(ctx, rows); err != nil || !wanted {
		return err
	}
	return n.move(ctx, domain.PhaseSubmitting, "", "")
}

// wanted checks whether the review is still wanted and the drafts still equal the frozen payload. If it
// returns false, the publication has ended, or the next step must look again.
func (n *notes) wanted(ctx context.Context, rows []store.PublicationNote) (bool, error) {
	n.Claim.Stage("publish: check head", 2*time.Minute)
	if reason, err := n.overtaken(ctx); err != nil {
		return false, err
	} else if reason != "" {
		return false, n.abandon(ctx, reason)
	}
	changed, err := n.changed(ctx, rows)
	if err != nil {
		return false, n.hostError(ctx, err)
	}
	if len(changed) > 0 {
		n.log.Warn("a person has written in a draft; none of them is made visible")
		return false, n.abandon(ctx, ReasonSlotBusy)
	}
	n.asked = true
	return n.restrictSummary(ctx, rows[len(rows)-1])
}

// recheckDrafts checks once per attempt for changes while the publication waited: for all of them as long as
// nothing can be visible, later only for drafts in which a person has written. Such drafts are not made
// visible.
func (n *notes) recheckDrafts(ctx context.Context, rows []store.PublicationNote) (goOn bool, err error) {
	if n.asked {
		return true, nil
	}
	if unsent, err := n.untouched(ctx, rows); err != nil {
		return false, err
	} else if unsent {
		return n.wanted(ctx, rows)
	}
	changed, err := n.changed(ctx, rows)
	if err != nil {
		return false, n.hostError(ctx, err)
	}
	for i := range rows {
		row := &rows[i]
		if !slices.Contains(changed, row.Seq) {
			continue
		}
		if unsent, err := n.unsent(ctx, *row); err != nil {
			return false, err
		} else if !unsent {
			continue // find out first whether it became visible
		}
		if err := n.drop(ctx, row, ReasonSlotBusy, errors.New("a person has written in its draft")); err != nil || n.pub.Phase.Terminal() {
			return false, err
		}
	}
	n.asked = true
	return true, nil
}

// restrictSummary removes text from the summary's draft that must not be shown any more, because the draft may be older
// than the restriction. fits is false if the next step must look again. If the draft cannot be changed,
// there is no review.
func (n *notes) restrictSummary(ctx context.Context, summary store.PublicationNote) (fits bool, err error) {
	held, err := n.isWithheld(ctx)
	if err != nil {
		return false, n.hostError(ctx, err)
	}
	if !held {
		return true, nil
	}
	draft, err := n.draft(ctx)
	if err != nil {
		return false, err
	}
	done, ready, err := n.editDraft(ctx, summary, draft)
	if err != nil || done || !ready {
		return done, err
	}
	return false, n.drop(ctx, &summary, ReasonWithheld, errors.New("only the key of an issue may be known now"))
}

// isWithheld reports whether the summary's draft contains text about an issue that must not be shown any
// more. The draft may be older than the restriction, and a draft becomes visible as it is.
func (n *notes) isWithheld(ctx context.Context) (bool, error) {
	if n.payload.Issues == nil {
		return false, nil
	}
	fit, err := n.draft(ctx)
	if err != nil {
		return false, err
	}
	frozen, err := n.frozen()
	if err != nil || normalized(fit.Body.String()) == normalized(frozen.Body.String()) {
		return false, err
	}
	list, err := n.host.NoteDrafts(ctx, n.Repo, n.Task.Run.Number)
	return slices.ContainsFunc(list, func(d codehost.NoteDraft) bool { return normalized(d.Body) == normalized(frozen.Body.String()) }), err
}

// changed lists the numbers of the drafts that differ from the frozen payload, because a person shares the
// account. Drafts that the list does not show are checked when they are made visible.
func (n *notes) changed(ctx context.Context, rows []store.PublicationNote) (seqs []int, err error) {
	list, err := n.host.NoteDrafts(ctx, n.Repo, n.Task.Run.Number)
	if err != nil {
		return nil, err
	}
	draft, err := n.draft(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		i := slices.IndexFunc(list, func(d codehost.NoteDraft) bool { return d.ID == row.Draft })
		if i < 0 {
			continue
		}
		ours, err := n.ownTexts(ctx, rows, row, draft)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ours, normalized(list[i].Body)) {
			seqs = append(seqs, row.Seq)
		}
	}
	return seqs, nil
}

// ownTexts returns the texts that we may have given a row's draft. The summary's draft may be older than a
// restriction, or may already list dropped comments.
func (n *notes) ownTexts(ctx context.Context, rows []store.PublicationNote, row store.PublicationNote,
	draft codehost.Draft) ([]string, error) {
	want, err := n.content(draft, row)
	if err != nil || row.Finding != "" {
		return []string{normalized(want.Body.String())}, err
	}
	frozen, err := n.frozen()
	if err != nil {
		return nil, err
	}
	out := []string{normalized(want.Body.String()), normalized(frozen.Body.String())}
	after, err := n.amendment(ctx, rows)
	if err == nil && after != nil {
		out = append(out, normalized(after.draft.Body.String()))
	}
	return out, err
}
