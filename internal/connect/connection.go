package connect

import (
	"context"
	"fmt"
	"net/http"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/azuredevops"
	"github.com/assay-dev/assay/internal/codehost/bitbucketcloud"
	"github.com/assay-dev/assay/internal/codehost/bitbucketserver"
	"github.com/assay-dev/assay/internal/codehost/gitea"
	"github.com/assay-dev/assay/internal/codehost/gitlab"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracking"
)

// host is the host of a connection: reviews use it, and checks of the connection query it.
type host interface {
	codehost.Host
	codehost.Connection
}

type openedConnection struct {
	version int64 // of the row: an edit makes a new client
	host    host
}

// Connection opens the host of a provider connection with a token, which need not be the stored one. It
// sends no request. Later refusals to the account are stored with the connection.
func (h *Hosts) Connection(_ context.Context, c store.ProviderConnection, token secret.Secret) (codehost.Connection, error) {
	return h.dial(c, token, &refusals{hosts: h, tenant: domain.Tenant{ID: c.Tenant}, connection: c.ID, version: c.Version, token: token})
}

func (h *Hosts) dial(c store.ProviderConnection, token secret.Secret, o codehost.Observer) (host, error) {
	kind := domain.ConnectionKind(c.Kind)
	client := h.Factory.Client(outbound.Purpose{Name: string(kind), Tenant: c.Tenant, KeepRedirects: true, MaxResponseBytes: 64 << 20})
	switch kind {
	case domain.GitLab:
		return gitlab.New(gitlab.Config{BaseURL: c.BaseURL, Owner: c.Owner, Token: token, Connection: c.ID, Gate: h.gate(kind),
			Timeout: h.WriteTime, Logger: h.Logger, Observer: o, HTTP: client})
	case domain.BitbucketCloud:
		return bitbucketcloud.New(bitbucketcloud.Config{Username: c.Username, Config: wire.Config{BaseURL: c.BaseURL, Owner: c.Owner,
			Token: token, Connection: c.ID, Gate: h.gate(kind), Timeout: h.WriteTime, Logger: h.Logger, Observer: o, HTTP: client}})
	case domain.BitbucketDataCenter:
		return bitbucketserver.New(bitbucketserver.Config{Git: h.Git, Config: wire.Config{BaseURL: c.BaseURL, Owner: c.Owner,
			Token: token, Connection: c.ID, Gate: h.gate(kind), Timeout: h.WriteTime, Logger: h.Logger, Observer: o, HTTP: client}})
	case domain.Gitea, domain.Forgejo:
		return gitea.New(gitea.Config{Kind: kind, BaseURL: c.BaseURL, Owner: c.Owner, Token: token, Connection: c.ID, Gate: h.gate(kind),
			Timeout: h.WriteTime, Logger: h.Logger, Observer: o, HTTP: client})
	case domain.AzureDevOps:
		tenant, application := tracking.EntraOf(c.Username)
		return azuredevops.New(azuredevops.Config{Config: wire.Config{BaseURL: c.BaseURL, Owner: c.Owner, Token: token, Connection: c.ID,
			Gate: h.gate(kind), Timeout: h.WriteTime, Logger: h.Logger, Observer: o, HTTP: client},
			Entra: azuredevops.Entra{Tenant: tenant, Client: application}})
	}
	return nil, errs.New(errs.Unbuilt, "", "This kind of code host is not built yet.")
}

// gate returns the gate for requests to a kind of host.
func (h *Hosts) gate(kind domain.ConnectionKind) codehost.Gate {
	if own, ok := h.Gates[kind]; ok {
		return own
	}
	return h.Gate
}

