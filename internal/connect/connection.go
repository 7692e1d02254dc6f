package connect

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/gitea"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Connection opens the host of a provider connection with a token, which need
// not be the stored one. It asks nobody.
func (h *Hosts) Connection(_ context.Context, c store.ProviderConnection, token secret.Secret) (codehost.Connection, error) {
	switch kind := domain.ConnectionKind(c.Kind); kind {
	case domain.Gitea, domain.Forgejo:
		return gitea.New(gitea.Config{Kind: kind, BaseURL: c.BaseURL, Owner: c.Owner, Token: token, Connection: c.ID, Gate: h.Gate, Timeout: h.WriteTime, Logger: h.Logger, Observer: h.Observer,
			HTTP: h.Factory.Client(outbound.Purpose{Name: string(kind), KeepRedirects: true, MaxResponseBytes: 64 << 20})})
	}
	return nil, errs.New(errs.Unbuilt, "", "This kind of code host is not built yet.")
}
