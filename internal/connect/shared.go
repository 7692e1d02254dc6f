package connect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/fault"
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
	name   string
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
	if failed := c.note(context.WithoutCancel(ctx), err); failed != nil {
		c.log.WarnContext(ctx, "whether a model key works could not be recorded; the next call records it", "credential", c.id, "error", failed)
	}
	if e, ok := errors.AsType[*llm.Error](err); ok && e.Retryable() && e.RetryAfter > inPlace { // a shorter wait is over before others hear of it
		if err := c.store.BlockCredential(context.WithoutCancel(ctx), c.tenant, c.id, min(e.RetryAfter, longestBlock)); err != nil {
			c.log.WarnContext(ctx, "other processes could not be told that a model provider wants to wait", "credential", c.id, "error", err)
		}
	}
	return out, err
}

// note records whether the key works, with the event where it stops. What says
// nothing of the key changes nothing.
func (c *shared) note(ctx context.Context, err error) error {
	if err == nil {
		return fault.Works(ctx, c.store, c.tenant, domain.ConnectionModelKey, c.id)
	}
	e, _ := errors.AsType[*llm.Error](err)
	broken := domain.ConnectionError{ConnectionKind: domain.ConnectionModelKey, ConnectionID: c.id, Name: c.name}
	switch {
	case e != nil && e.Class == llm.ClassCredential:
		broken.Message = fmt.Sprintf("The provider refuses the key (status %d). Enter one that it accepts and test it; until then only deterministic checks run on its tiers.", e.Status)
		return fault.Broke(ctx, c.store, c.tenant, fault.KeyRefused, broken)
	case e != nil && e.Class == llm.ClassQuota:
		broken.Message = fmt.Sprintf("The credit or the spend limit of the key is used up (status %d). Raise it at the provider; until then only deterministic checks run on its tiers.", e.Status)
		return fault.Broke(ctx, c.store, c.tenant, fault.Quota, broken)
	}
	return nil
}

// longestBlock bounds what a provider can say: a mistake of its must not end
// reviews for days (design choice).
const longestBlock = time.Hour
