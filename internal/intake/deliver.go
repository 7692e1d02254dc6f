package intake

import (
	"cmp"
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// decision is the outcome of a delivery.
type decision struct {
	disposition domain.Disposition
	reason      string
	run         string
	tenant      string
}

// decisionOf converts the outcome of a request for a run.
func decisionOf(o run.Outcome) decision {
	switch {
	case o.Made:
		return decision{disposition: domain.DispositionRun, run: o.Run}
	case o.Refuse != "":
		return decision{disposition: domain.DispositionIgnored, run: o.Run, reason: o.Refuse}
	}
	return decision{disposition: domain.DispositionCoalesced, run: o.Run, reason: "this head has its run"}
}

func ignored(reason string) decision {
	return decision{disposition: domain.DispositionIgnored, reason: reason}
}

var applied = decision{disposition: domain.DispositionApplied}

// Deliver processes one stored delivery to exactly one disposition.
func (s *Service) Deliver(ctx context.Context, c *jobs.Claim) error {
	d, err := s.Store.Delivery(ctx, c.Job.Subject)
	if err != nil {
		return err
	}
	if d.Disposition != "" && d.Disposition != domain.DispositionFailed {
		return nil // an earlier attempt got this far; failed deliveries can be redriven
	}
	if row, through, err := s.issueTracker(ctx, d); err != nil || through {
		if err != nil {
			return err
		}
		return s.fromTracker(ctx, c, d, row)
	}
	row, through, err := s.connection(ctx, d)
	switch {
	case err != nil:
		return err
	case through && row.ID == "":
		return s.dispose(ctx, c, d, ignored("the connection was deleted"), nil)
	case through && !row.Enabled:
		return s.dispose(ctx, c, d, ignored("the connection is switched off"), nil)
	}
	ev, why := s.read(d, cmp.Or(row.Kind, store.KindGitHub))
	if why != "" {
		return s.dispose(ctx, c, d, ignored(why), nil)
	}
	h, err := s.history(ctx, d)
	if err != nil {
		return err
	}
	if h.before && requestsAction(ev.Kind) {
		return s.dispose(ctx, c, d, ignored(repeated), nil)
	}
	if through {
		return s.fromConnection(ctx, c, d, h, row, ev)
	}
	return s.fromApp(ctx, c, d, h, ev)
}

// read parses a delivery, or returns why it is ignored.
func (s *Service) read(d store.Delivery, kind string) (ev codehost.Event, why string) {
	parse := s.Parse[kind]
	if parse == nil {
		return ev, "this kind of code host is not built yet"
	}
	ev, err := parse(d)
	if err != nil {
		return ev, "unreadable payload"
	}
	return ev, Ignored(ev.Kind, ev.Reason)
}

// Ignored returns why events of a kind are ignored; "" if they may have an effect. reason is the adapter's
// reason for an ignored event.
func Ignored(kind codehost.EventKind, reason string) (why string) {
	switch kind {
	case "": // only the body shows it
		return ""
	case codehost.KindInstallation, codehost.KindInstallationRepositories, codehost.KindRepository, codehost.KindPullRequest,
		codehost.KindComment, codehost.KindCheck, codehost.KindPush, codehost.KindMembership, codehost.KindAuthorization:
		return ""
	case codehost.KindIgnored:
		return reason
	}
	return "not used yet: " + string(kind)
}

// fromApp processes a delivery to an app of a code host.
func (s *Service) fromApp(ctx context.Context, c *jobs.Claim, d store.Delivery, h history, ev codehost.Event) error {
	if ev.Kind == codehost.KindAuthorization {
		return s.dispose(ctx, c, d, applied, func(ctx context.Context) (decision, error) { return applied, s.unauthorize(ctx, d, ev) })
	}
	answered := h.before || removesAccess(ev)
	ev, dec, err := s.confirm(ctx, d, h, ev)
	if err != nil || dec.disposition != "" {
		return s.disposeOr(ctx, c, d, dec, err)
	}
	inst, dec, err := s.installation(ctx, d, ev)
	if err != nil || dec.disposition != "" {
		return s.disposeOr(ctx, c, d, dec, err)
	}
	switch ev.Kind {
	case codehost.KindPullRequest, codehost.KindComment, codehost.KindCheck, codehost.KindPush:
		return s.onRepository(ctx, c, d, h, installationOrigin{s, inst}, ev)
	case codehost.KindMembership:
		dec := decision{disposition: domain.DispositionApplied, tenant: inst.Tenant}
		return s.dispose(ctx, c, d, dec, func(ctx context.Context) (decision, error) { return dec, s.peopleChanged(ctx, inst, ev) })
	default:
		dec, err := s.repositories(ctx, inst, ev, answered)
		return s.disposeOr(ctx, c, d, dec, err)
	}
}

// onRepository processes an event of a repository.
func (s *Service) onRepository(ctx context.Context, c *jobs.Claim, d store.Delivery, h history, from origin, ev codehost.Event) error {
	switch {
	case ev.Kind == codehost.KindComment:
		return s.handleComment(ctx, c, d, h, from, ev)
	case ev.Kind == codehost.KindCheck:
		return s.handleCheck(ctx, c, d, from, ev)
	case ev.Kind == codehost.KindPush:
		return s.pushed(ctx, c, d, from, ev)
	case h.before:
		return s.pullRequestAgain(ctx, c, d, from, ev)
	}
	return s.pullRequest(ctx, c, d, from, ev)
}

func (s *Service) disposeOr(ctx context.Context, c *jobs.Claim, d store.Delivery, dec decision, err error) error {
	if err != nil {
		return jobs.Waiting(err)
	}
	return s.dispose(ctx, c, d, dec, nil)
}

// dispose writes the disposition, the changes that more makes, and the end of the job in one transaction.
func (s *Service) dispose(ctx context.Context, c *jobs.Claim, d store.Delivery, dec decision,
	more func(ctx context.Context) (decision, error)) error {
	err := s.Store.InTx(ctx, func(ctx context.Context) (err error) {
		if more != nil {
			if dec, err = more(ctx); err != nil {
				return err
			}
		}
		if err := s.Store.Dispose(ctx, d.ID, dec.tenant, dec.disposition, dec.reason, dec.run); err != nil {
			return err
		}
		return c.Finish(ctx)
	})
	if err == nil {
		s.Observer.DeliveryProcessed(d.Event, string(dec.disposition))
		s.Logger.InfoContext(ctx, "delivery processed", "delivery", d.ID, "guid", d.GUID, "event", d.Event, "action", d.Action,
			"disposition", dec.disposition, "reason", dec.reason, "run", dec.run)
	}
	return err
}
