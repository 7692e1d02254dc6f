package connect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/fault"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/store"
)

// sharedClient is a client that shares two facts with the other processes: how long the provider wants no calls,
// and which parts of requests it refuses. Breakers and concurrency limits stay per process. It sits below
// the retries, so that an answer without token counts gets its estimate in every case.
type sharedClient struct {
	llm.Client
	store  *store.Store
	tenant domain.Tenant
	key    store.Credential // when the client was opened
	log    *slog.Logger
}

// Complete implements [llm.Client].
func (c *sharedClient) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	wait, err := c.store.CredentialBlock(ctx, c.tenant, c.key.ID)
	if err != nil {
		return llm.Response{}, err
	}
	if wait > 0 {
		return llm.Response{}, &llm.Error{Class: llm.ClassRetryable, RetryAfter: wait,
			ProviderMessage: "The provider has asked to wait before the next call with this key."}
	}
	if req.Without, err = c.store.CredentialRefusals(ctx, c.tenant, c.key.ID, req.Model); err != nil {
		return llm.Response{}, err
	}
	out, err := c.Client.Complete(ctx, req)
	if err == nil {
		out.Usage = out.Estimate(req)
		c.keepRefusals(context.WithoutCancel(ctx), req, out.Unsupported)
	}
	if failed := c.note(context.WithoutCancel(ctx), err); failed != nil {
		c.log.WarnContext(ctx, "the state of a model key could not be stored; the next call stores it", "credential", c.key.ID, "error", failed)
	}
	// Shorter waits concern no other process.
	if e, ok := errors.AsType[*llm.Error](err); ok && e.Retryable() && e.RetryAfter > maxInPlaceWait {
		if err := c.store.BlockCredential(context.WithoutCancel(ctx), c.tenant, c.key.ID, min(e.RetryAfter, longestBlock)); err != nil {
			c.log.WarnContext(ctx, "other processes could not be told that a model provider wants to wait", "credential", c.key.ID, "error", err)
		}
	}
	return out, err
}

// keepRefusals stores the request parts that the endpoint refused for the model. Parts that the call did
// not have keep their state.
func (c *sharedClient) keepRefusals(ctx context.Context, req llm.Request, refused []string) {
	parts := slices.Clone(req.Without)
	for _, part := range refused {
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if len(parts) == len(req.Without) {
		return
	}
	if err := c.store.KeepRefusals(ctx, c.tenant, c.key.ID, c.key.Version, req.Model, parts, refusalKept); err != nil {
		c.log.WarnContext(ctx, "a refusal of the model could not be stored; the next call asks again",
			"credential", c.key.ID, "error", err)
	}
}

// refusalKept is how long a refused request part is left out. After that it is sent again, because servers
// are updated (design choice).
const refusalKept = 24 * time.Hour

// note records whether the key works, with an event when it stops. Other errors change nothing.
func (c *sharedClient) note(ctx context.Context, err error) error {
	if err == nil {
		return fault.Works(ctx, c.store, c.tenant, domain.ConnectionModelKey, c.key.ID)
	}
	e, _ := errors.AsType[*llm.Error](err)
	broken := domain.ConnectionError{ConnectionKind: domain.ConnectionModelKey, ConnectionID: c.key.ID, Name: c.key.Name}
	switch {
	case e != nil && e.Class == llm.ClassCredential:
		broken.Message = fmt.Sprintf("The provider refuses the key (status %d). Enter one that it accepts and test it; until then only "+
			"deterministic checks run on its tiers.", e.Status)
		return fault.Broke(ctx, c.store, c.tenant, fault.KeyRefused, broken)
	case e != nil && e.Class == llm.ClassQuota:
		broken.Message = fmt.Sprintf("The credit or the spend limit of the key is used up (status %d). Raise it at the provider; until "+
			"then only deterministic checks run on its tiers.", e.Status)
		return fault.Broke(ctx, c.store, c.tenant, fault.Quota, broken)
	}
	return nil
}

// longestBlock bounds the wait that a provider can ask for: its mistake must not stop reviews for days
// (design choice).
const longestBlock = time.Hour
