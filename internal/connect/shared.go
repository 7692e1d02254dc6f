package connect

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/store"
)

// shared is a client whose provider has said how long it wants no call: the
// other processes hear of it, and wait too. Breakers and limits of calls at a
// time are each process's own. It is below the retries, so that an answer whose
// tokens the provider has not counted gets its estimate whatever follows.
type shared struct {
	llm.Client
	store  *store.Store
	tenant domain.Tenant
	id     string // of the credential
	log    *slog.Logger
}

// Complete implements [llm.Client].
func (c *shared) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	wait, err := c.store.CredentialBlock(ctx, c.tenant, c.id)
	if err != nil {
		return llm.Response{}, err
	}
	if wait > 0 {
		return llm.Response{}, &llm.Error{Class: llm.ClassRetryable, RetryAfter: wait, ProviderMessage: "The provider has asked to wait before the next call with this key."}
	}
	out, err := c.Client.Complete(ctx, req)
	if err == nil {
		out.Usage = out.Estimate(req)
	}
	if e, ok := errors.AsType[*llm.Error](err); ok && e.Retryable() && e.RetryAfter > inPlace { // a shorter wait is over before others hear of it
		if err := c.store.BlockCredential(context.WithoutCancel(ctx), c.tenant, c.id, min(e.RetryAfter, longestBlock)); err != nil {
			c.log.WarnContext(ctx, "other processes could not be told that a model provider wants to wait", "credential", c.id, "error", err)
		}
	}
	return out, err
}

// longestBlock bounds what a provider can say: a mistake of its must not end
// reviews for days (design choice).
const longestBlock = time.Hour
