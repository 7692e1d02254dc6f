package connect

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Connected opens the host of the connection that an access is of, with the
// connection's own token, for questions about people. It asks nobody.
// [errs.NotFound]: the connection is gone or disabled, or its address was changed
// since: ids of people are those of the access's host, and mean others elsewhere.
func (h *Hosts) Connected(ctx context.Context, a store.Access) (codehost.Connection, error) {
	host, err := h.connected(ctx, a)
	if codehost.ClassOf(err) == codehost.ClassForbidden { // which would say that a person may nothing
		return nil, errs.Absent()
	}
	if err != nil {
		return nil, err
	}
	return host, nil
}

// ConnectionScope is where the sealed token of a provider connection belongs.
func ConnectionScope(t domain.Tenant, id string) secret.Scope {
	return secret.Scope{Tenant: t.ID, Table: "provider_connections", Row: id, Column: "token"}
}
