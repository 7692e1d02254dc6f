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

// checking offers the tools of the repository and those of other servers.
type checking struct {
	*lookup.Toolbox
	ask.ServerDesk
}

// lookups returns the tools for checking claims with the model of a route.
func (w *work) lookups(r ask.Route) lookups {
	if len(w.Servers.Offered(r)) == 0 || w.toolbox() == nil {
		return w.toolbox()
	}
	return checking{w.toolbox(), ask.ServerDesk{Servers: w.Servers, Route: r}}
}

// Specs implements [ask.Desk].
func (c checking) Specs() []llm.Tool { return slices.Concat(c.Toolbox.Specs(), c.ServerDesk.Specs()) }

// Run implements [ask.Desk].
func (c checking) Run(ctx context.Context, a *ask.Allowance, call llm.ToolCall) ask.ToolResult {
	if c.Has(call.Name) {
		return c.Servers.Run(ctx, a, call)
	}
	return c.Toolbox.Run(ctx, a, call)
}

func (c checking) ClaimAllowance() *ask.Allowance { return c.Toolbox.ClaimAllowance() }

func (c checking) CallsLeft() int { return c.Toolbox.CallsLeft() }

func (c checking) Beside(ctx context.Context, a domain.Anchor) (string, []change.Exhibit) {
	return c.Toolbox.Beside(ctx, a)
}
