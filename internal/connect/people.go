package connect

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Connected opens the host of an access's connection with the stored token, for questions about people. It
// sends no request. It returns [errs.NotFound] if the connection is gone or disabled, or its address has
// changed, because ids of people are valid only on the access's host.
func (h *Hosts) Connected(ctx context.Context, a store.Access) (codehost.Connection, error) {
	host, err := h.connected(ctx, a)
	if codehost.ClassOf(err) == codehost.ClassForbidden { // a forbidden class would mean that the person lacks a permission
		return nil, errs.Absent()
	}
	if err != nil {
		return nil, err
	}
	return host, nil
}

// ConnectionScope returns the scope of a provider connection's sealed token.
func ConnectionScope(t domain.Tenant, id string) secret.Scope {
	return secret.Scope{Tenant: t.ID, Table: "provider_connections", Row: id, Column: "token"}
}
