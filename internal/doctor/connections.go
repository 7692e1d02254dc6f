package doctor

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracking"
)

// askedAtOnce is how many code hosts or trackers are asked at the same time (design choice), because they
// share the time of one check.
const askedAtOnce = 16

// linked is an enabled connection with a function that asks its host.
type linked struct {
	tenant, name string
	ask          func(ctx context.Context) Check // Code and Name are set afterwards
}

// connections asks the hosts of all enabled connections.
func (e *examination) connections(ctx context.Context) {
	e.askAll(ctx, "D024", "connections to code hosts", e.unlinked, func() (out []linked, err error) {
		all, err := e.enabledConnections(ctx)
		for _, c := range all {
			out = append(out, linked{c.tenant, c.row.Name, func(ctx context.Context) Check { return e.connection(ctx, c.row) }})
		}
		return out, err
	})
}

// unlinked returns the message if no code host is connected with a token.
func (e *examination) unlinked(ctx context.Context) string {
	if apps, err := e.store.Apps(ctx); err == nil && len(apps) > 0 { // D013 reports the error
		return "there are none, and none is needed: a GitHub App connects its hosts (D013)"
	}
	return "there are none"
}

// askAll asks the connections that read returns, several at a time, and adds one check for each. empty
// returns the message for an empty list.
func (e *examination) askAll(ctx context.Context, code, name string, empty func(context.Context) string, read func() ([]linked, error)) {
	if e.skipped(code, name) {
		return
	}
	all, err := read()
	switch {
	case err != nil:
		e.add(code, name, Fail, "they cannot be read: "+clip.Line(err.Error()), "See D004.")
		return
	case len(all) == 0:
		e.add(code, name, Skip, empty(ctx), "")
		return
	case !e.keys:
		e.add(code, name, Skip, "the stored secrets cannot be opened", "")
		return
	}
	found := make([]Check, len(all))
	slots := make(chan struct{}, askedAtOnce)
	var asked sync.WaitGroup
	for i, c := range all {
		asked.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			found[i] = c.ask(ctx)
			found[i].Code, found[i].Name = code, fmt.Sprintf("%s %s of %s", name, c.name, c.tenant)
		})
	}
	asked.Wait()
	for _, f := range found {
		e.add(f.Code, f.Name, f.Status, f.Message, f.Fix)
	}
}

// enabled is an enabled connection with the name of its tenant.
type enabled struct {
	row    store.ProviderConnection
	tenant string
}

func (e *examination) enabledConnections(ctx context.Context) (out []enabled, err error) {
	tenants, err := e.store.Tenants(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range tenants {
		rows, err := e.store.ProviderConnections(ctx, domain.Tenant{ID: t.ID}, store.Cursor{}, tracking.MaxProviders)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if r.Enabled {
				out = append(out, enabled{r, t.Name})
			}
		}
	}
	return out, nil
}

// connection asks one host and reports the first defect.
func (e *examination) connection(ctx context.Context, row store.ProviderConnection) Check {
	asked, err := e.Parts.Connection(ctx, e.store, row)
	switch {
	case ctx.Err() != nil:
		return Check{Status: Fail, Message: row.BaseURL + " did not answer in time",
			Fix: "Check DNS, firewall and proxy (ASSAY_OUTBOUND_PROXY_URL), and run the check again."}
	case err != nil:
		return Check{Status: Fail, Message: "it cannot be asked: " + clip.Line(err.Error()), Fix: "Enter the connection's token again."}
	}
	var wrong []tracking.ConnectionCheck
	for _, c := range asked.Checks {
		if !c.OK {
			wrong = append(wrong, c)
		}
	}
	if len(wrong) == 0 {
		return Check{Status: OK, Message: row.BaseURL + " answers, and the token may do what is needed"}
	}
	says := make([]string, len(wrong))
	for i, w := range wrong {
		says[i] = w.Message
	}
	out := Check{Status: Warn, Message: strings.Join(says, " "),
		Fix: "docs/hosts/ says what the account of the token needs; without it a part of the work is left out."}
	switch wrong[0].Name {
	case "host":
		out.Status, out.Fix = Fail, "Check DNS, firewall and proxy (ASSAY_OUTBOUND_PROXY_URL), and for a private host the air-gap settings."
	case "token", "owner":
		out.Status, out.Fix = Fail, "An admin of the tenant enters a new token or another owner; a value of "+
			"ASSAY_BOOTSTRAP_CONNECTION_… is changed there."
	case "expiry":
		out.Fix = "Make a new token at the host, and enter it before that day."
	case "rights":
		if row.State == domain.ConnectionBroken {
			out.Status = Fail
		}
	}
	return out
}
