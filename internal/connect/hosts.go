// Package connect opens stored records for use: it turns an app's row into a client of its host, a model
// key's row into a client of its provider, and a commit into a snapshot of code.
//
// Sealed secrets are opened here. The package makes no decisions about reviews and returns only interfaces
// that other packages define.
package connect

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/intake"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Hosts opens code hosts. A client is reused until the app's row changes.
type Hosts struct {
	Store   *store.Store
	Keyring *secret.Keyring
	Factory *outbound.Factory
	Gate    codehost.Gate
	Gates   map[domain.ConnectionKind]codehost.Gate // for hosts with limits of their own; other hosts use Gate
	// WriteTime is how long one request to a host may take after the gate has admitted it; 20 s if 0.
	WriteTime time.Duration
	Logger    *slog.Logger
	Observer  codehost.Observer // gets every request, for metrics; may be nil
	// Git makes commits on hosts whose interface cannot; nil refuses them. Set it before the first use.
	Git codehost.GitPusher

	mu          sync.Mutex
	opened      map[string]openedApp
	connections map[string]openedConnection
}

type openedApp struct {
	updatedUS int64
	host      *github.Host
}

// Repository returns the host of a repository and the repository's name there. It returns
// [codehost.ClassForbidden] if the connection was deleted or switched off.
func (h *Hosts) Repository(ctx context.Context, r store.Repository) (codehost.Host, codehost.Repo, error) {
	access, err := h.Store.Access(ctx, r.Access)
	if err != nil {
		return nil, codehost.Repo{}, err
	}
	if access.Kind == store.KindGitHub {
		return h.ofInstallation(ctx, r)
	}
	host, err := h.connected(ctx, access)
	return host, codehost.Repo{Access: domain.HostID(access.Connection), ExternalID: r.ExternalID, Owner: r.Owner, Name: r.Name}, err
}

// Reader returns the host of a repository, restricted to reading. Errors are those of [Hosts.Repository].
func (h *Hosts) Reader(ctx context.Context, r store.Repository) (codehost.Reader, codehost.Repo, error) {
	host, repo, err := h.Repository(ctx, r)
	if err != nil {
		return nil, codehost.Repo{}, err
	}
	return codehost.ReadOnly(host), repo, nil
}

func (h *Hosts) ofInstallation(ctx context.Context, r store.Repository) (codehost.Host, codehost.Repo, error) {
	inst, err := h.Store.Installation(ctx, r.Installation)
	if err != nil {
		return nil, codehost.Repo{}, err
	}
	host, err := h.App(ctx, inst.AppID)
	return host, codehost.Repo{Access: inst.ExternalID, ExternalID: r.ExternalID, Owner: r.Owner, Name: r.Name}, err
}

// Installation reads an installation and its repositories from the host. A suspended installation has no
// repositories.
func (h *Hosts) Installation(ctx context.Context, app string, external domain.HostID) (codehost.Installation, []codehost.RepoInfo, error) {
	host, err := h.App(ctx, app)
	if err != nil {
		return codehost.Installation{}, nil, err
	}
	inst, err := host.Installation(ctx, external)
	if err != nil || inst.Suspended {
		return inst, nil, err
	}
	repos, err := host.InstallationRepositories(ctx, external)
	return inst, repos, err
}

// AccountID asks an app's host for the id of the account with the given login name.
func (h *Hosts) AccountID(ctx context.Context, app, login string) (domain.HostID, error) {
	host, err := h.App(ctx, app)
	if err != nil {
		return "", err
	}
	return host.AccountID(ctx, login)
}

// App opens a GitHub app.
func (h *Hosts) App(ctx context.Context, id string) (*github.Host, error) {
	row, err := h.Store.App(ctx, id)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if got, ok := h.opened[id]; ok && got.updatedUS == row.UpdatedUS {
		return got.host, nil
	}
	key, err := h.Keyring.OpenSecret(ctx, AppScope(row.ID, "private_key"), row.PrivateKey)
	if err != nil {
		return nil, fmt.Errorf("open the private key of app %s: %w", row.ID, err)
	}
	host, err := h.open(row, key, &watch{h, row.ID, row.Slug})
	if err != nil {
		return nil, err
	}
	if h.opened == nil {
		h.opened = map[string]openedApp{}
	}
	h.opened[id] = openedApp{row.UpdatedUS, host}
	return host, nil
}

// SignIn opens the sign-in of an app. It returns [errs.NotFound] if there is no such app or the app has no
// client secret.
func (h *Hosts) SignIn(ctx context.Context, id string) (codehost.SignIn, error) {
	host, err := h.App(ctx, id)
	if err != nil {
		return nil, err
	}
	row, err := h.Store.App(ctx, id)
	if err != nil {
		return nil, err
	}
	if row.ClientID == "" || row.ClientSecret == nil {
		return nil, errs.Absent()
	}
	key, err := h.Keyring.OpenSecret(ctx, AppScope(row.ID, "client_secret"), row.ClientSecret)
	if err != nil {
		return nil, fmt.Errorf("open the client secret of app %s: %w", row.ID, err)
	}
	return github.NewSignIn(host, row.ClientID, key, h.Factory.Client(outbound.Purpose{Name: "github sign-in", MaxResponseBytes: 1 << 20}))
}

// Unsaved opens a GitHub app with a key that need not be stored.
func (h *Hosts) Unsaved(row store.App, key secret.Secret) (*github.Host, error) {
	return h.open(row, key, h.Observer)
}

func (h *Hosts) open(row store.App, key secret.Secret, o codehost.Observer) (*github.Host, error) {
	return github.New(github.Config{Observer: o, AppID: row.ExternalID, PrivateKeyPEM: key, APIURL: row.APIURL, WebURL: row.WebURL,
		Gate: h.Gate, Timeout: h.WriteTime, Logger: h.Logger,
		HTTP: h.Factory.Client(outbound.Purpose{Name: "github", KeepRedirects: true, MaxResponseBytes: 64 << 20})})
}

// Convert exchanges the code of a manifest for the app that the host created.
func (h *Hosts) Convert(ctx context.Context, apiURL, code string) (github.Registered, error) {
	return github.Convert(ctx, h.Factory.Client(outbound.Purpose{Name: "github manifest", MaxResponseBytes: 1 << 20}), apiURL, code)
}

// AppScope returns the scope of a sealed column of an app. Apps belong to the instance.
func AppScope(app, column string) secret.Scope {
	return secret.Scope{Table: "apps", Row: app, Column: column}
}

// CredentialScope returns the scope of a model credential's sealed key.
func CredentialScope(t domain.Tenant, id string) secret.Scope {
	return secret.Scope{Tenant: t.ID, Table: "llm_credentials", Row: id, Column: "api_key"}
}

// Deliverer implements review.Apps.
func (h *Hosts) Deliverer(ctx context.Context, app string) (intake.Deliverer, error) {
	return h.App(ctx, app)
}
