package tracking

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/fault"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// ConnectionCheck is one line of a test.
type ConnectionCheck struct {
	Name    string `json:"name" enum:"host,token,scopes,expiry,owner,rights,people"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
}

// ConnectionChecks is the outcome of a test.
type ConnectionChecks struct {
	Checks []ConnectionCheck `json:"checks"`
}

// TestProvider asks the host of a connection with the stored token, and reports the token's account,
// permissions and end, and missing permissions, one line each. The result becomes the state of the
// connection. Errors: NotFound.
func (s *Service) TestProvider(ctx context.Context, t domain.Tenant, id string) (ConnectionChecks, error) {
	row, answer, out, err := s.testConnection(ctx, t, id)
	if err != nil {
		return ConnectionChecks{}, err
	}
	return out, s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		act := audit.Act{Tenant: t, Action: "provider-connection.test", Target: s.providerOfRow(row).target()}
		if i := slices.IndexFunc(out.Checks, func(c ConnectionCheck) bool { return !c.OK }); i >= 0 {
			act.Result, act.Note = audit.Failed, "The first check that failed is "+out.Checks[i].Name+"."
		}
		return act, s.storeTestAnswer(ctx, t, row, answer)
	})
}

// people returns the line that counts the members with and without a role from the host. It is never a
// failure, because reviews need no sign-in.
func (s *Service) people(ctx context.Context, t domain.Tenant, row store.ProviderConnection) (ConnectionCheck, error) {
	linked, err := s.Store.HostIsLinked(ctx, t, row.BaseURL)
	if err != nil {
		return ConnectionCheck{}, err
	}
	counts, err := s.ConnectionPeople(ctx, t, row.ID)
	line := ConnectionCheck{"people", true, counts.sentence()}
	if !linked {
		line.Message += " No identity provider that this tenant can use says that its subjects are the host's user ids (hostUserId)."
	}
	return line, err
}

// Ask is [Service.TestProvider] without storing or recording anything.
func (s *Service) Ask(ctx context.Context, t domain.Tenant, id string) (ConnectionChecks, error) {
	_, _, out, err := s.testConnection(ctx, t, id)
	return out, err
}

// testConnection asks the host of a connection with the stored token.
func (s *Service) testConnection(ctx context.Context, t domain.Tenant, id string) (row store.ProviderConnection,
	answer hostAnswer, out ConnectionChecks, err error) {
	if row, err = s.Store.ProviderConnection(ctx, t, id); err != nil {
		return row, answer, out, err
	}
	token, err := s.token(ctx, t, row)
	if err != nil {
		return row, answer, out, err
	}
	if answer, err = s.ask(ctx, row, token); err != nil {
		return row, answer, out, err
	}
	now, answer, err := s.resolveOwner(ctx, row, token, answer)
	if err != nil {
		return row, answer, out, err
	}
	answer.renamed = now.Owner != row.Owner
	shown := answer
	if answer.failed == nil {
		r := s.providerOfRow(row)
		refused, err := s.refusalSentences(ctx, t, &r)
		if err != nil {
			return row, answer, out, err
		}
		shown.Missing = append(slices.Clone(answer.missing()), refused[row.ID]...)
	}
	out = ConnectionChecks{shown.checks(time.Now(), token)}
	if answer.renamed {
		i := slices.IndexFunc(out.Checks, func(c ConnectionCheck) bool { return c.Name == "owner" && c.OK })
		if i >= 0 {
			out.Checks[i].Message += " " + cleanWords(row.Owner+" was its former name, and the next synchronisation takes over the new one.", token)
		}
	}
	if answer.failed == nil && answer.other == nil {
		line, err := s.people(ctx, t, row)
		if err != nil {
			return row, answer, out, err
		}
		out.Checks = append(out.Checks, line)
	}
	return row, answer, out, nil
}

func unbuiltKind() error {
	return errs.New(errs.Conflict, "kind_not_built", "Connections of this kind are kept, and cannot be used yet.")
}

// storeTestAnswer stores a host's answer, unless the connection has changed since the request. It informs no
// administrators.
func (s *Service) storeTestAnswer(ctx context.Context, t domain.Tenant, row store.ProviderConnection, a hostAnswer) error {
	state, message := a.state()
	current, err := s.Store.SetProviderState(ctx, t, row.ID, row.Version, state, message)
	if err != nil || !current || a.reason() != "" {
		return err
	}
	if err := s.Store.SetTokenEnd(ctx, t, row.ID, row.Version, a.endsUS()); err != nil {
		return err
	}
	if a.renamed {
		if err := s.Store.RequestSync(ctx, t, row.ID); err != nil {
			return err
		}
	}
	return fault.Works(ctx, s.Store, t, domain.ConnectionProvider, row.ID)
}

// checks returns the lines of a test.
func (a hostAnswer) checks(now time.Time, token secret.Secret) []ConnectionCheck {
	out := []ConnectionCheck{}
	add := func(ok bool, name, message string) { out = append(out, ConnectionCheck{name, ok, message}) }
	_, why := a.state()
	switch {
	case a.failed != nil && a.refusal() == nil:
		add(false, "host", why)
		return out
	case a.failed != nil && strings.HasPrefix(why, "The host refuses the token"):
		add(false, "token", why)
		return out
	case a.failed != nil, a.other != nil:
		add(false, "owner", why)
		return out
	}
	plain := func(text string) string { return cleanWords(text, token) }
	version := "It answers."
	if v := plain(a.Version); v != "" {
		version = "It answers, version " + v + "."
	}
	add(true, "host", version)
	add(true, "token", "It belongs to "+plain(a.Login)+".")
	switch {
	case a.ScopesKnown:
		add(true, "scopes", "The host reports: "+plain(strings.Join(a.Scopes, ", "))+".")
	default:
		add(true, "scopes", "The host does not tell them.")
	}
	switch {
	case a.ExpiresAt == nil:
		add(true, "expiry", "The host reports no end.")
	default:
		left := a.ExpiresAt.Sub(now)
		add(left > domain.TokenNotice, "expiry", fmt.Sprintf("It ends on %s.", a.ExpiresAt.UTC().Format(time.DateOnly)))
	}
	add(true, "owner", ownerLine(a.Owner, plain))
	for _, m := range a.missing() {
		add(false, "rights", m)
	}
	if len(a.Missing) == 0 {
		add(true, "rights", "Nothing is missing.")
	}
	return out
}

// ownerLine describes the owner of a connection.
func ownerLine(o codehost.RepoOwner, plain func(string) string) string {
	switch {
	case o.Login == codehost.WholeInstance:
		return "The connection covers every project with the account as a member."
	case o.Organization:
		return plain(o.Login) + " is an organisation."
	}
	return plain(o.Login) + " is a user."
}
