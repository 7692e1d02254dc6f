package publish

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// The standings of a draft with our mark.
const (
	draftForeign = iota // of another writer, or of an unknown or unfinished publication: left alone
	draftOrphan         // its publication has finished and does not need it
	draftStale          // the review of a published publication; the list lags behind
)

// classifyDraft classifies a draft that names another publication. Drafts of publications that this tenant does
// not have are never deleted.
func (p *Publisher) classifyDraft(ctx context.Context, t domain.Tenant, publication string, review domain.HostID) (int, error) {
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

// Clean deletes remains of our publications on a pull request: drafts of finished publications, and on
// hosts without private drafts also visible twins. It may be repeated.
func (p *Publisher) Clean(ctx context.Context, run store.Run, host codehost.Publisher, repo codehost.Repo) error {
	ctx = codehost.WithReceipt(ctx)
	switch {
	case codehost.NotesOf(host) != nil:
		return p.cleanNotes(ctx, run, host, repo)
	case codehost.DirectOf(host) != nil:
		return conversation{p, run, host, repo}.clean(ctx)
	}
	if marked := codehost.MarkedOf(host); marked != nil {
		return conversation{p, run, host, repo}.cleanMarked(ctx, marked)
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
		err = p.sweep(ctx, run, verbOrphan, fmt.Sprintf("%s#%d review %v", repo.FullName(), run.Number, r.ID),
			func() error { return host.DeleteDraft(ctx, repo, run.Number, r.ID) })
		if err != nil && codehost.ClassOf(err) != codehost.ClassInvalid {
			return err
		}
	}
	return nil
}

// sweep deletes a remnant, after recording the intent.
func (p *Publisher) sweep(ctx context.Context, run store.Run, verb, target string, remove func() error) error {
	attempt, _, err := p.Store.BeginWrite(ctx, domain.Tenant{ID: run.Tenant},
		store.WriteAttempt{SubjectKind: "janitor", SubjectID: run.ID, Verb: verb, Target: target})
	if err != nil {
		return err
	}
	codehost.StoreReceipt(ctx, 0, "")
	err = remove()
	p.recordWrite(ctx, attempt, err)
	return err
}

// orphan reports whether a finished publication left a draft.
func (p *Publisher) orphan(ctx context.Context, run store.Run, r codehost.Review) (bool, error) {
	mark, ok := p.Marker.FindPublication(Place(run), r.Body)
	if !ok {
		return false, nil
	}
	standing, err := p.classifyDraft(ctx, domain.Tenant{ID: run.Tenant}, mark.ID, r.ID)
	return standing == draftOrphan && err == nil, err
}
