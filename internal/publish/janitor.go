package publish

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// The standings of a draft that carries a mark of ours.
const (
	draftForeign = iota // of somebody else, or of a publication that is not known or not over: left alone
	draftOrphan         // its publication is over and does not need it
	draftStale          // the review of a published publication; the list lags behind
)

// standing says what a draft that names another publication is. A publication
// that this tenant does not know is never ours to clean up.
func (p *Publisher) standing(ctx context.Context, t domain.Tenant, publication string, review domain.HostID) (int, error) {
	other, err := p.Store.PublicationByID(ctx, t, publication)
	switch {
	case errs.Is(err, errs.NotFound):
		return draftForeign, nil
	case err != nil:
		return draftForeign, err
	case other.Phase == domain.PhasePublished && other.ReviewID == review:
		return draftStale, nil
	case other.Phase.Terminal():
		return draftOrphan, nil
	}
	return draftForeign, nil
}

// Clean deletes what publications of ours left behind on a pull request: drafts
// whose mark names a publication that is over, and where a review is made by one
// write also visible twins of one. It may be repeated.
func (p *Publisher) Clean(ctx context.Context, run store.Run, host codehost.Publisher, repo codehost.Repo) error {
	ctx = codehost.WithReceipt(ctx)
	switch {
	case notesOf(host) != nil:
		return p.cleanNotes(ctx, run, host, repo)
	case directOf(host) != nil:
		return conversation{p, run, host, repo}.clean(ctx)
	}
	reviews, err := host.Reviews(ctx, repo, run.Number)
	if err != nil {
		return err
	}
	for _, r := range reviews {
		if !r.Mine || r.State != codehost.ReviewPending {
			continue
		}
		over, err := p.orphan(ctx, run, r)
		if err != nil {
			return err
		}
		if !over {
			continue
		}
		err = p.sweep(ctx, run, verbOrphan, fmt.Sprintf("%s#%d review %v", repo.FullName(), run.Number, r.ID), func() error { return host.DeleteDraft(ctx, repo, run.Number, r.ID) })
		if err != nil && codehost.ClassOf(err) != codehost.ClassInvalid {
			return err
		}
	}
	return nil
}

// sweep deletes something that was left, with its intent recorded first.
func (p *Publisher) sweep(ctx context.Context, run store.Run, verb, target string, remove func() error) error {
	attempt, _, err := p.Store.BeginWrite(ctx, domain.Tenant{ID: run.Tenant}, store.WriteAttempt{SubjectKind: "janitor", SubjectID: run.ID, Verb: verb, Target: target})
	if err != nil {
		return err
	}
	codehost.Receive(ctx, 0, "")
	err = remove()
	p.wrote(ctx, attempt, err)
	return err
}

// orphan reports whether a draft was left by a publication that is over.
func (p *Publisher) orphan(ctx context.Context, run store.Run, r codehost.Review) (bool, error) {
	mark, ok := p.Marker.FindPublication(Place(run), r.Body)
	if !ok {
		return false, nil
	}
	standing, err := p.standing(ctx, domain.Tenant{ID: run.Tenant}, mark.ID, r.ID)
	return standing == draftOrphan && err == nil, err
}