// connected opens the host of an access's connection with the stored token. It sends no request.
func (h *Hosts) connected(ctx context.Context, a store.Access) (host, error) {
	t := domain.Tenant{ID: a.Tenant}
	row, err := h.Store.ProviderConnection(ctx, t, a.Connection)
	switch {
	case errs.Is(err, errs.NotFound) || err == nil && a.State == domain.InstallationDeleted:
		return nil, &codehost.Error{Class: codehost.ClassForbidden, Op: "open connection", Message: "the connection was deleted"}
	case err != nil:
		return nil, err
	case !row.Enabled:
		return nil, &codehost.Error{Class: codehost.ClassForbidden, Op: "open connection", Message: "the connection is switched off"}
	case row.Kind != a.Kind || store.HostAddress(row.BaseURL) != a.Host: // the ids of the access belong to the old host
		return nil, &codehost.Error{Class: codehost.ClassForbidden, Op: "open connection", Message: "the connection goes to another host now"}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if got, ok := h.connections[row.ID]; ok && got.version == row.Version {
		return got.host, nil
	}
	token, err := h.Keyring.OpenSecret(ctx, ConnectionScope(t, row.ID), row.Token)
	if err != nil {
		return nil, fmt.Errorf("open the token of connection %s: %w", row.ID, err)
	}
	client, err := h.dial(row, token, &connectionWatch{refusals: refusals{hosts: h, tenant: t, connection: row.ID,
		version: row.Version, token: token}})
	if err != nil {
		return nil, err
	}
	if h.connections == nil {
		h.connections = map[string]openedConnection{}
	}
	h.connections[row.ID] = openedConnection{row.Version, client}
	return client, nil
}

// Former returns the host of a disconnected repository and the repository's name there, so that open work
// on the host can be ended. It uses the token of a disabled connection, or the kept copy of a deleted
// connection's token, and asks the host for the repository's present name by its id. It returns
// [codehost.ClassForbidden] if no token is left.
func (h *Hosts) Former(ctx context.Context, r store.Repository) (codehost.Host, codehost.Repo, error) {
	unreachable := &codehost.Error{Class: codehost.ClassForbidden, Op: "open connection",
		Message: "nothing is left by which the repository could be reached"}
	access, err := h.Store.Access(ctx, r.Access)
	if err != nil {
		return nil, codehost.Repo{}, err
	}
	if access.Kind == store.KindGitHub {
		return nil, codehost.Repo{}, unreachable
	}
	t, repo := domain.Tenant{ID: access.Tenant}, codehost.Repo{Access: domain.HostID(access.Connection), ExternalID: r.ExternalID,
		Owner: r.Owner, Name: r.Name}
	row, err := h.Store.ProviderConnection(ctx, t, access.Connection)
	scope := ConnectionScope(t, row.ID)
	if errs.Is(err, errs.NotFound) || err == nil && access.State == domain.InstallationDeleted {
		var left store.HookRemoval
		left, err = h.Store.HookRemovalOf(ctx, t, access.ID)
		row = store.ProviderConnection{ID: access.Connection, Tenant: t.ID, Kind: left.Kind, BaseURL: left.BaseURL, Owner: left.Owner,
			Username: left.Username, Token: left.Token}
		scope = tracking.RemovalScope(t, left.ID)
	}
	switch {
	case errs.Is(err, errs.NotFound) || err == nil && (row.Kind != access.Kind || store.HostAddress(row.BaseURL) != access.Host):
		return nil, repo, unreachable
	case err != nil:
		return nil, repo, err
	}
	token, err := h.Keyring.OpenSecret(ctx, scope, row.Token)
	if err != nil {
		return nil, repo, fmt.Errorf("open the token of connection %s: %w", row.ID, err)
	}
	host, err := h.dial(row, token, h.Observer)
	if err != nil {
		return nil, repo, err
	}
	if now, err := host.Resolve(ctx, repo); err == nil { // no synchronisation follows a new name; on failure, the next request fails too
		repo.Owner, repo.Name = now.Owner, now.Name
	}
	return host, repo, nil
}

// connectionWatch sees from a host's answers whether the host still accepts the token of a connection and
// knows the repository by its name. If not, it schedules the connection's synchronisation, which finds the
// cause or the new name, because these hosts send no event for it.
type connectionWatch struct {
	refusals
	pace pace
}

// ObserveExchange implements [codehost.Observer].
func (w *connectionWatch) ObserveExchange(ctx context.Context, a codehost.Exchange) {
	w.refusals.ObserveExchange(ctx, a)
	if a.Status != http.StatusUnauthorized && a.Class != codehost.ClassMoved || !w.pace.due() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), watchTime)
	defer cancel()
	if err := w.hosts.Store.RequestSync(ctx, w.tenant, w.connection); err != nil {
		w.hosts.Logger.WarnContext(ctx, "the host of a connection could not be asked what has changed; a later request has it asked",
			"connection", w.connection, "error", err)
	}
}
