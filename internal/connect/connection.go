package connect

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Connection opens the host of a provider connection with a token, which need
// not be the stored one. It asks nobody.
func (h *Hosts) Connection(context.Context, store.ProviderConnection, secret.Secret) (codehost.Connection, error) {
	return nil, errs.New(errs.Unbuilt, "", "This kind of code host is not built yet.")
}
