package engine

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/lookup"
)

// checkDesk offers the tools of the repository and those of other servers.
type checkDesk struct {
	*lookup.Toolbox
	ask.ServerDesk
}

// claimDesk returns the tools with which the model of a route checks claims.
func (w *work) claimDesk(r ask.Route) claimDesk {
	if len(w.Servers.Offered(r)) == 0 || w.toolbox() == nil {
		return w.toolbox()
	}
	return checkDesk{w.toolbox(), ask.ServerDesk{Servers: w.Servers, Route: r}}
}

// Specs implements [ask.Desk].
func (c checkDesk) Specs() []llm.Tool { return slices.Concat(c.Toolbox.Specs(), c.ServerDesk.Specs()) }

// Run implements [ask.Desk].
func (c checkDesk) Run(ctx context.Context, a *ask.Allowance, call llm.ToolCall) ask.ToolResult {
	if c.Has(call.Name) {
		return c.Servers.Run(ctx, a, call)
	}
	return c.Toolbox.Run(ctx, a, call)
}

func (c checkDesk) ClaimAllowance() *ask.Allowance { return c.Toolbox.ClaimAllowance() }

func (c checkDesk) CallsLeft() int { return c.Toolbox.CallsLeft() }

func (c checkDesk) Beside(ctx context.Context, a domain.Anchor) (string, []change.Exhibit) {
	return c.Toolbox.Beside(ctx, a)
}
